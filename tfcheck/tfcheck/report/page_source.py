"""The source with what each line cost in its margin."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tfcheck.profile.model import Excerpt, Finding, Place, Profile
from tfcheck.report.markup import Html, prose, tag
from tfcheck.report.page_tables import scrollable
from tfcheck.report.profile_words import finding_seen, proven
from tfcheck.report.text import counted, seconds

OPEN_LINES = 400
"""Excerpts are open as long as there are no more lines than this before them."""


@dataclass(slots=True)
class _Cost:
    """What happened because of a line."""

    traces: int = 0
    tracing_s: float = 0.0
    calls: int = 0
    running_s: float = 0.0


def place_link(profile: Profile, place: Place) -> Html:
    """A place as text, linked to its line where the page shows it."""
    shown = f"{place.file}:{place.line}"
    for excerpt in profile.sources:
        if excerpt.file == place.file and 0 <= place.line - excerpt.first < len(excerpt.lines):
            return tag("a", shown, href=f"#{_anchor(place)}")
    return tag("span", shown)


def _anchor(place: Place) -> str:
    return f"L{place.file}:{place.line}".replace(" ", "_")


def sources(profile: Profile) -> Iterator[Html]:
    """A foldout for each excerpt."""
    costs, said = _costs(profile), _said(profile)
    before = 0
    for excerpt in profile.sources:
        last = excerpt.first + len(excerpt.lines) - 1
        summary = tag("summary", tag("strong", excerpt.file), f" lines {excerpt.first}–{last}")
        body = tag("table", _head(), tag("tbody", *_rows(excerpt, costs, said)), class_="source")
        fold = scrollable(body, label=f"source of {excerpt.file}")
        yield tag("details", summary, fold, open=before < OPEN_LINES)
        before += len(excerpt.lines)


def _costs(profile: Profile) -> Mapping[Place, _Cost]:
    costs: dict[Place, _Cost] = defaultdict(_Cost)
    for function in profile.functions:
        own = costs[Place(function.key.file, function.key.line)]
        own.traces += function.traces
        own.tracing_s += function.trace_s + function.build_s
        own.calls += function.calls
        own.running_s += function.run_s
        for site in function.sites:
            cost = costs[site.place]
            cost.traces += site.traces
            cost.tracing_s += site.tracing_s
            cost.calls += site.calls
            cost.running_s += site.running_s
    return costs


def _said(profile: Profile) -> Mapping[Place, list[Finding]]:
    said: dict[Place, list[Finding]] = defaultdict(list)
    for finding in proven(profile):
        violation = finding.violation
        if violation.cell is None:
            said[Place(violation.filename, violation.span.start.row)].append(finding)
    return said


def _head() -> Html:
    headings = [tag("th", name, scope="col", class_="n") for name in ("tracing", "running", "line")]
    return tag("thead", tag("tr", *headings, tag("th", "source", scope="col")))


def _rows(
    excerpt: Excerpt, costs: Mapping[Place, _Cost], said: Mapping[Place, Sequence[Finding]]
) -> Iterator[Html]:
    for row, line in enumerate(excerpt.lines, start=excerpt.first):
        place = Place(excerpt.file, row)
        yield _row(place, line, costs.get(place, _Cost()))
        for finding in said.get(place, ()):
            violation = finding.violation
            words = f"{violation.code} {violation.message} ({finding_seen(finding)})"
            yield tag("tr", tag("td", colspan=3), tag("td", prose(words), class_="said"))


def _row(place: Place, line: str, cost: _Cost) -> Html:
    kind = "trace" if cost.tracing_s > cost.running_s else "run" if cost.calls else None
    tracing = f"{counted(cost.traces, 'trace')} {seconds(cost.tracing_s)}" if cost.traces else ""
    running = f"{counted(cost.calls, 'call')} {seconds(cost.running_s)}" if cost.calls else ""
    return tag(
        "tr",
        tag("td", tracing, class_="n"),
        tag("td", running, class_="n"),
        tag("td", str(place.line), class_="n row"),
        tag("td", line.expandtabs(4)),
        id=_anchor(place),
        class_=kind,
    )
