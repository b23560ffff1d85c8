"""Keeps what is known of the open files up to date while people type."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from tfcheck.errors import TfcheckError
from tfcheck.server.findings import Checked, Open, check_alone, check_together

_SECONDS_AFTER_TYPING = 0.15
_QUICK_PROJECT = 0.5
"""Seconds that a project's check may take to be done while people type."""
_STACK = 64 * 2**20
"""Bytes: deeply nested code is parsed and walked by recursion."""

_Result = TypeVar("_Result")
_log = logging.getLogger(__name__)


class Desk:
    """The open files. All methods are called from the event loop; checks run in two threads.

    A file is checked alone as soon as nobody types, then with its project: at once when that is
    quick, else when it is opened or saved. What was found in a text that has changed is dropped.
    """

    def __init__(
        self, publish: Callable[[str, Checked], None], warn: Callable[[str], None]
    ) -> None:
        self._publish = publish
        self._warn = warn
        self._files: dict[str, Open] = {}
        self._known: dict[str, Checked] = {}
        self._roots: list[Path] = []
        self._waiting: dict[object, asyncio.Task[None]] = {}
        self._slow: set[Path] = set()
        self._warned: set[str] = set()
        size = threading.stack_size(_STACK)
        self._alone = ThreadPoolExecutor(1, "tfcheck-file")
        self._together = ThreadPoolExecutor(1, "tfcheck-project")
        for executor in (self._alone, self._together):
            executor.submit(int).result()  # the thread starts now, with the larger stack
        threading.stack_size(size)

    def set_roots(self, roots: list[Path]) -> None:
        """The folders of the workspace."""
        self._roots = roots

    def open(self, uri: str, file: Open, *, settled: bool) -> None:
        """Take a new text; `settled` when a file was opened or saved, not typed in."""
        self._files[uri] = file
        root = self._root_of(file.path)
        if root is None or root in self._slow or uri not in self._known:
            self._later(uri, 0 if settled else _SECONDS_AFTER_TYPING, lambda: self._check(uri))
        if root is not None and (settled or root not in self._slow):
            self._later(root, 2 * _SECONDS_AFTER_TYPING, lambda: self._check_project(root))

    def close(self, uri: str) -> None:
        """Forget a file."""
        for kept in (self._files, self._known):
            kept.pop(uri, None)
        waiting = self._waiting.pop(uri, None)
        if waiting is not None:
            waiting.cancel()

    def file(self, uri: str) -> Open | None:
        """The file as it is in the editor."""
        return self._files.get(uri)

    async def known(self, uri: str) -> Checked | None:
        """What is known of a file as it is now: it is checked if need be."""
        file, known = self._files.get(uri), self._known.get(uri)
        if file is None or (known is not None and known.text == file.text):
            return known
        await self._check(uri)
        return self._known.get(uri)

    def _later(self, key: object, pause: float, check: Callable[[], object]) -> None:
        """Run a check after a pause, unless it is asked for again within it."""

        async def run() -> None:
            await asyncio.sleep(pause)
            self._waiting.pop(key, None)
            done = check()
            if asyncio.iscoroutine(done):
                await done

        earlier = self._waiting.pop(key, None)
        if earlier is not None:
            earlier.cancel()
        self._waiting[key] = asyncio.get_running_loop().create_task(run())

    async def _check(self, uri: str) -> None:
        file = self._files.get(uri)
        if file is None:
            return
        checked = await self._in(self._alone, lambda: check_alone(file))
        if checked is not None:
            self._take(uri, checked)

    async def _check_project(self, root: Path) -> None:
        files = {uri: file for uri, file in self._files.items() if self._root_of(file.path) == root}
        started = time.perf_counter()
        found = await self._in(self._together, lambda: check_together(root, list(files.values())))
        took = time.perf_counter() - started
        (self._slow.add if took > _QUICK_PROJECT else self._slow.discard)(root)
        for uri, file in files.items():
            if found is None or file.path not in found:  # it is not saved yet, or left out
                await self._check(uri)
            else:
                self._take(uri, found[file.path])

    def _take(self, uri: str, checked: Checked) -> None:
        file = self._files.get(uri)
        if file is None or file.text != checked.text:
            return  # typed in meanwhile: the next check is under way
        self._known[uri] = checked
        self._publish(uri, checked)
        for fault in checked.faults:
            self._warn_once(f"{file.path}: {fault}")

    async def _in(self, where: ThreadPoolExecutor, job: Callable[[], _Result]) -> _Result | None:
        try:
            return await asyncio.get_running_loop().run_in_executor(where, job)
        except TfcheckError as error:
            self._warn_once(str(error))
        return None

    def _warn_once(self, text: str) -> None:
        if text not in self._warned:
            self._warned.add(text)
            self._warn(text)

    def _root_of(self, path: Path) -> Path | None:
        """The innermost folder of the workspace that holds a file and still exists."""
        holding = [root for root in self._roots if path.is_relative_to(root) and root.is_dir()]
        return max(holding, key=lambda root: len(root.parts), default=None)
