"""`and`, `or`, `not` and chained comparisons, for tensors too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfcheck_runtime.autograph.symbolic import is_symbolic
from tfcheck_runtime.ops.control import bodies
from tfcheck_runtime.ops.control.bodies import Body
from tfcheck_runtime.ops.control.branching import check_alike, emit_if, predicate
from tfcheck_runtime.ops.control.inlining import inline, is_cheap
from tfcheck_runtime.ops.math.logic import logical_and, logical_not, logical_or

Thunk = Callable[[], Any]


def and_(first: Thunk, *rest: Thunk) -> Any:
    """`first() and …`: what follows a tensor is computed only where it is true."""
    value = first()
    if not rest:
        return value
    if not is_symbolic(value):
        return value and and_(*rest)
    following = bodies.trace_body(lambda: and_(*rest), "cond_true", value)
    if _is_simple(following):
        return logical_and(predicate(value), inline(following)[0])
    other = bodies.trace_body(lambda: value, "cond_false", value)
    return _choose(value, following, other)


def or_(first: Thunk, *rest: Thunk) -> Any:
    """`first() or …`: what follows a tensor is computed only where it is false."""
    value = first()
    if not rest:
        return value
    if not is_symbolic(value):
        return value or or_(*rest)
    other = bodies.trace_body(lambda: value, "cond_true", value)
    following = bodies.trace_body(lambda: or_(*rest), "cond_false", value)
    if _is_simple(following):
        return logical_or(predicate(value), inline(following)[0])
    return _choose(value, other, following)


def _is_simple(body: Body) -> bool:
    """Whether computing the right-hand side always is cheaper than choosing, and looks the same."""
    leaves = body.leaves
    return len(leaves) == 1 and leaves[0].dtype.is_bool and is_cheap(body)


def _choose(pred: object, then: Body, orelse: Body) -> Any:
    check_alike(then, orelse, "the operands of `and` and `or`")
    return emit_if(pred, then, orelse, name="cond")


def not_(value: Any) -> Any:
    """`not value`."""
    return logical_not(value) if is_symbolic(value) else not value


def chained(left: Any, *steps: tuple[Callable[[Any, Any], Any], Thunk]) -> Any:
    """`left < b < c`: each operand is computed once, and only as far as needed."""
    (compare, operand), *rest = steps
    right = operand()
    result = compare(left, right)
    if not rest:
        return result
    return and_(lambda: result, lambda: chained(right, *rest))
