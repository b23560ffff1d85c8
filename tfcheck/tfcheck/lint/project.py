"""Carries traced code from file to file: who calls whom across modules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tfcheck.config import Settings
from tfcheck.lint.importers import Importers
from tfcheck.lint.modules import Modules
from tfcheck.lint.outcome import NOTHING, Arrival, Outcome, Place
from tfcheck.lint.parallel import Task, Workers
from tfcheck.lint.surface import can_trace, has_plain_use

_MAX_ROUNDS = 12
"""Longer chains of modules than any that people follow."""


@dataclass(frozen=True, slots=True)
class Project:
    """The files of a run, with what is known of each."""

    modules: Modules
    tasks: tuple[Task, ...]
    """With what other files trace in theirs."""
    outcomes: tuple[Outcome, ...]


def check_project(paths: Sequence[Path], *, settings: Settings, jobs: int | None) -> Project:
    """Check files that may import each other; all are parsed at least.

    Each file is checked first. Then those are checked, or checked
    again, that others trace something of or that import a Function, until nothing new is found.
    """
    modules = Modules(paths)
    contents = [_read(path) for path in paths]
    tasks = [
        Task(
            path,
            path.as_posix(),
            position,
            len(content),
            syntax_only=not can_trace(content) and not has_plain_use(content),
        )
        for position, (path, content) in enumerate(zip(paths, contents, strict=True))
    ]
    rounds = _Rounds(modules, tasks, Importers(modules, contents))
    with Workers(modules, settings, jobs=jobs) as workers:
        chosen = [task.position for task in tasks]
        for _ in range(_MAX_ROUNDS):
            if not chosen:
                break
            found = workers.check([rounds.tasks[position] for position in chosen])
            chosen = rounds.take(dict(zip(chosen, found, strict=True)))
    return Project(modules, tuple(rounds.tasks), tuple(rounds.outcomes))


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b"tensorflow.function"  # to be checked, which says why it cannot be read


class _Rounds:
    """What is known after each round of checks, and what it makes worth another look."""

    def __init__(self, modules: Modules, tasks: list[Task], importers: Importers) -> None:
        self.tasks = tasks
        self.outcomes = [Outcome() for _ in tasks]
        self._importers = importers
        self._positions = {task.filename: task.position for task in tasks}
        self._known: dict[int, dict[str, Arrival]] = {}
        self._checked: set[int] = set()
        self._heirs: dict[Place, list[tuple[str, Place]]] = {}
        """For each class those of other files that derive from it, by method."""

    def take(self, outcomes: dict[int, Outcome]) -> list[int]:
        """Note the outcomes of a round; the files to check in the next one."""
        for position, outcome in outcomes.items():
            self.outcomes[position] = outcome
            self._checked.add(position)
        self._note_heirs(outcomes.values())
        again = self._spread()
        exports = {position: outcome.exports for position, outcome in outcomes.items()}
        wanted = self._importers.interested(exports)
        for position in again | wanted.keys():
            task, reached = self.tasks[position], self._known.get(position)
            self.tasks[position] = replace(
                task,
                syntax_only=False,
                reached=dict(reached) if reached else None,
                wanted=task.wanted | wanted.get(position, NOTHING),
            )
        return sorted(again | wanted.keys())

    def _note_heirs(self, outcomes: Iterable[Outcome]) -> None:
        self._heirs.clear()
        for task, outcome in zip(self.tasks, self.outcomes, strict=True):
            for heir in outcome.heirs:
                for base in heir.bases:
                    found = self._heirs.setdefault(base, [])
                    found += [
                        (method, Place(task.filename, f"{heir.name}.{method}"))
                        for method in sorted(heir.methods)
                    ]

    def _spread(self) -> set[int]:
        """Note what the traced code of each file reaches; the files that this changes."""
        changed: set[int] = set()
        for outcome in self.outcomes:
            for departure in outcome.departures:
                places = [departure.target]
                if departure.virtual:
                    places = list(self._overrides(departure.target))
                for place in places:
                    if self._arrive(place, departure.arrival):
                        changed.add(self._positions[place.filename])
        return changed

    def _overrides(self, target: Place) -> Iterator[Place]:
        owner, _, name = target.name.rpartition(".")
        for method, place in self._heirs.get(Place(target.filename, owner), ()):
            if method == name:
                yield place

    def _arrive(self, place: Place, arrival: Arrival) -> bool:
        """Note that something is traced; whether that was not known."""
        arrivals = self._known.setdefault(self._positions[place.filename], {})
        earlier = arrivals.get(place.name)
        if earlier is not None and (earlier.converted or not arrival.converted):
            return False
        arrivals[place.name] = arrival
        return True
