"""`for` loops over datasets and iterators inside graphs.

As in TensorFlow a variable of the loop needs a value before it. In a loop over a dataset its shape
may change from round to round; in one over an iterator it must not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from tfcheck_runtime import dispatch
from tfcheck_runtime.autograph.places import here
from tfcheck_runtime.autograph.symbolic import difference, dtype_of
from tfcheck_runtime.autograph.tensor_loop import Driver, Prefix, UserCode, run_loop
from tfcheck_runtime.autograph.undefined import Undefined, UndefinedReturnValue
from tfcheck_runtime.data.elements import Element
from tfcheck_runtime.ops.control import bodies
from tfcheck_runtime.ops.control.iterating import has_next_op
from tfcheck_runtime.ops.control.looping import Loop, build, default_invariants
from tfcheck_runtime.ops.random.restarting import restart_after
from tfcheck_runtime.specs import nest
from tfcheck_runtime.specs.shapes import Shape, common_supershape
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply

Test = Callable[[], Any]


class Iterator(Protocol):
    """What a loop needs of an iterator."""

    @property
    def handle(self) -> Any:
        """The resource, or a tensor that stands for it."""

    def get_next(self) -> Element:
        """The next element."""


def loop_over_iterator(
    iterator: Iterator, extra_test: Test | None, body: Callable[[Any], None], code: UserCode,
    *, options: Mapping[str, Any],
) -> None:  # fmt: skip
    """Build the loop `for x in iterator` in the current graph.

    Raises:
        TypeError, ValueError: a variable has no value before the loop, or changes its type.
        NotImplementedError: the body may return from the function.
    """
    _check_entry(code)

    def step(prefix: Prefix) -> Prefix:
        body(iterator.get_next())
        return ()

    run_loop(Driver((), lambda _: _goes_on(iterator, extra_test), step), code, options)


def loop_over_dataset(
    iterator: Iterator, extra_test: Test | None, body: Callable[[Any], None], code: UserCode
) -> None:
    """Build the loop `for x in dataset` in the current graph.

    Args:
        iterator: a fresh one over the dataset.
        extra_test: false after a `break`.
        body: one round.
        code: the variables of the loop.

    Raises:
        TypeError, ValueError: a variable has no value before the loop, or changes its type.
        NotImplementedError: the body may return from the function.
    """
    _check_entry(code)
    entered = tuple(nest.map_structure(_as_loop_value, v) for v in code.get_state())
    shapes = default_invariants(entered)
    while True:
        widened = _Widened(shapes)

        def step(values: Any, widened: _Widened = widened) -> Any:
            code.set_state(values)
            body(iterator.get_next())
            after = code.get_state()
            for name, before, now in zip(code.names, entered, after, strict=True):
                _check_variable(name, before, now)
            widened.learn(after)
            return after

        def test(values: Any) -> Tensor:
            code.set_state(values)
            return _goes_on(iterator, extra_test)

        try:
            final = _built(Loop(entered, shapes, test, step))
        except _WiderError:
            code.set_state(entered)
            shapes = widened.shapes
        else:
            code.set_state(final)
            return


def _built(loop: Loop) -> Any:
    graph = dispatch.current_graph()
    assert graph is not None  # loops of eager code are Python's
    first = len(graph.nodes)
    final = build(loop)
    restart_after(graph.nodes[first:])
    return final


def _goes_on(iterator: Iterator, extra_test: Test | None) -> Tensor:
    wanted = True if extra_test is None else extra_test()
    return apply(has_next_op, iterator.handle, convert_to_tensor(wanted))


class _WiderError(Exception):
    """The loop must be traced again: a variable takes more shapes than it entered with."""


class _Widened:
    """The shapes that the variables of a loop take."""

    def __init__(self, shapes: list[Shape]) -> None:
        self._before = shapes
        self.shapes = shapes

    def learn(self, after: Any) -> None:
        """Note the shapes after a round.

        Raises:
            _WiderError: they do not fit those before.
        """
        found = default_invariants(nest.map_structure(_as_loop_value, after))
        pairs = zip(self._before, found, strict=True)
        self.shapes = [common_supershape(a, b) for a, b in pairs]
        if self.shapes != self._before:
            raise _WiderError


def _as_loop_value(value: object) -> object:
    return value if isinstance(value, nest.Composite) else bodies.as_tensor(value)


def _check_entry(code: UserCode) -> None:
    for name, value in zip(code.names, code.get_state(), strict=True):
        if isinstance(value, UndefinedReturnValue):
            raise NotImplementedError(
                "a return statement cannot be placed inside this TensorFlow loop: keep the result"
                f" in a variable, `break`, and return after the loop ({here()})"
                " [return-in-tensor-loop]"
            )
        if isinstance(value, Undefined):
            raise ValueError(
                f"'{name}' must be defined before the loop ({here()}) [undefined-in-branch]"
            )
        if value is None:
            raise ValueError(
                f"'{name}' is not allowed to be None before the loop ({here()})"
                " [loop-var-type-change]"
            )


def _check_variable(name: str, before: object, after: object) -> None:
    if after is None or isinstance(after, Undefined):
        state = "None" if after is None else "without a value"
        raise ValueError(
            f"'{name}' is {state} at the end of the iteration ({here()}) [loop-var-type-change]"
        )
    found = difference(before, after)
    if found is not None:
        raise TypeError(
            f"'{name}' does not have the same nested structure after one iteration ({here()}):"
            f" {found} [loop-var-type-change]"
        )
    for old, new in zip(nest.flatten(before), nest.flatten(after), strict=True):
        kinds = dtype_of(old), dtype_of(new)
        if kinds[0] is not None and kinds[1] is not None and kinds[0] is not kinds[1]:
            raise TypeError(
                f"'{name}' has dtype {kinds[0].name} before the loop, but dtype {kinds[1].name}"
                f" after one iteration ({here()}) [loop-var-type-change]"
            )
