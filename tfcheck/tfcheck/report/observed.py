"""What a run showed of a finding, in the words of all reports."""

from __future__ import annotations

from collections.abc import Iterable

from tfcheck.diagnostics import Evidence, Observation, Violation
from tfcheck.report.identity import notebook_note
from tfcheck.report.text import counted, seconds

_SHORT = {
    Evidence.NOT_SEEN: "the code ran, this effect did not show",
    Evidence.NOT_REACHED: "the run did not reach this code",
}


def observed_text(observation: Observation) -> str:
    """`proven: 11 traces, 38 ms`."""
    if observation.evidence in _SHORT:
        return _SHORT[observation.evidence]
    cost = f", {seconds(observation.cost_s)}" if observation.cost_s else ""
    return f"{observation.evidence.value}: {observation.seen}{cost}"


def observed_note(violation: Violation) -> str:
    """` (proven: 11 traces, 38 ms)` to add to a line; empty where no run is known."""
    return "" if violation.observed is None else f" ({observed_text(violation.observed)})"


def told(violation: Violation) -> str:
    """What services are told of a finding that have no more than one text for it."""
    return f"{notebook_note(violation)}{violation.message}{observed_note(violation)}"


def observed_summary(violations: Iterable[Violation]) -> str:
    """` The run proved 1 (38 ms) and contradicts 2.`; empty where no run is known."""
    known = [each.observed for each in violations if each.observed is not None]
    if not known:
        return ""
    proven = [each for each in known if each.evidence is Evidence.PROVEN]
    cost = sum(each.cost_s for each in proven)
    price = f" ({seconds(cost)})" if cost else ""
    against = sum(each.evidence is Evidence.CONTRADICTED for each in known)
    contradicts = f" and contradicts {against}" if against else ""
    return f" The run proved {len(proven)}{price}{contradicts} of {counted(len(known), 'finding')}."
