"""Declares Functions with the signatures that a run suggests, once another run confirms them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tfcheck.cli.output import talk, write_result
from tfcheck.errors import ExitCode, TfcheckError
from tfcheck.lint.fixes import write_atomically
from tfcheck.lint.mend import Mended, amend
from tfcheck.profile.model import FixTrial, Profile
from tfcheck.profile.signatures import Declared, declare
from tfcheck.profile.sources import read_source
from tfcheck.profile.trial import Fixed
from tfcheck.report.columns import line_up
from tfcheck.report.text import counted, printable
from tfcheck.report.trial_words import trial_rows, trial_verdict

Try = Callable[[Callable[[], Fixed]], FixTrial]
"""Runs the program in a copy of the current folder, changed by what is called there."""


@dataclass(frozen=True, slots=True)
class _Change:
    """Some Functions with their signatures, and what a run of them showed."""

    declared: Sequence[Declared]
    files: Sequence[Mended]
    trial: FixTrial


def write_signatures(profile: Profile, *, attempt: Try, yes: bool) -> int:
    """Show the signatures, say what a run with them showed, and write those that hold.

    Asks before it writes, unless `yes`. The exit status.
    """
    files = {each.key.file for each in profile.functions}
    texts = {file: read_source(Path(file)) for file in files if not Path(file).is_absolute()}
    outcomes = list(declare(profile, texts))
    for each in outcomes:
        if not isinstance(each, Declared):
            talk(printable(f"no signature for {each.key.name} ({each.key.file}): {each.reason}"))
    declared = [each for each in outcomes if isinstance(each, Declared)]
    if not declared:
        write_result("No signatures to write: no Function traced again for its arguments.\n")
        return ExitCode.CLEAN
    kept = _confirmed(declared, attempt)
    if kept is None:
        return ExitCode.FINDINGS
    return _write(kept, yes=yes)


def _confirmed(declared: Sequence[Declared], attempt: Try) -> _Change | None:
    """The signatures that hold: all together, or those that do when tried one by one."""
    change = _tried(declared, attempt)
    if not change.trial.holds and len(declared) > 1:
        sound = [each for each in (_tried([one], attempt) for one in declared) if _is_sound(each)]
        if not sound:
            return None
        alone = len(sound) == 1
        change = sound[0] if alone else _tried([each.declared[0] for each in sound], attempt)
    _show(change)
    return change if change.trial.holds else None


def _is_sound(change: _Change) -> bool:
    if not change.trial.holds:
        key = change.declared[0].key
        verdict = trial_verdict(change.trial, noun="signature")
        talk(printable(f"no signature for {key.name} ({key.file}): {verdict}"))
    return change.trial.holds


def _tried(declared: Sequence[Declared], attempt: Try) -> _Change:
    files = _amended(declared)

    def write() -> Fixed:
        for each in files:
            write_atomically(Path(each.filename), each.content)
        return Fixed(len(declared), "".join(each.diff() for each in files))

    return _Change(declared, files, attempt(write))


def _amended(declared: Sequence[Declared]) -> list[Mended]:
    names = dict.fromkeys(each.key.file for each in declared)
    return [
        amend(
            Path(name).read_bytes(),
            [each.fix for each in declared if each.key.file == name],
            filename=name,
        )
        for name in names
    ]


def _show(change: _Change) -> None:
    names = ", ".join(each.key.name for each in change.declared)
    rows = [("", "before", "after"), *trial_rows(change.trial)] if change.trial.after else []
    table = "".join(f"  {line}\n" for line in line_up(rows, right=(False, True, True)))
    shown = "\n".join(printable(line) for line in change.trial.diff.splitlines())
    verdict = trial_verdict(change.trial, noun="signature")
    write_result(f"\n{printable(f'{verdict} ({names})')}\n{table}\n{shown}\n")


def _write(change: _Change, *, yes: bool) -> int:
    if not yes and not _agreed(len(change.declared)):
        write_result("Nothing is written.\n")
        return ExitCode.CLEAN
    for each in change.files:
        try:
            write_atomically(Path(each.filename), each.content, expected=each.before)
        except TfcheckError as error:
            talk(f"error: {each.filename}: {error}")
            return ExitCode.USAGE
        write_result(f"wrote {printable(each.filename)}\n")
    return ExitCode.CLEAN


def _agreed(number: int) -> bool:
    if not sys.stdin.isatty():
        talk("not written: add --yes to write without being asked")
        return False
    print(f"Write {counted(number, 'signature')}? [y/N] ", end="", flush=True)
    return sys.stdin.readline().strip().lower() in {"y", "yes"}
