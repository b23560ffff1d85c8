"""Spreads the files of a run over several machines, and puts what they found together again."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from tfcheck import __version__
from tfcheck.diagnostics import LintResult
from tfcheck.errors import ConfigError, InputError
from tfcheck.lint.outcome import order
from tfcheck.lint.records import pack, unpack

_KIND = "tfcheck lint, part of a run"
_VERSION = 1


@dataclass(frozen=True, slots=True)
class Shard:
    """One part of a run, which checks every n-th file; what others trace in those it knows too."""

    number: int
    """From 1."""
    count: int

    def holds(self, position: int) -> bool:
        """Whether this part checks the file at a place in the sorted list of all files."""
        return position % self.count == self.number - 1

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"


def parse_shard(text: str) -> Shard:
    """Read `2/4`.

    Raises:
        ConfigError: it is something else.
    """
    found = re.fullmatch(r"(\d+)/(\d+)", text.strip())
    number, count = map(int, found.groups()) if found is not None else (0, 0)
    if not 1 <= number <= count:
        raise ConfigError(f"--shard: expected I/N with 1 <= I <= N, such as 2/4, not {text}")
    return Shard(number, count)


@dataclass(frozen=True, slots=True)
class _Part:
    """What one machine writes for `tfcheck merge`."""

    kind: str
    version: int
    tool: str
    shard: Shard
    result: LintResult


def render_part(result: LintResult, shard: Shard) -> str:
    """What a part has found, for `merge_parts`."""
    part = _Part(_KIND, _VERSION, __version__, shard, result)
    return json.dumps(pack(part), ensure_ascii=False) + "\n"


def merge_parts(files: Sequence[Path]) -> LintResult:
    """What one run over all files would have found; the seconds are those of the slowest part.

    Raises:
        InputError: a file cannot be read or is no part, parts come from different versions of
            tfcheck or different runs, or some are missing.
    """
    parts = [_load(file) for file in files]
    first = parts[0]
    for file, part in zip(files, parts, strict=True):
        if part.tool != first.tool:
            raise InputError(
                f"{file} is from tfcheck {part.tool}, {files[0]} from {first.tool}:"
                " the parts of a run must come from one version"
            )
        if part.shard.count != first.shard.count:
            raise InputError(
                f"{file} is part {part.shard}, {files[0]} part {first.shard}: not of one run"
            )
    _check_complete(first.shard.count, [part.shard.number for part in parts])
    results = [part.result for part in parts]
    return LintResult(
        violations=tuple(sorted(chain(*(each.violations for each in results)), key=order)),
        files=sum(each.files for each in results),
        traced_files=sum(each.traced_files for each in results),
        seconds=max(each.seconds for each in results),
        problems=tuple(dict.fromkeys(chain(*(each.problems for each in results)))),
        internal=tuple(chain(*(each.internal for each in results))),
        filenames=tuple(sorted(chain(*(each.filenames for each in results)))),
    )


def _check_complete(count: int, numbers: Sequence[int]) -> None:
    twice = sorted({number for number in numbers if numbers.count(number) > 1})
    if twice:
        raise InputError(f"part {twice[0]}/{count} was given more than once")
    missing = [str(number) for number in range(1, count + 1) if number not in numbers]
    if missing:
        raise InputError(f"of {count} parts, {', '.join(missing)} is missing: run them all")


def _load(file: Path) -> _Part:
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot read {file}: {error.strerror or error}") from error
    except ValueError as error:
        raise InputError(f"{file} is no part of a run: not JSON ({error})") from error
    head = data[:3] if isinstance(data, list) else []
    if head[:1] != [_KIND]:
        raise InputError(f"{file} is no part of a run; `tfcheck lint --shard I/N` writes those")
    if head[1:2] != [_VERSION]:
        raise InputError(
            f"{file} was written by tfcheck {head[2] if len(head) > 2 else '?'}, in another form"
            f" than {__version__} reads: use one version for all parts"
        )
    try:
        part: _Part = unpack(_Part, data)
    except (TypeError, ValueError) as error:
        raise InputError(f"{file} is damaged: {error}") from error
    return part
