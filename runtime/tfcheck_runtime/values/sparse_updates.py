"""The methods of variables that read and change only some rows or elements.

Follows https://www.tensorflow.org/api_docs/python/tf/Variable#scatter_add.
"""

from __future__ import annotations

from typing import Any

from tfcheck_runtime import dispatch
from tfcheck_runtime.specs.dtypes import DType
from tfcheck_runtime.specs.shapes import Shape
from tfcheck_runtime.values import operators
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.indexed_slices import IndexedSlices
from tfcheck_runtime.values.tensor import Tensor, apply


class SparseUpdates(operators.OverloadedOperators):
    """Base of variables. Updates return the variable; in graphs, it is read when it is used."""

    handle: Any
    _dtype: DType
    _shape: Shape

    def _unread(self) -> Any:
        raise NotImplementedError

    def _watch(self) -> None:
        raise NotImplementedError

    def scatter_add(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Add slices to rows; those of equal indices add up."""
        return self._scatter_slices("add", sparse_delta, name)

    def scatter_sub(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Subtract slices from rows."""
        return self._scatter_slices("sub", sparse_delta, name)

    def scatter_mul(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Multiply rows by slices."""
        return self._scatter_slices("mul", sparse_delta, name)

    def scatter_div(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Divide rows by slices."""
        return self._scatter_slices("div", sparse_delta, name)

    def scatter_max(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Raise rows to slices where those are greater."""
        return self._scatter_slices("max", sparse_delta, name)

    def scatter_min(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Lower rows to slices where those are smaller."""
        return self._scatter_slices("min", sparse_delta, name)

    def scatter_update(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Replace rows by slices."""
        return self._scatter_slices("update", sparse_delta, name)

    def batch_scatter_update(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Replace elements; the leading axes of indices, slices and variable are paired."""
        slices = _checked(sparse_delta)
        places = operators.implementation("batch_coordinates")(slices.indices)
        return self._scatter("nd_update", places, slices.values, name=name)

    def scatter_nd_add(self, indices: object, updates: object, name: str | None = None) -> Any:
        """Add updates at the coordinates along the last axis of `indices`."""
        return self._scatter("nd_add", indices, updates, name=name)

    def scatter_nd_sub(self, indices: object, updates: object, name: str | None = None) -> Any:
        """Subtract updates at coordinates."""
        return self._scatter("nd_sub", indices, updates, name=name)

    def scatter_nd_max(self, indices: object, updates: object, name: str | None = None) -> Any:
        """Raise elements at coordinates to updates where those are greater."""
        return self._scatter("nd_max", indices, updates, name=name)

    def scatter_nd_min(self, indices: object, updates: object, name: str | None = None) -> Any:
        """Lower elements at coordinates to updates where those are smaller."""
        return self._scatter("nd_min", indices, updates, name=name)

    def scatter_nd_update(self, indices: object, updates: object, name: str | None = None) -> Any:
        """Replace elements at coordinates by updates."""
        return self._scatter("nd_update", indices, updates, name=name)

    def sparse_read(self, indices: object, name: str | None = None) -> Tensor:
        """The rows at `indices`."""
        return self._gathered("rows", indices, name)

    def gather_nd(self, indices: object, name: str | None = None) -> Tensor:
        """What stands at the coordinates along the last axis of `indices`."""
        return self._gathered("elements", indices, name)

    def _gathered(self, what: str, indices: object, name: str | None) -> Tensor:
        self._watch()
        op = operators.implementation("variable_gather_op")(what)
        places = operators.implementation("integer_tensor")(indices)
        return apply(op, self.handle, places, dtype=self._dtype, shape=self._shape, name=name)

    def _scatter_slices(self, how: str, slices: object, name: str | None) -> Any:
        given = _checked(slices)
        return self._scatter(how, given.indices, given.values, name=name)

    def _scatter(self, how: str, indices: object, updates: object, *, name: str | None) -> Any:
        op = operators.implementation("variable_scatter_op")(how)
        places = operators.implementation("integer_tensor")(indices)
        values = convert_to_tensor(updates, self._dtype)
        attrs = {"dtype": self._dtype, "shape": self._shape}
        dispatch.run(op, (self.handle, places, values), attrs, name)
        return self._unread()


def _checked(slices: object) -> IndexedSlices:
    if not isinstance(slices, IndexedSlices):
        raise TypeError(
            f"Argument `sparse_delta` must be a `tf.IndexedSlices`. Received arg: {slices}"
        )
    return slices
