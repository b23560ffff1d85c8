"""Boxes of images: cut out and resampled, or drawn.

A box is (top, left, bottom, right) in fractions of height and width.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from tfcheck_runtime.errors import OutOfRangeError
from tfcheck_runtime.op import Array, Aval, Call, Op, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.agreement import REALS, check_dtype, check_kind
from tfcheck_runtime.ops.array.examples import counting, f32, i32
from tfcheck_runtime.ops.array.shaping import shape as shape_of
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.shapes import are_compatible
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply


@dataclass(frozen=True, slots=True)
class _Samples:
    """Where a box is sampled along one axis.

    `weights` takes the pixels (columns) to the samples (rows), `slopes` to their change by place;
    a sample outside the image has neither. The place of a sample changes by `by_start` and
    `by_end` with the ends of the box.
    """

    weights: Array
    slopes: Array
    outside: Array
    by_start: Array
    by_end: Array


def _samples(start: float, end: float, size: int, count: int, method: str) -> _Samples:
    part = np.arange(count) / np.float32(count - 1) if count > 1 else np.full(1, 0.5)
    by_start, by_end = (1 - part) * (size - 1), part * (size - 1)
    step = np.float32((end - start) * (size - 1) / (count - 1) if count > 1 else 0)
    first = np.float32(start * (size - 1) if count > 1 else 0.5 * (start + end) * (size - 1))
    places = (first + np.arange(count, dtype=np.float32) * step).astype(np.float32)
    outside = ~((places >= 0) & (places <= size - 1))
    safe = np.where(outside, 0, places)
    weights, slopes = np.zeros((2, count, size), np.float32)
    rows = np.arange(count)
    if method == "nearest":
        weights[rows, np.floor(safe + 0.5).astype(int)] = 1
    else:
        low, high = np.floor(safe).astype(int), np.ceil(safe).astype(int)
        np.add.at(weights, (rows, low), 1 - (safe - low))
        np.add.at(weights, (rows, high), safe - low)
        np.add.at(slopes, (rows, low), -1)
        np.add.at(slopes, (rows, high), 1)
    weights[outside] = slopes[outside] = 0
    return _Samples(weights, slopes, outside, by_start, by_end)


class _CropOp(Op):
    """What the crops and their gradients share."""

    def samples(
        self, image: tuple[int, ...], box: Array, size: tuple[int, ...], method: str
    ) -> tuple[_Samples, _Samples]:
        """Where a box of an image of shape (height, width) is sampled down and across."""
        down = _samples(box[0], box[2], image[0], size[0], method)
        return down, _samples(box[1], box[3], image[1], size[1], method)

    def check_indices(self, indices: Array, batch: int) -> None:
        """Check that each box lies in an image.

        Raises:
            OutOfRangeError: one does not.
        """
        for i, index in enumerate(indices.tolist()):
            if not 0 <= index < batch:
                raise OutOfRangeError(
                    None, None, f"box_index has values outside [0, {batch}): box {i} is of {index}"
                )


def _check_boxes(boxes: Aval, indices: Aval) -> None:
    known.check_rank(boxes, 2, "boxes")
    known.check_rank(indices, 1, "box_indices")
    check_dtype("CropAndResize", boxes, dtypes.float32, "boxes")
    check_dtype("CropAndResize", indices, dtypes.int32, "box_indices")
    counts = [None if a.shape is None else a.shape[:1] for a in (boxes, indices)]
    if not are_compatible(*counts) or not are_compatible((boxes.shape or (None, 4))[1:], (4,)):
        raise ValueError(
            f"boxes must be of shape [n, 4] with n indices, got shapes {boxes.shape} and"
            f" {indices.shape}"
        )


class _CropAndResize(_CropOp):
    """Boxes of images, resampled to one size."""

    type = "CropAndResize"

    def infer(
        self,
        image: Aval,
        boxes: Aval,
        indices: Aval,
        size: Aval,
        *,
        method: str,
        extrapolation_value: float,
    ) -> Aval:
        del method, extrapolation_value
        check_kind(self.type, image, REALS - {"bfloat16", "uint32", "uint64"}, "image")
        known.check_rank(image, 4, "image")
        _check_boxes(boxes, indices)
        crop = known.as_shape(size) or (None, None)
        count = (indices.shape or (None,))[0]
        return Aval(dtypes.float32, (count, *crop, (image.shape or (None,) * 4)[3]))

    def eager(
        self,
        image: Array,
        boxes: Array,
        indices: Array,
        size: Array,
        *,
        method: str,
        extrapolation_value: float,
    ) -> Array:
        self.check_indices(indices, len(image))
        rows, columns = (int(s) for s in size)
        out = np.empty((len(boxes), rows, columns, image.shape[3]), np.float32)
        for found, box, index in zip(out, boxes, indices, strict=True):
            down, across = self.samples(image.shape[1:3], box, (rows, columns), method)
            source = image[index].astype(np.float32)
            wide = np.einsum("xw,hwc->hxc", across.weights, source)
            found[:] = np.einsum("yh,hxc->yxc", down.weights, wide)
            found[down.outside[:, None] | across.outside] = extrapolation_value
        return out

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | None]:
        image, boxes, indices, _ = call.inputs
        method = call.attrs["method"]
        sizes = shape_of(image)
        by_image = apply(
            by_image_op, grad, boxes, indices, sizes, method=method, dtype=image.dtype
        ) if image.dtype.is_floating else None  # fmt: skip
        by_boxes = apply(by_boxes_op, grad, image, boxes, indices, method=method)
        return [by_image, by_boxes, None, None]

    cases = (
        case(counting(2, 4, 5, 2), f32([[0.1, 0.2, 0.7, 0.9], [1, 0.9, 0.1, 0]]), i32([0, 1]),
             i32([2, 3]), method="bilinear", extrapolation_value=0.0, differentiable=False),
        case(counting(1, 3, 3, 1), f32([[0, 0, 1.5, 1]]), i32([0]), i32([3, 2]),
             method="nearest", extrapolation_value=-1.0, differentiable=False),
    )  # fmt: skip


_BOXES: Final = f32([[0.1, 0.2, 0.7, 0.9], [1, 0.9, 0.1, 0]])


class _ByImage(_CropOp):
    """The gradient of crops by the images."""

    type = "CropAndResizeGradImage"
    cases = (
        case(counting(2, 2, 3, 2), _BOXES, i32([0, 1]), i32([2, 4, 5, 2]), method="bilinear",
             dtype=dtypes.float32, differentiable=False),
    )  # fmt: skip

    def infer(
        self, grad: Aval, boxes: Aval, indices: Aval, sizes: Aval, *, method: str, dtype: Any
    ) -> Aval:
        return Aval(dtype, known.as_shape(sizes) or (None,) * 4)

    def eager(
        self, grad: Array, boxes: Array, indices: Array, sizes: Array, *, method: str, dtype: Any
    ) -> Array:
        out = np.zeros(tuple(int(s) for s in sizes), np.float32)
        for dy, box, index in zip(grad, boxes, indices, strict=True):
            down, across = self.samples(out.shape[1:3], box, dy.shape[:2], method)
            wide = np.einsum("xw,yxc->ywc", across.weights, dy)
            out[index] += np.einsum("yh,ywc->hwc", down.weights, wide)
        return out.astype(dtype.numpy)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | None]:
        raise NotImplementedError("the second derivative of crop_and_resize is not supported")


class _ByBoxes(_CropOp):
    """The gradient of crops by the boxes."""

    type = "CropAndResizeGradBoxes"
    cases = (
        case(counting(2, 2, 3, 2), counting(2, 4, 5, 2), _BOXES, i32([0, 1]), method="bilinear",
             differentiable=False),
    )  # fmt: skip

    def infer(self, grad: Aval, image: Aval, boxes: Aval, indices: Aval, *, method: str) -> Aval:
        return Aval(dtypes.float32, boxes.shape)

    def eager(
        self, grad: Array, image: Array, boxes: Array, indices: Array, *, method: str
    ) -> Array:
        out = np.zeros(boxes.shape, np.float32)
        for found, dy, box, index in zip(out, grad, boxes, indices, strict=True):
            down, across = self.samples(image.shape[1:3], box, dy.shape[:2], method)
            inside = ~(down.outside[:, None] | across.outside)
            given, source = dy * inside[..., None], image[index].astype(np.float32)
            wide = np.einsum("xw,hwc->hxc", across.weights, source)
            turned = np.einsum("xw,hwc->hxc", across.slopes, source)
            by_row = np.einsum("yh,hxc,yxc->y", down.slopes, wide, given)
            by_column = np.einsum("yh,hxc,yxc->x", down.weights, turned, given)
            found[:] = (
                by_row @ down.by_start, by_column @ across.by_start,
                by_row @ down.by_end, by_column @ across.by_end,
            )  # fmt: skip
        return out

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | None]:
        raise NotImplementedError("the second derivative of crop_and_resize is not supported")


class _DrawBoxes(Op):
    """Images with the outlines of boxes drawn over them."""

    type = "DrawBoundingBoxesV2"

    def infer(self, images: Aval, boxes: Aval, colors: Aval) -> Aval:
        check_kind(self.type, images, {"float16", "float32"}, "images")
        known.check_rank(images, 4, "images")
        known.check_rank(boxes, 3, "boxes")
        known.check_rank(colors, 2, "colors")
        if not are_compatible((boxes.shape or (None, None, 4))[2:], (4,)):
            raise ValueError(f"boxes must be of shape [batch, n, 4], got {boxes.shape}")
        return Aval(images.dtype, images.shape)

    def eager(self, images: Array, boxes: Array, colors: Array) -> Array:
        out = images.copy()
        table = colors if colors.size else _color_table(images.shape[3])
        for image, places in zip(out, boxes, strict=True):
            for i, box in enumerate(places):
                _draw(image, box, table[i % len(table)][: image.shape[-1]])
        return out

    cases = (
        case(counting(1, 4, 5, 3), f32([[[0.1, 0.1, 0.8, 0.9]]]), np.zeros((0, 0), np.float32),
             differentiable=False),
    )  # fmt: skip


_COLORS: Final = (
    (1, 1, 0, 1), (0, 0, 1, 1), (1, 0, 0, 1), (0, 1, 0, 1), (0.5, 0, 0.5, 1), (0.5, 0.5, 0, 1),
    (0.5, 0, 0, 1), (0, 0, 0.5, 1), (0, 1, 1, 1), (1, 0, 1, 1),
)  # fmt: skip


def _color_table(depth: int) -> Array:
    table = np.array(_COLORS, np.float32)[:, :depth]
    if depth == 1:
        table[:] = 1
    return table


def _draw(image: Array, box: Array, color: Array) -> None:
    height, width = image.shape[:2]
    top, left, bottom, right = (
        int(side * (size - 1)) for side, size in zip(box, (height, width) * 2, strict=True)
    )
    crossed = top > bottom or left > right
    if crossed or top >= height or bottom < 0 or left >= width or right < 0:
        return
    rows = slice(max(top, 0), min(bottom, height - 1) + 1)
    columns = slice(max(left, 0), min(right, width - 1) + 1)
    for row in {top, bottom} & set(range(height)):
        image[row, columns] = color
    for column in {left, right} & set(range(width)):
        image[rows, column] = color


crop_and_resize_op = define(_CropAndResize())
by_image_op = define(_ByImage())
by_boxes_op = define(_ByBoxes())
draw_boxes_op = define(_DrawBoxes())


def crop_and_resize(
    image: object,
    boxes: object,
    box_indices: object,
    crop_size: object,
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
    name: str | None = None,
) -> Tensor:
    """Boxes cut out of images and resampled to one size, as float32.

    https://www.tensorflow.org/api_docs/python/tf/image/crop_and_resize

    Args:
        image: of shape [batch, height, width, channels].
        boxes: float32 of shape [n, 4], in fractions; may reach outside or be upside down.
        box_indices: int32, which image of the batch each box lies in.
        crop_size: two int32, height and width of the crops.
        method: `bilinear` or `nearest`.
        extrapolation_value: what stands outside the images.
        name: of the node.

    Raises:
        ValueError: `method` is another; in a graph, shapes do not fit.
        OutOfRangeError: there is no such image.
        InvalidArgumentError: shapes or dtypes do not fit.
    """
    if method not in ("bilinear", "nearest"):
        raise ValueError(f"method must be 'bilinear' or 'nearest', got {method!r}")
    return apply(
        crop_and_resize_op, convert_to_tensor(image), convert_to_tensor(boxes),
        convert_to_tensor(box_indices), known.integer_tensor(crop_size, what="crop_size"),
        method=method, extrapolation_value=float(extrapolation_value),
        name=name or "CropAndResize",
    )  # fmt: skip


def draw_bounding_boxes(
    images: object, boxes: object, colors: object, name: str | None = None
) -> Tensor:
    """Images with the outlines of boxes drawn over them.

    https://www.tensorflow.org/api_docs/python/tf/image/draw_bounding_boxes

    Args:
        images: float of shape [batch, height, width, channels].
        boxes: float32 of shape [batch, n, 4], in fractions.
        colors: of shape [m, channels], taken in turn; None for TensorFlow's own.
        name: of the node.

    Raises:
        InvalidArgumentError: shapes or dtypes do not fit (ValueError or TypeError in a graph).
    """
    table = np.zeros((0, 0), np.float32) if colors is None else colors
    return apply(
        draw_boxes_op, convert_to_tensor(images), convert_to_tensor(boxes),
        convert_to_tensor(table), name=name or "DrawBoundingBoxesV2",
    )  # fmt: skip
