"""Convolutions and their gradients, which are convolutions again.

ONNX wants channels first: lowered graphs transpose around each, and onnxruntime cancels what it
can. Its CPU provider convolves float32 only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Attributes, Aval, Call, Case, Emitter, Op, Term, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.examples import counting, i32
from tfcheck_runtime.ops.array.shaping import shape as shape_of
from tfcheck_runtime.ops.nn import convolution_kernels as kernels
from tfcheck_runtime.ops.nn.filter_lowering import filter_products, worth_products
from tfcheck_runtime.ops.nn.layout import (
    from_channels_first,
    swap_batch_and_channels,
    to_channels_first,
    to_channels_last,
    to_onnx_filter,
)
from tfcheck_runtime.ops.nn.windows import (
    CHANNELS_FIRST,
    Window,
    channels_last,
    channels_of,
    inferred_places,
    known_sizes,
    onnx_can_pad,
    onnx_padding,
    onnx_pads,
    restored,
    spatial,
    window_of,
    with_spatial,
)
from tfcheck_runtime.specs.shapes import Shape
from tfcheck_runtime.values.tensor import Tensor, apply


@dataclass(frozen=True, slots=True)
class Family:
    """The op types of a convolution and its two gradients."""

    forward: str
    by_input: str
    by_filter: str
    rank: int
    depthwise: bool = False


CONV2D: Final = Family("Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter", 2)
CONV3D: Final = Family("Conv3D", "Conv3DBackpropInputV2", "Conv3DBackpropFilterV2", 3)
DEPTHWISE: Final = Family(
    "DepthwiseConv2dNative",
    "DepthwiseConv2dNativeBackpropInput",
    "DepthwiseConv2dNativeBackpropFilter",
    2,
    depthwise=True,
)


class _Convolution(Op):
    """What a convolution and its gradients share."""

    def __init__(self, op_type: str, family: Family) -> None:
        self.type = op_type
        self.family = family

    def window(self, kernel: Sequence[int], attrs: Attributes) -> Window:
        """The filter's window."""
        return window_of(tuple(kernel), **attrs)

    def outputs(self, filters: Shape) -> int | None:
        """The number of output channels of filters of this shape."""
        if filters is None:
            return None
        if not self.family.depthwise:
            return filters[-1]
        inputs, multiplier = filters[-2:]
        return None if inputs is None or multiplier is None else inputs * multiplier

    def _single(self, inputs: Sequence[Aval]) -> bool:
        return all(a.dtype.name in ("float32", "int32", "int64") for a in inputs)


class _Forward(_Convolution):
    """A convolution: `(input, filters)`."""

    def __init__(self, op_type: str, family: Family) -> None:
        super().__init__(op_type, family)
        self.cases = _forward_cases(family)

    def infer(self, x: Aval, filters: Aval, **attrs: Any) -> Aval:
        rank = self.family.rank
        known.check_rank(x, rank + 2, "input")
        known.check_rank(filters, rank + 2, "filters")
        shape, data_format = x.shape or (None,) * (rank + 2), attrs["data_format"]
        self._check_channels(shape, filters.shape, data_format)
        sizes: tuple[int | None, ...] = (None,) * rank
        if filters.shape is not None and None not in filters.shape[:rank]:
            kernel = tuple(int(k or 0) for k in filters.shape[:rank])
            sizes = inferred_places(self.window(kernel, attrs), spatial(shape, data_format))
        channels = self.outputs(filters.shape)
        return Aval(x.dtype, with_spatial(shape[0], sizes, channels, data_format=data_format))

    def _check_channels(self, x: Sequence[int | None], filters: Shape, data_format: str) -> None:
        have = channels_of(x, data_format)
        want = None if filters is None else filters[-2]
        if have is None or want is None:
            return
        fits = have == want if self.family.depthwise else want > 0 and have % want == 0
        if not fits:
            raise ValueError(
                f"{self.type}: the number of input channels ({have}) is not a multiple of what the"
                f" filters take ({want}): input shape {tuple(x)}, filter shape {filters}"
            )

    def eager(self, x: Array, filters: Array, **attrs: Any) -> Array:
        data_format = attrs["data_format"]
        window = self.window(filters.shape[: self.family.rank], attrs)
        kernel = kernels.depthwise if self.family.depthwise else kernels.convolve
        return restored(kernel(channels_last(x, data_format), filters, window), data_format)

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        x, filters = inputs
        data_format = attrs["data_format"]
        if filters.shape is None or None in filters.shape or x.shape is None:
            return False
        window = self.window(_known(filters.shape)[: self.family.rank], attrs)
        return (
            self._single(inputs)
            and channels_of(x.shape, data_format) is not None
            and onnx_can_pad(window, spatial(x.shape, data_format))
        )

    def lower(self, onnx: Emitter, x: Term, filters: Term, **attrs: Any) -> object:
        rank, data_format = self.family.rank, attrs["data_format"]
        shape = _known(filters.shape)
        window = self.window(shape[:rank], attrs)
        channels = channels_of(x.shape or (), data_format) or 1
        weights, group = to_onnx_filter(onnx, filters, rank), channels // max(shape[-2], 1)
        if self.family.depthwise:
            weights, group = _depthwise_filter(onnx, filters, shape), shape[-2]
        result = onnx.op(
            "Conv", to_channels_first(onnx, x, rank, data_format), weights,
            strides=list(window.strides), dilations=list(window.dilations), group=group,
            kernel_shape=list(window.kernel),
            **onnx_padding(window, spatial(x.shape or (), data_format)),
        )  # fmt: skip
        return from_channels_first(onnx, result, rank, data_format)

    def gradient(self, call: Call[Tensor], dy: Tensor) -> list[Tensor]:
        x, filters = call.inputs
        by_input, by_filter = _gradient_ops(self.family)
        return [
            apply(by_input, shape_of(x), filters, dy, **call.attrs),
            apply(by_filter, x, shape_of(filters), dy, **call.attrs),
        ]


