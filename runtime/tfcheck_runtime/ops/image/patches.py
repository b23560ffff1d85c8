"""Patches of images, laid out along the channels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from tfcheck_runtime.op import Array, Attributes, Aval, Call, Op, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.examples import counting, i32
from tfcheck_runtime.ops.array.shaping import shape as shape_of
from tfcheck_runtime.ops.nn.windows import Window, padded, unpadded, window_of
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply

_PLAIN: Final[dict[str, Any]] = {
    "ksizes": (1, 2, 3, 1), "strides": (1, 2, 1, 1), "rates": (1, 1, 2, 1), "padding": "SAME",
}  # fmt: skip


def _window(attrs: Attributes) -> Window:
    return window_of(
        tuple(attrs["ksizes"][1:3]), attrs["strides"], attrs["rates"], padding=attrs["padding"],
        data_format="NHWC",
    )  # fmt: skip


class _Patches(Op):
    """The cells of each place of a window, one behind the other."""

    type = "ExtractImagePatches"

    def infer(self, images: Aval, **attrs: Any) -> Aval:
        known.check_rank(images, 4, "images")
        window, shape = _window(attrs), images.shape or (None,) * 4
        depth = None if shape[3] is None else shape[3] * window.kernel[0] * window.kernel[1]
        sizes = shape[1:3]
        unknown = None in sizes
        places = window.outputs(sizes) if unknown else window.places(tuple(s or 0 for s in sizes))
        return Aval(images.dtype, (shape[0], *places, depth))

    def eager(self, images: Array, **attrs: Any) -> Array:
        window = _window(attrs)
        places, source = window.places(images.shape[1:3]), padded(images, _pads(images, window))
        cells = [source[(slice(None), *window.cells(o, places))] for o in window.offsets()]
        return np.concatenate(cells, -1)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor]:
        return [apply(patches_gradient_op, shape_of(call.inputs[0]), grad, **call.attrs)]

    cases = (
        case(counting(1, 4, 5, 2), **_PLAIN),
        case(counting(2, 3, 6, 1), unknown=((0, 1),), **_PLAIN | {"padding": "VALID"}),
    )


def _pads(images: Array, window: Window) -> Any:
    return window.pads(images.shape[1:3])


class _PatchesGradient(Op):
    """What each pixel gave to the patches, of their gradient."""

    type = "ExtractImagePatchesGrad"

    def infer(self, sizes: Aval, grad: Aval, **attrs: Any) -> Aval:
        return Aval(grad.dtype, known.as_shape(sizes) or (None,) * 4)

    def eager(self, sizes: Array, grad: Array, **attrs: Any) -> Array:
        window, shape = _window(attrs), tuple(int(s) for s in sizes)
        out = np.zeros(shape, grad.dtype)
        pads = _pads(out, window)
        total, places = padded(out, pads), window.places(shape[1:3])
        parts = np.split(grad, window.kernel[0] * window.kernel[1], -1)
        for offset, part in zip(window.offsets(), parts, strict=True):
            total[(slice(None), *window.cells(offset, places))] += part
        return unpadded(total, pads)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | None]:
        return [None, apply(patches_op, grad, **call.attrs)]

    cases = (case(i32([1, 4, 5, 2]), np.cos(counting(1, 2, 5, 12)), **_PLAIN),)


patches_op = define(_Patches())
patches_gradient_op = define(_PatchesGradient())


def extract_patches(
    images: object,
    sizes: Sequence[int],
    strides: Sequence[int],
    rates: Sequence[int],
    padding: str,
    name: str | None = None,
) -> Tensor:
    """For each place of a window its cells, laid out along the channels.

    https://www.tensorflow.org/api_docs/python/tf/image/extract_patches

    Args:
        images: of shape [batch, height, width, channels].
        sizes: of the window, `[1, height, width, 1]`.
        strides: from place to place, `[1, rows, columns, 1]`.
        rates: from cell to cell, `[1, rows, columns, 1]`.
        padding: `SAME` or `VALID`.
        name: of the node.

    Raises:
        ValueError: an argument is none of these; in a graph, the rank is not 4.
        InvalidArgumentError: the rank is not 4.
    """
    attrs = {"ksizes": sizes, "strides": strides, "rates": rates}
    for what, value in attrs.items():
        if len(value) != 4 or value[0] != 1 or value[3] != 1:
            raise ValueError(f"extract_patches: {what} must be [1, rows, columns, 1], got {value}")
    if padding not in ("SAME", "VALID"):
        raise ValueError(f"extract_patches: padding must be 'SAME' or 'VALID', got {padding!r}")
    whole = {what: tuple(int(v) for v in value) for what, value in attrs.items()}
    return apply(
        patches_op, convert_to_tensor(images), padding=padding,
        name=name or "ExtractImagePatches", **whole,
    )  # fmt: skip
