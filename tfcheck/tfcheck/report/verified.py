"""Shows how far the ways to run one Function are apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tfcheck.profile.verifying import PYTHON, Verified
from tfcheck.report.columns import line_up
from tfcheck.report.text import counted, printable
from tfcheck_runtime.verify.compare import ENGINES, Result

_COLUMNS = (PYTHON, *ENGINES)


def render_verified(name: str, verified: Sequence[Verified]) -> str:
    """A line that answers, a row for each kind of inputs, and what differs where."""
    rows = [["inputs", *_COLUMNS], *(_row(each) for each in verified)]
    lines = [_answer(name, verified), ""]
    lines += [f"  {line}" for line in line_up(rows, right=[False] + [True] * len(_COLUMNS))]
    details = [line for each in verified for line in _details(each)]
    return "\n".join([*lines, *([""] if details else []), *details, ""])


def _answer(name: str, verified: Sequence[Verified]) -> str:
    compared = [each for each in verified if each.failure is None]
    bad = [each for each in compared if not each.agrees]
    kinds = counted(len(compared), "kind")
    if bad:
        return f"{name}: differs on {len(bad)} of {kinds} of inputs"
    if not compared:
        return f"{name}: fails on all inputs, so nothing was compared"
    return f"{name}: Python, graph and model agree on {kinds} of inputs"


def _row(verified: Verified) -> list[str]:
    shapes = ", ".join(str(list(array.shape)) for array in verified.inputs.arrays)
    first = f"{verified.inputs.kind} {shapes}".rstrip()
    if verified.failure is not None:
        return [first, f"not compared: {printable(verified.failure)}"]
    return [first, *(_cell(verified.results[column]) for column in _COLUMNS)]


def _cell(result: Result) -> str:
    if result.error is not None:
        return "fails"
    if result.difference == 0:
        return "equal"
    mark = "" if result.ok else " !"
    return f"{result.difference:.1e}{mark}"


def _details(verified: Verified) -> Iterator[str]:
    for column, result in verified.results.items():
        where = f"{verified.inputs.kind}: {column}"
        culprit = verified.culprits.get(column)
        if result.error is not None:
            yield f"{where} fails: {printable(result.error)}"
        elif culprit is not None:
            site = culprit.node.site
            yield (
                f"{where} differs first in {culprit.node.op.type} at"
                f" {printable(site.file)}:{site.line} in {site.function},"
                f" by {culprit.difference:.1e} of its size"
            )
        elif not result.ok and column == PYTHON:
            yield f"{where} gives other numbers: the trace froze what Python computes anew"
        elif not result.ok:
            yield f"{where} differs only where steps are fused: each by itself agrees"
