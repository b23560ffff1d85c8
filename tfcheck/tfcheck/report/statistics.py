"""How many findings each rule has."""

from __future__ import annotations

from collections import Counter

from tfcheck.diagnostics import LintResult
from tfcheck.report.summary import summarise


def render_statistics(result: LintResult) -> str:
    """One line a rule, the most frequent first: count, code, name, how many have a fix."""
    counts = Counter((each.code, each.name) for each in result.violations)
    fixable = Counter(each.code for each in result.violations if each.fix is not None)
    width = len(str(max(counts.values(), default=0)))
    lines = [
        f"{count:{width}} {code} {name}{_fixable(fixable[code])}"
        for (code, name), count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    ]
    return "\n".join([*lines, summarise(result)]) + "\n"


def _fixable(count: int) -> str:
    return f" ({count} with a fix)" if count else ""
