"""Puts two profiles side by side, Function by Function."""

from __future__ import annotations

from dataclasses import dataclass

from tfcheck.profile.model import FunctionProfile, Interval, Profile


@dataclass(frozen=True, slots=True)
class Pair:
    """One Function before and after; None where it is not in the profile."""

    name: str
    file: str
    before: FunctionProfile | None
    after: FunctionProfile | None


def pairs(before: Profile, after: Profile) -> tuple[Pair, ...]:
    """The Functions of both, matched by name, file and order: lines move."""
    old, new = _named(before), _named(after)
    return tuple(
        Pair(name, file, old.get((name, file, number)), new.get((name, file, number)))
        for name, file, number in dict.fromkeys([*new, *old])
    )


def _named(profile: Profile) -> dict[tuple[str, str, int], FunctionProfile]:
    found: dict[tuple[str, str, int], FunctionProfile] = {}
    for function in sorted(profile.functions, key=lambda each: each.key.line):
        number = 0
        while (function.key.name, function.key.file, number) in found:
            number += 1
        found[function.key.name, function.key.file, number] = function
    return found


def speedup(function: FunctionProfile | None) -> Interval | None:
    """How much faster graphs are than eager, where it was compared."""
    return function.comparison.speedup if function and function.comparison else None


def nodes(function: FunctionProfile) -> int:
    """Nodes of all traced graphs."""
    return sum(each.nodes for each in function.signatures)


def constant_bytes(function: FunctionProfile) -> int:
    """What is baked into all traced graphs."""
    return sum(each.constant_bytes for each in function.signatures)


def is_slower(before: Interval, after: Interval, *, tolerance: float) -> bool:
    """Whether even the best that the interval allows is below the worst from before."""
    return after.high < before.low * (1.0 - tolerance)
