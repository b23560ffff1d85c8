"""TensorFlow as a backend: its Functions are watched from outside and give the same events.

The classes that make, trace and run Functions are wrapped while a program runs and put back
afterwards; no file of TensorFlow is touched. Source: the modules of
`tensorflow.python.eager.polymorphic_function`, as of TensorFlow 2.16 to 2.21.
"""

from __future__ import annotations

import os
import tempfile
from contextlib import AbstractContextManager
from functools import cache
from pathlib import Path
from types import ModuleType

from tfcheck.profile.model import Device
from tfcheck.profile.replay import eagerly
from tfcheck.profile.settings import BackendName
from tfcheck.profile.tensorflow_guard import Guarding
from tfcheck.profile.tensorflow_watch import Watch
from tfcheck_runtime import site
from tfcheck_runtime.events import Guard, Listener


class TensorFlowBackend:
    """Programs run on TensorFlow."""

    name = BackendName.TENSORFLOW

    def __init__(self) -> None:
        self._tf = _load()

    def prepare(self) -> None:
        """Trace and run a Function: the first one starts the thread pools."""
        self._tf.function(_nothing, autograph=False)()

    def listening(self, listener: Listener) -> AbstractContextManager[None]:
        """Watch every Function."""
        return Watch(listener).installed()

    def guarding(self, guard: Guard) -> AbstractContextManager[None]:
        """Ask before TensorFlow traces again."""
        return Guarding(guard).installed()

    def eagerly(self) -> AbstractContextManager[None]:
        """Functions run as plain Python inside."""
        return eagerly(self._tf.config)

    def device(self) -> Device:
        """The device that TensorFlow places operations on first."""
        gpus = self._tf.config.list_physical_devices("GPU")
        return Device("GPU" if gpus else "CPU", f"TensorFlow {self._tf.__version__}")


@cache
def _load() -> ModuleType:
    # It says on standard error what it was compiled with; nobody profiles to read that.
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    import tensorflow  # a heavy package that only this backend needs

    module: ModuleType = tensorflow
    installed = Path(str(module.__file__)).parents[1]
    ours = Path(__file__).parents[1]
    for folder in (*(installed / name for name in ("tensorflow", "keras", "tf_keras")), ours):
        site.hide_frames_of(str(folder))
    # AutoGraph runs its copy of the user's code from here; the call that led there is the user's.
    site.hide_files(os.path.join(tempfile.gettempdir(), "__autograph_generated_file"))
    return module


def _nothing() -> None:
    """What the Function that is run in advance does."""
