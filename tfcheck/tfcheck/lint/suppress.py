"""Suppression comments: which findings they take away, and which of them are of no use."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tfcheck.diagnostics import Position, Span, Violation
from tfcheck.lint.rule import UnusedIgnore
from tfcheck.lint.source import Source

_TFCHECK = re.compile(
    r"#\s*tfcheck:\s*(?P<what>ignore-file|ignore)\b(?:\s*\[(?P<codes>[^\]]*)\])?", re.IGNORECASE
)
_NOQA = re.compile(
    r"#\s*noqa\b(?P<colon>:\s*(?P<codes>[A-Za-z]+\d+(?:[\s,]+[A-Za-z]+\d+)*))?", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Ignore:
    """One suppression comment."""

    row: int
    column: int
    text: str
    """The comment as written, without what may follow it on the line."""
    codes: tuple[str, ...]
    """Codes or slugs as written; empty means all."""
    whole_file: bool
    foreign: bool
    """A `noqa`, which other linters read too."""

    def covers(self, violation: Violation) -> str | None:
        """What in the comment covers a finding: a code as written, `""` for all, else None."""
        span = violation.span
        if not self.whole_file and self.row not in {span.start.row, span.end.row}:
            return None
        if not self.codes:
            return ""
        for code in self.codes:
            if violation.code.startswith(code.upper()) or code == violation.name:
                return code
        return None


def find_ignores(source: Source) -> list[Ignore]:
    """The suppression comments of a file that parses."""
    text = source.text
    if "tfcheck:" not in text and "noqa" not in text.lower():
        return []
    found: list[Ignore] = []
    for token in _comments(text):
        ours, noqa = _TFCHECK.finditer(token.string), _NOQA.finditer(token.string)
        found += [_ignore(token, match, foreign=False) for match in ours]
        found += [_ignore(token, match, foreign=True) for match in noqa]
    return found


def _comments(text: str) -> Iterator[tokenize.TokenInfo]:
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                yield token
    except (tokenize.TokenError, SyntaxError):
        return  # what `ast` accepts and `tokenize` does not: the comments before it count


def _ignore(token: tokenize.TokenInfo, match: re.Match[str], *, foreign: bool) -> Ignore:
    codes = [code.strip() for code in re.split(r"[\s,]+", match["codes"] or "")]
    return Ignore(
        row=token.start[0],
        column=token.start[1] + match.start() + 1,
        text=match[0],
        codes=tuple(code for code in codes if code),
        whole_file=not foreign and match["what"].lower() == "ignore-file",
        foreign=foreign,
    )


@dataclass(frozen=True, slots=True)
class Suppressed:
    """The findings that stay, and the comments that did nothing."""

    kept: tuple[Violation, ...]
    unused: tuple[UnusedIgnore, ...]


def suppress(
    violations: Iterable[Violation],
    ignores: Sequence[Ignore],
    *,
    source: Source,
    ran: frozenset[str],
) -> Suppressed:
    """Apply suppression comments; `ran` are the codes of the rules that looked at the file."""
    used: dict[Ignore, set[str]] = {ignore: set() for ignore in ignores}
    kept: list[Violation] = []
    for violation in violations:
        covering = [(i, i.covers(violation)) for i in ignores]
        covering = [(ignore, code) for ignore, code in covering if code is not None]
        for ignore, code in covering:
            used[ignore].add(code or "")
        if not covering:
            kept.append(violation)
    unused = (_unused(ignore, used[ignore], source, ran) for ignore in ignores)
    return Suppressed(tuple(kept), tuple(found for found in unused if found is not None))


def _unused(
    ignore: Ignore, used: set[str], source: Source, ran: frozenset[str]
) -> UnusedIgnore | None:
    ours = [code for code in ignore.codes if not ignore.foreign or code.upper().startswith("TFC")]
    idle = tuple(code for code in ours if code not in used and _has_run(code, ran))
    if ignore.codes:
        if not idle:
            return None
        rest = [code for code in ignore.codes if code not in idle]
        return _removal(ignore, idle, rest, source)
    # A bare `noqa` may be there for another linter.
    return None if used or ignore.foreign else _removal(ignore, (), [], source)


def _has_run(code: str, ran: frozenset[str]) -> bool:
    """A code whose rule is switched off may be of use in another run."""
    known = code.upper().startswith("TFC")
    return not known or any(name.startswith(code.upper()) for name in ran)


def _removal(
    ignore: Ignore, idle: tuple[str, ...], rest: list[str], source: Source
) -> UnusedIgnore:
    start = Position(ignore.row, ignore.column)
    end = Position(ignore.row, ignore.column + len(ignore.text))
    if rest:
        return UnusedIgnore(idle, Span(start, end), _respelled(ignore, rest))
    line = source.lines[ignore.row - 1]
    before, after = line[: start.column - 1], line[end.column - 1 :]
    if not before.strip() and not after.strip():
        return UnusedIgnore(idle, Span(Position(ignore.row, 1), Position(ignore.row + 1, 1)), "")
    if not after.strip():
        start = Position(ignore.row, len(before.rstrip()) + 1)
        end = Position(ignore.row, len(line) + 1)
    return UnusedIgnore(idle, Span(start, end), "")


def _respelled(ignore: Ignore, rest: list[str]) -> str:
    head, mark, _ = ignore.text.partition(":" if ignore.foreign else "[")
    listed = ", ".join(rest)
    return f"{head}{mark} {listed}" if ignore.foreign else f"{head}{mark}{listed}]"
