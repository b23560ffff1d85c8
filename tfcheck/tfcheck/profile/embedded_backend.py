"""The embedded runtime as a backend: it emits the events itself."""

from __future__ import annotations

import importlib.metadata
from contextlib import AbstractContextManager

import tfcheck_runtime as tf
from tfcheck.profile.model import Device
from tfcheck.profile.replay import eagerly
from tfcheck.profile.settings import BackendName
from tfcheck_runtime.events import Guard, Listener, guarded, subscribed


class EmbeddedBackend:
    """Programs run on `tfcheck_runtime`."""

    name = BackendName.ONNX

    def prepare(self) -> None:
        """Load what traces and executes."""
        tf.function(_nothing)

    def listening(self, listener: Listener) -> AbstractContextManager[None]:
        """Subscribe to the runtime."""
        return subscribed(listener)

    def guarding(self, guard: Guard) -> AbstractContextManager[None]:
        """Let the runtime ask before it traces again."""
        return guarded(guard)

    def eagerly(self) -> AbstractContextManager[None]:
        """Functions run as plain Python inside."""
        return eagerly(tf.config)

    def device(self) -> Device:
        """The device that onnxruntime executes graphs on."""
        for package in ("onnxruntime-gpu", "onnxruntime"):
            try:
                version = importlib.metadata.version(package)
            except importlib.metadata.PackageNotFoundError:
                continue
            return Device("CPU", f"onnxruntime {version}")
        return Device("CPU", "onnxruntime")


def _nothing() -> None:
    """What the Function that is made in advance would do."""
