"""Checks files one after the other, and keeps what they have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from tfcheck.config import Settings
from tfcheck.diagnostics import FileProblem
from tfcheck.lint.modules import Modules
from tfcheck.lint.outcome import NOTHING, Exports, Outcome, Reached, Surroundings
from tfcheck.lint.syntax import check_syntax

if TYPE_CHECKING:
    from tfcheck.lint.semantics import FileModel
    from tfcheck.lint.shelf import Shelf, Standing

_Result = TypeVar("_Result")

Done = Callable[[int], None]
"""Told how many more files are through."""


@dataclass(frozen=True, slots=True)
class Task:
    """A file to check, under the name it is reported by."""

    path: Path
    filename: str
    position: int
    """Its place among the modules of the run."""
    size: int
    syntax_only: bool = False
    """Whether it cannot hold traced code, so that all there is to say is whether it parses."""
    reached: Reached | None = None
    """What other files trace in it, once that is known."""
    wanted: Exports = NOTHING
    """Names in it that may mean a Function of another file, or a class to derive from."""


class _Store:
    """Parsed files and the models that rest on them; they can be dropped together only."""

    def __init__(self, shelf: Shelf) -> None:
        self.shelf = shelf
        self.models: dict[int, tuple[Task, FileModel]] = {}

    def drop(self, position: int) -> None:
        """Drop the model of a file."""
        _, model = self.models.pop(position, (None, None))
        if model is not None:
            model.close()

    def clear(self) -> None:
        """Drop everything."""
        for position in list(self.models):
            self.drop(position)
        self.shelf.clear()


_PASSING_SHARE = 4
"""The part of all lines that files may take which are not kept: one in so many."""


class Checker:
    """Explores files, which says what they mean for others, and judges them when all is known.

    Models are kept from the one to the other, as many as fit into memory: those of the first
    files. Dropping the oldest ones would leave nothing that is of use, as files are judged in the
    order in which they were explored.
    """

    def __init__(self, modules: Modules, settings: Settings, *, lines_kept: int) -> None:
        self._modules = modules
        self._settings = settings
        self._passing_lines = lines_kept // _PASSING_SHARE
        self._kept_lines = lines_kept - self._passing_lines
        self._kept: _Store | None = None
        """Full."""
        self._open: _Store | None = None

    def explore(self, tasks: Sequence[Task], done: Done) -> list[Surroundings]:
        """What each file means for others."""
        return self._each(tasks, self._explore, done)

    def judge(self, tasks: Sequence[Task], done: Done) -> list[Outcome]:
        """What is wrong with each file."""
        return self._each(tasks, self._judge, done)

    def _each(
        self, tasks: Sequence[Task], check: Callable[[Task], _Result], done: Done
    ) -> list[_Result]:
        results: list[_Result] = []
        for task in tasks:
            results.append(check(task))
            self._make_room()
            done(1)
        return results

    def _make_room(self) -> None:
        if self._kept is not None and not self._kept.models:
            self._kept.clear()
            self._kept = None
        lines = 0 if self._open is None else self._open.shelf.lines
        if self._open is None or lines <= self._passing_lines:
            return
        if self._kept is not None:
            self._open.clear()
        elif lines > self._kept_lines:
            self._kept, self._open = self._open, None

    def _explore(self, task: Task) -> Surroundings:
        from tfcheck.lint import check  # files that cannot hold traced code pay for no rule

        try:
            content = self._modules.read(task.position)
        except OSError:
            return Surroundings()  # said by `judge`
        store = self._store(task)
        store.drop(task.position)
        model = check.open_bytes(
            content,
            filename=task.filename,
            reached=task.reached,
            standing=_standing(task, store),
        )
        if model is None:
            return Surroundings()
        store.models[task.position] = task, model
        return check.explore(model)

    def _judge(self, task: Task) -> Outcome:
        settings = self._settings.at(task.path)
        known, model = self._known(task)
        if model is not None and known == task:
            from tfcheck.lint.check import judge

            return judge(model, settings)
        try:
            content = self._modules.read(task.position)
        except OSError as error:
            reason = error.strerror or str(error)
            return Outcome(problem=FileProblem(task.filename, f"cannot be read: {reason}"))
        if task.syntax_only:
            return check_syntax(content, filename=task.filename, settings=settings)
        from tfcheck.lint.check import check_bytes

        return check_bytes(
            content,
            filename=task.filename,
            settings=settings,
            reached=task.reached,
            standing=_standing(task, self._store(task)),
        )

    def _known(self, task: Task) -> tuple[Task, FileModel] | tuple[None, None]:
        for store in (self._kept, self._open):
            if store is not None and task.position in store.models:
                return store.models.pop(task.position)
        return None, None

    def _store(self, task: Task) -> _Store:
        """Where the file is parsed already, else where there is room."""
        if self._kept is not None and task.position in self._kept.models:
            return self._kept
        if self._open is None:
            from tfcheck.lint.shelf import Shelf

            self._open = _Store(Shelf(self._modules))
        return self._open

    def clear(self) -> None:
        """Drop all that is kept."""
        for store in (self._kept, self._open):
            if store is not None:
                store.clear()


def _standing(task: Task, store: _Store) -> Standing:
    from tfcheck.lint.shelf import Standing

    return Standing(store.shelf, task.position, task.wanted)
