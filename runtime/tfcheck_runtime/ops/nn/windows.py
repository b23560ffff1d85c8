"""How a window slides over the spatial axes of a tensor: sizes, padding, and the cells it meets."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

from tfcheck_runtime import dispatch
from tfcheck_runtime.op import Array
from tfcheck_runtime.specs.shapes import Shape

Sizes: TypeAlias = tuple[int, ...]
Pads: TypeAlias = tuple[tuple[int, int], ...]

CHANNELS_FIRST: Final = ("NCW", "NCHW", "NCDHW")


@dataclass(frozen=True, slots=True)
class Window:
    """A window by its spatial axes; `explicit` holds the padding when `padding` is EXPLICIT."""

    kernel: Sizes
    strides: Sizes
    dilations: Sizes
    padding: str
    explicit: Pads = ()

    @property
    def rank(self) -> int:
        """The number of spatial axes."""
        return len(self.kernel)

    @property
    def reach(self) -> Sizes:
        """From the first to the last cell of the window, along each axis."""
        return tuple((k - 1) * d + 1 for k, d in zip(self.kernel, self.dilations, strict=True))

    def outputs(self, sizes: tuple[int | None, ...]) -> tuple[int | None, ...]:
        """How many places the window has along each axis.

        Raises:
            ValueError: it is larger than the padded tensor.
        """
        return tuple(None if s is None else self._output(s, i) for i, s in enumerate(sizes))

    def places(self, sizes: Sizes) -> Sizes:
        """`outputs` as kernels count them: none where the window is too large by less than a step.

        Raises:
            ValueError: it is larger by more.
        """
        return tuple(self._places(s, i) for i, s in enumerate(sizes))

    def pads(self, sizes: Sizes) -> Pads:
        """How many cells are added before and after, along each axis."""
        if self.padding == "EXPLICIT":
            return self.explicit
        if self.padding == "VALID":
            return ((0, 0),) * self.rank
        totals = [
            max((self._places(s, i) - 1) * self.strides[i] + self.reach[i] - s, 0)
            for i, s in enumerate(sizes)
        ]
        return tuple((total // 2, total - total // 2) for total in totals)

    def offsets(self) -> Iterator[Sizes]:
        """The cells of the window."""
        return itertools.product(*(range(k) for k in self.kernel))

    def cells(self, offset: Sizes, places: Sizes) -> tuple[slice, ...]:
        """Where in the padded tensor the cell `offset` lies for all places of the window."""
        return tuple(
            slice(o * d, o * d + (n - 1) * s + 1 if n else o * d, s)
            for o, d, n, s in zip(offset, self.dilations, places, self.strides, strict=True)
        )

    def _output(self, size: int, axis: int) -> int:
        room = self._room(size, axis)
        if room < 0 and self.padding != "SAME":
            raise self._misfit(size, axis)
        return room // self.strides[axis] + 1

    def _places(self, size: int, axis: int) -> int:
        room, stride = self._room(size, axis), self.strides[axis]
        if room <= -2 * stride:
            raise self._misfit(size, axis)
        return max(room // stride + 1, 0)

    def _room(self, size: int, axis: int) -> int:
        """How far the window can move from its first place; negative where it does not fit."""
        if self.padding == "SAME":
            return size - 1
        padded = size + sum(self.explicit[axis]) if self.padding == "EXPLICIT" else size
        return padded - self.reach[axis]

    def _misfit(self, size: int, axis: int) -> ValueError:
        reach = self.reach[axis]
        return ValueError(
            f"Negative dimension size caused by subtracting {reach} from"
            f" {self._room(size, axis) + reach}: a window of {self.kernel} does not fit spatial"
            f" axis {axis} of size {size}"
        )


def inferred_places(window: Window, sizes: tuple[int | None, ...]) -> tuple[int | None, ...]:
    """How many places a window has, as far as is known.

    Raises:
        ValueError: in a graph, it is larger than the padded tensor; kernels let some of these pass.
    """
    if dispatch.current_graph() is not None or None in sizes:
        return window.outputs(sizes)
    return window.places(tuple(s or 0 for s in sizes))


def spatial(values: tuple[Any, ...], data_format: str) -> tuple[Any, ...]:
    """Of one value for each axis those of the spatial axes."""
    return values[2:] if data_format in CHANNELS_FIRST else values[1:-1]


def window_of(
    kernel: Sizes,
    strides: Sequence[int],
    dilations: Sequence[int] | None = None,
    *,
    padding: str,
    data_format: str,
    explicit_paddings: Sequence[int] = (),
) -> Window:
    """The window that an op's attributes, one number for each axis, describe."""
    pairs = tuple(zip(explicit_paddings[::2], explicit_paddings[1::2], strict=True))
    return Window(
        kernel,
        spatial(tuple(strides), data_format),
        (1,) * len(kernel) if dilations is None else spatial(tuple(dilations), data_format),
        padding,
        spatial(pairs, data_format),
    )


