"""Answers from the cache where nothing has changed that they rest on."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Protocol, TypeVar

import tfcheck
from tfcheck.config import Settings
from tfcheck.lint.cache import Cache, cache_folder, digest
from tfcheck.lint.checker import Task
from tfcheck.lint.inputs import Inputs
from tfcheck.lint.modules import EVERYWHERE, Found
from tfcheck.lint.outcome import ALONE, Basis, Outcome, Surroundings
from tfcheck.lint.records import Json, pack, unpack
from tfcheck.lint.rule_packages import signature

_Result = TypeVar("_Result", Surroundings, Outcome)


class Checks(Protocol):
    """What explores and judges files, in the order of the tasks."""

    def explore(self, tasks: Sequence[Task]) -> list[Surroundings]:
        """What each file means for others."""

    def judge(self, tasks: Sequence[Task]) -> list[Outcome]:
        """What is wrong with each file."""


@dataclass(frozen=True, slots=True)
class _Said:
    """What was found in one of the files of a run."""

    file: int
    outcome: Outcome


class Recall:
    """Knows what was found in earlier runs.

    The key of an answer holds the content of the file, what others trace in it, the settings and
    the rules. With the answer it is kept what else was asked for it: which names lead to which
    files and what is in those. All that is compared before the answer counts.
    """

    def __init__(self, inputs: Inputs, settings: Settings) -> None:
        self._inputs = inputs
        self._cache = Cache(cache_folder())
        version = ".".join(map(str, sys.version_info[:3]))
        self._version = digest(tfcheck.__version__, version, *signature())
        self._settings = digest(
            *(repr(getattr(settings, field.name)) for field in fields(settings))
        )
        self._fresh: dict[str, Json] = {}

    # Whole runs

    def run(self) -> list[Outcome] | None:
        """What was found when exactly these files were checked; None if they never were."""
        key = self._run_key
        found = self._cache.get([key]).get(key)
        try:
            known = {said.file: said.outcome for said in unpack(tuple[_Said, ...], found)}
        except ValueError:
            return None
        return [known.get(n) or Outcome() for n in range(len(self._inputs.paths))]

    def keep(self, outcomes: Sequence[Outcome], *, whole: bool) -> None:
        """Keep all new answers; with `whole`, what was found in all files as that of the run."""
        if whole and all(_is_kept(outcome) for outcome in outcomes):
            plain = (replace(outcome, basis=ALONE) for outcome in outcomes)
            said = (_Said(n, found) for n, found in enumerate(plain) if found != Outcome())
            self._fresh[self._run_key] = pack(tuple(said))
        self._cache.put(self._fresh)
        self._fresh = {}

    @property
    def _run_key(self) -> str:
        inputs = self._inputs
        return digest("run", self._version, self._settings, *inputs.filenames, "", *inputs.digests)

    # Single files

    def through(self, checks: Checks) -> Checks:
        """`checks`, asked only for what is not known."""
        return _Recalling(self, checks)

    def known(self, keys: Mapping[int, str], kind: type[_Result]) -> dict[int, _Result]:
        """The answers under those of the keys whose basis is as it was, by position."""
        entries = self._cache.get(keys.values())
        found: dict[int, _Result] = {}
        for position, key in keys.items():
            result = self._read(entries.get(key), kind)
            if result is not None:
                found[position] = result
        return found

    def _read(self, entry: Json, kind: type[_Result]) -> _Result | None:
        try:
            answer, asked, looked_at = entry
            if not self._holds(asked, looked_at):
                return None
            result: _Result = unpack(kind, answer)
        except (TypeError, ValueError):
            return None  # no entry, or none that this version has written
        return result

    def _holds(self, asked: Json, looked_at: Json) -> bool:
        inputs = self._inputs
        for filename, known in looked_at:
            position = inputs.positions.get(filename)
            if position is None or inputs.digests[position] != known:
                return False
        for target, asker, filename, name in asked:
            position = EVERYWHERE if asker is None else inputs.positions.get(asker)
            if position is None or self._found(target, position) != (filename, name):
                return False
        return True

    def _found(self, target: str, position: int) -> tuple[str | None, str]:
        modules = self._inputs.modules
        found = modules.at(target) if position == EVERYWHERE else modules.find(target, position)
        return self._named(found)

    def _named(self, found: Found | None) -> tuple[str | None, str]:
        return (None, "") if found is None else (self._inputs.filenames[found.file], found.name)

    def note(self, key: str, result: Surroundings | Outcome) -> None:
        """Keep an answer for the next run."""
        if isinstance(result, Outcome) and not _is_kept(result):
            return
        basis: Basis = result.basis
        names, digests = self._inputs.filenames, self._inputs.digests
        asked = [
            [target, None if position == EVERYWHERE else names[position], *self._named(found)]
            for target, position, found in basis.asked
        ]
        looked_at = [[names[position], digests[position]] for position in basis.looked_at]
        self._fresh[key] = [pack(replace(result, basis=ALONE)), asked, looked_at]

    def key(self, task: Task, *, judged: bool) -> str:
        """The key of the answer for a file."""
        return digest(
            "judge" if judged else "explore",
            self._version,
            self._settings if judged else "",
            task.filename,
            self._inputs.digests[task.position],
            repr((task.syntax_only, pack(task.wanted), pack(task.reached))),
        )


class _Recalling:
    """Asks the cache first."""

    def __init__(self, recall: Recall, checks: Checks) -> None:
        self._recall = recall
        self._checks = checks

    def explore(self, tasks: Sequence[Task]) -> list[Surroundings]:
        """What each file means for others."""
        return self._ask(tasks, Surroundings, self._checks.explore)

    def judge(self, tasks: Sequence[Task]) -> list[Outcome]:
        """What is wrong with each file."""
        return self._ask(tasks, Outcome, self._checks.judge)

    def _ask(
        self,
        tasks: Sequence[Task],
        kind: type[_Result],
        check: Callable[[Sequence[Task]], list[_Result]],
    ) -> list[_Result]:
        keys = {t.position: self._recall.key(t, judged=kind is Outcome) for t in tasks}
        known = self._recall.known(keys, kind)
        missing = [task for task in tasks if task.position not in known]
        for task, result in zip(missing, check(missing) if missing else [], strict=True):
            known[task.position] = result
            self._recall.note(keys[task.position], result)
        return [known[task.position] for task in tasks]


def _is_kept(outcome: Outcome) -> bool:
    """Whether it will be the same next time: what went wrong may have gone by then."""
    return outcome.problem is None and not outcome.internal
