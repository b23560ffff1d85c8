"""Pooling by maximum or mean over windows, and the gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from tfcheck_runtime.op import Array, Attributes, Aval, Call, Emitter, Op, Term, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.examples import counting, i32
from tfcheck_runtime.ops.array.filling import zeros_like
from tfcheck_runtime.ops.array.shaping import shape as shape_of
from tfcheck_runtime.ops.nn.layout import from_channels_first, to_channels_first
from tfcheck_runtime.ops.nn.pooling_lowering import splits_into_cells, spread_to_winners
from tfcheck_runtime.ops.nn.windows import (
    Window,
    channels_last,
    channels_of,
    inferred_places,
    known_sizes,
    onnx_can_pad,
    onnx_padding,
    padded,
    restored,
    spatial,
    unpadded,
    window_of,
    with_spatial,
)
from tfcheck_runtime.values.tensor import Tensor, apply


def _spread(*shape: int) -> Array:
    """Numbers that lie apart, in no order: none comes close to being the larger of two."""
    return np.asarray(37 * counting(*shape) % 181 / 50 - 1.5)


_EXAMPLE: Final = _spread(2, 5, 6, 3)
_PLAIN: Final[dict[str, Any]] = {
    "ksize": (1, 2, 3, 1), "strides": (1, 2, 2, 1), "padding": "VALID", "data_format": "NHWC",
}  # fmt: skip
_BESIDE: Final = _PLAIN | {"strides": (1, 2, 3, 1)}
"""Windows that share no cell, over sizes of which the last row is in none."""
_SAME: Final = _PLAIN | {"padding": "SAME"}
_EXPLICIT: Final = _PLAIN | {
    "padding": "EXPLICIT", "explicit_paddings": (0, 0, 1, 0, 0, 2, 0, 0),
}  # fmt: skip
_DILATED: Final = _PLAIN | {"strides": (1, 1, 1, 1), "dilations": (1, 2, 1, 1)}
_FIRST: Final = _PLAIN | {
    "ksize": (1, 1, 2, 2), "strides": (1, 1, 1, 2), "data_format": "NCHW",
}  # fmt: skip


class _Pool(Op):
    """What the pooling ops share."""

    def window(self, attrs: Attributes) -> Window:
        """The window of the attributes."""
        data_format = attrs["data_format"]
        return window_of(
            spatial(tuple(attrs["ksize"]), data_format), attrs["strides"],
            padding=attrs["padding"], data_format=data_format,
            dilations=attrs.get("dilations"),
            explicit_paddings=attrs.get("explicit_paddings", ()),
        )  # fmt: skip

    def pooled(self, x: Aval, attrs: Attributes) -> Aval:
        """The result's type."""
        data_format, window = attrs["data_format"], self.window(attrs)
        known.check_rank(x, window.rank + 2, "input")
        shape = x.shape or (None,) * (window.rank + 2)
        sizes = inferred_places(window, spatial(shape, data_format))
        channels = channels_of(shape, data_format)
        return Aval(x.dtype, with_spatial(shape[0], sizes, channels, data_format=data_format))

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        dtype = inputs[0].dtype.name
        if self.lower is None or dtype not in ("float32", "float64") or "dilations" in attrs:
            return False
        return onnx_can_pad(self.window(attrs), _sizes(inputs[0], attrs))

    def lower_pool(self, onnx_type: str, onnx: Emitter, x: Term, attrs: Attributes) -> object:
        """An ONNX pooling op between transposes."""
        window, data_format = self.window(attrs), attrs["data_format"]
        source = to_channels_first(onnx, x, window.rank, data_format)
        result = onnx.op(onnx_type, source, **_onnx_window(window, _sizes(x.aval, attrs)))
        return from_channels_first(onnx, result, window.rank, data_format)


def _sizes(x: Aval, attrs: Attributes) -> tuple[int | None, ...]:
    """The spatial sizes, as far as they are known."""
    shape = x.shape or (None,) * len(attrs["ksize"])
    return spatial(shape, attrs["data_format"])


def _onnx_window(window: Window, sizes: tuple[int | None, ...]) -> dict[str, object]:
    return {
        "kernel_shape": list(window.kernel), "strides": list(window.strides),
        **onnx_padding(window, sizes),
    }  # fmt: skip


