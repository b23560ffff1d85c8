"""`if` statements and conditional expressions: Python's, or both sides traced into the graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from tfcheck_runtime import dispatch
from tfcheck_runtime.autograph.places import here
from tfcheck_runtime.autograph.symbolic import condition, difference, dtype_of, is_symbolic
from tfcheck_runtime.autograph.undefined import Undefined, UndefinedReturnValue
from tfcheck_runtime.ops.control import bodies
from tfcheck_runtime.ops.control.bodies import Body
from tfcheck_runtime.ops.control.branching import check_alike, emit_if
from tfcheck_runtime.ops.control.tensor_array import TensorArray
from tfcheck_runtime.specs import nest
from tfcheck_runtime.values.naming import outside_scopes
from tfcheck_runtime.values.tensor import FuncGraph, Tensor

Values: TypeAlias = tuple[Any, ...]  # whatever the user's variables hold
Getter: TypeAlias = Callable[[], Values]
Setter: TypeAlias = Callable[[Values], None]


def if_stmt(
    test: object,
    body: Callable[[], None],
    orelse: Callable[[], None],
    get_state: Getter,
    set_state: Setter,
    names: Sequence[str],
    outputs: int,
) -> None:
    """Run one branch, or trace both when the condition is a tensor of the graph being built.

    Args:
        test: the condition.
        body: the statements under `if`.
        orelse: the statements under `else`.
        get_state: reads the variables that the branches share with the code around.
        set_state: assigns them.
        names: their names.
        outputs: how many of them, from the first, matter afterwards.

    Raises:
        ValueError: a variable has no value, or None, after one branch.
        TypeError: a variable differs in dtype or structure between the branches.
    """
    if not is_symbolic(test):
        if test:
            body()
        else:
            orelse()
        return
    pred = condition(test, "if statement")
    before = _initial(get_state)

    def run(branch: Callable[[], None]) -> Values:
        set_state(before)
        branch()
        return get_state()[:outputs]

    results = _select(pred, lambda: run(body), lambda: run(orelse), names)
    set_state((*results, *before[outputs:]))


def _initial(get_state: Getter) -> Values:
    try:
        return get_state()
    except NameError as error:
        # A bare annotation such as `x: tf.Tensor` makes a variable that has no value.
        raise NameError(
            f"{error}; a variable that a branch binds is only annotated before it: give it a value"
            f" there ({here()}) [unconverted-control-flow]"
        ) from None


def if_exp(test: object, body: Callable[[], Any], orelse: Callable[[], Any], shown: str) -> Any:
    """`body() if test else orelse()`, for tensors too; `shown` is the condition's source.

    Raises:
        TypeError: the sides differ in dtype or structure.
        ValueError: one of them is None.
        AssertionError: they hold different numbers of tensors.
        InvalidArgumentError: the condition is no boolean, or does not have one element.
    """
    if not is_symbolic(test):
        return body() if test else orelse()
    then = bodies.trace_body(body, "cond_true", test)
    other = bodies.trace_body(orelse, "cond_false", test)
    _check_leaf(shown, then.result, other.result)
    check_alike(then, other, "the sides of a conditional expression")
    return emit_if(test, then, other, name="cond")


def _select(
    pred: Tensor, body: Callable[[], Values], orelse: Callable[[], Values], names: Sequence[str]
) -> Values:
    then_graph, then_values = _run(body, "cond_true")
    else_graph, else_values = _run(orelse, "cond_false")
    for name, first, second in zip(names, then_values, else_values, strict=False):
        _check(name, first, second)
        _align_arrays(first, second)
    then = _finished(then_graph, then_values, pred)
    other = _finished(else_graph, else_values, pred)
    merged: Values = emit_if(pred, then, other, name="cond")
    return merged


def _run(branch: Callable[[], Values], name: str) -> tuple[FuncGraph, Values]:
    graph = bodies.new_graph(name)
    with dispatch.building(graph), outside_scopes():
        return graph, branch()


def _finished(graph: FuncGraph, values: Values, pred: Tensor) -> Body:
    with dispatch.building(graph), outside_scopes():
        body = Body(graph, bodies.branch_tensors(values, pred))
    bodies.finish(body)
    return body


def _check(name: str, first: object, second: object) -> None:
    for value, branch in ((first, "main"), (second, "else")):
        if isinstance(value, UndefinedReturnValue):
            raise ValueError(
                f"A value must also be returned from the {branch} branch: the {branch} branch must"
                f" also have a return statement ({here()}) [missing-else-return]"
            )
        if isinstance(value, Undefined):
            raise ValueError(
                f"'{name}' must also be initialized in the {branch} branch ({here()})"
                " [undefined-in-branch]"
            )
    found = None if first is None or second is None else difference(first, second)
    if found is not None:
        raise TypeError(
            f"'{name}' must have the same nested structure in the main and else branches"
            f" ({here()}): {found} [branch-type-mismatch]"
        )
    if first is None or second is None:
        _check_leaf(name, first, second)
    for a, b in zip(nest.flatten(first), nest.flatten(second), strict=True):
        _check_leaf(name, a, b)


def _check_leaf(name: str, first: object, second: object) -> None:
    for value, branch in ((first, "main"), (second, "else")):
        if value is None:
            raise ValueError(
                f"'{name}' is None at the end of the {branch} branch ({here()})"
                " [branch-type-mismatch]"
            )
    kinds = dtype_of(first), dtype_of(second)
    if kinds[0] is not None and kinds[1] is not None and kinds[0] is not kinds[1]:
        raise TypeError(
            f"'{name}' has dtype {kinds[0].name} in the main branch, but dtype"
            f" {kinds[1].name} in the else branch ({here()}) [branch-type-mismatch]"
        )


def _align_arrays(first: object, second: object) -> None:
    """Let TensorArrays that come out of one branch or the other know each other's elements."""
    for a, b in zip(nest.flatten(first), nest.flatten(second), strict=True):
        if isinstance(a, TensorArray) and isinstance(b, TensorArray):
            a.learn_elements(b)
            b.learn_elements(a)
