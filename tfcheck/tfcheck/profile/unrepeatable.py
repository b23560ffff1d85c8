"""Says which Functions must not be called again, because of what their calls do besides."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tfcheck.diagnostics import Violation
from tfcheck.profile.analyse import Group
from tfcheck.profile.model import FunctionKey
from tfcheck.profile.sources import Sources, concerns

RUN_TIME_EFFECTS: Mapping[str, str] = {
    "tf.print": "prints",
    "py_function": "calls Python while it runs",
    "random": "draws random numbers",
}
"""Side effects in events that forbid repeating a call, and what the Function does by them."""

TRACED_EFFECTS: Mapping[str, str] = {
    "TFC301": "prints",
    "TFC302": "changes a container outside",
    "TFC303": "writes a global",
    "TFC304": "sets an attribute",
    "TFC305": "stores tensors outside",
    "TFC307": "does input or output",
    "TFC308": "consumes an iterator",
    "TFC310": "calls Python while it runs",
}
"""Findings that forbid it, because eager execution would repeat the effect in each call."""


def blocked(
    groups: Iterable[Group], violations: Sequence[Violation], *, sources: Sources
) -> dict[FunctionKey, str]:
    """Why calls of a Function must not be repeated, for those where that is so."""
    reasons: dict[FunctionKey, str] = {}
    for group in groups:
        reason = _effect_seen(group) or _effect_found(group.key, violations, sources)
        if reason is not None:
            reasons[group.key] = reason
    return reasons


def _effect_seen(group: Group) -> str | None:
    for effect in group.side_effects:
        if effect.kind in RUN_TIME_EFFECTS:
            return f"{RUN_TIME_EFFECTS[effect.kind]} ({effect.site.file}:{effect.site.line})"
    return None


def _effect_found(
    key: FunctionKey, violations: Sequence[Violation], sources: Sources
) -> str | None:
    body = sources.body(key)
    for violation in violations:
        if violation.code in TRACED_EFFECTS and concerns(violation, key, body):
            row = violation.span.start.row
            return f"{TRACED_EFFECTS[violation.code]} ({violation.filename}:{row})"
    return None
