"""Carries traced code from file to file: who calls whom across modules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tfcheck.config import Settings
from tfcheck.lint.checker import Task
from tfcheck.lint.importers import Importers
from tfcheck.lint.inputs import Inputs
from tfcheck.lint.modules import Modules
from tfcheck.lint.outcome import NOTHING, Arrival, Departure, Outcome, Place, Receiver, Surroundings
from tfcheck.lint.parallel import Progress, Workers
from tfcheck.lint.recall import Checks, Recall
from tfcheck.lint.shards import Shard
from tfcheck.lint.surface import can_trace, uses_tensorflow

_MAX_ROUNDS = 12
"""Longer chains of modules than any that people follow."""


@dataclass(frozen=True, slots=True)
class Project:
    """The files of a run, with what is known of each."""

    modules: Modules
    tasks: tuple[Task, ...]
    """Those that were judged, with what other files trace in theirs."""
    outcomes: tuple[Outcome, ...]


def check_project(
    inputs: Inputs,
    *,
    settings: Settings,
    jobs: int | None,
    recall: Recall | None,
    progress: Progress | None,
    shard: Shard | None = None,
) -> Project:
    """Check files that may import each other.

    The files that can hold traced code are explored first. Then those are explored, some of them
    again, that others trace something of or that import a Function, until nothing new is found.
    In the end all are judged, or those of the shard; of files without traced code, whether they
    parse.
    """
    tasks = [_task(inputs, position, settings) for position in range(len(inputs.paths))]
    rounds = _Rounds(tasks, Importers(inputs.modules, inputs.contents))
    with Workers(inputs.modules, settings, jobs=jobs, progress=progress) as workers:
        checks: Checks = workers if recall is None else recall.through(workers)
        chosen = [task.position for task in tasks if not task.syntax_only]
        for _ in range(_MAX_ROUNDS):
            if not chosen:
                break
            found = checks.explore([rounds.tasks[position] for position in chosen])
            chosen = rounds.take(dict(zip(chosen, found, strict=True)))
        judged = [task for task in rounds.tasks if shard is None or shard.holds(task.position)]
        outcomes = checks.judge(judged)
    if recall is not None:
        recall.keep(outcomes, whole=shard is None)
    return Project(inputs.modules, tuple(judged), tuple(outcomes))


def _task(inputs: Inputs, position: int, settings: Settings) -> Task:
    content = inputs.contents[position]
    path, filename = inputs.paths[position], inputs.filenames[position]
    plain = not can_trace(content) and not _is_looked_at(content, settings.at(path))
    return Task(path, filename, position, len(content), syntax_only=plain)


def _is_looked_at(content: bytes, settings: Settings) -> bool:
    """Whether a rule looks at a file without traced code; most mention no such package."""
    if not uses_tensorflow(content):
        return False
    from tfcheck.lint.selection import plain_rules  # loads the rules

    text = content.decode("latin-1")
    return any(rule.looks_at(text) for rule in plain_rules(settings))


class _Rounds:
    """What is known after each round of checks, and what it makes worth another look."""

    def __init__(self, tasks: list[Task], importers: Importers) -> None:
        self.tasks = tasks
        self._found = [Surroundings() for _ in tasks]
        self._importers = importers
        self._positions = {task.filename: task.position for task in tasks}
        self._known: dict[int, dict[str, Arrival]] = {}
        self._heirs: dict[Place, list[tuple[str, Place]]] = {}
        """For each class the methods of those in other files that derive from it, by name."""
        self._bases: dict[Place, tuple[Place, ...]] = {}

    def take(self, found: dict[int, Surroundings]) -> list[int]:
        """Note what a round has found; the files to explore in the next one."""
        for position, surroundings in found.items():
            self._found[position] = surroundings
        self._note_heirs()
        again = self._spread()
        exports = {position: surroundings.exports for position, surroundings in found.items()}
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

    def _note_heirs(self) -> None:
        self._heirs.clear()
        for task, surroundings in zip(self.tasks, self._found, strict=True):
            for heir in surroundings.heirs:
                place = Place(task.filename, heir.name)
                self._bases[place] = heir.bases
                for base in heir.bases:
                    known = self._heirs.setdefault(base, [])
                    known += [(method, place) for method in sorted(heir.methods)]

    def _spread(self) -> set[int]:
        """Note what the traced code of each file reaches; the files that this changes."""
        changed: set[int] = set()
        for surroundings in self._found:
            for departure in surroundings.departures:
                places = [departure.target]
                if departure.virtual:
                    places = list(self._overrides(departure))
                for place in places:
                    if self._arrive(place, departure.arrival):
                        changed.add(self._positions[place.filename])
        return changed

    def _overrides(self, departure: Departure) -> Iterator[Place]:
        owner, _, name = departure.target.name.rpartition(".")
        receivers = departure.arrival.receivers
        for method, heir in self._heirs.get(Place(departure.target.filename, owner), ()):
            if method == name and (not receivers or self._is_one_of(heir, receivers)):
                yield Place(heir.filename, f"{heir.name}.{name}")

    def _is_one_of(self, heir: Place, receivers: tuple[Receiver, ...]) -> bool:
        """Whether a class is one of those, is a base of one or may derive from one."""
        bases = self._bases.get(heir, ())
        return any(
            heir == each.place
            or (each.place in bases and not each.exact)
            or heir in self._bases.get(each.place, ())
            for each in receivers
        )

    def _arrive(self, place: Place, arrival: Arrival) -> bool:
        """Note that something is traced; whether that was not known."""
        arrivals = self._known.setdefault(self._positions[place.filename], {})
        earlier = arrivals.get(place.name)
        if earlier is None:
            arrivals[place.name] = arrival
            return True
        # The chain that was found first stays, unless the new one has AutoGraph convert it.
        better = arrival if arrival.converted and not earlier.converted else earlier
        together: tuple[Receiver, ...] = ()
        if earlier.receivers and arrival.receivers:
            known = {*earlier.receivers, *arrival.receivers}
            together = tuple(
                sorted(known, key=lambda each: (each.place.filename, each.place.name, each.exact))
            )
        arrivals[place.name] = replace(better, receivers=together)
        return arrivals[place.name] != earlier
