"""Strings joined by segment and along rows, and filled into templates; run on the host."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Aval, Op, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.examples import i32
from tfcheck_runtime.ops.array.filling import zeros
from tfcheck_runtime.ops.array.shaping import shape as shape_of
from tfcheck_runtime.ops.control.printing import HOLE, string_format_op
from tfcheck_runtime.ops.ragged import partition
from tfcheck_runtime.ops.ragged.tensor import RaggedTensor
from tfcheck_runtime.ops.strings.elements import string_tensor, strings
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply

Values = Any  # a tensor, or a ragged tensor


class _SegmentJoin(Op):
    """The strings of each segment side by side."""

    type = "UnsortedSegmentJoin"
    cases = (case(strings(b"a", b"b", b"c"), i32([1, 0, 1]), i32(3), separator="-"),)

    def infer(self, input: Aval, ids: Aval, count: Aval, *, separator: str) -> Aval:
        size = known.scalar(count)
        inner = None
        if input.shape is not None and ids.shape is not None:
            inner = input.shape[len(ids.shape) :]
        return Aval(dtypes.string, None if inner is None else (size, *inner))

    def eager(self, input: Array, ids: Array, count: Array, *, separator: str) -> Array:
        size = int(count)
        wrong = np.flatnonzero(ids.reshape(-1) >= size)
        if len(wrong):
            raise invalid_argument(
                f"segment_ids[{wrong[0]}] = {ids.reshape(-1)[wrong[0]]} is out of range"
                f" [0, {size})",
                self.type,
            )
        rows = input.reshape(ids.size, -1)
        made: Array = np.empty((size, rows.shape[1]), object)
        for segment in range(size):
            inside = rows[ids.reshape(-1) == segment]
            for j in range(rows.shape[1]):
                made[segment, j] = separator.encode().join(inside[:, j].tolist())
        return made.reshape(size, *input.shape[ids.ndim :])


segment_join_op = define(_SegmentJoin())


def unsorted_segment_join(
    inputs: object, segment_ids: object, num_segments: object, separator: str = "",
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The strings of equal segment number side by side.

    https://www.tensorflow.org/api_docs/python/tf/strings/unsorted_segment_join

    Raises:
        InvalidArgumentError: a number is not below `num_segments`.
    """
    ids, count = convert_to_tensor(segment_ids), convert_to_tensor(num_segments)
    return apply(segment_join_op, string_tensor(inputs), ids, count, name=name, separator=separator)


def reduce_join_rows(
    inputs: RaggedTensor, axis: Any = None, keepdims: bool = False, separator: str = "",
    name: str | None = None,
) -> Values:  # fmt: skip
    """`tf.strings.reduce_join` of ragged strings along the last axis, or all.

    Raises:
        NotImplementedError: along another axis, or with `keepdims`.
    """
    rank = inputs.shape.rank
    if keepdims or (axis is not None and axis not in (-1, (rank or 0) - 1)):
        raise NotImplementedError(
            f"tf.strings.reduce_join of ragged tensors: axis={axis}, keepdims={keepdims}; only the"
            " last axis or all of them"
        )
    if axis is None:
        flat = inputs.flat_values
        joined: Any = unsorted_segment_join(flat, zeros(shape_of(flat), dtypes.int32), 1, separator)
        return joined[0]
    if isinstance(inputs.values, RaggedTensor):
        return inputs.with_values(reduce_join_rows(inputs.values, -1, False, separator))
    rows = partition.places_of(inputs.row_splits).rows
    return unsorted_segment_join(inputs.values, rows, inputs.nrows(), separator)


def format_(
    template: str, inputs: Any, placeholder: str = "{}", summarize: int = 3,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """A template with tensors in the place of its placeholders.

    https://www.tensorflow.org/api_docs/python/tf/strings/format

    Raises:
        ValueError: there are not as many placeholders as tensors.
    """
    given: Sequence[Any] = inputs if isinstance(inputs, list | tuple) else [inputs]
    if template.count(placeholder) != len(given):
        raise ValueError(
            f"The template expects {template.count(placeholder)} tensors, but the inputs only has"
            f" {len(given)}. Please ensure the number of placeholders in template matches inputs"
            " length."
        )
    tensors = [convert_to_tensor(value) for value in given]
    return apply(
        string_format_op, *tensors, name=name, template=template.replace(placeholder, HOLE),
        summarize=summarize,
    )  # fmt: skip