class _MaxPool(_Pool):
    """The largest cell of each window."""

    def __init__(self, op_type: str) -> None:
        self.type = op_type
        self.cases = _cases(op_type)

    def infer(self, x: Aval, **attrs: Any) -> Aval:
        return self.pooled(x, attrs)

    def eager(self, x: Array, **attrs: Any) -> Array:
        data_format, window = attrs["data_format"], self.window(attrs)
        source, places = _lowest_padded(channels_last(x, data_format), window)
        cells = (source[(slice(None), *window.cells(o, places))] for o in window.offsets())
        result = next(cells)
        for cell in cells:
            result = np.maximum(result, cell)
        return restored(result, data_format)

    def lower(self, onnx: Emitter, x: Term, **attrs: Any) -> object:
        return self.lower_pool("MaxPool", onnx, x, attrs)

    def gradient(self, call: Call[Tensor], dy: Tensor) -> list[Tensor]:
        op = _MAX_GRADIENTS[self.type]
        return [apply(op, call.inputs[0], call.outputs[0], dy, **call.attrs)]


def _cases(op_type: str) -> tuple[Any, ...]:
    if op_type != "MaxPool" and op_type != "AvgPool":
        ones = {"ksize": (1, 2, 2, 2, 1), "strides": (1, 1, 2, 1, 1)}
        attrs: dict[str, Any] = {**ones, "padding": "SAME", "data_format": "NDHWC"}
        return (case(_spread(1, 3, 3, 4, 2), **attrs),)
    return (
        case(_EXAMPLE, unknown=((0, 0),), **_PLAIN),
        case(_EXAMPLE, unknown=((0, 1), (0, 2)), **_SAME),
        case(_EXAMPLE.transpose(0, 3, 1, 2), **_FIRST),
        case(_EXAMPLE.astype(np.float64), **_SAME),
        case(_EXAMPLE, **_DILATED),
        *((case(_EXAMPLE, **_EXPLICIT),) if op_type == "MaxPool" else ()),
    )


def _lowest_padded(x: Array, window: Window) -> tuple[Array, tuple[int, ...]]:
    sizes = x.shape[1:-1]
    lowest = -np.inf if x.dtype.kind not in "iu" else np.iinfo(x.dtype).min
    return padded(x, window.pads(sizes), lowest), window.places(sizes)


def _winners(x: Array, window: Window) -> tuple[Array, Array]:
    """Which cell of each window is the (first) largest, and the padded source."""
    source, places = _lowest_padded(x, window)
    best = np.zeros(0)
    winner = np.zeros(0, np.int64)
    for i, offset in enumerate(window.offsets()):
        cell = source[(slice(None), *window.cells(offset, places))]
        if i == 0:
            best, winner = cell.copy(), np.zeros(cell.shape, np.int64)
            continue
        better = cell > best
        best[better], winner[better] = cell[better], i
    return winner, source


class _MaxPoolGradient(_Pool):
    """The gradient of max pooling: each output's goes to the cell that won."""

    def __init__(self, op_type: str) -> None:
        self.type = op_type
        if op_type == "MaxPoolGrad":
            y, ties = _pooled_example(_EXAMPLE, _PLAIN), np.round(_EXAMPLE)
            largest = _pooled_example(ties, _BESIDE)
            self.cases = (
                case(_EXAMPLE, y, np.cos(y), unknown=((0, 0),), **_PLAIN, differentiable=False),
                case(ties, largest, np.sin(counting(2, 2, 2, 3)), unknown=((0, 0),), **_BESIDE,
                     differentiable=False),
            )  # fmt: skip

    def infer(self, x: Aval, y: Aval, dy: Aval, **attrs: Any) -> Aval:
        return Aval(x.dtype, x.shape)

    def eager(self, x: Array, y: Array, dy: Array, **attrs: Any) -> Array:
        data_format, window = attrs["data_format"], self.window(attrs)
        source = channels_last(x, data_format)
        winner, full = _winners(source, window)
        given, total = channels_last(dy, data_format), np.zeros_like(full)
        places = window.places(source.shape[1:-1])
        for i, offset in enumerate(window.offsets()):
            total[(slice(None), *window.cells(offset, places))] += np.where(winner == i, given, 0)
        return restored(unpadded(total, window.pads(source.shape[1:-1])), data_format)

    def lower(self, onnx: Emitter, x: Term, y: Term, dy: Term, **attrs: Any) -> object:
        window, data_format = self.window(attrs), attrs["data_format"]
        if splits_into_cells(window, x, data_format):
            return spread_to_winners(onnx, x, y, dy, window)
        source = to_channels_first(onnx, x, window.rank, data_format)
        _, places = onnx.op_n("MaxPool", 2, source, **_onnx_window(window, _sizes(x.aval, attrs)))
        flat = known.int64([-1])
        shape = onnx.op("Shape", source)
        count = onnx.op("Reshape", onnx.op("Size", source), known.int64([1]))
        zeros = onnx.op("Expand", onnx.constant(np.zeros((), x.dtype.numpy)), count)
        updates = onnx.op("Reshape", to_channels_first(onnx, dy, window.rank, data_format), flat)
        total = onnx.op(
            "ScatterElements", zeros, onnx.op("Reshape", places, flat), updates, reduction="add"
        )
        result = onnx.op("Reshape", total, shape)
        return from_channels_first(onnx, result, window.rank, data_format)

    def gradient(self, call: Call[Tensor], dz: Tensor) -> list[Tensor]:
        x, y, _ = call.inputs
        back = apply(_MAX_SECOND[self.type], x, y, dz, **call.attrs)
        return [zeros_like(x), zeros_like(y), back]


