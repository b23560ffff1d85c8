"""Programs with a hazard and their repaired twins, as all rules that run by default see them.

Each pair of `fixtures/hazards` was run under TensorFlow; the line under its heading says by what
the two programs differed there.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tfcheck.config import Settings
from tfcheck.lint.check import check_bytes

PAGES = sorted((Path(__file__).parents[2] / "fixtures/hazards").glob("*.md"))
PAIR = re.compile(r"^## (\S+)\n\n(.*?)\n\n```python\n(.*?)```\n\n```python\n(.*?)```$", re.M | re.S)
MARK = re.compile(r"  # (TFC\d+(?:, TFC\d+)*)$")
PAIRS = [
    pytest.param(bad, good, id=f"{page.stem}-{slug}")
    for page in PAGES
    for slug, _, bad, good in PAIR.findall(page.read_text(encoding="utf-8"))
]


def marks(program: str) -> set[tuple[int, str]]:
    return {
        (row, code)
        for row, line in enumerate(program.splitlines(), start=1)
        for found in [MARK.search(line)]
        if found is not None
        for code in found[1].split(", ")
    }


def findings(program: str) -> set[tuple[int, str]]:
    plain = "\n".join(MARK.sub("", line) for line in program.splitlines()) + "\n"
    outcome = check_bytes(plain.encode(), filename="program.py", settings=Settings())
    return {(found.span.start.row, found.code) for found in outcome.violations}


def test_there_are_pairs_of_every_kind() -> None:
    assert len(PAIRS) >= 100
    assert all(f"{page.stem}-" in str([pair.id for pair in PAIRS]) for page in PAGES)


@pytest.mark.parametrize(("bad", "good"), PAIRS)
def test_the_hazard_is_found_where_it_is_and_the_repaired_program_is_silent(
    bad: str, good: str
) -> None:
    wanted = marks(bad)

    found = findings(bad), findings(good)

    assert wanted != set()
    assert found == (wanted, set())
