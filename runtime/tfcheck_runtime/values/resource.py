"""State that outlives a call: a mutable cell that graphs refer to by identity."""

from __future__ import annotations

import functools
import itertools
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeAlias, TypeVar, cast

import numpy as np

from tfcheck_runtime.errors import FailedPreconditionError, InvalidArgumentError
from tfcheck_runtime.op import Array
from tfcheck_runtime.specs.dtypes import DType, variant
from tfcheck_runtime.specs.shapes import Shape, are_compatible
from tfcheck_runtime.values.instances import Epoch, Memory, remembering

Row: TypeAlias = tuple[Array, ...]
"""An element of a dataset, its structure left out."""


_numbers: Final = itertools.count()


class Resource:
    """The storage of a variable: one array, replaced on assignment, None before the first.

    `dtype` and `shape` are what the content must have; `shape` may be partial.
    """

    __slots__ = (
        "__weakref__",
        "_content",
        "dtype",
        "lock",
        "name",
        "number",
        "owner",
        "shape",
        "trainable",
    )

    def __init__(
        self,
        content: Array | None,
        *,
        dtype: DType,
        shape: Shape,
        name: str = "Variable",
        trainable: bool = True,
    ) -> None:
        self._content = content
        self.lock = threading.RLock()
        """Held by whoever replaces the content by something made of it."""
        self.dtype = dtype
        self.shape = shape
        self.name = name
        self.trainable = trainable
        self.number = next(_numbers)
        self.owner: weakref.ReferenceType[Any] | None = None
        """The variable whose storage this is, as long as it lives."""

    @property
    def content(self) -> Array:
        """The current value, not a copy: do not change it.

        Raises:
            FailedPreconditionError: nothing was assigned yet.
        """
        if self._content is None:
            raise FailedPreconditionError(
                None,
                None,
                f"Could not find variable {self.name}: it was used before it was assigned",
            )
        return self._content

    @property
    def is_initialized(self) -> bool:
        """Whether a value was assigned."""
        return self._content is not None

    def check(self, content: Array) -> None:
        """Check that a value has the shape that the content must have.

        Raises:
            InvalidArgumentError: it has another.
        """
        shape = np.shape(content)
        if shape != self.shape and not are_compatible(shape, self.shape):
            raise InvalidArgumentError(
                None,
                None,
                "Trying to assign to variable with tensor with wrong shape. Expected"
                f" {_shown(self.shape)} got {_shown(shape)}",
            )

    def replace(self, content: Array | None) -> None:
        """Assign a new value, or none; arrays handed out before keep the old one.

        Raises:
            InvalidArgumentError: the value has another shape than the content must have.
        """
        if content is not None:
            # NumPy makes scalars of arrays without axes; onnxruntime takes arrays only.
            content = np.asarray(content)
            self.check(content)
        self._content = content

    def __repr__(self) -> str:
        return f"<Resource {self.number} {self.name!r}>"


Kernel = TypeVar("Kernel", bound=Callable[..., Any])  # each op has its own arguments


def undisturbed(kernel: Kernel) -> Kernel:
    """The kernel of an op that replaces a content by something made of it: one thread at a time."""

    @functools.wraps(kernel)
    def run(op: object, resource: Resource, *args: Any, **attrs: Any) -> Any:
        with resource.lock:
            return kernel(op, resource, *args, **attrs)

    return cast(Kernel, run)


def _shown(shape: Shape) -> str:
    return f"[{','.join('?' if d is None else str(d) for d in shape or ())}]"


class Source(Protocol):
    """Where an iterator gets its rows from."""

    @property
    def stateful(self) -> str | None:
        """The type of an op with a state that no checkpoint keeps, if there is one."""

    def rows(self) -> Iterator[Row]:
        """The rows from the start."""


@dataclass(frozen=True, slots=True)
class Place:
    """How far an iterator got."""

    position: int
    """How many rows were handed out."""
    epochs: tuple[Epoch, ...]
    """What decided their order, where that is random."""


class IteratorResource(Resource):
    """The position in a dataset: rows of arrays that are handed out once.

    Args:
        source: makes the rows; None for an iterator that is at the end.
    """

    __slots__ = ("_ahead", "_memory", "_position", "_rows", "_source")

    def __init__(self, source: Source | None = None) -> None:
        super().__init__(None, dtype=variant, shape=(), name="Iterator", trainable=False)
        self.start(source)

    def start(self, source: Source | None, again: Sequence[Epoch] = ()) -> None:
        """Hand out the rows of `source` from now on, through the epochs `again` at first."""
        self._source = source
        self._ahead: Row | None = None
        self._memory = Memory(again)
        self._position = 0
        with remembering(self._memory):
            self._rows = iter(()) if source is None else source.rows()

    @property
    def place(self) -> Place:
        """How far it got.

        Raises:
            FailedPreconditionError: that does not follow from the number of rows.
        """
        stateful = None if self._source is None else self._source.stateful
        if stateful is not None:
            raise FailedPreconditionError(
                None, None, f"{stateful} is stateful. [Op:SerializeIterator]"
            )
        return Place(self._position, tuple(self._memory.epochs))

    def go_to(self, place: Place) -> None:
        """Start again and skip the rows up to a place."""
        self.start(self._source, place.epochs)
        while self._position < place.position and self.next_row() is not None:
            pass
        self._memory.recount(place.epochs)

    def next_row(self) -> Row | None:
        """The next row, or None at the end."""
        row, self._ahead = self._ahead, None
        row = self._made() if row is None else row
        self._position += row is not None
        return row

    def has_next(self) -> bool:
        """Whether another row follows; it is made now and kept."""
        if self._ahead is None:
            self._ahead = self._made()
        return self._ahead is not None

    def _made(self) -> Row | None:
        with remembering(self._memory):
            return next(self._rows, None)