def _pooled_example(x: Array, attrs: dict[str, Any]) -> Array:
    return max_pool_op.eager(x, **attrs)


class _MaxPoolSecond(_Pool):
    """The gradient's gradient: of each window, what stands in the place of the cell that won."""

    def __init__(self, op_type: str) -> None:
        self.type = op_type
        if op_type == "MaxPoolGradGrad":
            y = _pooled_example(_EXAMPLE, _PLAIN)
            self.cases = (case(_EXAMPLE, y, np.cos(_EXAMPLE), **_PLAIN, differentiable=False),)

    def infer(self, x: Aval, y: Aval, dz: Aval, **attrs: Any) -> Aval:
        return Aval(y.dtype, y.shape)

    def eager(self, x: Array, y: Array, dz: Array, **attrs: Any) -> Array:
        data_format, window = attrs["data_format"], self.window(attrs)
        source = channels_last(x, data_format)
        winner, _ = _winners(source, window)
        given = padded(channels_last(dz, data_format), window.pads(source.shape[1:-1]))
        places = window.places(source.shape[1:-1])
        result = np.zeros(winner.shape, dz.dtype)
        for i, offset in enumerate(window.offsets()):
            cell = given[(slice(None), *window.cells(offset, places))]
            result = np.where(winner == i, cell, result)
        return restored(result, data_format)

    def gradient(self, call: Call[Tensor], dw: Tensor) -> list[Tensor]:
        x, y, _ = call.inputs
        back = apply(_MAX_BY_SECOND[self.type], x, y, dw, **call.attrs)
        return [zeros_like(x), zeros_like(y), back]


class _AvgPool(_Pool):
    """The mean of each window, padding left out."""

    def __init__(self, op_type: str) -> None:
        self.type = op_type
        self.cases = _cases(op_type)

    def infer(self, x: Aval, **attrs: Any) -> Aval:
        return self.pooled(x, attrs)

    def eager(self, x: Array, **attrs: Any) -> Array:
        data_format, window = attrs["data_format"], self.window(attrs)
        last = channels_last(x, data_format)
        sizes = last.shape[1:-1]
        source, places = padded(last, window.pads(sizes)), window.places(sizes)
        total = np.zeros((last.shape[0], *places, last.shape[-1]), x.dtype)
        for offset in window.offsets():
            total += source[(slice(None), *window.cells(offset, places))]
        return restored(total / _counts(window, sizes).astype(x.dtype), data_format)

    def lower(self, onnx: Emitter, x: Term, **attrs: Any) -> object:
        return self.lower_pool("AveragePool", onnx, x, attrs)

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        return inputs[0].dtype.name == "float32" and super().lowers(inputs, outputs, attrs)

    def gradient(self, call: Call[Tensor], dy: Tensor) -> list[Tensor]:
        return [apply(_AVG_GRADIENTS[self.type], shape_of(call.inputs[0]), dy, **call.attrs)]


def _counts(window: Window, sizes: tuple[int, ...]) -> Array:
    """How many cells of each window are not padding, with an axis for channels."""
    ones = padded(np.ones((1, *sizes, 1)), window.pads(sizes))
    places = window.places(sizes)
    cells = [ones[(slice(None), *window.cells(o, places))] for o in window.offsets()]
    return np.asarray(np.sum(cells, axis=0))


