"""Runs verbs inside the test's process and keeps what they wrote."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tfcheck.cli.main import main


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended."""

    status: int
    out: str
    err: str


Tfcheck = Callable[..., Ended]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    return tmp_path


@pytest.fixture
def tfcheck(folder: Path, capsys: pytest.CaptureFixture[str]) -> Tfcheck:
    """`tfcheck("lint", "file.py")` in an empty folder."""

    def run(*arguments: str) -> Ended:
        status = main(arguments)
        captured = capsys.readouterr()
        return Ended(int(status), captured.out, captured.err)

    return run


@pytest.fixture
def embedding(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Lets verbs that run scripts do so in this process, and undoes what that changes."""
    for name in ("argv", "path", "meta_path"):
        monkeypatch.setattr(sys, name, list(getattr(sys, name)))
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    # Loaded before `tensorflow` comes to mean it: what is native cannot be loaded twice.
    importlib.import_module("tfcheck_runtime")
    yield
    for name in [name for name in sys.modules if name.split(".")[0] == "tensorflow"]:
        del sys.modules[name]
