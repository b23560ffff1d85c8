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


class Checker:
    """Explores files, which says what they mean for others, and judges them when all is known.

    Models are kept from the one to the other, as many as fit into memory.
    """

    def __init__(self, modules: Modules, settings: Settings, *, lines_kept: int) -> None:
        self._modules = modules
        self._settings = settings
        self._lines_kept = lines_kept
        self._shelf: Shelf | None = None
        self._models: dict[int, tuple[Task, FileModel]] = {}

    def explore(self, tasks: Sequence[Task]) -> list[Surroundings]:
        """What each file means for others."""
        return self._each(tasks, self._explore)

    def judge(self, tasks: Sequence[Task]) -> list[Outcome]:
        """What is wrong with each file."""
        return self._each(tasks, self._judge)

    def _each(self, tasks: Sequence[Task], check: Callable[[Task], _Result]) -> list[_Result]:
        results: list[_Result] = []
        for task in tasks:
            results.append(check(task))
            if self._shelf is not None and self._shelf.lines > self._lines_kept:
                self.clear()
        return results

    def _explore(self, task: Task) -> Surroundings:
        from tfcheck.lint import check  # files that cannot hold traced code pay for no rule

        try:
            content = task.path.read_bytes()
        except OSError:
            return Surroundings()  # said by `judge`
        self._drop(task.position)
        model = check.open_bytes(
            content, filename=task.filename, reached=task.reached, standing=self._standing(task)
        )
        if model is None:
            return Surroundings()
        self._models[task.position] = task, model
        return check.explore(model)

    def _judge(self, task: Task) -> Outcome:
        known, model = self._models.pop(task.position, (None, None))
        if model is not None and known == task:
            from tfcheck.lint.check import judge

            return judge(model, self._settings)
        try:
            content = task.path.read_bytes()
        except OSError as error:
            reason = error.strerror or str(error)
            return Outcome(problem=FileProblem(task.filename, f"cannot be read: {reason}"))
        if task.syntax_only:
            return check_syntax(content, filename=task.filename, settings=self._settings)
        from tfcheck.lint.check import check_bytes

        return check_bytes(
            content,
            filename=task.filename,
            settings=self._settings,
            reached=task.reached,
            standing=self._standing(task),
        )

    def _standing(self, task: Task) -> Standing:
        from tfcheck.lint.shelf import Shelf, Standing

        self._shelf = self._shelf or Shelf(self._modules)
        return Standing(self._shelf, task.position, task.wanted)

    def _drop(self, position: int) -> None:
        _, model = self._models.pop(position, (None, None))
        if model is not None:
            model.close()

    def clear(self) -> None:
        """Drop all that is kept."""
        for position in list(self._models):
            self._drop(position)
        if self._shelf is not None:
            self._shelf.clear()
