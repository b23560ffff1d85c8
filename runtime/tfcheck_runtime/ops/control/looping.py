"""The op `While`, and `tf.while_loop` on top of it.

Follows https://www.tensorflow.org/api_docs/python/tf/while_loop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tfcheck_runtime import dispatch
from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Aval, Op, define
from tfcheck_runtime.ops.array.identity import identity
from tfcheck_runtime.ops.array.shaping import reshape
from tfcheck_runtime.ops.control import bodies
from tfcheck_runtime.ops.control.bodies import Body, Structure
from tfcheck_runtime.ops.control.branching import repack
from tfcheck_runtime.ops.control.tensor_array import TensorArray
from tfcheck_runtime.ops.math.logic import logical_and
from tfcheck_runtime.specs import nest
from tfcheck_runtime.specs.shapes import Shape, as_shape, is_subshape, shape_text
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.naming import outside_scopes
from tfcheck_runtime.values.parameters import add_input
from tfcheck_runtime.values.tensor import EagerTensor, FuncGraph, Tensor, apply_n

Test = Callable[[Structure], Any]
Step = Callable[[Structure], Structure]


class _While(Op):
    """Repeats a body: inputs are the loop variables, then captures of condition and body."""

    foldable = False

    def __init__(self, op_type: str, *, stateful: bool) -> None:
        self.type = op_type
        self.stateful = stateful

    def infer(
        self,
        *inputs: Aval,
        cond: FuncGraph,
        body: FuncGraph,
        count: int,
        maximum_iterations: int | None,
    ) -> tuple[Aval, ...]:
        return tuple(Aval(v.aval.dtype, v.aval.shape) for v in body.inputs)

    def eager(
        self,
        *inputs: Any,
        cond: FuncGraph,
        body: FuncGraph,
        count: int,
        maximum_iterations: int | None,
    ) -> tuple[Array, ...]:
        split = count + len(cond.captures)
        variables, tested, used = list(inputs[:count]), inputs[count:split], inputs[split:]
        rounds = 0
        while (maximum_iterations is None or rounds < maximum_iterations) and bool(
            bodies.evaluate(cond, [*variables, *tested])[0]
        ):
            variables = list(bodies.evaluate(body, [*variables, *used]))
            rounds += 1
        return tuple(variables)


def _emit_while(
    variables: Sequence[Any],
    cond: FuncGraph,
    body: FuncGraph,
    *,
    maximum_iterations: int | None = None,
    name: str = "while",
) -> Sequence[Tensor]:
    externals = [c.external for g in (cond, body) for c in g.captures]
    return apply_n(
        while_op if bodies.has_effects(cond, body) else stateless_while_op,
        *variables,
        *externals,
        name=name,
        cond=cond,
        body=body,
        count=len(variables),
        maximum_iterations=maximum_iterations,
    )


while_op = define(_While("While", stateful=True))
stateless_while_op = define(_While("StatelessWhile", stateful=False))


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop to build: its variables as they enter it, the shapes they keep, its functions."""

    initial: Structure
    invariants: Sequence[Shape]
    test: Test
    step: Step
    maximum_iterations: int | None = None
    name: str = "while"


def build(loop: Loop) -> Structure:
    """Trace a loop into the current graph; returns the loop variables after it.

    Raises:
        TypeError: a variable changes its dtype in the body.
        ValueError: it changes its shape or structure.
    """
    cond, body = bodies.new_graph(f"{loop.name}_cond"), bodies.new_graph(f"{loop.name}_body")
    enter = nest.flatten(loop.initial, expand_composites=True)
    with dispatch.building(cond), outside_scopes():
        tested = Body(cond, [condition(loop.test(_parameters(cond, loop, enter)))])
    bodies.finish(tested)
    with dispatch.building(body), outside_scopes():
        stepped = Body(body, bodies.tensors(loop.step(_parameters(body, loop, enter))))
    check_structure(loop.initial, stepped.result)
    _check_leaves(enter, stepped.leaves, loop.invariants)
    bodies.finish(stepped)
    return _emit(loop, enter, tested, stepped)


