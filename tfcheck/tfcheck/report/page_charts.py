"""The drawings of the page: where the time went, the timeline, graph against eager."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tfcheck.profile.model import Comparison, Profile, Slice, SliceKind, Timing
from tfcheck.report.markup import Html, join, tag
from tfcheck.report.profile_words import comparison_cells, function_names
from tfcheck.report.text import counted, percent, seconds

WIDTH = 1000.0
"""Drawings are this wide and stretched to the page; nothing in them is text."""
MOST_LANES = 25
MOST_BARS = 40
_FINEST = WIDTH / 600
"""What is closer together is drawn as one."""
_TICKS = 5


def breakdown(profile: Profile) -> Html:
    """One bar of tracing, building, running and the rest, with a legend that says it in words."""
    totals = profile.totals
    parts = [
        ("trace", "tracing", totals.tracing_s),
        ("build", "building", totals.building_s),
        ("call", "running graphs", totals.running_s),
        ("python", "other Python", totals.python_s),
    ]
    whole = sum(part for _, _, part in parts) or 1.0
    rects, items, x = [], [], 0.0
    for kind, name, part in parts:
        width = WIDTH * part / whole
        rects.append(_rect(kind, (x, 0.0), (width, 14.0), title=f"{name}: {seconds(part)}"))
        items.append(_legend(kind, f"{name} {seconds(part)} ({percent(part, whole)})"))
        x += width
    legend = tag("ul", *items, class_="legend")
    drawing = _svg(rects, height=14, label="where the time went")
    return tag("div", drawing, legend, class_="breakdown")


def _legend(kind: str, name: str) -> Html:
    swatch = tag(
        "svg",
        tag("rect", width=10, height=10, class_=f"fill-{kind}"),
        viewBox="0 0 10 10",
        aria_hidden="true",
    )
    return tag("li", swatch, name)


def _svg(parts: Iterable[Html], *, height: int, label: str) -> Html:
    return tag(
        "svg",
        *parts,
        viewBox=f"0 0 {WIDTH:.0f} {height}",
        preserveAspectRatio="none",
        role="img",
        aria_label=label,
    )


def _rect(kind: str, at: tuple[float, float], size: tuple[float, float], *, title: str) -> Html:
    return tag(
        "rect",
        tag("title", title),
        x=round(at[0], 2),
        y=at[1],
        width=round(size[0], 2),
        height=size[1],
        class_=f"fill-{kind}",
    )


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Slices of one kind that are too close together to be drawn one by one."""

    start: float
    end: float
    number: int
    seconds: float


def timeline(profile: Profile) -> Html:
    """A lane for each Function: traces and builds above, calls below."""
    if not profile.timeline.slices:
        return Html()
    span = max(profile.totals.wall_s, max(s.start_s + s.seconds for s in profile.timeline.slices))
    names = function_names(profile)[:MOST_LANES]
    lanes = [_lane(profile, i, name=name, scale=WIDTH / span) for i, name in enumerate(names)]
    ticks = [tag("span", seconds(span * i / (_TICKS - 1))) for i in range(_TICKS)]
    axis = tag("div", tag("span"), tag("div", *ticks, class_="axis"), class_="lane axis-lane")
    legend = tag(
        "ul",
        _legend("trace", "traced"),
        _legend("build", "built"),
        _legend("call", _calls(profile)),
        class_="legend",
    )
    left = len(profile.functions) - len(lanes)
    more = [tag("p", f"{counted(left, 'Function')} more, which cost less", class_="soft")]
    return tag("div", *lanes, axis, legend, *(more if left else []), class_="chart")


def _calls(profile: Profile) -> str:
    stride = profile.timeline.call_stride
    return "called" if stride == 1 else f"called (one of {stride} calls is drawn)"


def _lane(profile: Profile, index: int, *, name: str, scale: float) -> Html:
    own = [each for each in profile.timeline.slices if each.function == index]
    rects = [tag("rect", x=0, y=12, width=WIDTH, height=1, class_="fill-ground")]
    for kind, y, verb in (
        (SliceKind.CALL, 14.0, "call"),
        (SliceKind.TRACE, 1.0, "trace"),
        (SliceKind.BUILD, 1.0, "build"),
    ):
        for each in _stretches([s for s in own if s.kind is kind], scale=scale):
            width = max((each.end - each.start) * scale, _FINEST)
            title = f"{counted(each.number, verb)}, {seconds(each.seconds)}, at {each.start:.3g} s"
            rects.append(_rect(kind, (each.start * scale, y), (width, 10.0), title=title))
    function = profile.functions[index]
    label = f"{counted(function.traces, 'trace')} and {counted(function.calls, 'call')} over time"
    drawing = _svg(rects, height=26, label=label)
    return tag("div", tag("a", name, href=f"#f{index}"), drawing, class_="lane")


def _stretches(slices: Sequence[Slice], *, scale: float) -> Iterator[_Stretch]:
    current: _Stretch | None = None
    for each in sorted(slices, key=lambda each: each.start_s):
        end = each.start_s + each.seconds
        if current is not None and (each.start_s - current.end) * scale < _FINEST:
            current = _Stretch(
                current.start,
                max(current.end, end),
                current.number + 1,
                current.seconds + each.seconds,
            )
            continue
        if current is not None:
            yield current
        current = _Stretch(each.start_s, end, 1, each.seconds)
    if current is not None:
        yield current


def bars(profile: Profile) -> Html:
    """Time of a graph call above that of an eager one, each with its interval."""
    rows = [
        _bar(index, name, comparison=each.comparison, cells=comparison_cells(each))
        for index, (name, each) in enumerate(
            zip(function_names(profile), profile.functions, strict=True)
        )
        if each.comparison is not None
    ]
    if not rows:
        return tag("p", "Nothing was compared.", class_="soft")
    legend = tag(
        "ul",
        _legend("graph", "graph call"),
        _legend("eager", "eager call"),
        tag("li", "each Function on a scale of its own; lines are 95 % intervals"),
        class_="legend",
    )
    return tag("div", *rows[:MOST_BARS], legend, class_="chart")


def _bar(index: int, name: str, *, comparison: Comparison, cells: Sequence[str]) -> Html:
    graph, eager = comparison.graph, comparison.eager
    scale = WIDTH * 0.98 / max(graph.high_s, eager.high_s)
    parts = [
        *_timed("graph", graph, y=2.0, scale=scale, title=f"graph {cells[0]}"),
        *_timed("eager", eager, y=18.0, scale=scale, title=f"eager {cells[1]}"),
    ]
    numbers = join([f"{cells[0]} against {cells[1]}", tag("br"), tag("strong", cells[2])])
    return tag(
        "div",
        tag("a", name, href=f"#f{index}"),
        _svg(parts, height=32, label=f"graph {cells[0]}, eager {cells[1]}"),
        tag("span", numbers, class_="numbers"),
        class_="bar",
    )


def _timed(kind: str, timing: Timing, *, y: float, scale: float, title: str) -> Iterator[Html]:
    low, high = timing.low_s * scale, timing.high_s * scale
    yield _rect(kind, (0.0, y), (timing.median_s * scale, 12.0), title=title)
    yield _whisker((low, y + 6), (high, y + 6))
    yield _whisker((low, y + 3), (low, y + 9))
    yield _whisker((high, y + 3), (high, y + 9))


def _whisker(start: tuple[float, float], end: tuple[float, float]) -> Html:
    return tag(
        "line",
        x1=round(start[0], 2),
        y1=start[1],
        x2=round(end[0], 2),
        y2=end[1],
        class_="whisker",
    )
