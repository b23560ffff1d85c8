"""Summaries: numbers, pictures, distributions and texts at a step."""

from __future__ import annotations

import io
import time
from typing import Any

import numpy as np

from tfcheck_runtime.op import Array, Aval, Op, define
from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.files.pictures import pillow_image
from tfcheck_runtime.ops.image.colors import convert_image_dtype
from tfcheck_runtime.ops.summary import messages
from tfcheck_runtime.ops.summary.writers import SummaryWriter, state
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.values.convert import constant, convert_to_tensor
from tfcheck_runtime.values.naming import current_scope
from tfcheck_runtime.values.tensor import Tensor, apply


class _WriteSummary(Op):
    """Writes a summary; whether it did."""

    type = "WriteSummary"
    stateful = True

    def infer(self, step: Aval, recording: Aval, content: Aval, **attrs: object) -> Aval:
        return Aval(dtypes.bool, ())

    def eager(
        self,
        step: Array,
        recording: Array,
        content: Array,
        *,
        writer: SummaryWriter,
        tag: str,
        plugin: str,
        options: tuple[int, str],
    ) -> Array:
        if recording:
            limit, description = options
            shown = _CONTENTS[plugin](content, limit)
            kind = {"scalars": 1, "images": 3}.get(plugin, 2)
            summary = messages.value(tag, shown, plugin, data_class=kind, description=description)
            writer.write(messages.event(time.time(), int(step), summary))
        return np.asarray(recording)


def _pictures(content: Array, limit: int) -> Array:
    """Width, height and the first pictures as PNG, as TensorBoard wants them."""
    texts = [str(content.shape[2]).encode(), str(content.shape[1]).encode()]
    for picture in content[:limit]:
        pixels = picture[..., 0] if picture.shape[-1] == 1 else picture
        out = io.BytesIO()
        pillow_image().fromarray(pixels).save(out, "PNG")
        texts.append(out.getvalue())
    return np.array(texts, object)


def _buckets(content: Array, count: int) -> Array:
    """Rows of left edge, right edge and count."""
    data = content.reshape(-1)
    if not data.size or not count:
        return np.zeros((count, 3))
    low, high = data.min(), data.max()
    if low == high:
        rows = np.zeros((count, 3))
        rows[:, :2] = low
        rows[-1, 2] = data.size
        return rows
    counts, edges = np.histogram(data, count)
    return np.stack([edges[:-1], edges[1:], counts], 1)


_CONTENTS = {
    "scalars": lambda content, limit: content,
    "text": lambda content, limit: content,
    "images": _pictures,
    "histograms": _buckets,
}

write_summary_op = define(_WriteSummary())


def _write(
    name: str, data: Tensor, step: Any, plugin: str, *, limit: int = 0, description: str | None
) -> Tensor:
    if state.writer is None:
        return constant(False)
    at = state.step if step is None else step
    if at is None:
        raise ValueError("No step set. Please specify one either through the `step` argument or"
                         " through tf.summary.experimental.set_step()")  # fmt: skip
    return apply(
        write_summary_op, cast(at, dtypes.int64), cast(state.recording, dtypes.bool), data,
        writer=state.writer, tag=f"{current_scope()}{name}", plugin=plugin,
        options=(limit, description or ""), name=name.rpartition("/")[2] or None,
    )  # fmt: skip


def scalar(name: str, data: object, step: Any = None, description: str | None = None) -> Tensor:
    """Write a number; whether it was written.

    https://www.tensorflow.org/api_docs/python/tf/summary/scalar

    Args:
        name: of the series; name scopes stand before it.
        data: a number.
        step: of the number; by default that of `tf.summary.experimental.set_step`.
        description: in Markdown.

    Raises:
        ValueError: there is no step, or `data` is no scalar.
    """
    value = convert_to_tensor(data)
    if value.ndim not in (0, None):
        raise ValueError(f"summary scalar {name!r}: data must be a scalar, got shape {value.shape}")
    return _write(name, cast(value, dtypes.float32), step, "scalars", description=description)


def image(
    name: str, data: object, step: Any = None, max_outputs: int = 3, description: str | None = None
) -> Tensor:
    """Write pictures of shape [count, height, width, channels]; floats lie in [0, 1].

    https://www.tensorflow.org/api_docs/python/tf/summary/image. Needs Pillow. See `scalar`.
    """
    value = convert_to_tensor(data)
    if value.ndim not in (4, None):
        raise ValueError(f"summary image {name!r}: data must have 4 axes, got shape {value.shape}")
    pixels = convert_image_dtype(value, dtypes.uint8, saturate=True)
    return _write(name, pixels, step, "images", limit=max_outputs, description=description)


def histogram(
    name: str,
    data: object,
    step: Any = None,
    buckets: int | None = None,
    description: str | None = None,
) -> Tensor:
    """Write the distribution of numbers over `buckets`, 30 by default.

    https://www.tensorflow.org/api_docs/python/tf/summary/histogram. See `scalar`.
    """
    value = cast(convert_to_tensor(data), dtypes.float64)
    count = 30 if buckets is None else buckets
    return _write(name, value, step, "histograms", limit=count, description=description)


def text(name: str, data: object, step: Any = None, description: str | None = None) -> Tensor:
    """Write strings in Markdown.

    https://www.tensorflow.org/api_docs/python/tf/summary/text. See `scalar`.

    Raises:
        ValueError: `data` is not of strings.
    """
    value = convert_to_tensor(data)
    if value.dtype is not dtypes.string:
        raise ValueError(f"summary text {name!r}: data must be of strings, got {value.dtype.name}")
    return _write(name, value, step, "text", description=description)
