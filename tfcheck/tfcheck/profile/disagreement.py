"""Says why graph and eager gave different results, as far as can be known."""

from __future__ import annotations

from collections.abc import Sequence

from tfcheck.diagnostics import Violation
from tfcheck.profile.measure import Measurement, Mismatch
from tfcheck.profile.model import AGREE, Disagreement, FunctionKey
from tfcheck.profile.sources import Sources, concerns

REASONS = (
    "TFC201",
    "TFC202",
    "TFC203",
    "TFC206",
    "TFC207",
    "TFC204",
    "TFC306",
    "TFC112",
    "TFC309",
    "TFC302",
    "TFC303",
    "TFC304",
    "TFC308",
)
"""Findings that make a graph compute something else than its Python, the likeliest first."""

UNSTEADY = "a repeated call gives another result: randomness, or state that is no tf.Variable"
UNKNOWN = "no finding explains it: look for Python values that the trace froze"


def disagreement(
    key: FunctionKey,
    measurement: Measurement,
    *,
    violations: Sequence[Violation],
    sources: Sources,
) -> Disagreement | None:
    """What is different and why; None when nothing is, or nothing was compared."""
    text, steady = _difference(measurement)
    if text is None:
        return None
    for violation in _likeliest(key, violations, sources):
        place = f"{violation.filename}:{violation.span.start.row}"
        return Disagreement(text, f"{violation.message} ({place})", violation.code)
    return Disagreement(text, UNKNOWN if steady else UNSTEADY, None)


def _difference(measurement: Measurement) -> tuple[str | None, bool]:
    if isinstance(measurement, str):
        return None, True
    if isinstance(measurement, Mismatch):
        return measurement.text, measurement.steady
    agrees = measurement.agrees
    if agrees.max_rel <= AGREE:
        return None, True
    share = f"{100 * agrees.max_rel:.2g} %" if agrees.max_rel < 1e6 else "any amount"
    return f"results of graph and eager differ by up to {share}", agrees.steady


def _likeliest(
    key: FunctionKey, violations: Sequence[Violation], sources: Sources
) -> Sequence[Violation]:
    body = sources.body(key)
    found = [each for each in violations if each.code in REASONS and concerns(each, key, body)]
    return sorted(found, key=lambda each: REASONS.index(each.code))[:1]
