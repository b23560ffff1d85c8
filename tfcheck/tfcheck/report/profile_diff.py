"""Two profiles side by side for people at a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rich.text import Text

from tfcheck.profile.compare import Pair, constant_bytes, is_slower, nodes, pairs, speedup
from tfcheck.profile.model import FunctionProfile, Interval, Profile
from tfcheck.report.columns import line_up
from tfcheck.report.terminal import to_string
from tfcheck.report.text import counted, printable, ratio

_TABLE = ("Function", "calls", "traces", "retraces", "nodes", "constant bytes", "speed-up", "")
_RIGHT = (False, True, True, True, True, True, False, False)


def render_diff(before: Profile, after: Profile, *, colour: bool) -> str:
    """What became of each Function; what did not change is shown once."""
    both = pairs(before, after)
    lines = [Text(printable(_headline(before, after)), style="bold")]
    if both:
        heading, *rows = line_up([_TABLE, *map(_row, both)], right=_RIGHT)
        lines += [Text(), Text(heading, style="bold")]
        lines += [Text(row, style=_style(pair)) for row, pair in zip(rows, both, strict=True)]
    lines += [Text(), *map(Text, _causes(both))] if any(_new_causes(both)) else []
    return to_string(lines, colour=colour)


def _headline(before: Profile, after: Profile) -> str:
    old, new = before.totals, after.totals
    return (
        f"{after.script.path}: {_change(old.traces, new.traces)} traces,"
        f" {_change(old.calls, new.calls)} calls,"
        f" {_share(before)} → {_share(after)} of the run in tracing"
    )


def _share(profile: Profile) -> str:
    totals = profile.totals
    share = (totals.tracing_s + totals.building_s) / totals.wall_s if totals.wall_s else 0.0
    return f"{100 * share:.0f} %"


def _row(pair: Pair) -> tuple[str, ...]:
    old, new = pair.before, pair.after
    return (
        printable(f"{pair.name} ({pair.file})"),
        _counts(old, new, lambda each: each.calls),
        _counts(old, new, lambda each: each.traces),
        _counts(old, new, lambda each: each.retraces),
        _counts(old, new, nodes),
        _counts(old, new, constant_bytes),
        _speedups(speedup(old), speedup(new)),
        _verdict(pair),
    )


def _counts(
    old: FunctionProfile | None, new: FunctionProfile | None, count: Callable[..., int]
) -> str:
    return _change(count(old) if old else None, count(new) if new else None)


def _change(old: int | None, new: int | None) -> str:
    if old == new:
        return str(old)
    return f"{'–' if old is None else old} → {'–' if new is None else new}"


def _speedups(old: Interval | None, new: Interval | None) -> str:
    texts = [f"{ratio(each.median)}×" if each else "–" for each in (old, new)]
    return texts[0] if texts[0] == texts[1] else " → ".join(texts)


def _verdict(pair: Pair) -> str:
    if pair.before is None:
        return "new"
    if pair.after is None:
        return "gone"
    words = []
    if pair.after.retraces != pair.before.retraces:
        words.append("more retraces" if _is_worse(pair) else "fewer retraces")
    old, new = speedup(pair.before), speedup(pair.after)
    if old and new and is_slower(old, new, tolerance=0.0):
        words.append("slower")
    if old and new and is_slower(new, old, tolerance=0.0):
        words.append("faster")
    return ", ".join(words) or "same"


def _is_worse(pair: Pair) -> bool:
    return bool(pair.before and pair.after and pair.after.retraces > pair.before.retraces)


def _style(pair: Pair) -> str:
    verdict = _verdict(pair)
    if "more" in verdict or "slower" in verdict:
        return "red"
    return "green" if "fewer" in verdict or "faster" in verdict else ""


def _causes(both: tuple[Pair, ...]) -> Iterator[str]:
    yield "New causes of retraces"
    for line in _new_causes(both):
        yield f"  {printable(line)}"


def _new_causes(both: tuple[Pair, ...]) -> Iterator[str]:
    for pair in both:
        known = {(each.kind, each.argument) for each in pair.before.causes} if pair.before else ()
        for cause in pair.after.causes if pair.after else ():
            if (cause.kind, cause.argument) not in known:
                what = f"`{cause.argument}`" if cause.argument else cause.kind
                traces = counted(cause.count, "trace")
                place = f"{cause.site.file}:{cause.site.line}"
                yield f"{pair.name}: {traces} from {what} at {place}"
