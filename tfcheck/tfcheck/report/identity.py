"""Names a finding so that services recognise it in the next run."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import PurePath
from urllib.parse import quote

from tfcheck.diagnostics import Violation


def fingerprints(violations: Sequence[Violation]) -> list[str]:
    """One for each finding, the same wherever in its file it stands."""
    seen: Counter[tuple[str, ...]] = Counter()
    return [_fingerprint(each, seen) for each in violations]


def _fingerprint(violation: Violation, seen: Counter[tuple[str, ...]]) -> str:
    # Messages name other lines, which move as well.
    message = re.sub(r"\d+", "0", violation.message)
    alike = (violation.code, PurePath(violation.filename).as_posix(), message)
    seen[alike] += 1
    return hashlib.sha256("\0".join([*alike, str(seen[alike])]).encode()).hexdigest()


def uri(filename: str) -> str:
    """A file as services expect it: from the current folder, or absolute."""
    path = PurePath(filename)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())


def notebook_note(violation: Violation) -> str:
    """`cell 3, line 2: ` for what stands in a notebook, of which services know no lines."""
    if violation.cell is None:
        return ""
    return f"cell {violation.cell}, line {violation.span.start.row}: "
