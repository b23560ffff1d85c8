"""Images made larger or smaller."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tfcheck_runtime.op import Array, Aval, Call, Op, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.agreement import REALS, check_kind
from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.examples import counting, i32
from tfcheck_runtime.ops.array.packing import stack
from tfcheck_runtime.ops.array.shaping import shape as shape_of
from tfcheck_runtime.ops.array.squeezing import expand_dims, squeeze
from tfcheck_runtime.ops.image import resampling
from tfcheck_runtime.ops.image.cropping import pad_to_bounding_box
from tfcheck_runtime.ops.image.shapes import height_and_width, image_of, three_or_four
from tfcheck_runtime.ops.math.arithmetic import maximum, minimum, multiply
from tfcheck_runtime.ops.math.division import truediv
from tfcheck_runtime.ops.math.rounding import floor, round
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.shapes import Shape
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply


class ResizeMethod:
    """The names of the methods (https://www.tensorflow.org/api_docs/python/tf/image/ResizeMethod)."""

    BILINEAR = "bilinear"
    NEAREST_NEIGHBOR = "nearest"
    BICUBIC = "bicubic"
    AREA = "area"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    GAUSSIAN = "gaussian"
    MITCHELLCUBIC = "mitchellcubic"


_SINGLE: Final = {
    "bilinear": ("ResizeBilinear", resampling.bilinear),
    "bicubic": ("ResizeBicubic", resampling.bicubic),
    "area": ("ResizeArea", resampling.area),
    "nearest": ("ResizeNearestNeighbor", resampling.nearest),
}


def _weights(method: str, antialias: bool) -> resampling.Weights:
    if method in _SINGLE and not (antialias and method in resampling.KERNELS):
        return _SINGLE[method][1]
    return resampling.spread(method, antialias)


def _resampled(x: Array, sizes: tuple[int, int], weights: resampling.Weights) -> Array:
    rows, columns = (weights(a, b) for a, b in zip(x.shape[1:3], sizes, strict=True))
    wide = x.astype(np.float64)
    return np.asarray(np.einsum("nhwc,ih,jw->nijc", wide, rows, columns, optimize=True))


_BLURRING: Final = (ResizeMethod.GAUSSIAN, ResizeMethod.MITCHELLCUBIC)
"""Methods that change images also where the size stays."""


class _Resize(Op):
    """Images resampled to a height and width."""

    type = "Resize"
    cases = (
        case(counting(1, 3, 4, 2), i32([5, 2]), method="bilinear", antialias=False,
             unknown=((0, 1),)),
        case(counting(1, 4, 4, 1), i32([2, 2]), method="bicubic", antialias=True),
        case(counting(2, 2, 3, 1), i32([3, 3]), method="nearest", antialias=False),
        case(i32([[[[1], [2]]]]), i32([1, 4]), method="nearest", antialias=False),
    )  # fmt: skip

    def infer(self, images: Aval, size: Aval, *, method: str, antialias: bool) -> Aval:
        check_kind(self.type, images, REALS, "images")
        known.check_rank(images, 4, "images")
        if any(s is not None and s <= 0 for s in known.elements(size) or ()):
            raise ValueError(f"output dimensions must be positive, got {known.elements(size)}")
        keeps = method == "nearest" or images.dtype is dtypes.float64
        dtype = images.dtype if keeps else dtypes.float32
        return Aval(dtype, _resized(images.shape, known.as_shape(size)))

    def eager(self, images: Array, size: Array, *, method: str, antialias: bool) -> Array:
        sizes = (int(size[0]), int(size[1]))
        found = _resampled(images, sizes, _weights(method, antialias))
        keeps = method == "nearest" or images.dtype == np.float64
        return found.astype(images.dtype if keeps else np.float32)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | None]:
        images = call.inputs[0]
        sizes = shape_of(images)
        found = apply(resize_gradient_op, grad, sizes[1:3], **call.attrs)
        return [cast(found, images.dtype), None]


