"""Finds the lines that a saved profile speaks of in files that may have changed since."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from pathlib import PurePath

from tfcheck.profile.model import CallSite, FunctionKey, FunctionProfile, Place, Profile, Retrace
from tfcheck.profile.sources import Sources


@dataclass(frozen=True, slots=True)
class Relocated:
    """The Functions of a profile as the files are now."""

    functions: tuple[FunctionProfile, ...]
    changed: tuple[FunctionKey, ...]
    """Those whose code is another now: the profile says nothing of what is there."""


Move = Callable[[Place], Place | None]
"""Where a line is now; None if it is no more."""
Rows = Mapping[int, int]
"""The rows that the profile shows of a file, and where the same lines are now."""


def relocate(profile: Profile, texts: Mapping[str, str], *, sources: Sources) -> Relocated:
    """The Functions with the names and lines that hold in `texts`, the files by their names."""
    names = _names({each.file for each in profile.sources}, texts)
    rows = {file: _rows(profile, file, texts[name].splitlines()) for file, name in names.items()}

    def move(place: Place) -> Place | None:
        row = rows.get(place.file, {}).get(place.line)
        return None if row is None else Place(names[place.file], row)

    kept: list[FunctionProfile] = []
    changed: list[FunctionKey] = []
    for function in profile.functions:
        file = function.key.file
        if file not in names:
            continue
        moved = _function(function, move)
        if moved is not None and _is_same(moved, rows[file], sources):
            kept.append(moved)
        else:
            changed += _namesakes(function.key.name, names[file], sources)
    return Relocated(tuple(kept), tuple(changed))


def _is_same(function: FunctionProfile, rows: Rows, sources: Sources) -> bool:
    """Whether all lines of the Function are ones that the profile shows."""
    body = sources.body(function.key)
    return set(range(body.first, body.last + 1)) <= set(rows.values())


def _namesakes(name: str, file: str, sources: Sources) -> Iterator[FunctionKey]:
    for body in sources.bodies.get(file, ()):
        if body.name == name:
            yield FunctionKey(name, file, body.first)


def _names(files: Iterable[str], texts: Mapping[str, str]) -> dict[str, str]:
    """Which of the files that there are now each file of a profile is."""
    absolute = {os.path.abspath(name): name for name in texts}
    found: dict[str, str] = {}
    for file in files:
        here = absolute.get(os.path.abspath(file))
        # A profile that was made in another folder names files from there.
        ending = PurePath(file).parts
        alike = [name for path, name in absolute.items() if _ends(path, ending)]
        if here is not None:
            found[file] = here
        elif len(alike) == 1:
            found[file] = alike[0]
    return found


def _ends(path: str, ending: tuple[str, ...]) -> bool:
    return PurePath(path).parts[-len(ending) :] == ending


def _rows(profile: Profile, file: str, lines: Sequence[str]) -> Rows:
    shown = {
        each.first + offset: line
        for each in profile.sources
        if each.file == file
        for offset, line in enumerate(each.lines)
    }
    if all(row <= len(lines) and lines[row - 1] == line for row, line in shown.items()):
        return {row: row for row in shown}
    old = list(shown)
    matcher = SequenceMatcher(None, [shown[row] for row in old], lines, autojunk=False)
    return {
        old[block.a + offset]: block.b + offset + 1
        for block in matcher.get_matching_blocks()
        for offset in range(block.size)
    }


def _function(function: FunctionProfile, move: Move) -> FunctionProfile | None:
    key = function.key
    place = move(Place(key.file, key.line))
    if place is None:
        return None
    return replace(
        function,
        key=replace(key, file=place.file, line=place.line),
        causes=tuple(_cause(each, move) for each in function.causes),
        sites=tuple(each for site in function.sites if (each := _site(site, move)) is not None),
    )


def _cause(cause: Retrace, move: Move) -> Retrace:
    # The trace was made all the same; no line of the file is to blame any more.
    return replace(cause, site=move(cause.site) or Place(cause.site.file, 0))


def _site(site: CallSite, move: Move) -> CallSite | None:
    place = move(site.place)
    return None if place is None else replace(site, place=place)
