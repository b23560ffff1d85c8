"""A profile as one HTML page that needs nothing but itself."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping
from functools import partial
from importlib.resources import files

from tfcheck.profile.model import FunctionProfile, HotLine, Profile
from tfcheck.report.markup import Html, join, prose, raw_element, tag
from tfcheck.report.page_charts import bars, breakdown, timeline
from tfcheck.report.page_functions import foldouts, overview
from tfcheck.report.page_source import place_link, sources
from tfcheck.report.page_tables import Cell, scrollable, table
from tfcheck.report.profile_words import (
    Advice,
    advice,
    closing,
    ending,
    finding_seen,
    headline,
    nothing_to_do,
    other_findings,
    proven,
    speedup_text,
)
from tfcheck.report.text import counted, percent, ratio, seconds
from tfcheck.report.trial_words import trial_rows, trial_verdict


def render_page(profile: Profile, *, urls: Mapping[str, str]) -> str:
    """The page; `urls` maps rule codes to their pages."""
    style, script = _asset("page.css"), _asset("page.js")
    policy = (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}';"
        " base-uri 'none'; form-action 'none'"
    )
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", f"tfcheck: {profile.script.path}"),
        raw_element("style", style),
    )
    body = tag("body", tag("main", *_sections(profile, urls)), raw_element("script", script))
    return f"<!doctype html>\n{tag('html', head, body, lang='en')}\n"


def _asset(name: str) -> str:
    return files("tfcheck.report").joinpath(name).read_text(encoding="utf-8")


def _digest(content: str) -> str:
    """What lets this content run, and nothing that found its way into the page."""
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()


def _sections(profile: Profile, urls: Mapping[str, str]) -> Iterator[Html]:
    yield tag("header", tag("p", f"tfcheck profile {' '.join(profile.script.argv)}"))
    yield from _top(profile)
    yield _tiles(profile)
    yield breakdown(profile)
    yield from _section("Gates", _gates(profile))
    if profile.functions:
        yield from _section("Timeline", timeline(profile))
        yield from _section("Graph against eager", bars(profile))
        yield from _section("Functions", overview(profile))
        yield foldouts(profile, partial(place_link, profile))
    yield from _section("Hot lines", _hot_lines(profile))
    yield from _section("Findings", _findings(profile, urls))
    yield from _section("Fixes tried", _trial(profile))
    yield from _section("Source", join(sources(profile)))
    yield tag("footer", f"{closing(profile)} {profile.tool}.")


def _section(title: str, content: Html) -> Iterator[Html]:
    if content:
        yield tag("section", tag("h2", title), content)


def _top(profile: Profile) -> Iterator[Html]:
    """The sentence that people came for, then the rest of what to do."""
    advised = advice(profile)
    for line in ending(profile):
        yield tag("p", line, class_="bad")
    if not advised:
        yield tag("h1", nothing_to_do(profile) or headline(profile))
    else:
        yield tag("h1", *_advice(advised[0]))
        yield tag("p", prose(advised[0].cure), class_="cure")
    if len(advised) > 1:
        rest = [
            tag("li", *_advice(each), tag("br"), tag("span", prose(each.cure), class_="soft"))
            for each in advised[1:]
        ]
        yield tag("ol", *rest, class_="advice", start=2)
    yield tag("p", headline(profile), class_="soft")


def _advice(each: Advice) -> Iterator[Html]:
    yield prose(each.text)
    if each.note:
        yield join([" ", tag("span", each.note, class_="note")])


def _tiles(profile: Profile) -> Html:
    totals = profile.totals
    overhead = totals.tracing_s + totals.building_s
    tiles = [
        ("Run", seconds(totals.wall_s), counted(len(profile.functions), "Function")),
        (
            "Tracing and building",
            percent(overhead, totals.wall_s),
            f"{seconds(overhead)} of {seconds(totals.wall_s)}",
        ),
        ("Traces", str(totals.traces), f"for {counted(totals.calls, 'call')}"),
        *_best(profile),
        *_dearest(profile.functions),
    ]
    return tag("div", *(_tile(*each) for each in tiles), class_="tiles")


def _tile(name: str, value: str, note: str) -> Html:
    return tag("dl", tag("dt", name), tag("dd", value, tag("small", note)), class_="tile")


def _best(profile: Profile) -> Iterator[tuple[str, str, str]]:
    compared = [(each.comparison, each.key.name) for each in profile.functions if each.comparison]
    if compared:
        best, name = max(compared, key=lambda pair: pair[0].speedup.median)
        yield ("Best graph", f"{ratio(best.speedup.median)}×", f"{name}: {speedup_text(best)}")


def _dearest(functions: tuple[FunctionProfile, ...]) -> Iterator[tuple[str, str, str]]:
    retraced = [each for each in functions if each.causes]
    if retraced:
        worst = max(retraced, key=lambda each: sum(cause.cost_s for cause in each.causes))
        cost = seconds(sum(cause.cost_s for cause in worst.causes))
        yield ("Costliest retraces", cost, f"{worst.key.name}: {counted(worst.retraces, 'trace')}")


def _gates(profile: Profile) -> Html:
    if not profile.gates:
        return Html()
    rows = [
        [
            Cell("ok" if each.ok else "failed", kind="good" if each.ok else "bad"),
            Cell(each.name),
            Cell(each.value),
            Cell(each.limit),
            Cell(each.text),
        ]
        for each in profile.gates
    ]
    return table(("", "gate", "value", "limit", "where"), rows, sortable=False)


def _findings(profile: Profile, urls: Mapping[str, str]) -> Html:
    found = [each.violation for each in proven(profile)]
    rows = [
        [
            Cell(_rule(violation.code, urls)),
            Cell(f"{violation.filename}:{violation.span.start.row}"),
            Cell(prose(violation.message)),
            Cell(finding_seen(finding)),
        ]
        for violation, finding in zip(found, proven(profile), strict=True)
    ]
    rest = other_findings(profile)
    parts = [table(("proven", "line", "finding", "seen"), rows)] if rows else []
    return join([*parts, tag("p", rest, class_="soft") if rest else Html()])


def _hot_lines(profile: Profile) -> Html:
    if not profile.hot_lines:
        return Html()
    link = partial(place_link, profile)
    rows = [
        [
            Cell(link(each.place)),
            Cell(each.function),
            Cell(percent(each.seconds, profile.totals.wall_s), each.seconds),
            Cell(seconds(each.seconds), each.seconds),
            *(Cell(seconds(part), part) for part in _parts(each)),
        ]
        for each in profile.hot_lines
    ]
    headings = (
        "line",
        "in",
        "share",
        "time",
        "tracing",
        "building",
        "graphs",
        "ops and dispatch",
        "Python",
    )
    return table(headings, rows)


def _parts(line: HotLine) -> tuple[float, ...]:
    return (line.tracing_s, line.building_s, line.executing_s, line.eager_s, line.python_s)


def _trial(profile: Profile) -> Html:
    trial = profile.trial
    if trial is None:
        return Html()
    broken = trial.after is not None and not trial.holds
    rows = [list(map(Cell, row)) for row in trial_rows(trial)]
    return join(
        [
            tag("p", trial_verdict(trial), class_="bad" if broken else "good"),
            table(("", "before", "after"), rows, sortable=False) if rows else Html(),
            scrollable(tag("pre", trial.diff), label="the fixes") if trial.diff else Html(),
        ]
    )


def _rule(code: str, urls: Mapping[str, str]) -> Html:
    url = urls.get(code, "")
    # Rule packages name their pages themselves: a link must not run a script.
    if not url.startswith("https://"):
        return tag("span", code)
    return tag("a", code, href=url, rel="noreferrer")
