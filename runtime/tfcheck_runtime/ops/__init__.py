"""The op definitions: shape rule, eager kernel, ONNX lowering and gradient side by side."""

from __future__ import annotations

import importlib
import pkgutil


def load() -> None:
    """Import every op definition: an op exists, and serves its operator, because its file does."""
    for module in pkgutil.walk_packages(__path__, f"{__name__}."):
        importlib.import_module(module.name)
