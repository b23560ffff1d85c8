"""What an editor shows of a place in the code: rules, traced chains, measured cost."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from lsprotocol import types

from tfcheck.diagnostics import Position, Span, Violation
from tfcheck.lint.outline import TracedFunction
from tfcheck.lint.registry import describe_rule
from tfcheck.profile.model import FunctionProfile, Profile
from tfcheck.report.profile_load import load_profile
from tfcheck.report.text import counted, seconds
from tfcheck.server.convert import Converter, chain
from tfcheck.server.findings import Checked


def hover(checked: Checked, position: Position, converter: Converter) -> types.Hover | None:
    """The finding at a place with its rule, else why the function there is traced."""
    for violation in checked.violations:
        if _holds(violation.span, position):
            return _hover(_about(violation), violation.span, converter)
    for function in checked.traced:
        if _holds(function.span, position):
            text = f"`{function.name}` is traced by TensorFlow\n\n{chain(function.steps)}"
            return _hover(text, function.span, converter)
    return None


def lenses(
    checked: Checked, path: Path, profile: Profile | None, converter: Converter
) -> Iterator[types.CodeLens]:
    """A line over each traced function: why it is, and what the last profile measured."""
    for function in checked.traced:
        title = f"traced: {function.steps[-1].reason}" if function.steps else "traced"
        measured = _measured(function, path, profile)
        if measured is not None:
            cost = seconds(measured.trace_s + measured.build_s)
            title += f" · last profile: {counted(measured.traces, 'trace')}, {cost}"
        where = converter.range_of(Span(function.span.start, function.span.start))
        yield types.CodeLens(where, command=types.Command(title, command=""))


class SavedProfile:
    """A profile on disk, read again when it has changed."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._time: int | None = None
        self._profile: Profile | None = None

    def latest(self) -> Profile | None:
        """The profile as it is now; None where there is none.

        Raises:
            InputError: the file is no profile.
        """
        try:
            time = None if self._path is None else self._path.stat().st_mtime_ns
            if self._path is not None and time != self._time:
                self._profile = load_profile(self._path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            time, self._profile = None, None
        self._time = time
        return self._profile


def _measured(
    function: TracedFunction, path: Path, profile: Profile | None
) -> FunctionProfile | None:
    """The profile's function of that name that begins closest: code moves between the two."""
    rows = (
        []
        if profile is None
        else [
            each
            for each in profile.functions
            if each.key.name == function.name and _is_same(each.key.file, path)
        ]
    )
    return min(rows, key=lambda each: abs(each.key.line - function.span.start.row), default=None)


def _is_same(file: str, path: Path) -> bool:
    return os.path.basename(file) == path.name and (
        not os.path.isabs(file) or os.path.realpath(file) == os.path.realpath(path)
    )


def _about(violation: Violation) -> str:
    rule = describe_rule(violation.code)
    parts = [
        f"**{violation.code}** `{violation.name}` ({violation.severity}): {violation.message}",
        *([f"cure: {violation.hint}"] if violation.hint is not None else []),
        *([f"traced:\n{chain(violation.traced)}"] if violation.traced else []),
        rule.summary,
        f"[about the rule]({rule.url})",
    ]
    return "\n\n".join(parts)


def _hover(text: str, span: Span, converter: Converter) -> types.Hover:
    content = types.MarkupContent(types.MarkupKind.Markdown, text)
    return types.Hover(content, range=converter.range_of(span))


def _holds(span: Span, position: Position) -> bool:
    return span.start <= position < max(span.end, Position(span.start.row, span.start.column + 1))
