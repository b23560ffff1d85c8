"""Strided slices and their gradient as ONNX nodes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tfcheck_runtime.op import Aval, Emitter, Term
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.slice_plan import Masks, Step, open_bounds, plan
from tfcheck_runtime.specs import dtypes

Bounds = tuple[Term, Term, Term]  # begin, end and strides


def lower_strided_slice(onnx: Emitter, x: Term, bounds: Bounds, masks: Masks) -> object:
    """One Slice for all axes that stay, a Gather per element, one Unsqueeze for new axes."""
    steps = _steps(x.aval, bounds, masks)
    value = _sliced(onnx, x, [s for s in steps if s.is_slice and s.spec is not None], bounds)
    for step in reversed(steps):
        if step.kind == "index":
            element = _bound(onnx, bounds[0], step.spec or 0, scalar=True)
            value = onnx.op("Gather", value, element, axis=step.axis)
    new = _new_axes(steps)
    return onnx.op("Unsqueeze", value, known.int64(new)) if new else onnx.op("Identity", value)


def _steps(x: Aval, bounds: Bounds, masks: Masks) -> list[Step]:
    count = len(known.elements(bounds[0].aval) or ())
    return plan(len(x.shape or ()), count, masks)


def _new_axes(steps: Sequence[Step]) -> list[int]:
    left = [s for s in steps if s.kind != "index"]
    return [i for i, s in enumerate(left) if s.kind == "new"]


def _sliced(onnx: Emitter, x: object, steps: Sequence[Step], bounds: Bounds) -> object:
    strides = known.complete(bounds[2].aval) or ()
    cuts = [s for s in steps if not (s.from_start and s.to_end and strides[s.spec or 0] == 1)]
    if not cuts:
        return x
    chosen = [strides[s.spec or 0] for s in cuts]
    starts = [
        open_bounds(stride)[0] if s.from_start else _bound(onnx, bounds[0], s.spec or 0)
        for s, stride in zip(cuts, chosen, strict=True)
    ]
    ends = [
        open_bounds(stride)[1] if s.to_end else _bound(onnx, bounds[1], s.spec or 0)
        for s, stride in zip(cuts, chosen, strict=True)
    ]
    axes = known.int64([s.axis for s in cuts])
    return onnx.op(
        "Slice", x, _vector(onnx, starts), _vector(onnx, ends), axes, known.int64(chosen)
    )


def _bound(onnx: Emitter, bound: Term, spec: int, *, scalar: bool = False) -> object:
    """One element of a bound: a Python int if it is known, else an int64 scalar or vector."""
    found = known.elements(bound.aval)
    element = found[spec] if found else None
    if element is not None:
        return np.int64(element) if scalar else element
    index = np.int64(spec) if scalar else known.int64([spec])
    return onnx.op("Gather", onnx.cast(bound, dtypes.int64), index, axis=0)


def _vector(onnx: Emitter, elements: Sequence[object]) -> object:
    numbers = [e for e in elements if isinstance(e, int)]
    if len(numbers) == len(elements):
        return known.int64(numbers)
    parts = [known.int64([e]) if isinstance(e, int) else e for e in elements]
    return onnx.op("Concat", *parts, axis=0) if len(parts) > 1 else parts[0]


def lower_gradient(onnx: Emitter, sizes: Term, dy: Term, *, bounds: Bounds, masks: Masks) -> object:
    """The gradient padded with zeros, or scattered where the slice took steps."""
    shape = known.as_shape(sizes.aval)
    steps = plan(len(shape or ()), len(known.elements(bounds[0].aval) or ()), masks)
    strides = known.complete(bounds[2].aval) or ()
    target = known.onnx_integers(onnx, sizes)
    if all(strides[s.spec] == 1 for s in steps if s.is_slice and s.spec is not None):
        return _padded(onnx, dy, target, steps=steps, begin=bounds[0])
    return _scattered(onnx, dy, target, whole=Aval(dtypes.int64, shape), slicing=(bounds, masks))


def _padded(
    onnx: Emitter, dy: Term, target: object, *, steps: Sequence[Step], begin: Term
) -> object:
    value = _on_input_axes(onnx, dy, steps)
    axes = [s for s in steps if s.kind != "new"]
    starts = _vector(
        onnx,
        [
            0 if s.spec is None or s.from_start else _bound(onnx, begin, s.spec)
            for s in sorted(axes, key=lambda s: s.axis)
        ],
    )
    if not axes:
        return onnx.op("Identity", value)
    zero = np.int64(0)
    from_front = onnx.op(
        "Where", onnx.op("Less", starts, zero), onnx.op("Add", starts, target), starts
    )
    before = onnx.op("Max", onnx.op("Min", from_front, target), zero)
    after = onnx.op("Sub", onnx.op("Sub", target, before), onnx.op("Shape", value))
    return onnx.op("Pad", value, onnx.op("Concat", before, after, axis=0))


def _on_input_axes(onnx: Emitter, dy: Term, steps: Sequence[Step]) -> object:
    value: object = dy
    new = _new_axes(steps)
    if new:
        value = onnx.op("Squeeze", value, known.int64(new))
    elements = [s.axis for s in steps if s.kind == "index"]
    return onnx.op("Unsqueeze", value, known.int64(elements)) if elements else value


def _scattered(
    onnx: Emitter, dy: Term, target: object, *, whole: Aval, slicing: tuple[Bounds, Masks]
) -> object:
    """Slice the numbers of all places as the input was sliced: that is where the gradient goes."""
    count = onnx.op("ReduceProd", target, keepdims=0)
    numbers = onnx.op("Range", np.int64(0), count, np.int64(1))
    grid = Term(onnx.op("Reshape", numbers, target, allowzero=1), whole)
    flat = known.int64([-1])
    places = onnx.op("Reshape", lower_strided_slice(onnx, grid, *slicing), flat)
    zeros = onnx.op("Expand", np.zeros((), dy.dtype.numpy), onnx.op("Shape", numbers))
    filled = onnx.op("ScatterElements", zeros, places, onnx.op("Reshape", dy, flat))
    return onnx.op("Reshape", filled, target, allowzero=1)
