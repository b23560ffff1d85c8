"""The settings of `tfcheck profile`, with the options checked that need more than Typer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from tfcheck.errors import ConfigError
from tfcheck.lint.registry import find_rules
from tfcheck.profile.gates import DISAGREEMENT
from tfcheck.profile.settings import parse_share


def share(option: str, text: str | None) -> float | None:
    """The value of an option that is a part of something; None when it was not given.

    Raises:
        ConfigError: it is no part.
    """
    if text is None:
        return None
    try:
        return parse_share(text)
    except ValueError as error:
        raise ConfigError(f"{option}: {error}, not {text!r}") from error


class Confirm(Enum):
    """Fixes to try in a run of a copy."""

    NOTHING = "nothing"
    SAFE = "safe"
    UNSAFE = "unsafe"
    """Those that ask, too."""


class Signatures(Enum):
    """What to do with the signatures that a run suggests."""

    LEAVE = "leave"
    ASK = "ask"
    WRITE = "write"


@dataclass(frozen=True, slots=True)
class Extras:
    """What to measure that is not measured unless somebody asks."""

    replay_unsafe: bool = False
    ops: bool = False
    hot_lines: bool = False


@dataclass(frozen=True, slots=True)
class Afterwards:
    """What to do after the run besides reporting."""

    confirm: Confirm = Confirm.NOTHING
    signatures: Signatures = Signatures.LEAVE


def signatures(*, write: bool, yes: bool) -> Signatures:
    """What to do with signatures.

    Raises:
        ConfigError: `yes` alone.
    """
    if yes and not write:
        raise ConfigError("--yes writes nothing by itself; add --write-signatures")
    if not write:
        return Signatures.LEAVE
    return Signatures.WRITE if yes else Signatures.ASK


def confirm(*, fixes: bool, unsafe: bool) -> Confirm:
    """Which fixes to try.

    Raises:
        ConfigError: `unsafe` alone.
    """
    if unsafe and not fixes:
        raise ConfigError("--unsafe-fixes tries nothing by itself; add --confirm-fixes")
    if not fixes:
        return Confirm.NOTHING
    return Confirm.UNSAFE if unsafe else Confirm.SAFE


def split(values: Sequence[str] | None) -> tuple[str, ...] | None:
    """Names that were given one by one or separated by commas; None when none were."""
    if values is None:
        return None
    return tuple(part.strip() for value in values for part in value.split(",") if part.strip())


def failing_codes(names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The codes behind each name in `fail-on`.

    Raises:
        ConfigError: there is no such rule.
    """
    return {name: _codes(name) for name in names}


def _codes(name: str) -> tuple[str, ...]:
    if name == DISAGREEMENT:
        return (DISAGREEMENT,)
    return tuple(rule.code for rule in find_rules(name))
