"""Checks many files, in worker processes where that pays off."""

from __future__ import annotations

import multiprocessing
import os
import sys
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, ProcessPoolExecutor, wait
from types import TracebackType
from typing import Generic, TypeVar

from tfcheck.config import Settings
from tfcheck.diagnostics import InternalProblem
from tfcheck.lint.checker import Checker, Task
from tfcheck.lint.modules import Modules
from tfcheck.lint.outcome import Outcome, Surroundings

_BYTES_WORTH_A_WORKER = 300_000
"""About half a second of work: less is done before a process has started."""

_CHUNKS = 12
"""For each worker."""

_LINES_KEPT = 240_000
"""By all workers together: about half a gigabyte."""

_Result = TypeVar("_Result", Surroundings, Outcome)


class Workers:
    """Checks files of one run, alone or with processes that live as long as the run."""

    def __init__(self, modules: Modules, settings: Settings, *, jobs: int | None) -> None:
        self._modules = modules
        self._settings = settings
        self._jobs = jobs
        self._own: Checker | None = None
        self._pools: list[ProcessPoolExecutor] = []
        self._starts: list[int] = []
        """The first file of each worker but the first: files of one folder have one worker."""
        self.chunk_size = 0

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        for pool in self._pools:
            pool.shutdown(cancel_futures=True)

    def explore(self, tasks: Sequence[Task]) -> list[Surroundings]:
        """What each file means for others, in the order of `tasks`."""
        if self._is_alone(tasks):
            return self._checker.explore(tasks)
        return _Spread(self, _explore, lambda _: Surroundings()).run(tasks)

    def judge(self, tasks: Sequence[Task]) -> list[Outcome]:
        """The outcome of each file, in the order of `tasks`, whatever the number of workers."""
        if self._is_alone(tasks):
            return self._checker.judge(tasks)
        return _Spread(self, _judge, _died).run(tasks)

    @property
    def _checker(self) -> Checker:
        self._own = self._own or Checker(self._modules, self._settings, lines_kept=_LINES_KEPT)
        return self._own

    def _is_alone(self, tasks: Sequence[Task]) -> bool:
        if self._pools:
            return False
        count = _workers(sum(task.size for task in tasks), self._jobs)
        if count <= 1 or len(tasks) <= 1 or self._own is not None:
            return True
        self._pools = [self._pool(count) for _ in range(count)]
        total = sum(task.size for task in tasks)
        self.chunk_size = total // (count * _CHUNKS) + 1
        done = 0
        for task in tasks:
            if done >= total * (len(self._starts) + 1) // count:
                self._starts.append(task.position)
            done += task.size
        return False

    def home_of(self, task: Task) -> int:
        """The worker that has explored the file, or its neighbours."""
        return min(bisect_right(self._starts, task.position), len(self._pools) - 1)

    def _pool(self, count: int) -> ProcessPoolExecutor:
        """One process, which keeps what it has seen of its files."""
        return ProcessPoolExecutor(
            1,
            mp_context=_context(),
            initializer=_start,
            initargs=(self._modules, self._settings, _LINES_KEPT // count),
        )

    @property
    def count(self) -> int:
        """How many processes there are."""
        return len(self._pools)

    def submit(
        self, worker: int, job: Callable[[Sequence[Task]], list[_Result]], tasks: Sequence[Task]
    ) -> Future[list[_Result]]:
        """Hand tasks to one of the processes."""
        return self._pools[worker].submit(job, tasks)

    def restart(self, worker: int) -> None:
        """Put a new process in the place of one that died."""
        self._pools[worker].shutdown(wait=False)
        self._pools[worker] = self._pool(len(self._pools))


class _Spread(Generic[_Result]):
    """Gives each worker the files it knows already, and to the idle those of the busy."""

    def __init__(
        self,
        workers: Workers,
        job: Callable[[Sequence[Task]], list[_Result]],
        died: Callable[[Task], _Result],
    ) -> None:
        self._workers = workers
        self._job: Callable[[Sequence[Task]], list[_Result]] = job
        self._died: Callable[[Task], _Result] = died
        self._queues: list[deque[list[Task]]] = [deque() for _ in range(workers.count)]
        self._running: dict[Future[list[_Result]], tuple[int, list[Task]]] = {}
        self._results: dict[int, _Result] = {}

    def run(self, tasks: Sequence[Task]) -> list[_Result]:
        """The result of each task, in their order."""
        for task in tasks:
            queue = self._queues[self._workers.home_of(task)]
            # Chunks are small enough for the idle to help the busy in the end.
            if not queue or sum(each.size for each in queue[-1]) >= self._workers.chunk_size:
                queue.append([])
            queue[-1].append(task)
        for worker in range(len(self._queues)):
            self._start(worker)
        while self._running:
            done, _ = wait(self._running, return_when=FIRST_COMPLETED)
            for future in done:
                self._take(future)
        return [self._results[task.position] for task in tasks]

    def _start(self, worker: int) -> None:
        queue = self._queues[worker] or max(self._queues, key=len)
        if queue:
            chunk = queue.popleft() if queue is self._queues[worker] else queue.pop()
            self._running[self._workers.submit(worker, self._job, chunk)] = worker, chunk

    def _take(self, future: Future[list[_Result]]) -> None:
        worker, chunk = self._running.pop(future)
        try:
            for task, result in zip(chunk, future.result(), strict=True):
                self._results[task.position] = result
        except BrokenExecutor:
            self._workers.restart(worker)
            if len(chunk) == 1:
                self._results[chunk[0].position] = self._died(chunk[0])
            else:  # one of them is to blame
                self._queues[worker].extendleft([task] for task in chunk)
        self._start(worker)


def _died(task: Task) -> Outcome:
    summary = "the process that checked the file died, for want of memory or by a fault of Python"
    return Outcome(internal=(InternalProblem(task.filename, None, summary, ""),))


def _context() -> multiprocessing.context.BaseContext:
    # Forking shares what is loaded; elsewhere it is unsafe or unknown.
    return multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")


def _workers(size: int, jobs: int | None) -> int:
    if jobs is not None:
        return jobs
    available = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    return min(available, size // _BYTES_WORTH_A_WORKER + 1)


_checker: Checker | None = None
"""That of a worker process."""


def _start(modules: Modules, settings: Settings, lines_kept: int) -> None:
    global _checker
    _checker = Checker(modules, settings, lines_kept=lines_kept)


def _explore(tasks: Sequence[Task]) -> list[Surroundings]:
    return _started().explore(tasks)


def _judge(tasks: Sequence[Task]) -> list[Outcome]:
    return _started().judge(tasks)


def _started() -> Checker:
    if _checker is None:
        raise RuntimeError("a worker process was not started by `Workers`")
    return _checker