class _AvgPoolGradient(_Pool):
    """The gradient of mean pooling: each output's is spread over its window."""

    def __init__(self, op_type: str) -> None:
        self.type = op_type
        if op_type == "AvgPoolGrad":
            shape = i32(_EXAMPLE.shape)
            self.cases = (
                case(shape, np.sin(counting(2, 2, 2, 3)), **_PLAIN),
                case(shape, np.sin(counting(2, 3, 3, 3)), **_SAME),
            )

    def infer(self, shape: Aval, dy: Aval, **attrs: Any) -> Aval:
        return Aval(dy.dtype, known.as_shape(shape))

    def eager(self, shape: Array, dy: Array, **attrs: Any) -> Array:
        data_format, window = attrs["data_format"], self.window(attrs)
        sizes = spatial(tuple(int(s) for s in shape), data_format)
        given = channels_last(dy, data_format)
        share = given / _counts(window, sizes).astype(dy.dtype)
        pads, places = window.pads(sizes), window.places(sizes)
        full = [s + before + after for s, (before, after) in zip(sizes, pads, strict=True)]
        total = np.zeros((given.shape[0], *full, given.shape[-1]), dy.dtype)
        for offset in window.offsets():
            total[(slice(None), *window.cells(offset, places))] += share
        return restored(unpadded(total, pads), data_format)

    def lower(self, onnx: Emitter, shape: Term, dy: Term, **attrs: Any) -> object:
        data_format, window = attrs["data_format"], self.window(attrs)
        want = known.as_shape(shape.aval) or ()
        sizes = tuple(int(s or 0) for s in spatial(want, data_format))
        pads = window.pads(sizes)
        counts = np.moveaxis(_counts(window, sizes), -1, 1).astype(dy.dtype.numpy)
        source = to_channels_first(onnx, dy, window.rank, data_format)
        share = onnx.op("Div", source, counts)
        channels = channels_of(want, data_format) or 1
        rests = [
            s - ((n - 1) * step + k - sum(pad))
            for s, n, step, k, pad in zip(
                sizes, window.places(sizes), window.strides, window.kernel, pads, strict=True
            )
        ]
        result = onnx.op(
            "ConvTranspose", share, np.ones((channels, 1, *window.kernel), dy.dtype.numpy),
            strides=list(window.strides), group=channels, kernel_shape=list(window.kernel),
            pads=[p[0] for p in pads] + [p[1] for p in pads], output_padding=rests,
        )  # fmt: skip
        return from_channels_first(onnx, result, window.rank, data_format)

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        shape, data_format = known.as_shape(inputs[0]), attrs["data_format"]
        return (
            inputs[1].dtype.name == "float32"
            and "dilations" not in attrs
            and shape is not None
            and known_sizes(shape, data_format) is not None
            and channels_of(shape, data_format) is not None
        )

    def gradient(self, call: Call[Tensor], dz: Tensor) -> list[Tensor | None]:
        return [None, apply(_AVG_BY_GRADIENT[self.type], dz, **call.attrs)]


max_pool_op = define(_MaxPool("MaxPool"))
max_pool_3d_op = define(_MaxPool("MaxPool3D"))
avg_pool_op = define(_AvgPool("AvgPool"))
avg_pool_3d_op = define(_AvgPool("AvgPool3D"))
_MAX_GRADIENTS: Final[dict[str, Op]] = {
    "MaxPool": define(_MaxPoolGradient("MaxPoolGrad")),
    "MaxPool3D": define(_MaxPoolGradient("MaxPool3DGrad")),
}
_MAX_SECOND: Final[dict[str, Op]] = {
    "MaxPoolGrad": define(_MaxPoolSecond("MaxPoolGradGrad")),
    "MaxPool3DGrad": define(_MaxPoolSecond("MaxPool3DGradGrad")),
}
_MAX_BY_SECOND: Final = {
    "MaxPoolGradGrad": _MAX_GRADIENTS["MaxPool"],
    "MaxPool3DGradGrad": _MAX_GRADIENTS["MaxPool3D"],
}
_AVG_GRADIENTS: Final[dict[str, Op]] = {
    "AvgPool": define(_AvgPoolGradient("AvgPoolGrad")),
    "AvgPool3D": define(_AvgPoolGradient("AvgPool3DGrad")),
}
_AVG_BY_GRADIENT: Final[dict[str, Op]] = {
    "AvgPoolGrad": avg_pool_op,
    "AvgPool3DGrad": avg_pool_3d_op,
}