class _ByInput(_Convolution):
    """The gradient by the input, or a transposed convolution: `(input_sizes, filters, dy)`."""

    def __init__(self, op_type: str, family: Family) -> None:
        super().__init__(op_type, family)
        self.cases = _by_input_cases(family)

    def infer(self, sizes: Aval, filters: Aval, dy: Aval, **attrs: Any) -> Aval:
        rank = self.family.rank
        known.check_rank(dy, rank + 2, "the gradient")
        shape = known.as_shape(sizes)
        if shape is not None and dy.shape is not None and shape[0] is None:
            shape = (dy.shape[0], *shape[1:])
        return Aval(dy.dtype, shape or (None,) * (rank + 2))

    def eager(self, sizes: Array, filters: Array, dy: Array, **attrs: Any) -> Array:
        data_format = attrs["data_format"]
        window = self.window(filters.shape[: self.family.rank], attrs)
        inner = window.places(spatial(tuple(int(s) for s in sizes), data_format))
        if inner != spatial(dy.shape, data_format):
            raise invalid_argument(
                f"{self.type}: an output of spatial sizes {spatial(dy.shape, data_format)} does not"
                f" follow from input sizes {sizes.tolist()}, which give {inner}",
                self.type,
            )
        shape = [int(s) for s in sizes]
        if data_format in CHANNELS_FIRST:
            shape = [shape[0], *shape[2:], shape[1]]
        kernel = (
            kernels.depthwise_input_gradient if self.family.depthwise else kernels.input_gradient
        )
        result = kernel(tuple(shape), filters, channels_last(dy, data_format), window)
        return restored(result, data_format)

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        sizes, filters, dy = inputs
        data_format = attrs["data_format"]
        shape = known.as_shape(sizes)
        ranked = filters.shape is not None and None not in filters.shape
        return (
            ranked
            and self._single(inputs)
            and known_sizes(shape, data_format) is not None
            and known_sizes(dy.shape, data_format) is not None
            and shape is not None
            and channels_of(shape, data_format) is not None
        )

    def lower(self, onnx: Emitter, sizes: Term, filters: Term, dy: Term, **attrs: Any) -> object:
        rank, data_format = self.family.rank, attrs["data_format"]
        shape, want = _known(filters.shape), known.as_shape(sizes.aval) or ()
        window = self.window(shape[:rank], attrs)
        inner = _known(spatial(want, data_format))
        channels = channels_of(want, data_format) or 1
        weights, group = to_onnx_filter(onnx, filters, rank), channels // max(shape[-2], 1)
        if self.family.depthwise:
            weights, group = _depthwise_filter(onnx, filters, shape), shape[-2]
        pads = window.pads(inner)
        places = _known(spatial(dy.shape or (), data_format))
        rests = [
            size - ((n - 1) * stride + reach - before - after)
            for size, n, stride, reach, (before, after) in zip(
                inner, places, window.strides, window.reach, pads, strict=True
            )
        ]
        result = onnx.op(
            "ConvTranspose", to_channels_first(onnx, dy, rank, data_format), weights,
            strides=list(window.strides), dilations=list(window.dilations), group=group,
            kernel_shape=list(window.kernel), pads=onnx_pads(pads), output_padding=rests,
        )  # fmt: skip
        return from_channels_first(onnx, result, rank, data_format)

    def gradient(self, call: Call[Tensor], dz: Tensor) -> list[Tensor | None]:
        _, filters, dy = call.inputs
        _, by_filter = _gradient_ops(self.family)
        return [
            None,
            apply(by_filter, dz, shape_of(filters), dy, **call.attrs),
            apply(_FORWARD[self.family.forward], dz, filters, **call.attrs),
        ]


