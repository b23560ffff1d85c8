"""Cuts out the source around Functions, their calls and what was found about them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from tfcheck.diagnostics import Evidence
from tfcheck.profile.model import Excerpt, Finding, FunctionProfile
from tfcheck.profile.sources import Sources

AROUND = 3
"""Lines shown before and after."""
MOST_LINES = 3000
"""Lines of all excerpts together."""

_Rows = tuple[int, int]


def excerpts(
    functions: Iterable[FunctionProfile],
    findings: Iterable[Finding],
    *,
    sources: Sources,
    texts: Mapping[str, Sequence[str]],
) -> tuple[Excerpt, ...]:
    """What to show of the files whose lines are in `texts`, in their order."""
    wanted: dict[str, list[_Rows]] = {file: [] for file in texts}
    for file, first, last in _rows(functions, findings, sources):
        if file in wanted:
            wanted[file].append((first - AROUND, last + AROUND))
    found: list[Excerpt] = []
    room = MOST_LINES
    for file, rows in wanted.items():
        for excerpt in _cut(file, texts[file], rows=rows):
            if len(excerpt.lines) <= room:
                room -= len(excerpt.lines)
                found.append(excerpt)
    return tuple(found)


def _rows(
    functions: Iterable[FunctionProfile], findings: Iterable[Finding], sources: Sources
) -> Iterator[tuple[str, int, int]]:
    for function in functions:
        body = sources.body(function.key)
        yield function.key.file, body.first, body.last
        for site in function.sites:
            yield site.place.file, site.place.line, site.place.line
    for finding in findings:
        if finding.evidence is Evidence.PROVEN and finding.violation.cell is None:
            span = finding.violation.span
            yield finding.violation.filename, span.start.row, span.end.row


def _cut(file: str, lines: Sequence[str], *, rows: Iterable[_Rows]) -> Iterator[Excerpt]:
    for first, last in _joined(rows):
        start, end = max(1, first), min(len(lines), last)
        if start <= end:
            yield Excerpt(file, start, tuple(lines[start - 1 : end]))


def _joined(rows: Iterable[_Rows]) -> Iterator[_Rows]:
    """The ranges, those that touch made one."""
    current: _Rows | None = None
    for first, last in sorted(rows):
        if current is not None and first <= current[1] + 1:
            current = (current[0], max(current[1], last))
            continue
        if current is not None:
            yield current
        current = (first, last)
    if current is not None:
        yield current
