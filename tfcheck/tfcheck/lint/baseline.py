"""Findings that are accepted for now: those of old code, so that only new ones fail."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from tfcheck.config import Settings
from tfcheck.diagnostics import LintResult, Violation
from tfcheck.errors import ConfigError, OutputError
from tfcheck.lint.fingerprint import Fingerprint, fingerprints
from tfcheck.lint.fixes import write_atomically
from tfcheck.lint.selection import select_rules

_VERSION = 1


class Entry(NamedTuple):
    """An accepted finding; the same one may be accepted several times."""

    file: str
    """The path as seen from the folder of the baseline, with slashes."""
    fingerprint: Fingerprint


@dataclass(frozen=True, slots=True)
class Baseline:
    """How often each finding is accepted."""

    counts: Mapping[Entry, int]

    @property
    def total(self) -> int:
        """How many findings are accepted."""
        return sum(self.counts.values())


@dataclass(frozen=True, slots=True)
class Applied:
    """A run compared with a baseline."""

    result: LintResult
    """The run without the findings that are accepted."""
    accepted: int
    stale: tuple[Entry, ...]
    """Accepted findings that there are no more, each as often as it is missing."""
    pruned: Baseline
    """The baseline without those."""


def load_baseline(file: Path) -> Baseline:
    """Read a baseline.

    Raises:
        ConfigError: there is no such file, or it holds something else.
    """
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"{file}: cannot be read as a baseline: {error}; write one with --write-baseline"
        ) from error
    version = document.get("version") if isinstance(document, dict) else None
    if version != _VERSION:
        raise ConfigError(f"{file}: expected a baseline of version {_VERSION}, not {version!r}")
    try:
        return Baseline(_read(document["findings"]))
    except (KeyError, TypeError, AttributeError) as error:
        raise ConfigError(f"{file}: not a baseline: {error!r}; write it again") from error


def _read(findings: Mapping[str, Sequence[Mapping[str, object]]]) -> dict[Entry, int]:
    counts: dict[Entry, int] = {}
    for name, entries in findings.items():
        for each in entries:
            texts = (each["rule"], each["function"], each["statement"])
            fingerprint = Fingerprint(*map(str, texts))
            counts[Entry(name, fingerprint)] = int(str(each.get("count", 1)))
    return counts


def write_baseline(baseline: Baseline, file: Path) -> None:
    """Write a baseline, sorted, so that a change of it is easy to read.

    Raises:
        OutputError: the file cannot be written.
    """
    findings: dict[str, list[dict[str, object]]] = {}
    for (name, fingerprint), count in sorted(baseline.counts.items()):
        entry: dict[str, object] = {
            "rule": fingerprint.code,
            "function": fingerprint.function,
            "statement": fingerprint.statement,
        }
        if count > 1:
            entry["count"] = count
        findings.setdefault(name, []).append(entry)
    document = {"version": _VERSION, "findings": findings}
    content = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    try:
        file.touch()
    except OSError as error:
        raise OutputError(f"{file}: cannot be written: {error.strerror or error}") from error
    write_atomically(file, content.encode())


def make_baseline(
    result: LintResult, *, folder: Path, contents: Mapping[str, bytes] | None = None
) -> Baseline:
    """Accept all findings of a run.

    `folder` is that of the baseline; `contents` has what was not read from a file, by name.
    """
    return Baseline(Counter(_entries(result.violations, folder, contents)))


def apply_baseline(
    result: LintResult,
    baseline: Baseline,
    *,
    folder: Path,
    settings: Settings,
    contents: Mapping[str, bytes] | None = None,
) -> Applied:
    """Take the accepted findings out of a run.

    A finding that has moved to another file is accepted there. Entries for files or rules that
    the run did not look at are left alone.
    """
    entries = _entries(result.violations, folder, contents)
    names = {_name(filename, folder) for filename in result.filenames}
    left = Counter(dict(baseline.counts))
    new = [position for position, entry in enumerate(entries) if not _take(left, entry)]
    gone = [e for e in left.elements() if e.file in names or not (folder / e.file).exists()]
    moved = _moved([entries[position] for position in new], gone)
    kept = [position for number, position in enumerate(new) if number not in moved]
    left.subtract(moved.values())
    ran = {rule.code for rule in select_rules(settings).rules}
    stale = [e for e in sorted((left & Counter(gone)).elements()) if e.fingerprint.code in ran]
    pruned = Counter(dict(baseline.counts))
    pruned.subtract([*stale, *moved.values()])
    pruned.update(entries[new[number]] for number in moved)
    return Applied(
        result=replace(result, violations=tuple(result.violations[n] for n in kept)),
        accepted=len(entries) - len(kept),
        stale=tuple(stale),
        pruned=Baseline(+pruned),
    )


def _take(left: Counter[Entry], entry: Entry) -> bool:
    if left[entry] <= 0:
        return False
    left[entry] -= 1
    return True


def _moved(new: Sequence[Entry], gone: Iterable[Entry]) -> dict[int, Entry]:
    """For the positions of findings that are the same as one that is gone elsewhere, that one."""
    by_fingerprint: dict[Fingerprint, list[Entry]] = {}
    for entry in sorted(gone, reverse=True):
        by_fingerprint.setdefault(entry.fingerprint, []).append(entry)
    moved: dict[int, Entry] = {}
    for position, entry in enumerate(new):
        same = by_fingerprint.get(entry.fingerprint)
        if same:
            moved[position] = same.pop()
    return moved


def _entries(
    violations: Sequence[Violation], folder: Path, contents: Mapping[str, bytes] | None
) -> list[Entry]:
    """The entry of each finding, in their order."""
    by_file: dict[str, list[int]] = {}
    for position, violation in enumerate(violations):
        by_file.setdefault(violation.filename, []).append(position)
    entries: dict[int, Entry] = {}
    for filename, positions in by_file.items():
        content = (contents or {}).get(filename)
        content = _content(filename) if content is None else content
        found = fingerprints(content, [violations[position] for position in positions])
        for position, fingerprint in zip(positions, found, strict=True):
            entries[position] = Entry(_name(filename, folder), fingerprint)
    return [entries[position] for position in range(len(violations))]


def _content(filename: str) -> bytes:
    try:
        return Path(filename).read_bytes()
    except OSError:
        return b""  # gone since it was checked


def _name(filename: str, folder: Path) -> str:
    try:
        return Path(os.path.relpath(filename, folder)).as_posix()
    except ValueError:
        return Path(filename).as_posix()  # on another drive
