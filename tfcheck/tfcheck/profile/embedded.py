"""Makes `import tensorflow` mean the embedded runtime, which is loaded when that is imported."""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from types import ModuleType

from tfcheck.errors import MissingExtraError

NAME = "tensorflow"
RUNTIME = "tfcheck_runtime"
_NEEDED = ("numpy", "ml_dtypes", "onnx", "onnx_ir", "onnxruntime")


def require_runtime(verb: str) -> None:
    """Check that the packages of the `profile` extra are there, without importing them.

    Raises:
        MissingExtraError: one is not.
    """
    if all(importlib.util.find_spec(package) for package in _NEEDED):
        return
    raise MissingExtraError(f"{verb} needs the runtime: pip install 'tfcheck[profile]'")


class EmbeddedFinder:
    """Finds `tensorflow` and everything below it in the runtime (a `sys.meta_path` entry)."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The spec of a `tensorflow` module.

        Raises:
            ImportError: the runtime has no such name; says so in the runtime's words.
        """
        if fullname != NAME and not fullname.startswith(f"{NAME}."):
            return None
        finder = _load_runtime().RuntimeFinder()
        spec: importlib.machinery.ModuleSpec | None = finder.find_spec(fullname, path, target)
        return spec


@cache
def _load_runtime() -> ModuleType:
    site = importlib.import_module(f"{RUNTIME}.site")
    site.hide_frames_of(str(Path(__file__).parents[1]))
    return importlib.import_module(f"{RUNTIME}.api.importing")


def install() -> None:
    """Resolve `import tensorflow` to the embedded runtime from now on."""
    if not any(isinstance(finder, EmbeddedFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, EmbeddedFinder())
