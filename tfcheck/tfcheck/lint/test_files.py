"""Which files are tests, where slow and odd code is meant to be."""

from __future__ import annotations

from pathlib import PurePath

_FOLDERS = frozenset({"test", "tests", "testing"})


def is_test_file(filename: str) -> bool:
    """Whether a file is named like a test, or stands in a folder of tests."""
    path = PurePath(filename)
    named = path.name.startswith("test_") or path.stem.endswith("_test")
    return named or path.name == "conftest.py" or not _FOLDERS.isdisjoint(path.parts[:-1])
