"""Checks many files, in worker processes where that pays off."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING

from tfcheck.config import Settings
from tfcheck.lint.checker import Checker, Done, Task
from tfcheck.lint.modules import Modules
from tfcheck.lint.outcome import Outcome, Surroundings

if TYPE_CHECKING:
    from tfcheck.lint.pool import Pool

_BYTES_WORTH_A_WORKER = 300_000
"""About half a second of work: less is done before a process has started."""

_LINES_KEPT = 420_000
"""By all workers together: about half a gigabyte."""


Progress = Callable[[str, int, int], None]
"""Told what is being done to the files, how many are through, and how many there are."""


class Workers:
    """Checks files of one run, alone or with processes that live as long as the run."""

    def __init__(
        self, modules: Modules, settings: Settings, *, jobs: int | None, progress: Progress | None
    ) -> None:
        self._modules = modules
        self._settings = settings
        self._jobs = jobs
        self._progress = progress
        self._own: Checker | None = None
        self._pool: Pool | None = None
        self._collects = False

    def __enter__(self) -> Workers:
        # Parsing makes objects by the million and no garbage: looking for it takes half the time.
        self._collects = gc.isenabled()
        gc.disable()
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        if self._pool is not None:
            self._pool.close()
        if self._own is not None:
            self._own.clear()
        if self._collects:
            gc.enable()

    def explore(self, tasks: Sequence[Task]) -> list[Surroundings]:
        """What each file means for others, in the order of `tasks`."""
        return self._for(tasks).explore(tasks, self._counter("reading", len(tasks)))

    def judge(self, tasks: Sequence[Task]) -> list[Outcome]:
        """The outcome of each file, in the order of `tasks`, whatever the number of workers."""
        return self._for(tasks).judge(tasks, self._counter("checking", len(tasks)))

    def _counter(self, what: str, total: int) -> Done:
        progress, through = self._progress, 0

        def done(more: int) -> None:
            nonlocal through
            through += more
            if progress is not None:
                progress(what, through, total)

        return done

    def _for(self, tasks: Sequence[Task]) -> Checker | Pool:
        """What checks these tasks: who has started with a run has the files in its memory."""
        if self._pool is not None:
            return self._pool
        count = _workers(sum(task.size for task in tasks), self._jobs)
        if self._own is not None or count <= 1 or len(tasks) <= 1:
            self._own = self._own or Checker(self._modules, self._settings, lines_kept=_LINES_KEPT)
            return self._own
        from tfcheck.lint.pool import Pool  # small runs do without

        self._pool = Pool(self._modules, self._settings, tasks, count=count, lines_kept=_LINES_KEPT)
        return self._pool


def _workers(size: int, jobs: int | None) -> int:
    if jobs is not None:
        return jobs
    available = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    return min(available, size // _BYTES_WORTH_A_WORKER + 1)
