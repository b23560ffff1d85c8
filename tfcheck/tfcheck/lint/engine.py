"""Runs the rules over files: the public face of the static pass."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tfcheck.config import Settings
from tfcheck.diagnostics import LintResult
from tfcheck.lint.files import Discovery, StdinSource, discover, matches
from tfcheck.lint.inputs import Inputs
from tfcheck.lint.outcome import Outcome, order
from tfcheck.lint.parallel import Progress
from tfcheck.lint.project import check_project
from tfcheck.lint.recall import Recall
from tfcheck.lint.shards import Shard

if TYPE_CHECKING:
    from tfcheck.lint.mend import Mended

__all__ = ["FixResult", "StdinSource", "fix_paths", "ignore_paths", "lint_paths"]


@dataclass(frozen=True, slots=True)
class FixResult:
    """What is left after fixing, and what fixing changed."""

    remaining: LintResult
    """Findings that are still there; `remaining.fixed` counts the fixes applied."""
    diff: str
    """Unified diff of all changed files, in the order of their names; empty when none changed."""
    stdin: bytes | None = None
    """The fixed text of the standard input, where that was linted."""


def lint_paths(
    paths: Sequence[Path],
    *,
    settings: Settings,
    stdin: StdinSource | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
    unsaved: Mapping[Path, bytes] | None = None,
    shard: Shard | None = None,
) -> LintResult:
    """Lint files and folders, and `stdin` if given; never raises for what a file contains.

    `jobs` is the number of worker processes (None: as many as pay off). The result does not
    depend on it. `progress` is told how far the run is. `unsaved` is what files below `paths`
    hold in an editor. With `shard` only its files are reported on.

    Raises:
        InputError: a path does not exist.
        ConfigError: a selector in `settings` names no rule.
    """
    started = time.perf_counter()
    found, inputs, recall = _opened(paths, settings, unsaved)
    settings = found.settings
    known = recall.run() if recall is not None else None
    if known is None:
        outcomes = _checked(inputs, settings, jobs, recall, progress, shard)
    else:
        outcomes = [each for n, each in enumerate(known) if shard is None or shard.holds(n)]
    names = [name for n, name in enumerate(inputs.filenames) if shard is None or shard.holds(n)]
    if stdin is not None and not _is_excluded(stdin, settings):
        from tfcheck.lint.check import check_bytes  # a run over files loads it if need be

        own = settings.at(stdin.filename)
        outcomes.append(check_bytes(stdin.content, filename=stdin.filename, settings=own))
        names.append(stdin.filename)
    return _result(outcomes, found, names=names, started=started)


def fix_paths(
    paths: Sequence[Path],
    *,
    settings: Settings,
    stdin: StdinSource | None = None,
    unsafe: bool = False,
    write: bool = True,
    progress: Progress | None = None,
) -> FixResult:
    """Apply safe fixes (with `unsafe`, those that ask too) until none is left.

    With `write=False` no file is touched and only the diff is made. Files are replaced
    atomically; one that cannot be written is a problem of the result, and the others are fixed.

    Raises:
        InputError: a path does not exist.
        ConfigError: a selector in `settings` names no rule.
    """
    from tfcheck.lint.mend import mend, mend_file  # only fixing pays for it

    started = time.perf_counter()
    found, inputs, recall = _opened(paths, settings)
    settings = found.settings
    project = check_project(inputs, settings=settings, jobs=None, recall=recall, progress=progress)
    outcomes = list(project.outcomes)
    changes: list[Mended] = []
    for position, task in enumerate(project.tasks):
        if any(violation.fix for violation in outcomes[position].violations):
            mended = mend_file(
                task,
                content=inputs.contents[position],
                modules=project.modules,
                settings=settings.at(task.path),
                unsafe=unsafe,
                write=write,
            )
            outcomes[position] = mended.outcome
            changes.append(mended)
    text = None
    if stdin is not None:
        changes.append(mend(stdin, settings=settings.at(stdin.filename), unsafe=unsafe))
        outcomes.append(changes[-1].outcome)
        text = changes[-1].content
    names = [*inputs.filenames, *([stdin.filename] if stdin is not None else [])]
    result = _result(outcomes, found, names=names, started=started)
    fixed = sum(mended.fixed for mended in changes)
    diff = "".join(mended.diff() for mended in changes)
    return FixResult(replace(result, fixed=fixed), diff, text)


def ignore_paths(paths: Sequence[Path], *, settings: Settings, write: bool = True) -> FixResult:
    """Put a suppression comment on the line of each finding, so that only new ones are reported.

    With `write=False` no file is touched and only the diff is made. `remaining.fixed` counts the
    findings that are suppressed now; those that remain stand where no comment can.

    Raises:
        InputError: a path does not exist.
        ConfigError: a selector in `settings` names no rule.
    """
    from tfcheck.lint.ignores import add_ignores  # only this pays for it

    started = time.perf_counter()
    found, inputs, recall = _opened(paths, settings)
    settings = found.settings
    project = check_project(inputs, settings=settings, jobs=None, recall=recall, progress=None)
    outcomes = list(project.outcomes)
    changes: list[Mended] = []
    for position, task in enumerate(project.tasks):
        changed = add_ignores(
            task,
            outcomes[position],
            content=inputs.contents[position],
            modules=inputs.modules,
            settings=settings.at(task.path),
            write=write,
        )
        if changed is not None:
            outcomes[position] = changed.outcome
            changes.append(changed)
    result = _result(outcomes, found, names=inputs.filenames, started=started)
    fixed = sum(changed.fixed for changed in changes)
    return FixResult(replace(result, fixed=fixed), "".join(change.diff() for change in changes))


def _checked(
    inputs: Inputs,
    settings: Settings,
    jobs: int | None,
    recall: Recall | None,
    progress: Progress | None,
    shard: Shard | None,
) -> list[Outcome]:
    project = check_project(
        inputs, settings=settings, jobs=jobs, recall=recall, progress=progress, shard=shard
    )
    return list(project.outcomes)


def _is_excluded(stdin: StdinSource, settings: Settings) -> bool:
    patterns = [*settings.exclude, *settings.extend_exclude]
    return settings.force_exclude and matches(stdin.filename, patterns, root=settings.root)


def _opened(
    paths: Sequence[Path], settings: Settings, unsaved: Mapping[Path, bytes] | None = None
) -> tuple[Discovery, Inputs, Recall | None]:
    """The files to check, their contents, and what is remembered of them if anything is."""
    found = _discover(paths, settings)
    inputs = Inputs(found.files, unsaved)
    keeps = settings.cache and inputs.are_worth_keeping
    return found, inputs, Recall(inputs, found.settings) if keeps else None


def _discover(paths: Sequence[Path], settings: Settings) -> Discovery:
    if settings.select or settings.extend_select or settings.ignore or settings.per_file_ignores:
        # A misspelt rule is an error even where no file needs rules; else they are not loaded.
        from tfcheck.lint.selection import select_rules

        select_rules(settings)
    return discover(paths, settings)


def _result(
    outcomes: Sequence[Outcome], found: Discovery, *, names: Sequence[str], started: float
) -> LintResult:
    violations = [violation for outcome in outcomes for violation in outcome.violations]
    unread = [outcome.problem for outcome in outcomes if outcome.problem is not None]
    return LintResult(
        violations=tuple(sorted(violations, key=order)),
        files=len(outcomes) - len(unread),
        traced_files=sum(outcome.traced for outcome in outcomes),
        seconds=time.perf_counter() - started,
        problems=(*found.problems, *unread),
        internal=tuple(problem for outcome in outcomes for problem in outcome.internal),
        filenames=tuple(names),
    )
