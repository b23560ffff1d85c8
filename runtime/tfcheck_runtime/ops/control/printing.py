"""`tf.print`: prints each time the graph runs.

Follows https://www.tensorflow.org/api_docs/python/tf/print.
"""

from __future__ import annotations

import pprint
import sys
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from tfcheck_runtime.graph.operation import Operation
from tfcheck_runtime.op import Array, Aval, Op, define
from tfcheck_runtime.ops.control.formatting import summary
from tfcheck_runtime.specs import nest
from tfcheck_runtime.specs.dtypes import string
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply, apply_n, is_tensor, performed

HOLE: Final = "\x00"
"""Where a tensor goes in a template; no text that people print holds it."""


class _StringFormat(Op):
    """A template with the summaries of tensors filled in."""

    type = "StringFormat"
    any_types = True

    def infer(self, *values: Aval, template: str, summarize: int) -> Aval:
        return Aval(string, ())

    def eager(self, *values: Array, template: str, summarize: int) -> Array:
        pieces = template.split(HOLE)
        shown = [summary(np.asarray(v), summarize) for v in values]
        text = "".join(a + b for a, b in zip(pieces, [*shown, ""], strict=True))
        return np.array(text.encode(), dtype=object)


class _Print(Op):
    """Writes a string to a stream."""

    type = "PrintV2"
    stateful = True

    def infer(self, text: Aval, *, output_stream: str, end: str) -> tuple[Aval, ...]:
        return ()

    def eager(self, text: Array, *, output_stream: str, end: str) -> tuple[Array, ...]:
        content: bytes = np.asarray(text).item()
        _write(content.decode("utf-8", "replace") + end, output_stream)
        return ()


def _write(text: str, output_stream: str) -> None:
    if output_stream.startswith("file://"):
        with open(output_stream.removeprefix("file://"), "a", encoding="utf-8") as file:
            file.write(text)
        return
    stream = sys.stdout if output_stream == "stdout" else sys.stderr
    stream.write(text)
    stream.flush()


string_format_op = define(_StringFormat())
print_op = define(_Print())


def print_(*inputs: object, **kwargs: Any) -> Operation | None:
    """Print values and tensors; in a graph, each time it runs: the result is its operation.

    Args:
        *inputs: strings, tensors, structures of tensors, or anything else.
        **kwargs: `output_stream` (sys.stderr, sys.stdout or "file://PATH"), `summarize` (elements
            shown at each end of an axis, 3; -1 for all), `sep`, `end` and `name`.

    Raises:
        ValueError: an argument or the stream is unknown.
    """
    stream = _stream_name(kwargs.pop("output_stream", sys.stderr))
    name = kwargs.pop("name", None) or "PrintV2"
    summarize = kwargs.pop("summarize", 3)
    sep, end = kwargs.pop("sep", " "), kwargs.pop("end", None)
    if kwargs:
        raise ValueError(f"Unrecognized keyword arguments for tf.print: {kwargs}")
    template, tensors = _template(inputs, sep)
    limit = 3 if summarize is None else summarize
    text = apply(
        string_format_op, *tensors, template=template, summarize=limit, name="StringFormat"
    )
    apply_n(print_op, text, output_stream=stream, end="\n" if end is None else end, name=name)
    return performed()


def _stream_name(stream: object) -> str:
    if stream is sys.stdout or stream is sys.__stdout__:
        return "stdout"
    if stream is sys.stderr or stream is sys.__stderr__:
        return "stderr"
    if isinstance(stream, str) and stream.startswith("file://"):
        return stream
    raise ValueError(
        f"Unsupported output stream, logging level, or file.{stream}. Supported streams are"
        " sys.stdout and sys.stderr. File needs to be in the form of 'file://<filepath>'."
    )


class _Slot:
    """Stands for a tensor in a structure that is printed."""

    def __repr__(self) -> str:
        return HOLE


def _template(inputs: Sequence[object], sep: str) -> tuple[str, list[Tensor]]:
    tensors: list[Tensor] = []

    def slot(value: object) -> object:
        if not is_tensor(value):
            return value
        tensors.append(convert_to_tensor(value))
        return _Slot()

    shown = [_text(nest.map_structure(slot, value)) for value in inputs]
    return sep.join(shown), tensors


def _text(value: object) -> str:
    return value if isinstance(value, str) else pprint.pformat(value)