class _ByFilter(_Convolution):
    """The gradient by the filters: `(input, filter_sizes, dy)`."""

    def __init__(self, op_type: str, family: Family) -> None:
        super().__init__(op_type, family)
        self.cases = _by_filter_cases(family)

    def infer(self, x: Aval, sizes: Aval, dy: Aval, **attrs: Any) -> Aval:
        return Aval(x.dtype, known.as_shape(sizes) or (None,) * (self.family.rank + 2))

    def eager(self, x: Array, sizes: Array, dy: Array, **attrs: Any) -> Array:
        data_format, shape = attrs["data_format"], tuple(int(s) for s in sizes)
        window = self.window(shape[: self.family.rank], attrs)
        left, right = channels_last(x, data_format), channels_last(dy, data_format)
        if self.family.depthwise:
            return kernels.depthwise_filter_gradient(left, shape[-1], right, window)
        return kernels.filter_gradient(left, shape[-2], right, window)

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        x, sizes, dy = inputs
        data_format, shape = attrs["data_format"], known.complete(sizes)
        if not self._single(inputs) or shape is None or x.shape is None:
            return False
        if known_sizes(x.shape, data_format) is None or known_sizes(dy.shape, data_format) is None:
            return False
        return self.family.depthwise or channels_of(x.shape, data_format) == shape[-2]

    def lower(self, onnx: Emitter, x: Term, sizes: Term, dy: Term, **attrs: Any) -> object:
        """Matrix products, or a convolution over the batch: strides and dilations change places."""
        rank, data_format = self.family.rank, attrs["data_format"]
        shape = known.complete(sizes.aval) or ()
        window = self.window(shape[:rank], attrs)
        places = _known(spatial(dy.shape or (), data_format))
        if not self.family.depthwise and 0 not in shape and worth_products(window, places):
            return filter_products(
                onnx, to_channels_first(onnx, x, rank, data_format),
                to_channels_last(onnx, dy, rank, data_format), window,
                sizes=_known(spatial(x.shape or (), data_format)), filters=shape,
            )  # fmt: skip
        source = swap_batch_and_channels(onnx, x, rank, data_format)
        weights = swap_batch_and_channels(onnx, dy, rank, data_format)
        group = 1
        if self.family.depthwise:
            # (1, channels * batch, …): each channel's batch is one group.
            inner = _known(spatial(x.shape or (), data_format))
            source = onnx.op("Reshape", source, known.int64([1, -1, *inner]))
            group = shape[-2]
        full = onnx.op(
            "Conv", source, weights, strides=list(window.dilations), group=group,
            dilations=list(window.strides),
            pads=onnx_pads(window.pads(_known(spatial(x.shape or (), data_format)))),
        )  # fmt: skip
        axes = known.int64(list(range(2, rank + 2)))
        cut = onnx.op("Slice", full, known.int64([0] * rank), known.int64(shape[:rank]), axes)
        back = onnx.op("Transpose", cut, perm=[*range(2, rank + 2), 0, 1])
        return onnx.op("Reshape", back, known.int64(shape)) if self.family.depthwise else back

    def gradient(self, call: Call[Tensor], dz: Tensor) -> list[Tensor | None]:
        x, _, dy = call.inputs
        by_input, _ = _gradient_ops(self.family)
        return [
            apply(by_input, shape_of(x), dz, dy, **call.attrs),
            None,
            apply(_FORWARD[self.family.forward], x, dz, **call.attrs),
        ]


def _depthwise_filter(onnx: Emitter, filters: Term, shape: Sequence[int]) -> object:
    """Filters of shape (*kernel, in, multiplier) as (in * multiplier, 1, *kernel)."""
    rank = len(shape) - 2
    moved = onnx.op("Transpose", filters, perm=[rank, rank + 1, *range(rank)])
    return onnx.op("Reshape", moved, known.int64([shape[-2] * shape[-1], 1, *shape[:rank]]))


def _known(shape: Shape) -> tuple[int, ...]:
    """A shape whose sizes `lowers` has checked to be known."""
    return tuple(int(size or 0) for size in shape or ())


