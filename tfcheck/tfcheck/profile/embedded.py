"""Makes `import tensorflow` mean the embedded runtime."""

from __future__ import annotations

import importlib.abc
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


class Namespace(ModuleType):
    """A module whose names are those of `target`, looked up when first used."""

    def __init__(self, name: str, target: object) -> None:
        super().__init__(name, getattr(target, "__doc__", None))
        self.__dict__["_target"] = target

    def __getattr__(self, name: str) -> object:
        value: object = getattr(self.__dict__["_target"], name)
        # From here on a plain look-up: `tf.constant` must cost what it costs in a real module.
        if not name.startswith("__"):
            self.__dict__[name] = value
        return value

    def __dir__(self) -> list[str]:
        return dir(self.__dict__["_target"])


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
        try:
            value = _look_up(fullname)
        except AttributeError as error:
            raise ImportError(str(error), name=fullname) from None
        loader = _Loader(value)
        return importlib.machinery.ModuleSpec(fullname, loader, is_package=True)


class _Loader(importlib.abc.Loader):
    """Hands out what the finder found."""

    def __init__(self, value: object) -> None:
        self._value = value

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        return Namespace(spec.name, self._value)

    def exec_module(self, module: ModuleType) -> None:
        """Nothing to run: the runtime is loaded."""


def _look_up(fullname: str) -> object:
    value: object = _load_runtime()
    for name in fullname.split(".")[1:]:
        value = getattr(value, name)
    return value


@cache
def _load_runtime() -> ModuleType:
    site = importlib.import_module(f"{RUNTIME}.site")
    site.hide_frames_of(str(Path(__file__).parents[1]))
    return importlib.import_module(RUNTIME)


def install() -> None:
    """Resolve `import tensorflow` to the embedded runtime from now on."""
    if not any(isinstance(finder, EmbeddedFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, EmbeddedFinder())
