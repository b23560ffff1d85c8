"""Says which functions of one file are traced, and why."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from tfcheck.diagnostics import Position, Span, TracedStep
from tfcheck.lint.reading import UnreadableError, read_document
from tfcheck.lint.scopes import FunctionInfo
from tfcheck.lint.semantics import FileModel
from tfcheck.lint.source import parse_quietly
from tfcheck.lint.syntax import PARSE_ERRORS


@dataclass(frozen=True, slots=True)
class TracedFunction:
    """A function that TensorFlow traces."""

    name: str
    span: Span
    """Of its head up to the name, or of the whole of a lambda."""
    steps: tuple[TracedStep, ...]
    """From the function itself to the root of the chain."""
    is_function: bool
    """Whether `tf.function` itself is around it."""


def traced_functions(content: bytes, *, filename: str) -> tuple[TracedFunction, ...]:
    """The traced functions of a file in the order of the source; none where it does not parse.

    What other files trace in it is not known here.
    """
    try:
        source = read_document(content, filename=filename).source
        model = FileModel(source, parse_quietly(source.text))
        return tuple(
            TracedFunction(
                name=function.name,
                span=_span(model, function),
                steps=trace.steps,
                is_function=trace.creation is not None,
            )
            for function, trace in model.traces.items()
        )
    except (*PARSE_ERRORS, UnreadableError):
        return ()


def _span(model: FileModel, function: FunctionInfo) -> Span:
    whole = model.span(function.node)
    if isinstance(function.node, ast.Lambda):
        return whole
    row = whole.start.row
    start = model.source.lines[row - 1].index(function.name, whole.start.column - 1) + 1
    return Span(whole.start, Position(row, start + len(function.name)))
