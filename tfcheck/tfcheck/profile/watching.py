"""Watches the Functions of the running program, for people who test or explore them."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from tfcheck.errors import ConfigError
from tfcheck.profile.analyse import RULES, analyse, group
from tfcheck.profile.embedded import NAME
from tfcheck.profile.model import FunctionProfile
from tfcheck.profile.recorder import Recorder
from tfcheck_runtime.api.importing import Namespace
from tfcheck_runtime.events import subscribed


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
    """A session that lasts as long as the context.

    Raises:
        ConfigError: TensorFlow itself is imported, which tells nothing.
    """
    module = sys.modules.get(NAME)
    if module is not None and not isinstance(module, Namespace):
        raise ConfigError(
            "tfcheck watches its embedded runtime, but `tensorflow` is TensorFlow itself here;"
            " import tfcheck_runtime instead, or run pytest with --tfcheck-embedded"
        )
    recorder = Recorder()
    session = Session(recorder)
    with subscribed(recorder):
        yield session