def _parameters(graph: FuncGraph, loop: Loop, enter: Sequence[Tensor]) -> Structure:
    made = [
        add_input(graph, v.dtype, invariant, "loop_var")
        for v, invariant in zip(enter, loop.invariants, strict=True)
    ]
    return nest.pack_sequence_as(loop.initial, made, expand_composites=True)


def condition(value: object) -> Tensor:
    """What a loop's condition returned, as a scalar of type bool.

    Raises:
        InvalidArgumentError: it is not of type bool.
    """
    tensor = convert_to_tensor(value)
    if not tensor.dtype.is_bool:
        raise invalid_argument(
            f"Input 'input' passed {tensor.dtype.name} expected bool: the condition of a loop must"
            " be a boolean scalar; compare it with something, or use tf.cast"
        )
    return identity(tensor if tensor.static_shape == () else reshape(tensor, []))


def check_structure(before: Structure, after: Structure) -> None:
    """Check that a loop's body returns the structure it was given.

    Raises:
        ValueError: it does not.
    """
    try:
        nest.assert_same_structure(before, after, check_types=False, expand_composites=True)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{error} [loop-var-type-change]") from None


def _check_leaves(
    enter: Sequence[Tensor], leave: Sequence[Tensor | None], invariants: Sequence[Shape]
) -> None:
    if len(leave) != len(enter):
        raise ValueError(
            f"the loop has {len(enter)} variables but its body returned {len(leave)} tensors; None"
            " cannot be a loop variable [loop-var-type-change]"
        )
    for before, after, invariant in zip(enter, leave, invariants, strict=True):
        assert after is not None  # None is counted above
        if before.dtype is not after.dtype:
            raise TypeError(
                f"Loop var {before!r} enters the loop with type {before.dtype!r} but has type"
                f" {after.dtype!r} after 1 iteration. Its type should remain constant."
                " [loop-var-type-change]"
            )
        if not is_subshape(after.static_shape, invariant):
            raise ValueError(
                f"Input tensor {before!r} enters the loop with shape {shape_text(invariant)}, but"
                f" has shape {shape_text(after.static_shape)} after one iteration. To allow the"
                " shape to vary across iterations, use the `shape_invariants` argument of"
                " tf.while_loop to specify a less-specific shape. [loop-var-type-change]"
            )


def _emit(loop: Loop, enter: Sequence[Tensor], cond: Body, body: Body) -> Structure:
    limit = loop.maximum_iterations
    outputs = _emit_while(enter, cond.graph, body.graph, maximum_iterations=limit, name=loop.name)
    return repack(loop.initial, outputs)


def default_invariants(initial: Structure) -> list[Shape]:
    """The shapes that loop variables keep when nobody says otherwise: those they enter with."""
    found: list[Shape] = []
    for leaf in nest.flatten(initial):
        # The flow of a TensorArray gets its shape with the first write.
        known = not isinstance(leaf, TensorArray)
        parts = nest.flatten(leaf, expand_composites=True)
        found.extend(part.static_shape if known else None for part in parts)
    return found


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Sequence[Any],
    shape_invariants: Structure = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: object = None,
    name: str | None = None,
) -> Any:
    """Repeat `body` while `cond` holds (https://www.tensorflow.org/api_docs/python/tf/while_loop).

    Args:
        cond: takes the loop variables, returns a boolean scalar.
        body: takes the loop variables, returns their new values.
        loop_vars: a list or tuple of tensors, TensorArrays or structures of them.
        shape_invariants: per loop variable, the shape it keeps from step to step.
        parallel_iterations: accepted, without effect.
        back_prop: accepted, without effect.
        swap_memory: accepted, without effect.
        maximum_iterations: the loop stops after that many steps.
        name: of the node.

    Raises:
        TypeError: `cond` or `body` is not callable, or a variable changes its dtype.
        ValueError: there are no loop variables, or one changes its shape or structure.
    """
    for what, function in (("cond", cond), ("body", body)):
        if not callable(function):
            raise TypeError(f"'{what}' must be callable.")
    if isinstance(loop_vars, int | float | Tensor):
        raise TypeError(f"loop_vars must be a list or tuple, got {loop_vars!r}")
    if not loop_vars:
        raise ValueError("'loop_vars' must be provided.")
    if dispatch.current_graph() is None:
        return _run(cond, body, loop_vars, maximum_iterations)
    initial = nest.map_structure(_enter, loop_vars)
    invariants = default_invariants(initial)
    if shape_invariants is not None:
        invariants = _declared(initial, shape_invariants)
    pack: Callable[..., Any] = list if isinstance(loop_vars, list) else tuple

    def step(variables: Structure) -> Structure:
        made = body(*variables)
        if isinstance(made, list | tuple) and not nest.is_namedtuple(made):
            return pack(made)
        return [made] if len(variables) == 1 and not nest.is_nested(made) else made

    loop = Loop(initial, invariants, lambda v: cond(*v), step, name=name or "while")
    return build_bounded(loop, maximum_iterations)


