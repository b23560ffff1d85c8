"""Tries the fixes of findings: applies them in a copy of the project and runs it again."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from contextlib import chdir
from dataclasses import dataclass, replace
from pathlib import Path

from tfcheck.diagnostics import Applicability, Violation
from tfcheck.profile.model import FixTrial
from tfcheck.profile.rerun import Again, Ran, run_again
from tfcheck.profile.results import Compared, compare
from tfcheck.profile.scratch import scratch_copy


@dataclass(frozen=True, slots=True)
class Fixed:
    """What fixing did."""

    number: int
    diff: str


Fix = Callable[[Sequence[Path]], Fixed]
"""Fixes files of the current folder."""


def try_fixes(
    again: Again,
    violations: Sequence[Violation],
    *,
    fix: Fix,
    unsafe: bool,
    progress: Callable[[str], None],
) -> FixTrial:
    """Apply the fixes of the current folder's files in a copy and run the program there."""
    files = _fixable(violations, unsafe=unsafe)
    if not files:
        trial = FixTrial(before=again.before.cost, unsafe=unsafe)
        return replace(trial, failed=_nothing(violations, unsafe=unsafe))
    return try_change(again, lambda: fix(files), unsafe=unsafe, progress=progress)


def try_change(
    again: Again,
    change: Callable[[], Fixed],
    *,
    unsafe: bool,
    progress: Callable[[str], None],
) -> FixTrial:
    """Run the program in a copy of the current folder that `change` was called in.

    Results that differ are looked at again in a run of the unchanged program: what differs there
    as well says nothing about the change.
    """
    before = again.before
    trial = FixTrial(before=before.cost, unsafe=unsafe)
    with tempfile.TemporaryDirectory(prefix="tfcheck-fixes-") as scratch:
        original, copy = Path(scratch) / "original", Path(scratch) / "fixed"
        try:
            scratch_copy(Path.cwd(), copy)
            with chdir(copy):
                fixed = change()
            trial = replace(trial, fixes=fixed.number, diff=fixed.diff)
            progress("running a changed copy")
            after = run_again(again.request, folder=copy)
            compared = compare(before.results, after.results)
            varying: Sequence[str] = ()
            if compared.differing and _ends_alike(before, after):
                progress("running an unchanged copy")
                scratch_copy(Path.cwd(), original)
                control = run_again(again.request, folder=original)
                varying = tuple(compare(before.results, control.results).differing)
        except OSError as error:
            return replace(trial, failed=str(error))
        except KeyboardInterrupt:
            return replace(trial, failed="interrupted")
        finally:
            progress("")
    return _judged(trial, before, after, compared, varying=varying)


def _fixable(violations: Sequence[Violation], *, unsafe: bool) -> list[Path]:
    """The files of this folder that have fixes."""
    files = [each.filename for each in violations if _applies(each, unsafe=unsafe)]
    inside = [file for file in files if not os.path.isabs(file) and not file.startswith("..")]
    return [Path(file) for file in dict.fromkeys(inside)]


def _applies(violation: Violation, *, unsafe: bool) -> bool:
    fix = violation.fix
    return fix is not None and (unsafe or fix.applicability is Applicability.SAFE)


def _nothing(violations: Sequence[Violation], *, unsafe: bool) -> str:
    if not unsafe and _fixable(violations, unsafe=True):
        others = sum(_applies(each, unsafe=True) for each in violations)
        return f"no finding has a safe fix; {others} with --unsafe-fixes"
    return "no finding of this folder has a fix"


def _ends_alike(before: Ran, after: Ran) -> bool:
    return (after.status, after.error) == (before.status, before.error)


def _judged(
    trial: FixTrial, before: Ran, after: Ran, compared: Compared, *, varying: Sequence[str]
) -> FixTrial:
    ended = after.error or f"exit {after.status}"
    worse = None if _ends_alike(before, after) else ended
    differing = {name: text for name, text in compared.differing.items() if name not in varying}
    return replace(
        trial,
        after=after.cost,
        calls=compared.calls,
        max_rel=compared.max_rel,
        differing=tuple(f"{name}: {text}" for name, text in differing.items()),
        varying=tuple(varying),
        failed=f"the script ended otherwise: {worse}" if worse else None,
    )