class _ResizeGradient(Op):
    """What each input pixel gave to a resized image, of the gradient of the result."""

    type = "ResizeGrad"
    cases = (
        case(counting(1, 5, 2, 1), i32([3, 4]), method="bilinear", antialias=False),
        case(counting(1, 2, 2, 1), i32([4, 3]), method="nearest", antialias=False),
    )

    def infer(self, grad: Aval, size: Aval, *, method: str, antialias: bool) -> Aval:
        return Aval(grad.dtype, _resized(grad.shape, known.as_shape(size)))

    def eager(self, grad: Array, size: Array, *, method: str, antialias: bool) -> Array:
        weights = _weights(method, antialias)
        found = _resampled(grad, (int(size[0]), int(size[1])), lambda a, b: weights(b, a).T)
        return found.astype(grad.dtype)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | None]:
        sizes = shape_of(call.inputs[0])
        found = apply(resize_op, grad, sizes[1:3], **call.attrs)
        return [cast(found, call.inputs[0].dtype), None]


def _resized(images: Shape, size: Shape) -> Shape:
    rows, columns = (None, None) if size is None else size
    return (None,) * 4 if images is None else (images[0], rows, columns, images[3])


resize_op = define(_Resize())
resize_gradient_op = define(_ResizeGradient())


def resize(
    images: object,
    size: object,
    method: str = ResizeMethod.BILINEAR,
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: str | None = None,
) -> Tensor:
    """Images with another height and width; float32 unless the method is `nearest`.

    https://www.tensorflow.org/api_docs/python/tf/image/resize

    Args:
        images: of shape [height, width, channels] or [batch, height, width, channels].
        size: two int32, the new height and width.
        method: one of `tf.image.ResizeMethod`.
        preserve_aspect_ratio: whether to make the largest image that fits `size` instead.
        antialias: whether to blur before shrinking.
        name: of the node.

    Raises:
        ValueError: the rank, `size` or `method` is none of these.
        InvalidArgumentError: a size is not positive (ValueError in a graph).
    """
    value = convert_to_tensor(images, name="images")
    batched = value if three_or_four(value) == 4 else expand_dims(value, 0)
    wanted = known.integer_tensor(size, what="size")
    if wanted.static_shape not in ((2,), (None,), None):
        raise ValueError(f"'size' must be a 1-D Tensor of 2 elements: height, width; got {size}")
    if method not in (*_SINGLE, *resampling.KERNELS):
        raise ValueError(f"Resize method is not implemented: {method}")
    if preserve_aspect_ratio:
        wanted = _fitting(batched, wanted)
    same = known.static_ints(wanted) == batched.static_shape[1:3]  # type: ignore[index]  # rank 4
    if same and method not in _BLURRING:
        return value if method == "nearest" else cast(value, dtypes.float32)
    found = apply(
        resize_op, batched, wanted, method=method, antialias=bool(antialias), name=name or "resize"
    )
    found = found if method == "nearest" else cast(found, dtypes.float32)
    return found if batched is value else squeeze(found, [0])


def _fitting(images: Tensor, size: Tensor) -> Tensor:
    """The largest height and width of the images' ratio within `size`."""
    sizes = cast(stack(list(height_and_width(images))), dtypes.float32)
    scales: Any = truediv(cast(size, dtypes.float32), sizes)
    return cast(round(multiply(minimum(scales[0], scales[1]), sizes)), dtypes.int32)


def resize_with_pad(
    image: object,
    target_height: object,
    target_width: object,
    method: str = ResizeMethod.BILINEAR,
    antialias: bool = False,
) -> Tensor:
    """Images resized to fit a height and width, and zeros around them.

    https://www.tensorflow.org/api_docs/python/tf/image/resize_with_pad. For errors see `resize`.
    """
    value = image_of(image)
    sizes = [cast(s, dtypes.float64) for s in height_and_width(value)]
    target = [cast(s, dtypes.float64) for s in (target_height, target_width)]
    ratio = maximum(truediv(sizes[0], target[0]), truediv(sizes[1], target[1]))
    fitted = [cast(floor(truediv(s, ratio)), dtypes.int32) for s in sizes]
    found = resize(value, stack(fitted), method, antialias=antialias)
    rows, columns = (
        maximum(0, cast(floor(truediv(t - cast(f, dtypes.float64), 2.0)), dtypes.int32))
        for t, f in zip(target, fitted, strict=True)
    )
    return pad_to_bounding_box(found, rows, columns, target_height, target_width)
