"""Worker processes for the files of one run."""

from __future__ import annotations

import gc
import multiprocessing
import sys
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, ProcessPoolExecutor, wait
from typing import Generic, TypeVar

from tfcheck.config import Settings
from tfcheck.diagnostics import InternalProblem
from tfcheck.lint.checker import Checker, Done, Task
from tfcheck.lint.modules import Modules
from tfcheck.lint.outcome import Outcome, Surroundings

_CHUNKS = 12
"""For each worker, so that the idle can help the busy in the end."""

_Result = TypeVar("_Result", Surroundings, Outcome)


class Pool:
    """Processes that live as long as the run; each keeps what it has seen of its files."""

    def __init__(
        self,
        modules: Modules,
        settings: Settings,
        tasks: Sequence[Task],
        *,
        count: int,
        lines_kept: int,
    ) -> None:
        self._start = (modules, settings, lines_kept // count)
        self._processes = [self._process() for _ in range(count)]
        total = sum(task.size for task in tasks)
        self.chunk_size = total // (count * _CHUNKS) + 1
        self._firsts: list[int] = []
        """The first file of each worker but the first: files of one folder have one worker."""
        done = 0
        for task in tasks:
            if done >= total * (len(self._firsts) + 1) // count:
                self._firsts.append(task.position)
            done += task.size

    def _process(self) -> ProcessPoolExecutor:
        # Forking shares what is loaded; elsewhere it is unsafe or unknown.
        context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
        return ProcessPoolExecutor(1, context, initializer=_start, initargs=self._start)

    def close(self) -> None:
        """End the processes."""
        for process in self._processes:
            process.shutdown(cancel_futures=True)

    def explore(self, tasks: Sequence[Task], done: Done) -> list[Surroundings]:
        """What each file means for others, in the order of `tasks`."""
        return _Spread(self, _explore, lambda _: Surroundings(), done).run(tasks)

    def judge(self, tasks: Sequence[Task], done: Done) -> list[Outcome]:
        """The outcome of each file, in the order of `tasks`."""
        return _Spread(self, _judge, _died, done).run(tasks)

    @property
    def count(self) -> int:
        """How many processes there are."""
        return len(self._processes)

    def home_of(self, task: Task) -> int:
        """The worker that has explored the file, or its neighbours."""
        return min(bisect_right(self._firsts, task.position), self.count - 1)

    def submit(
        self, worker: int, job: Callable[[Sequence[Task]], list[_Result]], tasks: Sequence[Task]
    ) -> Future[list[_Result]]:
        """Hand tasks to one of the processes."""
        return self._processes[worker].submit(job, tasks)

    def restart(self, worker: int) -> None:
        """Put a new process in the place of one that died."""
        self._processes[worker].shutdown(wait=False)
        self._processes[worker] = self._process()


class _Spread(Generic[_Result]):
    """Gives each worker the files it knows already, and to the idle those of the busy."""

    def __init__(
        self,
        pool: Pool,
        job: Callable[[Sequence[Task]], list[_Result]],
        died: Callable[[Task], _Result],
        done: Done,
    ) -> None:
        self._pool = pool
        self._job: Callable[[Sequence[Task]], list[_Result]] = job
        self._died: Callable[[Task], _Result] = died
        self._done: Done = done
        self._queues: list[deque[list[Task]]] = [deque() for _ in range(pool.count)]
        self._running: dict[Future[list[_Result]], tuple[int, list[Task]]] = {}
        self._results: dict[int, _Result] = {}

    def run(self, tasks: Sequence[Task]) -> list[_Result]:
        """The result of each task, in their order."""
        for task in tasks:
            queue = self._queues[self._pool.home_of(task)]
            if not queue or sum(each.size for each in queue[-1]) >= self._pool.chunk_size:
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
            self._running[self._pool.submit(worker, self._job, chunk)] = worker, chunk

    def _take(self, future: Future[list[_Result]]) -> None:
        worker, chunk = self._running.pop(future)
        try:
            for task, result in zip(chunk, future.result(), strict=True):
                self._results[task.position] = result
            self._done(len(chunk))
        except BrokenExecutor:
            self._pool.restart(worker)
            if len(chunk) == 1:
                self._results[chunk[0].position] = self._died(chunk[0])
                self._done(1)
            else:  # one of them is to blame
                self._queues[worker].extendleft([task] for task in chunk)
        self._start(worker)


def _died(task: Task) -> Outcome:
    summary = "the process that checked the file died, for want of memory or by a fault of Python"
    return Outcome(internal=(InternalProblem(task.filename, None, summary, ""),))


_checker: Checker | None = None
"""That of a worker process."""


def _start(modules: Modules, settings: Settings, lines_kept: int) -> None:
    global _checker
    gc.disable()
    _checker = Checker(modules, settings, lines_kept=lines_kept)


def _explore(tasks: Sequence[Task]) -> list[Surroundings]:
    return _started().explore(tasks, _untold)


def _judge(tasks: Sequence[Task]) -> list[Outcome]:
    return _started().judge(tasks, _untold)


def _untold(_more: int) -> None:
    """The run counts what comes back from its processes."""


def _started() -> Checker:
    if _checker is None:
        raise RuntimeError("a worker process was not started by `Pool`")
    return _checker
