"""TensorFlow as a backend: its Functions are watched from outside and give the same events.

The classes that make, trace and run Functions are wrapped while a program runs and put back
afterwards; no file of TensorFlow is touched. Source: the modules of
`tensorflow.python.eager.polymorphic_function`, as of TensorFlow 2.16 to 2.21.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

from tfcheck.profile.model import Device
from tfcheck.profile.tensorflow_watch import Watch
from tfcheck_runtime import site
from tfcheck_runtime.events import Listener


class TensorFlowBackend:
    """Programs run on TensorFlow."""

    def __init__(self) -> None:
        # It says on standard error what it was compiled with; nobody profiles to read that.
        os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
        self._tf = _load()

    def prepare(self) -> None:
        """Trace and run a Function: the first one starts the thread pools."""
        self._tf.function(_nothing, autograph=False)()

    @contextmanager
    def listening(self, listener: Listener) -> Iterator[None]:
        """Watch every Function."""
        with Watch(listener).installed():
            yield

    @contextmanager
    def eagerly(self) -> Iterator[None]:
        """Functions run as plain Python inside."""
        config = self._tf.config
        before = config.functions_run_eagerly()
        config.run_functions_eagerly(True)
        try:
            yield
        finally:
            config.run_functions_eagerly(before)

    def device(self) -> Device:
        """The device that TensorFlow places operations on first."""
        gpus = self._tf.config.list_physical_devices("GPU")
        return Device("GPU" if gpus else "CPU", f"TensorFlow {self._tf.__version__}")


def _load() -> ModuleType:
    import tensorflow  # a heavy package that only this backend needs

    module: ModuleType = tensorflow
    package = os.path.dirname(os.path.abspath(str(module.__file__)))
    for name in (package, os.path.join(os.path.dirname(package), "keras")):
        site.hide_files(os.path.join(name, ""))
    site.hide_files(os.path.join(os.path.dirname(package), "tf_keras", ""))
    site.hide_files(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), ""))
    # AutoGraph runs its copy of the user's code from here; the call that led there is the user's.
    site.hide_files(os.path.join(tempfile.gettempdir(), "__autograph_generated_file"))
    return module


def _nothing() -> None:
    """What the Function that is run in advance does."""