def _enter(value: object) -> object:
    return value if isinstance(value, nest.Composite) else convert_to_tensor(value)


def _declared(initial: Structure, shape_invariants: Structure) -> list[Shape]:
    shapes = nest.flatten(nest.map_structure(_shape_of, shape_invariants))
    given = [as_shape(s) for s in shapes]
    leaves = nest.flatten(initial)
    if len(given) != len(leaves):
        raise ValueError(
            f"expected one shape invariant per loop variable ({len(leaves)}), got {len(given)}"
        )
    found: list[Shape] = []
    for leaf, shape in zip(leaves, given, strict=True):
        own = leaf.static_shape if isinstance(leaf, Tensor) else None
        if isinstance(leaf, Tensor) and not is_subshape(own, shape):
            raise ValueError(
                f"The shape invariant specified for {leaf!r} is not compatible with the initial"
                f" shape of the loop variable. It enters the loop with shape {shape_text(own)}, but"
                f" the specified shape invariant is {shape_text(shape)}."
            )
        found.append(shape if isinstance(leaf, Tensor) else None)
    return found


def _shape_of(invariant: object) -> object:
    """The shape in a TensorSpec or TensorShape."""
    return getattr(invariant, "shape", invariant)


def build_bounded(loop: Loop, maximum_iterations: object) -> Structure:
    """`build`, stopping after `maximum_iterations`: an int, a tensor or None."""
    known = _static_limit(maximum_iterations)
    if maximum_iterations is None or known is not None:
        return build(
            Loop(loop.initial, loop.invariants, loop.test, loop.step, known, name=loop.name)
        )
    limit = convert_to_tensor(maximum_iterations)

    def test(variables: Structure) -> Tensor:
        return logical_and(variables[0] < limit, condition(loop.test(variables[1])))

    def step(variables: Structure) -> Structure:
        return (variables[0] + 1, loop.step(variables[1]))

    counted = (convert_to_tensor(0, limit.dtype), loop.initial)
    result = build(Loop(counted, [(), *loop.invariants], test, step, name=loop.name))
    return result[1]


def _static_limit(maximum_iterations: object) -> int | None:
    if isinstance(maximum_iterations, int):
        return maximum_iterations
    if isinstance(maximum_iterations, EagerTensor):
        return int(maximum_iterations)
    return None


def _run(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Sequence[Any],
    maximum_iterations: object,
) -> Any:
    """The loop in eager code: plain Python, with the loop variables as tensors."""
    variables: Any = nest.map_structure(_enter, loop_vars)
    limit = None if maximum_iterations is None else _static_limit(maximum_iterations)
    rounds = 0
    while (limit is None or rounds < limit) and cond(*variables):
        made = body(*variables)
        # A body that returns its one variable bare fails here, as in TensorFlow; in graphs it may.
        check_structure(list(variables), list(made))
        variables = nest.map_structure(_enter, made)
        rounds += 1
    return variables
