"""Makes one recorded call again, as graph or eagerly, and leaves no trace of it."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, redirect_stderr, redirect_stdout
from typing import Protocol, cast

import numpy as np
import numpy.typing as npt

from tfcheck.profile.model import Agreement
from tfcheck.profile.samples import Sample, leaves, snapshot

Array = npt.NDArray[np.generic]


class Variable(Protocol):
    """What replaying needs of a `tf.Variable`."""

    def numpy(self) -> Array:
        """Its value."""

    def assign(self, value: Array) -> object:
        """Give it a value."""


class ConcreteFunction(Protocol):
    """What replaying needs of a concrete function."""

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables that it reads or writes."""

    def __call__(self, *args: object, **kwargs: object) -> object:
        """Run it."""


class Function(Protocol):
    """What replaying needs of a `tf.function`."""

    def __call__(self, *args: object, **kwargs: object) -> object:
        """Call it, as graph or eagerly."""

    def get_concrete_function(self, *args: object, **kwargs: object) -> ConcreteFunction:
        """The trace that serves a call with these arguments."""


class MismatchError(Exception):
    """Graph and eager return things that cannot be compared number by number."""

    def __init__(self, text: str, *, steady: bool = True) -> None:
        super().__init__(text)
        self.steady = steady
        """Whether each gives the same result when it is called again."""


class Replay:
    """A recorded call that can be made again and again from the same state."""

    def __init__(self, sample: Sample, eagerly: Callable[[], AbstractContextManager[None]]) -> None:
        self.eagerly = eagerly
        """Functions run as plain Python inside."""
        # The runtime puts its Function objects into events as `object`.
        self._callee = cast(Function, sample.callee)
        self._args = sample.args
        self._kwargs: Mapping[str, object] = sample.kwargs
        self.concrete = self._callee.get_concrete_function(*sample.args, **sample.kwargs)
        """The trace that serves the call."""
        self._variables = _variables(self.concrete, (sample.args, dict(sample.kwargs)))
        self._values = [np.array(each.numpy()) for each in self._variables]

    def restore(self) -> None:
        """Put the variables back to what they were."""
        for variable, value in zip(self._variables, self._values, strict=True):
            variable.assign(value)

    def prepare(self) -> Callable[[], object]:
        """Restore the state and return the call, ready to be timed."""
        return self._call_of(self._callee)

    def call_trace(self) -> object:
        """Restore the state and call the trace itself."""
        return self._call_of(self.concrete)()

    def _call_of(self, callee: Callable[..., object]) -> Callable[[], object]:
        self.restore()
        args = tuple(snapshot(value) for value in self._args)
        kwargs = {name: snapshot(value) for name, value in self._kwargs.items()}
        return lambda: callee(*args, **kwargs)

    def results(self, call: Callable[[], object]) -> list[Array]:
        """What the call returns and what it leaves in the variables."""
        returned = [_as_array(leaf) for leaf in leaves(call())]
        return returned + [np.array(each.numpy()) for each in self._variables]


def _variables(concrete: ConcreteFunction, arguments: object) -> tuple[Variable, ...]:
    """What a call may write: the variables of the trace, and those that it is given."""
    given = (leaf for leaf in leaves(arguments) if hasattr(leaf, "assign"))
    # By identity: comparing variables compares what they hold.
    found = {id(each): each for each in (*concrete.variables, *map(_as_variable, given))}
    return tuple(found.values())


def _as_variable(leaf: object) -> Variable:
    return cast(Variable, leaf)


class Config(Protocol):
    """What `tf.config` has to switch graphs off and on."""

    def functions_run_eagerly(self) -> bool:
        """Whether Functions run as plain Python."""

    def run_functions_eagerly(self, run_eagerly: bool) -> object:
        """Let them, or let them not."""


@contextmanager
def eagerly(config: Config) -> Iterator[None]:
    """Functions run as plain Python inside."""
    before = config.functions_run_eagerly()
    config.run_functions_eagerly(True)
    try:
        yield
    finally:
        config.run_functions_eagerly(before)


@contextmanager
def muted() -> Iterator[None]:
    """What is printed inside is dropped."""
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        yield


def agreement(graph: list[Array], eager: list[Array]) -> Agreement:
    """The largest absolute difference of two results, and the largest through their size.

    Raises:
        MismatchError: they have another number of leaves, other shapes or other texts.
    """
    if len(graph) != len(eager):
        raise MismatchError(f"the graph returns {len(graph)} values, eager {len(eager)}")
    pairs = [_difference(ours, theirs) for ours, theirs in zip(graph, eager, strict=True)]
    return Agreement(
        max_abs=max((pair[0] for pair in pairs), default=0.0),
        max_rel=max((pair[1] for pair in pairs), default=0.0),
    )


def _difference(graph: Array, eager: Array) -> tuple[float, float]:
    if graph.shape != eager.shape:
        raise MismatchError(f"the graph returns shape {graph.shape}, eager {eager.shape}")
    if graph.dtype.kind in "OSUb" or eager.dtype.kind in "OSUb":
        if not np.array_equal(graph, eager):
            raise MismatchError("graph and eager return different values")
        return 0.0, 0.0
    kind = np.complex128 if graph.dtype.kind == "c" else np.float64
    ours, theirs = graph.astype(kind), eager.astype(kind)
    same = (ours == theirs) | (np.isnan(ours) & np.isnan(theirs))
    with np.errstate(invalid="ignore"):
        absolute = np.where(same, 0.0, np.abs(ours - theirs))
    largest = _largest(absolute)
    # Through the size of the whole: what cancels to almost nothing has no digits to agree on.
    return largest, largest / _size(ours, theirs) if largest else 0.0


def _size(*results: Array) -> float:
    finite = [np.abs(each[np.isfinite(each)]) for each in results]
    return max((float(np.max(each)) for each in finite if each.size), default=1.0) or 1.0


def _largest(values: npt.NDArray[np.float64]) -> float:
    if not values.size:
        return 0.0
    largest = float(np.max(values))
    return float("inf") if np.isnan(largest) else largest


def _as_array(leaf: object) -> Array:
    to_numpy = getattr(leaf, "numpy", None)
    return np.asarray(leaf if to_numpy is None else to_numpy())
