"""Chooses fixes that fit together, and turns changed text into a diff or a file."""

from __future__ import annotations

import difflib
import os
import stat
import tempfile
from collections.abc import Iterable
from pathlib import Path

from tfcheck.diagnostics import Applicability, Edit, Fix, Violation
from tfcheck.errors import OutputError


def choose(violations: Iterable[Violation], *, unsafe: bool) -> list[Fix]:
    """The fixes to apply now: in order of place, those that overlap none before them.

    The rest is left for the next round. An edit that several fixes share, such as an import, is
    made once.
    """
    chosen: list[Fix] = []
    taken: list[Edit] = []
    for violation in violations:
        fix = violation.fix
        if fix is None or (fix.applicability is Applicability.UNSAFE and not unsafe):
            continue
        fresh = [edit for edit in fix.edits if edit not in taken]
        if fresh and not any(_overlap(edit, other) for edit in fresh for other in taken):
            chosen.append(fix)
            taken += fresh
    return chosen


def edits_of(fixes: Iterable[Fix]) -> list[Edit]:
    """The edits of fixes that fit together, each once."""
    return list(dict.fromkeys(edit for fix in fixes for edit in fix.edits))


def _overlap(a: Edit, b: Edit) -> bool:
    if a.span.start == b.span.start:
        return True  # two insertions at one place have no order
    return a.span.start < b.span.end and b.span.start < a.span.end


def unified_diff(before: bytes, after: bytes, *, filename: str, encoding: str) -> str:
    """What changed in one file, in the format `patch` reads; CRLF lines keep their ends."""
    old = before.decode(encoding).splitlines(keepends=True)
    new = after.decode(encoding).splitlines(keepends=True)
    lines = difflib.unified_diff(old, new, fromfile=f"a/{filename}", tofile=f"b/{filename}")
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )


def write_atomically(path: Path, content: bytes, *, expected: bytes | None = None) -> None:
    """Replace a file in one step, so that no one ever sees half of it.

    Raises:
        OutputError: the folder or the file cannot be written, or the file does not hold what is
            `expected`: someone has changed it.
    """
    target = path.resolve()  # a link stays a link
    try:
        if expected is not None and target.read_bytes() != expected:
            raise OutputError("was changed by someone else while it was checked; run again")
        mode = stat.S_IMODE(target.stat().st_mode)
        if not os.access(target, os.W_OK):
            raise PermissionError(13, "the file is read-only")
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            os.chmod(name, mode)
            os.replace(name, target)
        except BaseException:
            os.unlink(name)
            raise
    except OSError as error:
        raise OutputError(f"cannot be written: {error.strerror or error}") from error
