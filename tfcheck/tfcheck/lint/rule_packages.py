"""The installed packages that hold rules, without loading them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

ENTRY_POINTS = "tfcheck.rules"


def rule_packages() -> list[str]:
    """The names of the packages, sorted."""
    from importlib.metadata import entry_points  # as slow to load as all else here together

    return sorted(point.value for point in entry_points(group=ENTRY_POINTS))


def signature() -> Iterator[str]:
    """What changes whenever the engine or a rule does: name, size and time of each source."""
    yield from _sources(str(Path(__file__).parent))
    for name in rule_packages():
        spec = find_spec(name)
        if spec is None:
            continue
        if spec.submodule_search_locations is None and spec.origin is not None:
            yield _stamp(spec.origin, os.stat(spec.origin))  # a module of one file
        for folder in spec.submodule_search_locations or []:
            yield from _sources(folder)


def _sources(folder: str) -> Iterator[str]:
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _sources(entry.path)
        elif entry.name.endswith(".py"):
            yield _stamp(entry.path, entry.stat())


def _stamp(path: str, found: os.stat_result) -> str:
    return f"{path}:{found.st_size}:{found.st_mtime_ns}"
