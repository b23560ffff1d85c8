"""What the page says of each Function, one foldout each."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tfcheck.profile.model import FunctionProfile, Place, Profile
from tfcheck.report.markup import Html, join, prose, tag
from tfcheck.report.page_tables import Cell, number, table
from tfcheck.report.profile_words import comparison_cells, function_names, op_name
from tfcheck.report.text import counted, percent, seconds, size

MOST_ROWS = 100
"""Rows shown of causes and signatures."""

FEW = 8
"""Signatures that are shown without being asked for."""

Link = Callable[[Place], Html]
"""Shows a place, as a link to its source where the page has it."""


def overview(profile: Profile) -> Html:
    """All Functions in one table."""
    names = function_names(profile)
    rows = [_row(index, name, profile.functions[index]) for index, name in enumerate(names)]
    headings = (
        "Function",
        "calls",
        "traces",
        "tracing",
        "running",
        "first call",
        "graph/call",
        "eager/call",
        "speed-up",
        "pays off after",
    )
    return table(headings, rows)


def _row(index: int, name: str, function: FunctionProfile) -> list[Cell]:
    tracing, comparison = function.trace_s + function.build_s, function.comparison
    start = [
        Cell(tag("a", name, href=f"#f{index}")),
        number(function.calls),
        number(function.traces),
        Cell(seconds(tracing), tracing),
        Cell(seconds(function.run_s), function.run_s),
        _seconds(function.first_call_s),
    ]
    cells = comparison_cells(function)
    if comparison is None:
        return [*start, Cell("–", 0.0), Cell("–", 0.0), Cell("–", 0.0), Cell(cells[0])]
    return [
        *start,
        Cell(cells[0], comparison.graph.median_s),
        Cell(cells[1], comparison.eager.median_s),
        Cell(cells[2], comparison.speedup.median),
        Cell(cells[3]),
    ]


def _seconds(value: float | None) -> Cell:
    return Cell("–", 0.0) if value is None else Cell(seconds(value), value)


def foldouts(profile: Profile, link: Link) -> Html:
    """The Functions in their order; the dearest is open."""
    names = function_names(profile)
    return join(
        tag(
            "details",
            _summary(name, each),
            *_content(each, link),
            id=f"f{index}",
            open=index == 0,
        )
        for index, (name, each) in enumerate(zip(names, profile.functions, strict=True))
    )


def _summary(name: str, function: FunctionProfile) -> Html:
    what = f"{counted(function.traces, 'trace')}, {counted(function.calls, 'call')}"
    return tag("summary", tag("strong", name), f" {what} ", *_verdict_note(function))


def _verdict_note(function: FunctionProfile) -> Iterator[Html]:
    if function.disagreement is not None:
        yield tag("span", "graph and eager disagree", class_="note bad")
    if function.verdict is not None:
        yield tag("span", function.verdict.action.value.replace("-", " "), class_="note")


def _content(function: FunctionProfile, link: Link) -> Iterator[Html]:
    key = function.key
    yield tag("p", "defined at ", link(Place(key.file, key.line)), class_="soft")
    yield from _verdict(function)
    yield from _causes(function, link)
    yield from _policies(function)
    yield from _signatures(function)
    yield from _ops(function, link)
    yield from _sites(function, link)
    if function.failures:
        yield tag("p", f"Tracing ended in {', '.join(function.failures)}.", class_="bad")


def _verdict(function: FunctionProfile) -> Iterator[Html]:
    found = function.disagreement
    if found is not None:
        rule = f" [{found.rule}]" if found.rule else ""
        yield tag("p", tag("strong", found.text), class_="bad")
        yield tag("p", prose(f"Likely reason: {found.reason}{rule}"))
    verdict = function.verdict
    if verdict is not None:
        cure = [tag("br"), prose(verdict.cure)] if verdict.cure else []
        yield tag("p", prose(verdict.text), *cure)


def _causes(function: FunctionProfile, link: Link) -> Iterator[Html]:
    if not function.causes:
        return
    yield tag("h3", "Why it was traced again")
    rows = [
        [
            number(cause.count),
            Cell(tag("code", cause.argument) if cause.argument else cause.kind),
            Cell(tag("code", cause.before), kind="type"),
            Cell(tag("code", cause.after), kind="type"),
            Cell(link(cause.site)),
            Cell(seconds(cause.cost_s), cause.cost_s),
            Cell(cause.rule or ""),
        ]
        for cause in function.causes[:MOST_ROWS]
    ]
    yield table(("traces", "argument", "from", "to", "called at", "cost", "rule"), rows)
    yield from _left_out(len(function.causes))


def _policies(function: FunctionProfile) -> Iterator[Html]:
    if function.policies:
        yield tag("h3", "The recorded calls, played again")
        rows = [
            [number(each.traces), Cell(seconds(each.saves_s), each.saves_s), Cell(prose(each.text))]
            for each in function.policies
        ]
        yield table(("traces", "saves", "if you"), rows)
    if function.suggested_signature is not None:
        yield tag("h3", "One trace for all calls")
        yield tag("pre", f"@tf.function({function.suggested_signature})", class_="signature")


def _signatures(function: FunctionProfile) -> Iterator[Html]:
    if not function.signatures:
        return
    rows = [
        [
            number(index),
            Cell(tag("code", each.text), kind="type"),
            number(each.calls),
            _seconds(each.trace_s),
            _seconds(each.build_s),
            _seconds(each.first_call_s),
            number(each.nodes),
            number(each.built_nodes),
            Cell(size(each.constant_bytes), each.constant_bytes),
            Cell(", ".join(sorted(set(each.host_steps)))),
        ]
        for index, each in enumerate(function.signatures[:MOST_ROWS], start=1)
    ]
    headings = (
        "trace",
        "signature",
        "calls",
        "tracing",
        "building",
        "first call",
        "nodes",
        "ONNX nodes",
        "constants",
        "on the host",
    )
    number_of = len(function.signatures)
    shown = [table(headings, rows), *_left_out(number_of)]
    if number_of <= FEW:
        yield tag("h3", "Signatures")
        yield join(shown)
    else:
        yield tag("details", tag("summary", f"All {number_of} signatures"), *shown)


def _ops(function: FunctionProfile, link: Link) -> Iterator[Html]:
    if not function.ops:
        return
    whole = sum(each.seconds for each in function.ops) or 1.0
    yield tag("h3", "Where a graph call spends its time")
    rows = [
        [
            Cell(op_name(each)),
            Cell(percent(each.seconds, whole), each.seconds),
            Cell(seconds(each.seconds), each.seconds),
            number(round(each.count)),
            Cell(each.device),
            Cell(link(each.place) if each.place else ""),
        ]
        for each in function.ops[:MOST_ROWS]
    ]
    yield table(("op", "share", "time", "runs", "device", "from"), rows)
    yield from _left_out(len(function.ops))


def _sites(function: FunctionProfile, link: Link) -> Iterator[Html]:
    if not function.sites:
        return
    yield tag("h3", "Called at")
    rows = [
        [
            Cell(link(each.place)),
            number(each.calls),
            Cell(seconds(each.running_s), each.running_s),
            number(each.traces),
            Cell(seconds(each.tracing_s), each.tracing_s),
        ]
        for each in function.sites[:MOST_ROWS]
    ]
    yield table(("line", "calls", "running", "traces", "tracing"), rows)


def _left_out(total: int) -> Iterator[Html]:
    if total > MOST_ROWS:
        yield tag("p", f"{total - MOST_ROWS} more, which are in the JSON", class_="soft")
