"""Settings of a profiling run: `[tool.tfcheck.profile]`, then the command line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from pathlib import Path

from tfcheck.config import Reader, find_table, read_keys
from tfcheck.errors import ConfigError


class BackendName(StrEnum):
    """The choices of `--backend`."""

    AUTO = "auto"
    """TensorFlow where it is installed."""
    ONNX = "onnx"
    """The embedded runtime."""
    TENSORFLOW = "tensorflow"


@dataclass(frozen=True, slots=True)
class ProfileSettings:
    """Gates and limits; every field is a key, with dashes. None leaves a gate or limit out."""

    max_traces: int | None = None
    max_retraces_per_function: int | None = None
    min_speedup: float | None = None
    max_trace_share: float | None = None
    """A part of the run, from 0 to 1."""
    fail_on: tuple[str, ...] | None = None
    baseline: Path | None = None
    max_regression: float | None = None
    """A part of the baseline, from 0."""
    timeout: float | None = None
    max_recorded_bytes: int | None = None


def load_profile_settings(folder: Path, *, overrides: ProfileSettings) -> ProfileSettings:
    """What the closest pyproject.toml says for `folder`, and over it what `overrides` has.

    Raises:
        ConfigError: the table has an unknown key or a value of a wrong type.
    """
    settings = _from_file(folder)
    given = {each.name: getattr(overrides, each.name) for each in fields(overrides)}
    changed = {name: value for name, value in given.items() if value is not None}
    return replace(settings, **changed)


def _from_file(folder: Path) -> ProfileSettings:
    table = find_table(folder)
    values = table.values.get("profile") if table else None
    if table is None or values is None:
        return ProfileSettings()
    if not isinstance(values, dict):
        raise ConfigError(
            f"{table.file}: [{table.inner('profile')}] must be a table, not {values!r}"
        )
    read = read_keys(values, table=table, name=table.inner("profile"), readers=_READERS)
    if isinstance(read.get("baseline"), Path):
        read["baseline"] = table.file.parent / str(read["baseline"])
    return ProfileSettings(**read)  # type: ignore[arg-type]  # each reader returns its field's type


def parse_share(text: str) -> float:
    """`10%` or `0.1` as a number.

    Raises:
        ValueError: it is neither.
    """
    match = re.fullmatch(r"(\d+(?:\.\d*)?|\.\d+)\s*(%?)", text.strip())
    if match is None:
        raise ValueError("expected a part such as 10% or 0.1")
    return float(match[1]) / (100 if match[2] else 1)


def _share(value: object, _place: str) -> float:
    return parse_share(value if isinstance(value, str) else repr(_number(value, "")))


def _count(value: object, _place: str) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    raise ValueError("expected a number from 0")


def _number(value: object, _place: str) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0:
        return float(value)
    raise ValueError("expected a number from 0")


def _strings(value: object, _place: str) -> tuple[str, ...]:
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    raise ValueError("expected a list of rules")


def _path(value: object, _place: str) -> Path:
    if isinstance(value, str):
        return Path(value)
    raise ValueError("expected the name of a file")


_READERS: Mapping[str, Reader] = {
    "max-traces": _count,
    "max-retraces-per-function": _count,
    "min-speedup": _number,
    "max-trace-share": _share,
    "fail-on": _strings,
    "baseline": _path,
    "max-regression": _share,
    "timeout": _number,
    "max-recorded-bytes": _count,
}
