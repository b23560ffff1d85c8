"""Checks many files, in worker processes where that pays off."""

from __future__ import annotations

import gc
import multiprocessing
import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from tfcheck.config import Settings
from tfcheck.diagnostics import FileProblem
from tfcheck.lint.modules import Modules
from tfcheck.lint.outcome import NOTHING, Exports, Outcome, Reached

if TYPE_CHECKING:
    from tfcheck.lint.shelf import Shelf

_BYTES_WORTH_A_WORKER = 300_000
"""About half a second of work: less is done before a process has started."""

_CHUNKS = 8
"""For each worker; files of one folder, which import each other, are in one where possible."""


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


class Workers:
    """Checks files of one run, alone or with processes that live as long as the run."""

    def __init__(self, modules: Modules, settings: Settings, *, jobs: int | None) -> None:
        self._modules = modules
        self._settings = settings
        self._jobs = jobs
        self._pool: ProcessPoolExecutor | None = None
        self._own: Checker | None = None

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def check(self, tasks: Sequence[Task]) -> list[Outcome]:
        """The outcome of each file, in the order of `tasks`, whatever the number of workers."""
        count = _workers(sum(task.size for task in tasks), self._jobs)
        if count <= 1 or len(tasks) <= 1:
            self._own = self._own or Checker(self._modules, self._settings)
            return self._own.check(tasks)
        if self._pool is None:
            self._pool = ProcessPoolExecutor(
                count,
                mp_context=_context(),
                initializer=_start,
                initargs=(self._modules, self._settings),
            )
        futures = [self._pool.submit(_check_chunk, chunk) for chunk in _chunks(tasks, count)]
        return [outcome for future in futures for outcome in future.result()]


def _context() -> multiprocessing.context.BaseContext:
    # Forking shares what is loaded; elsewhere it is unsafe or unknown.
    return multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")


def _workers(size: int, jobs: int | None) -> int:
    if jobs is not None:
        return jobs
    available = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    return min(available, size // _BYTES_WORTH_A_WORKER + 1)


def _chunks(tasks: Sequence[Task], workers: int) -> Iterator[list[Task]]:
    limit = sum(task.size for task in tasks) // (workers * _CHUNKS) + 1
    chunk: list[Task] = []
    for task in tasks:
        chunk.append(task)
        if sum(each.size for each in chunk) >= limit:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


class Checker:
    """Checks files one after the other, and keeps what they have in common."""

    def __init__(self, modules: Modules, settings: Settings) -> None:
        self._modules = modules
        self._settings = settings
        self._shelf: Shelf | None = None

    def check(self, tasks: Sequence[Task]) -> list[Outcome]:
        """The outcome of each file."""
        collects = gc.isenabled()
        # Parsing makes objects by the million and no garbage: looking for it takes half the time.
        gc.disable()
        try:
            return [self._check_file(task) for task in tasks]
        finally:
            if collects:
                gc.enable()

    def _check_file(self, task: Task) -> Outcome:
        try:
            content = task.path.read_bytes()
        except OSError as error:
            reason = error.strerror or str(error)
            return Outcome(problem=FileProblem(task.filename, f"cannot be read: {reason}"))
        if task.syntax_only:
            from tfcheck.lint.syntax import check_syntax  # pays for no rule

            return check_syntax(content, filename=task.filename, settings=self._settings)
        from tfcheck.lint.check import check_bytes
        from tfcheck.lint.shelf import Shelf, Standing

        self._shelf = self._shelf or Shelf(self._modules)
        outcome = check_bytes(
            content,
            filename=task.filename,
            settings=self._settings,
            reached=task.reached,
            standing=Standing(self._shelf, task.position, task.wanted),
        )
        self._shelf.trim()
        return outcome


_checker: Checker | None = None
"""That of a worker process."""


def _start(modules: Modules, settings: Settings) -> None:
    global _checker
    _checker = Checker(modules, settings)


def _check_chunk(tasks: Sequence[Task]) -> list[Outcome]:
    if _checker is None:
        raise RuntimeError("a worker process was not started by `Workers`")
    return _checker.check(tasks)