_FORWARD: Final[dict[str, Op]] = {}
_BY_INPUT: Final[dict[str, Op]] = {}
_BY_FILTER: Final[dict[str, Op]] = {}


def _gradient_ops(family: Family) -> tuple[Op, Op]:
    return _BY_INPUT[family.forward], _BY_FILTER[family.forward]


def forward_op(family: Family) -> Op:
    """The convolution of a family."""
    return _FORWARD[family.forward]


def by_input_op(family: Family) -> Op:
    """The transposed convolution of a family."""
    return _BY_INPUT[family.forward]


def by_filter_op(family: Family) -> Op:
    """The gradient by the filters."""
    return _BY_FILTER[family.forward]


def _attributes(family: Family, **changes: object) -> dict[str, Any]:
    ones = (1,) * (family.rank + 2)
    layout = "NHWC" if family.rank == 2 else "NDHWC"
    base: dict[str, Any] = {
        "strides": ones, "padding": "VALID", "data_format": layout, "dilations": ones,
        "explicit_paddings": (),
    }  # fmt: skip
    return base | changes


def _wave(*shape: int) -> Array:
    return np.asarray(np.sin(1 + 7 * counting(*shape)))


def _forward_cases(family: Family) -> tuple[Case, ...]:
    if family.rank == 3:
        return (case(_wave(1, 3, 4, 3, 2), _wave(2, 2, 2, 2, 3), **_attributes(family)),)
    same = _attributes(family, padding="SAME", strides=(1, 2, 2, 1))
    dilated = _attributes(family, dilations=(1, 2, 1, 1))
    first = _attributes(family, data_format="NCHW")
    explicit = _attributes(family, padding="EXPLICIT", explicit_paddings=(0, 0, 1, 0, 2, 1, 0, 0))
    x, filters = _wave(2, 5, 6, 3), _wave(3, 2, 3, 2)
    return (
        case(x, filters, **_attributes(family)),
        case(x, filters, unknown=((0, 0), (0, 1)), **same),
        case(x, filters, unknown=((0, 0),), **dilated),
        case(x, filters, **explicit),
        case(_wave(2, 3, 5, 6), filters, **first),
        case(x.astype(np.float64), filters.astype(np.float64), **same),
    )


def _by_input_cases(family: Family) -> tuple[Case, ...]:
    if family.rank == 3:
        sizes = i32([1, 3, 4, 3, 2])
        return (case(sizes, _wave(2, 2, 2, 2, 3), _wave(1, 2, 3, 2, 3), **_attributes(family)),)
    same = _attributes(family, padding="SAME", strides=(1, 2, 2, 1))
    outputs = 6 if family.depthwise else 2
    sizes = i32([2, 5, 6, 3])
    return (
        case(sizes, _wave(3, 2, 3, 2), _wave(2, 3, 5, outputs), **_attributes(family)),
        case(sizes, _wave(3, 2, 3, 2), _wave(2, 3, 3, outputs), **same),
    )


def _by_filter_cases(family: Family) -> tuple[Case, ...]:
    if family.rank == 3:
        sizes = i32([2, 2, 2, 2, 3])
        return (case(_wave(1, 3, 4, 3, 2), sizes, _wave(1, 2, 3, 2, 3), **_attributes(family)),)
    same = _attributes(family, padding="SAME", strides=(1, 2, 2, 1))
    dilated = _attributes(family, dilations=(1, 2, 1, 1))
    outputs = 6 if family.depthwise else 2
    x, sizes = _wave(2, 5, 6, 3), i32([3, 2, 3, 2])
    first = _attributes(family, data_format="NCHW", strides=(1, 1, 2, 3))
    wide, single = i32([2, 17, 3, 2]), i32([1, 1, 3, 2])
    return (
        case(_wave(2, 3, 5, 6), sizes, _wave(2, outputs, 2, 2), **first),
        case(_wave(1, 2, 18, 3), wide, _wave(1, 1, 2, outputs), **_attributes(family)),
        case(x, single, _wave(2, 5, 6, outputs), **_attributes(family)),
        case(x, sizes, _wave(2, 3, 5, outputs), unknown=((0, 0),), **_attributes(family)),
        case(x, sizes, _wave(2, 3, 3, outputs), **same),
        case(x, sizes, _wave(2, 1, 5, outputs), **dilated),
    )


for _family in (CONV2D, CONV3D, DEPTHWISE):
    _FORWARD[_family.forward] = define(_Forward(_family.forward, _family))
    _BY_INPUT[_family.forward] = define(_ByInput(_family.by_input, _family))
    _BY_FILTER[_family.forward] = define(_ByFilter(_family.by_filter, _family))
