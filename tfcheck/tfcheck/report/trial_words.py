"""What came of trying the fixes, in the words of all reports."""

from __future__ import annotations

import math
from collections.abc import Iterator

from tfcheck.profile.model import FixTrial
from tfcheck.report.text import counted, seconds


def trial_verdict(trial: FixTrial, *, noun: str = "fix") -> str:
    """Whether the fixes hold, in one sentence; `noun` is what they are."""
    plural = "fixes" if noun == "fix" else f"{noun}s"
    fixes = counted(trial.fixes, noun, plural)
    if trial.after is None:
        return f"{plural.capitalize()} not confirmed: {trial.failed}"
    if trial.failed is not None:
        return f"{fixes} NOT confirmed: {trial.failed}"
    if trial.differing:
        verb = "changes" if trial.fixes == 1 else "change"
        return f"{fixes} {verb} results: {'; '.join(trial.differing)}"
    return f"{fixes} confirmed: {_agreement(trial)}"


def _agreement(trial: FixTrial) -> str:
    calls = counted(trial.calls, "call")
    if trial.varying:
        names = ", ".join(trial.varying)
        return f"what can be compared is the same ({names}: results vary from run to run)"
    if not trial.calls:
        return "the script ends as before (no results of Functions to compare)"
    if trial.max_rel == 0.0:
        return f"the results of {calls} are equal"
    return f"the results of {calls} agree to 1e{math.ceil(math.log10(trial.max_rel))}"


def trial_rows(trial: FixTrial) -> Iterator[tuple[str, str, str]]:
    """What is counted and timed, before and after."""
    before, after = trial.before, trial.after
    if after is None:
        return
    yield "traces", str(before.traces), str(after.traces)
    for name, one, other in (
        ("tracing and building", before.tracing_s, after.tracing_s),
        ("whole run", before.wall_s, after.wall_s),
    ):
        yield name, seconds(one), seconds(other)
