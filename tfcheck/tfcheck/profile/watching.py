"""Watches the Functions of the running program, for people who test or explore them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from tfcheck.profile.analyse import RULES, analyse, group
from tfcheck.profile.backend import current
from tfcheck.profile.model import FunctionProfile
from tfcheck.profile.recorder import Recorder


class Session:
    """What Functions did since the session began; after its end, until then."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._start = time.perf_counter()

    @property
    def functions(self) -> tuple[FunctionProfile, ...]:
        """The Functions that were traced or called, the dearest first; none is compared."""
        wall = time.perf_counter() - self._start
        recording = self._recorder.recording(wall, start=self._start)
        return analyse(group(recording), rules=set(RULES.values()))

    @property
    def traces(self) -> int:
        """Traces of all Functions together."""
        return sum(each.traces for each in self.functions)

    @property
    def retraces(self) -> int:
        """Traces that better calls would have spared."""
        return sum(each.retraces for each in self.functions)

    def traces_of(self, name: str) -> int:
        """Traces of the Functions called `name`.

        Raises:
            LookupError: none of that name was traced or called.
        """
        named = [each for each in self.functions if each.key.name == name]
        if not named:
            known = ", ".join(sorted({each.key.name for each in self.functions})) or "none"
            raise LookupError(f"no tf.function `{name}` was traced or called; there were: {known}")
        return sum(each.traces for each in named)


@contextmanager
def watch() -> Iterator[Session]:
    """A session that lasts as long as the context, on the backend `tensorflow` means here."""
    recorder = Recorder()
    session = Session(recorder)
    with current().listening(recorder):
        yield session
