"""What executes the programs that are profiled: the embedded runtime or TensorFlow itself."""

from __future__ import annotations

import importlib.util
import sys
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from tfcheck.errors import MissingExtraError
from tfcheck.profile.embedded import NAME, EmbeddedFinder, install
from tfcheck.profile.settings import BackendName

if TYPE_CHECKING:  # the runtime is loaded by those who profile only
    from tfcheck.profile.model import Device
    from tfcheck_runtime.events import Guard, Listener


class Backend(Protocol):
    """What profiling needs of whatever executes a program."""

    name: BackendName

    def prepare(self) -> None:
        """Load what the first Function would load, which is no cost of the program's own."""

    def listening(self, listener: Listener) -> AbstractContextManager[None]:
        """Deliver the events of all Functions to `listener` while the context is open."""

    def guarding(self, guard: Guard) -> AbstractContextManager[None]:
        """Ask `guard` before any Function is traced again, while the context is open."""

    def eagerly(self) -> AbstractContextManager[None]:
        """Functions run as plain Python inside."""

    def device(self) -> Device:
        """What executes graphs."""


def choose(name: BackendName) -> Backend:
    """The backend for programs that are about to run; `import tensorflow` means it from now on.

    Raises:
        MissingExtraError: TensorFlow was asked for and is not installed.
    """
    embedded = any(isinstance(finder, EmbeddedFinder) for finder in sys.meta_path)
    installed = not embedded and importlib.util.find_spec(NAME) is not None
    if name is BackendName.TENSORFLOW and not installed:
        raise MissingExtraError(
            "--backend tensorflow needs TensorFlow: pip install 'tfcheck[tensorflow]'"
        )
    if name is BackendName.ONNX or not installed:
        install()
        return _embedded()
    return _tensorflow()


def current() -> Backend:
    """The backend that `tensorflow` means in this process, the embedded one if it means none."""
    from tfcheck_runtime.api.importing import Namespace  # loads the runtime, as both backends do

    module = sys.modules.get(NAME)
    return _embedded() if module is None or isinstance(module, Namespace) else _tensorflow()


def _embedded() -> Backend:
    from tfcheck.profile.embedded_backend import EmbeddedBackend

    return EmbeddedBackend()


def _tensorflow() -> Backend:
    # Neither backend loads the other's packages.
    from tfcheck.profile.tensorflow_backend import TensorFlowBackend

    return TensorFlowBackend()
