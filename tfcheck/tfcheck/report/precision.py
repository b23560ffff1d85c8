"""How often the findings of each rule on public code were right, by people who read that code."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tfcheck.errors import InputError

VERDICTS = ("true", "intended", "false")
"""`true`: as the message says, and worth a change. `intended`: as the message says, but what the
author wants, as in a line that tells of tracing. `false`: not as the message says."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The verdicts on the findings of one rule."""

    true: int = 0
    intended: int = 0
    false: int = 0

    @property
    def total(self) -> int:
        """How many findings were read."""
        return self.true + self.intended + self.false

    @property
    def share(self) -> float:
        """The share of true findings, 0 to 1; 1 where none was read."""
        return self.true / self.total if self.total else 1.0

    def told(self) -> str:
        """A sentence for the page of the rule."""
        others = [f"{self.intended} intended" if self.intended else ""]
        others.append(f"{self.false} false" if self.false else "")
        rest = "".join(f", {other}" for other in others if other)
        return f"{self.true} of {self.total} findings on public code were true{rest}."


def read_verdicts(path: Path) -> Mapping[str, Measured]:
    """The verdicts by rule code, from a JSON list of `{"rule": ..., "verdict": ...}` records.

    Raises:
        InputError: a record has another verdict than those in `VERDICTS`.
    """
    return count_verdicts(json.loads(path.read_text(encoding="utf-8")))


def count_verdicts(records: Iterable[Mapping[str, object]]) -> Mapping[str, Measured]:
    """The verdicts of the records by rule code."""
    counts: dict[str, Counter[str]] = {}
    for record in records:
        rule, verdict = str(record["rule"]), str(record["verdict"])
        if verdict not in VERDICTS:
            known = ", ".join(VERDICTS)
            raise InputError(f"verdict {verdict!r} on {rule} at {record}: expected one of {known}")
        counts.setdefault(rule, Counter())[verdict] += 1
    return {rule: Measured(**found) for rule, found in sorted(counts.items())}
