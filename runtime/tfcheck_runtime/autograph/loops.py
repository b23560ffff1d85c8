"""`while` and `for`: Python's, or the graph's when the condition or sequence is a tensor."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol, cast, runtime_checkable

import numpy as np

from tfcheck_runtime import dispatch
from tfcheck_runtime.autograph.branches import Getter, Setter
from tfcheck_runtime.autograph.places import here
from tfcheck_runtime.autograph.symbolic import condition, is_symbolic
from tfcheck_runtime.autograph.tensor_loop import Driver, Names, Prefix, UserCode, run_loop
from tfcheck_runtime.ops.array.gathering import gather
from tfcheck_runtime.ops.array.shaping import shape
from tfcheck_runtime.ops.control import bodies
from tfcheck_runtime.ops.math.comparison import greater, greater_equal, less
from tfcheck_runtime.ops.math.logic import logical_and, logical_or
from tfcheck_runtime.ops.ragged.tensor import RaggedTensor
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import SymbolicTensor, Tensor

Options = Mapping[str, Any]  # what set_loop_options takes


@runtime_checkable
class Iterated(Protocol):
    """Something that runs `for` loops over itself inside graphs, such as a dataset."""

    def __tf_for_loop__(
        self,
        extra_test: Callable[[], Any] | None,
        body: Callable[[Any], None],
        code: UserCode,
        options: Options,
    ) -> None:
        """Run the loop in the graph being built."""


def while_stmt(
    test: Callable[[], Any],
    body: Callable[[], None],
    get_state: Getter,
    set_state: Setter,
    names: Names,
    options: Options,
) -> None:
    """Repeat `body` while `test()`; in the graph when the condition is a tensor.

    Raises:
        NotImplementedError: the condition became a tensor after it was a Python value.
        TypeError, ValueError: a loop variable changes its type in the body.
    """
    if dispatch.current_graph() is None:
        while test():
            body()
        return
    with dispatch.building(bodies.new_graph("scratch")):
        first = test()
    if not is_symbolic(first):
        _python_while(first, test, body)
        return

    def step(prefix: Prefix) -> Prefix:
        body()
        return ()

    driver = Driver((), lambda prefix: condition(test(), "while loop"), step)
    run_loop(driver, UserCode(get_state, set_state, names), options)


def _python_while(first: object, test: Callable[[], Any], body: Callable[[], None]) -> None:
    go = first
    while go:
        body()
        go = test()
        if is_symbolic(go):
            raise NotImplementedError(
                "The condition of while loop started as non-Tensor, then changed to Tensor. This"
                " may happen either because variables changed type, or when a break or return"
                " statement inside the loop depends on a Tensor condition: start with"
                f" `tf.constant(True)` to make it a graph loop ({here()})"
                " [unconverted-control-flow]"
            )


def for_stmt(
    iterated: Any,
    extra_test: Callable[[], Any] | None,
    body: Callable[[Any], None],
    get_state: Getter,
    set_state: Setter,
    names: Names,
    options: Options,
) -> None:
    """Run `body` for every element; in the graph when what is iterated is a tensor.

    Raises:
        NotImplementedError: a `break` out of a Python loop depends on a tensor.
        TypeError, ValueError: a loop variable changes its type in the body.
    """
    code = UserCode(get_state, set_state, names)
    if dispatch.current_graph() is not None and isinstance(iterated, Iterated):
        iterated.__tf_for_loop__(extra_test, body, code, options)
    elif isinstance(iterated, RaggedTensor) and dispatch.current_graph() is not None:
        run_loop(_with_extra_test(_over_ragged(iterated, body), extra_test), code, options)
    elif is_symbolic(iterated):
        tensor = convert_to_tensor(iterated)
        driver = _over_range(tensor, body) or _over_rows(tensor, body)
        run_loop(_with_extra_test(driver, extra_test), code, options)
    else:
        _python_for(iterated, extra_test, body)


def _python_for(
    iterated: Iterable[Any], extra_test: Callable[[], Any] | None, body: Callable[[Any], None]
) -> None:
    for item in iterated:
        body(item)
        if extra_test is None:
            continue
        go = extra_test()
        if is_symbolic(go):
            raise NotImplementedError(
                "break and return statements which depend on a TF condition are not supported in"
                " Python for loops. Iterate over a tensor, for example with tf.range, to make it a"
                f" graph loop ({here()}) [unconverted-control-flow]"
            )
        if not go:
            break


def _with_extra_test(driver: Driver, extra_test: Callable[[], Any] | None) -> Driver:
    """`driver` that also stops when a flag that a `break` sets says so."""
    if extra_test is None:
        return driver

    def test(prefix: Prefix) -> Tensor:
        return logical_and(driver.test(prefix), convert_to_tensor(extra_test()))

    return Driver(driver.start, test, driver.step)


def _over_range(tensor: Tensor, body: Callable[[Any], None]) -> Driver | None:
    """Counts, where the elements are those of a `tf.range`, which then is not built."""
    if not isinstance(tensor, SymbolicTensor) or tensor.node.op.type != "Range":
        return None
    start, limit, delta = (cast("SymbolicTensor", v) for v in tensor.node.inputs)
    sign = _sign(delta)

    def test(prefix: Prefix) -> Tensor:
        now = prefix[0]
        if sign is not None:
            return less(now, limit) if sign > 0 else greater(now, limit)
        return logical_or(
            logical_and(greater_equal(delta, 0), less(now, limit)),
            logical_and(less(delta, 0), greater(now, limit)),
        )

    def step(prefix: Prefix) -> Prefix:
        body(prefix[0])
        return (prefix[0] + delta,)

    return Driver((start,), test, step)


def _sign(delta: SymbolicTensor) -> int | None:
    value = delta.aval.constant()
    return None if value is None else int(np.sign(value))


def _over_rows(tensor: Tensor, body: Callable[[Any], None]) -> Driver:
    sizes = tensor.static_shape
    if sizes == ():
        raise ValueError(
            f"len requires a non-scalar tensor, got one of shape (): cannot iterate over {tensor}"
            f" ({here()})"
        )
    known = sizes[0] if sizes else None
    count = shape(tensor)[0] if known is None else convert_to_tensor(known)
    return _counting(count, lambda number: body(gather(tensor, number)))


def _over_ragged(rows: RaggedTensor, body: Callable[[Any], None]) -> Driver:
    known = rows.static_shape[0] if rows.static_shape else None
    count = rows.nrows(dtypes.int32) if known is None else convert_to_tensor(known)
    return _counting(count, lambda number: body(rows[number]))


def _counting(count: Tensor, body: Callable[[Tensor], None]) -> Driver:
    def step(prefix: Prefix) -> Prefix:
        body(prefix[0])
        return (prefix[0] + 1,)

    return Driver((convert_to_tensor(0),), lambda prefix: less(prefix[0], count), step)
