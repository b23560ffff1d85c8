"""Lint findings for people at a terminal: the code, why it is traced, and the cure."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from tfcheck.diagnostics import Applicability, LintResult, Severity, TracedStep, Violation
from tfcheck.report.concise import place
from tfcheck.report.observed import observed_text
from tfcheck.report.summary import summarise
from tfcheck.report.text import printable

SourceLine = Callable[[str, int | None, int], str | None]
"""Answers for file, notebook cell and row with the line's text; None when it is not known."""

SHOWN_ROWS = 4
"""A finding that spans more rows shows the first ones only."""

_COLOURS = {Severity.ERROR: "bold red", Severity.WARNING: "bold yellow", Severity.INFO: "bold cyan"}


def render_terminal(result: LintResult, *, source_line: SourceLine, colour: bool) -> str:
    """All findings with their code frames, then the summary."""
    lines = [line for each in result.violations for line in _finding(each, source_line)]
    if lines:
        lines.append(Text())
    lines.append(Text(summarise(result), style="bold"))
    return to_string(lines, colour=colour)


def to_string(lines: list[Text], *, colour: bool) -> str:
    """The lines as text, with ANSI colours if asked for; never wrapped."""
    out = StringIO()
    console = Console(
        force_jupyter=False,
        file=out,
        force_terminal=colour,
        color_system="standard" if colour else None,
        highlight=False,
        no_color=not colour,
    )
    for line in lines:
        console.print(line, soft_wrap=True)
    return out.getvalue()


def _finding(violation: Violation, source_line: SourceLine) -> list[Text]:
    return [
        _heading(violation),
        *_frame(violation, source_line),
        *_notes(violation, margin=_margin(violation)),
    ]


def _heading(violation: Violation) -> Text:
    colour = _COLOURS[violation.severity]
    safe = violation.fix is not None and violation.fix.applicability is Applicability.SAFE
    label = f"{violation.severity}, fixable" if safe else str(violation.severity)
    return Text.assemble(
        (place(violation), "bold"),
        " ",
        (violation.code, colour),
        f" {printable(violation.message)} ",
        (f"[{label}]", colour),
    )


def _margin(violation: Violation) -> int:
    return max(2, len(str(_last_row(violation))))


def _last_row(violation: Violation) -> int:
    start, end = violation.span.start, violation.span.end
    # A span that ends before the first character of a row has nothing on that row.
    last = end.row - 1 if end.column == 1 and end.row > start.row else end.row
    return min(last, start.row + SHOWN_ROWS - 1)


def _frame(violation: Violation, source_line: SourceLine) -> list[Text]:
    margin = _margin(violation)
    bar = Text(f"{'':{margin}} |", style="blue")
    lines = [bar]
    for row in range(violation.span.start.row, _last_row(violation) + 1):
        source = source_line(violation.filename, violation.cell, row)
        if source is None:
            return []
        lines.append(Text.assemble((f"{row:{margin}} |", "blue"), f" {_code(source)}".rstrip()))
        lines.append(Text.assemble(bar, " ", _carets(violation, row, source=source)))
    return [*lines, bar]


def _code(source: str) -> str:
    return printable(source.expandtabs(4))


def _carets(violation: Violation, row: int, *, source: str) -> Text:
    start, end = violation.span.start, violation.span.end
    first = start.column - 1 if row == start.row else len(source) - len(source.lstrip())
    last = end.column - 1 if row == end.row else len(source)
    before = cell_len(_code(source[:first]))
    width = cell_len(_code(source[:last])) - before
    return Text(" " * before + "^" * max(1, width), style=_COLOURS[violation.severity])


def _notes(violation: Violation, *, margin: int) -> list[Text]:
    notes = []
    if violation.traced:
        notes.append(("traced", " ← ".join(_step(each) for each in violation.traced)))
    for related in violation.related:
        row = related.span.start.row
        notes.append(("see", f"{related.message} ({related.filename}:{row})"))
    if violation.observed is not None:
        notes.append(("run", observed_text(violation.observed)))
    cure = _cure(violation)
    if cure:
        notes.append(("cure", cure))
    return [
        Text.assemble((f"{'':{margin}} = ", "blue"), (f"{name}: ", "bold"), printable(text))
        for name, text in notes
    ]


def _step(step: TracedStep) -> str:
    return f"{step.reason} ({step.filename}:{step.row})"


def _cure(violation: Violation) -> str:
    hint = violation.hint or (violation.fix.message if violation.fix else "")
    if violation.fix is None:
        return hint
    unsafe = violation.fix.applicability is Applicability.UNSAFE
    command = "tfcheck lint --fix --unsafe-fixes" if unsafe else "tfcheck lint --fix"
    return f"{hint}; `{command}` does" if hint else f"`{command}` does"
