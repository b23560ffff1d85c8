"""The ops `If` and `Case`, and `tf.cond`, `tf.switch_case` and `tf.case` on top of them.

Follows https://www.tensorflow.org/api_docs/python/tf/cond.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tfcheck_runtime import dispatch
from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Aval, Op, define
from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.packing import stack
from tfcheck_runtime.ops.array.reduction import reduce_sum
from tfcheck_runtime.ops.array.shaping import reshape
from tfcheck_runtime.ops.control import bodies
from tfcheck_runtime.ops.control.asserting import assert_
from tfcheck_runtime.ops.control.bodies import Body, Structure
from tfcheck_runtime.specs import dtypes, nest
from tfcheck_runtime.specs.shapes import common_supershape, num_elements
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import (
    FuncGraph,
    SymbolicTensor,
    Tensor,
    apply_n,
    is_tensor,
)

Branch = Callable[[], Any]


class _If(Op):
    """One of two branches: inputs are the predicate, then what each branch captures."""

    def __init__(self, op_type: str, *, stateful: bool) -> None:
        self.type = op_type
        self.stateful = stateful

    def infer(
        self, pred: Aval, *externals: Aval, then_branch: FuncGraph, else_branch: FuncGraph
    ) -> tuple[Aval, ...]:
        return _joined([then_branch, else_branch])

    def eager(
        self, pred: Array, *externals: Any, then_branch: FuncGraph, else_branch: FuncGraph
    ) -> tuple[Array, ...]:
        graphs = then_branch, else_branch
        return _chosen(graphs, 0 if bool(np.asarray(pred).reshape(())) else 1, externals)


class _Case(Op):
    """One of several branches by index; an index out of range takes the last."""

    def __init__(self, op_type: str, *, stateful: bool) -> None:
        self.type = op_type
        self.stateful = stateful

    def infer(
        self, index: Aval, *externals: Aval, branches: tuple[FuncGraph, ...]
    ) -> tuple[Aval, ...]:
        return _joined(branches)

    def eager(
        self, index: Array, *externals: Any, branches: tuple[FuncGraph, ...]
    ) -> tuple[Array, ...]:
        last = len(branches) - 1
        number = int(index)
        return _chosen(branches, number if 0 <= number <= last else last, externals)


def _if_attributes(graphs: Sequence[FuncGraph]) -> dict[str, Any]:
    return {"then_branch": graphs[0], "else_branch": graphs[1]}


def _case_attributes(graphs: Sequence[FuncGraph]) -> dict[str, Any]:
    return {"branches": tuple(graphs)}


def _emit_if(pred: Any, graphs: Sequence[FuncGraph], name: str = "cond") -> Sequence[Tensor]:
    op = if_op if bodies.has_effects(*graphs) else stateless_if_op
    return apply_n(op, pred, *_externals(graphs), name=name, **_if_attributes(graphs))


def _emit_case(index: Any, graphs: Sequence[FuncGraph], name: str = "case") -> Sequence[Tensor]:
    op = case_op if bodies.has_effects(*graphs) else stateless_case_op
    return apply_n(op, index, *_externals(graphs), name=name, **_case_attributes(graphs))


def _externals(graphs: Sequence[FuncGraph]) -> list[Any]:
    return [c.external for g in graphs for c in g.captures]


def _chosen(graphs: Sequence[FuncGraph], index: int, externals: Sequence[Any]) -> tuple[Array, ...]:
    start = sum(len(g.captures) for g in graphs[:index])
    mine = externals[start : start + len(graphs[index].captures)]
    return tuple(bodies.evaluate(graphs[index], mine))


def _joined(graphs: Sequence[FuncGraph]) -> tuple[Aval, ...]:
    joined: list[Aval] = []
    for outputs in zip(*(g.outputs for g in graphs), strict=True):
        shape = outputs[0].aval.shape
        for other in outputs[1:]:
            shape = common_supershape(shape, other.aval.shape)
        joined.append(Aval(outputs[0].aval.dtype, shape))
    return tuple(joined)


if_op = define(_If("If", stateful=True))
stateless_if_op = define(_If("StatelessIf", stateful=False))
case_op = define(_Case("Case", stateful=True))
stateless_case_op = define(_Case("StatelessCase", stateful=False))


def emit_if(pred: object, then: Body, orelse: Body, *, name: str) -> Structure:
    """Add an `If` of two traced branches of the same structure to the current graph.

    Raises:
        ValueError: the second branch uses a tensor of the first.
        InvalidArgumentError: the condition is no boolean, or has several elements.
    """
    for external in orelse.externals:
        if isinstance(external, SymbolicTensor) and external.graph is then.graph:
            raise ValueError(
                f"Tensor {external.name} in true_fn is accessed from false_fn. Return it from both"
                " branches instead [tensor-leak]"
            )
    outputs = _emit_if(predicate(pred), [then.graph, orelse.graph], name)
    return repack(then.result, outputs)


def repack(result: Structure, outputs: Sequence[Tensor]) -> Structure:
    """The structure `result` around new tensors; None stays."""
    rest = iter(outputs)
    flat = nest.flatten(result, expand_composites=True)
    leaves = [None if v is None else next(rest) for v in flat]
    return nest.pack_sequence_as(result, leaves, expand_composites=True)


def predicate(pred: object) -> Tensor:
    """The condition of an `If` as a scalar of type bool.

    TensorFlow looks at it when the graph runs, after both branches were traced.

    Raises:
        InvalidArgumentError: it is not of type bool, or does not have one element.
    """
    tensor = convert_to_tensor(pred)
    if not tensor.dtype.is_bool:
        raise invalid_argument(
            f"Input 'pred' passed {tensor.dtype.name} expected bool: the condition of a branch must"
            " be a boolean scalar; compare it with something, or use tf.cast"
        )
    if any(size not in (None, 1) for size in tensor.static_shape or ()):
        raise invalid_argument(
            f"the condition of a branch must be a scalar, but it has shape {tensor.shape}; use"
            " tf.reduce_any or tf.reduce_all"
        )
    return tensor if tensor.static_shape == () else reshape(tensor, [])


def cond(
    pred: object,
    true_fn: Branch | None = None,
    false_fn: Branch | None = None,
    name: str | None = None,
) -> Any:
    """The result of `true_fn()` or `false_fn()` (https://www.tensorflow.org/api_docs/python/tf/cond).

    In graphs both functions are traced, and must return the same structure and dtypes.

    Raises:
        TypeError: a branch is not callable, `pred` is a Python bool in a graph, or the branches
            return different structures or dtypes.
        AssertionError: they return different numbers of tensors.
        ValueError: one branch returns None where the other returns a tensor.
        InvalidArgumentError: in a graph, `pred` is no boolean, or does not have one element.
    """
    for what, function in (("true_fn", true_fn), ("false_fn", false_fn)):
        if not callable(function):
            raise TypeError(f"'{what}' must be callable.")
    assert true_fn is not None  # checked above
    assert false_fn is not None
    if dispatch.current_graph() is None:
        return true_fn() if _truth(pred) else false_fn()
    if isinstance(pred, bool):
        raise TypeError(f"pred must not be a Python bool, got {pred}")
    then = bodies.trace_body(true_fn, f"{name or 'cond'}_true", pred)
    orelse = bodies.trace_body(false_fn, f"{name or 'cond'}_false", pred)
    check_alike(then, orelse, "true_fn and false_fn arguments to tf.cond")
    return emit_if(pred, then, orelse, name=name or "cond")


def _truth(pred: object) -> bool:
    if isinstance(pred, SymbolicTensor):
        raise TypeError(f"the condition {pred!r} has no value outside of its graph [tensor-leak]")
    if isinstance(pred, Tensor) and num_elements(pred.static_shape) == 0:
        raise ValueError(
            f"The truth value of an empty array is ambiguous: the condition has shape {pred.shape}"
        )
    return bool(pred)


def check_alike(first: Body, other: Body, what: str) -> None:
    """Check that two branches return the same structure of the same dtypes.

    Raises:
        ValueError: only one returns nothing.
        AssertionError: they return different numbers of tensors.
        TypeError: they differ in structure or dtypes.
    """
    counts = len(first.leaves), len(other.leaves)
    if counts[0] != counts[1]:
        # TensorFlow's own checks differ in their errors.
        error = ValueError if first.result is None or other.result is None else AssertionError
        raise error(
            f"{what} must return as many tensors as each other, got {counts[0]} and {counts[1]}"
            f" ({first.result!r} and {other.result!r}) [branch-type-mismatch]"
        )
    start = (
        f"{what} must have the same number, type, and overall structure of return values, got"
        f" {first.result!r} and {other.result!r}"
    )
    try:
        nest.assert_same_structure(first.result, other.result, expand_composites=True)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{start}: {error} [branch-type-mismatch]") from None
    for a, b in zip(first.leaves, other.leaves, strict=True):
        if a.dtype is not b.dtype:
            raise TypeError(f"{start}: {a!r} and {b!r} have different types [branch-type-mismatch]")


Branches = Sequence[Branch] | Mapping[int, Branch] | Sequence[tuple[int, Branch]]


def switch_case(
    branch_index: object,
    branch_fns: Branches,
    default: Branch | None = None,
    name: str = "switch_case",
) -> Any:
    """The result of one branch (https://www.tensorflow.org/api_docs/python/tf/switch_case).

    Args:
        branch_index: an int32 scalar; out of range takes `default`, or the last branch.
        branch_fns: callables, or a mapping or pairs of index and callable that cover 0 to n-1.
        default: what runs when no index matches.
        name: of the node.

    Raises:
        TypeError: the index is not an integer, or the branches return different structures.
        ValueError: there is no branch, or the indices have gaps.
    """
    functions = _ordered(branch_fns)
    if default is not None:
        functions.append(default)
    index = convert_to_tensor(branch_index)
    if not index.dtype.is_integer:
        raise TypeError(f"'branch_index' must be an integer Tensor, got {index.dtype!r}")
    if dispatch.current_graph() is None:
        number = int(index)  # type: ignore[call-overload]  # eager tensors convert
        return functions[number if 0 <= number < len(functions) else -1]()
    traced = [bodies.trace_body(f, f"{name}_branch{i}", index) for i, f in enumerate(functions)]
    for i, other in enumerate(traced[1:], 1):
        check_alike(traced[0], other, f"branches[0] and branches[{i}] arguments to tf.switch_case")
    outputs = _emit_case(index, [b.graph for b in traced], f"{name}/indexed_case")
    return repack(traced[0].result, outputs)


def _ordered(branches: Branches) -> list[Branch]:
    if not branches:
        raise ValueError("Must provide at least one item in 'branch_fns'")
    if isinstance(branches, Mapping):
        pairs = list(branches.items())
    elif all(isinstance(b, tuple) for b in branches):
        pairs = list(branches)  # type: ignore[arg-type]  # pairs, as just checked
    else:
        pairs = list(enumerate(branches))  # type: ignore[arg-type]  # callables
    ordered = dict(sorted(pairs, key=lambda pair: pair[0]))
    if list(ordered) != list(range(len(ordered))):
        raise ValueError(
            f"branch indices (keys) must form contiguous range of [0 to {len(ordered)}) but found"
            f" {{{','.join(str(k) for k in ordered)}}}"
        )
    for number, function in ordered.items():
        if not callable(function):
            raise TypeError(f"branch {number} must be callable, got {function!r}")
    return list(ordered.values())


Pairs = Sequence[tuple[object, Branch]] | Mapping[Any, Branch]


def case(
    pred_fn_pairs: Pairs,
    default: Branch | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = "case",
) -> Any:
    """The result of the first branch whose condition holds.

    See https://www.tensorflow.org/api_docs/python/tf/case.

    Args:
        pred_fn_pairs: pairs of a boolean scalar tensor and a callable.
        default: what runs when no condition holds; without it one must.
        exclusive: whether a graph fails when more than one condition holds; eagerly, as in
            TensorFlow, the first is taken all the same.
        strict: accepted, without effect.
        name: of the nodes.

    Raises:
        TypeError: a condition is no tensor, a branch is not callable, or results differ in type.
        InvalidArgumentError: no condition holds and there is no default, or several hold.
        ValueError: there are no pairs.
    """
    pairs = list(pred_fn_pairs.items() if isinstance(pred_fn_pairs, Mapping) else pred_fn_pairs)
    if not pairs:
        raise ValueError("not enough values to unpack: tf.case needs at least one pair")
    for pred, function in pairs:
        if not is_tensor(pred):
            raise TypeError(f"pred must be a Tensor, got: {pred}")
        if not callable(function):
            raise TypeError(f"fn for pred {pred} must be callable.")
    preds = [convert_to_tensor(pred) for pred, _ in pairs]
    if exclusive and dispatch.current_graph() is not None:
        held = reduce_sum(cast(stack(preds), dtypes.int32))
        assert_(held < 2, ["Input error: exclusive=True: several conditions hold:", stack(preds)])
    return _first_holding(preds, [function for _, function in pairs], default, name=name)


def _first_holding(
    preds: Sequence[Tensor], functions: Sequence[Branch], default: Branch | None, *, name: str
) -> Any:
    *earlier, (last_pred, last) = zip(preds, functions, strict=True)
    rest = default
    if rest is None:
        rest = _checked(last_pred, last, preds)
    else:
        earlier = [*earlier, (last_pred, last)]
    for pred, function in reversed(earlier):
        rest = _choice(pred, function, rest, f"{name}/cond")
    return rest()


def _choice(pred: Tensor, function: Branch, rest: Branch, name: str) -> Branch:
    return lambda: cond(pred, function, rest, name=name)


def _checked(pred: Tensor, function: Branch, preds: Sequence[Tensor]) -> Branch:
    def run() -> Any:
        assert_(pred, ["Input error: None of conditions evaluated as True:", stack(preds)])
        return function()

    return run
