"""Makes `import tensorflow` mean this runtime, for libraries that are written against TensorFlow.

`tensorflow.python` and `tensorflow.compiler`, which libraries reach into, are `api.internals`.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Final

from tfcheck_runtime.site import hide_frames_of

NAME: Final = "tensorflow"
_RUNTIME: Final = "tfcheck_runtime"
_INTERNALS: Final = f"{_RUNTIME}.api.internals"


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


class _Loader(importlib.abc.Loader):
    """Hands out what the finder found."""

    def __init__(self, value: object) -> None:
        self._value = value

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        return Namespace(spec.name, self._value)

    def exec_module(self, module: ModuleType) -> None:
        """Nothing to run: the runtime is loaded."""


class RuntimeFinder:
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
            value = _look_up(fullname.removeprefix(NAME).lstrip("."))
        except AttributeError as error:
            raise ImportError(str(error), name=fullname) from None
        return importlib.machinery.ModuleSpec(fullname, _Loader(value), is_package=True)


def _look_up(path: str) -> object:
    if path.partition(".")[0] in ("python", "compiler"):
        return _internal(path)
    value: object = importlib.import_module(_RUNTIME)
    for name in path.split(".") if path else ():
        value = getattr(value, name)
    return value


def _internal(path: str) -> ModuleType:
    name = f"{_INTERNALS}.{path}"
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        # What a module that is there cannot import is another matter.
        if error.name is None or not name.startswith(error.name):
            raise
        raise AttributeError(
            f"{NAME}.{path} is internal to TensorFlow and not in the embedded runtime"
        ) from None


def install() -> None:
    """Let `import tensorflow` give this runtime from now on; nothing changes the second time.

    Raises:
        ImportError: TensorFlow itself is imported already.
    """
    module = sys.modules.get(NAME)
    if module is not None and not _is_ours(module):
        raise ImportError(
            "the embedded runtime cannot stand in for `tensorflow`: TensorFlow itself is imported"
            " already; use one of the two in a process",
            name=NAME,
        )
    if not any(isinstance(finder, RuntimeFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, RuntimeFinder())
        _hide_keras()


def _hide_keras() -> None:
    """Let what is told of an op name the line that called Keras, not one inside it."""
    spec = importlib.util.find_spec("keras")
    for folder in (spec and spec.submodule_search_locations) or ():
        hide_frames_of(folder)


def _is_ours(module: ModuleType) -> bool:
    return isinstance(module, Namespace) or module.__name__ == _RUNTIME