def channels_last(x: Array, data_format: str) -> Array:
    """An array with its channels moved to the end, if they are not there."""
    return np.moveaxis(x, 1, -1) if data_format in CHANNELS_FIRST else x


def restored(x: Array, data_format: str) -> Array:
    """The reverse of `channels_last`."""
    return np.moveaxis(x, -1, 1) if data_format in CHANNELS_FIRST else x


def with_spatial(
    batch: int | None, sizes: Sequence[int | None], channels: int | None, *, data_format: str
) -> tuple[int | None, ...]:
    """A shape in the order of `data_format`."""
    if data_format in CHANNELS_FIRST:
        return (batch, channels, *sizes)
    return (batch, *sizes, channels)


def channels_of(shape: Sequence[int | None], data_format: str) -> int | None:
    """The number of channels."""
    return shape[1] if data_format in CHANNELS_FIRST else shape[-1]


def padded(x: Array, pads: Pads, value: float = 0) -> Array:
    """An array with channels last, its spatial axes padded."""
    if not any(before or after for before, after in pads):
        return x
    return np.pad(x, [(0, 0), *pads, (0, 0)], constant_values=value)


def unpadded(x: Array, pads: Pads) -> Array:
    """The reverse of `padded`."""
    inner = tuple(
        slice(before, size - after)
        for (before, after), size in zip(pads, x.shape[1:-1], strict=True)
    )
    return x[(slice(None), *inner)]


def known_sizes(shape: Shape, data_format: str) -> Sizes | None:
    """The spatial sizes of a shape, or None where one is not known."""
    if shape is None:
        return None
    sizes = spatial(shape, data_format)
    return None if None in sizes else sizes


def onnx_pads(pads: Pads) -> list[int]:
    """Padding as ONNX takes it: all befores, then all afters."""
    return [before for before, _ in pads] + [after for _, after in pads]


def onnx_padding(window: Window, sizes: tuple[int | None, ...]) -> dict[str, object]:
    """The padding attributes of an ONNX op over spatial sizes of which some may be unknown."""
    if not _has_fixed_padding(window, sizes):
        return {"auto_pad": "SAME_UPPER"}
    return {"pads": onnx_pads(window.pads(tuple(s or _ANY_SIZE for s in sizes)))}


def onnx_can_pad(window: Window, sizes: tuple[int | None, ...]) -> bool:
    """Whether onnxruntime finds the padding of a window itself where it must.

    It refuses dilated windows then, and those that leave cells out between them.
    """
    leaves_out = any(s > r for s, r in zip(window.strides, window.reach, strict=True))
    dilated = any(d > 1 for d in window.dilations)
    return _has_fixed_padding(window, sizes) or not (dilated or leaves_out)


_ANY_SIZE: Final = 1 << 30


def _has_fixed_padding(window: Window, sizes: tuple[int | None, ...]) -> bool:
    """Whether the padding follows from the sizes that are known; steps of 1 need none."""
    pairs = zip(sizes, window.strides, strict=True)
    return window.padding != "SAME" or all(size or stride == 1 for size, stride in pairs)
