"""State that outlives a call: a mutable cell that graphs refer to by identity."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

import numpy as np

from tfcheck_runtime.errors import FailedPreconditionError
from tfcheck_runtime.op import Array
from tfcheck_runtime.specs.dtypes import DType, variant
from tfcheck_runtime.specs.shapes import Shape
from tfcheck_runtime.values.instances import Memory, remembering

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

    def replace(self, content: Array | None) -> None:
        """Assign a new value, or none; arrays handed out before keep the old one."""
        # NumPy makes scalars of arrays without axes; onnxruntime takes arrays only.
        self._content = None if content is None else np.asarray(content)

    def __repr__(self) -> str:
        return f"<Resource {self.number} {self.name!r}>"


def _nothing() -> Iterator[Row]:
    return iter(())


class IteratorResource(Resource):
    """The position in a dataset: rows of arrays that are handed out once.

    Args:
        source: makes the rows from the start.
    """

    __slots__ = ("_ahead", "_memory", "_rows", "_source", "position")

    def __init__(self, source: Callable[[], Iterator[Row]] = _nothing) -> None:
        super().__init__(None, dtype=variant, shape=(), name="Iterator", trainable=False)
        self.start(source)

    def start(self, source: Callable[[], Iterator[Row]]) -> None:
        """Hand out the rows of `source` from now on."""
        self._source = source
        self._rows = source()
        self._ahead: Row | None = None
        self._memory: Memory = {}
        self.position = 0
        """How many rows were handed out."""

    def go_to(self, position: int) -> None:
        """Start again and skip `position` rows."""
        self.start(self._source)
        while self.position < position and self.next_row() is not None:
            pass

    def next_row(self) -> Row | None:
        """The next row, or None at the end."""
        row, self._ahead = self._ahead, None
        row = self._made() if row is None else row
        self.position += row is not None
        return row

    def has_next(self) -> bool:
        """Whether another row follows; it is made now and kept."""
        if self._ahead is None:
            self._ahead = self._made()
        return self._ahead is not None

    def _made(self) -> Row | None:
        with remembering(self._memory):
            return next(self._rows, None)
