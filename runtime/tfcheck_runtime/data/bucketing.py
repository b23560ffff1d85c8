"""Buckets of elements of similar length."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfcheck_runtime.data.batching import shapes_in
from tfcheck_runtime.data.elements import Spec
from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.searching import searchsorted
from tfcheck_runtime.ops.control.debugging import assert_less
from tfcheck_runtime.specs import dtypes, nest
from tfcheck_runtime.specs.shapes import TensorShape
from tfcheck_runtime.values.convert import constant
from tfcheck_runtime.values.tensor import Tensor


class Buckets:
    """Ranges of lengths, each with a batch size.

    Args:
        length: a function of an element to its length.
        boundaries: where one bucket ends and the next begins, rising.
        sizes: of the batches, one more than there are boundaries.
        exact: whether batches are padded to the largest length of their bucket.

    Raises:
        ValueError: there is not one batch size more than boundaries.
    """

    def __init__(
        self, length: Callable[..., Any], boundaries: Sequence[int], sizes: Sequence[int], *,
        exact: bool,
    ) -> None:  # fmt: skip
        if len(sizes) != len(boundaries) + 1:
            raise ValueError(
                "`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but"
                f" `len(bucket_batch_sizes)={len(sizes)}` and"
                f" `len(bucket_boundaries)={len(boundaries)}`."
            )
        self._length, self._exact = length, exact
        self._count = len(boundaries)
        self._boundaries = constant(list(boundaries), dtypes.int64)
        self._sizes = constant(list(sizes), dtypes.int64)

    def number(self, *element: Any) -> Tensor:
        """The bucket of an element."""
        length = cast(self._length(*element), dtypes.int64)
        found: Tensor = searchsorted(self._boundaries, [length], side="right")[0]
        return cast(found, dtypes.int64)

    def batch_size(self, number: Tensor) -> Tensor:
        """The size of the batches of a bucket."""
        size: Tensor = self._sizes[number]
        return size

    def padded_shapes(self, spec: Spec, given: Any, number: Tensor) -> Any:
        """What the elements of a bucket are padded to.

        An element longer than all boundaries has no size to be padded to: that is an error when
        the pipeline runs.
        """
        if not self._exact:
            return given
        assert_less(
            number, constant(self._count, dtypes.int64),
            message="When pad_to_bucket_boundary=True, elements must have length <"
            " max(bucket_boundaries).",
        )  # fmt: skip
        most = self._boundaries[number] - 1
        shapes = [s.shape for s in nest.flatten(spec)] if given is None else shapes_in(spec, given)
        return nest.pack_sequence_as(spec, [_filled(shape, most) for shape in shapes])


def _filled(shape: Any, most: Tensor) -> list[Any]:
    """A shape with a tensor for each size that is not known."""
    sizes = shape.as_list() if isinstance(shape, TensorShape) else list(shape)
    return [most if size in (None, -1) else size for size in sizes]
