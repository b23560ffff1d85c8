"""Programs that print the same here as what was recorded from real TensorFlow by `record.py`."""

from __future__ import annotations

import math
import re
import runpy
import sys
from itertools import zip_longest
from pathlib import Path

import pytest

import tfcheck_runtime

PROGRAMS = Path(__file__).parents[3] / "fixtures" / "programs"
NAMES = sorted(str(path.relative_to(PROGRAMS).with_suffix("")) for path in PROGRAMS.glob("*/*.py"))
FLOAT = re.compile(
    r"(?<![\w.])[-+]?(?:\d+\.\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?"
    r"|\d+[eE][-+]?\d+|inf|nan)(?![\w.])"
)


@pytest.mark.parametrize("name", NAMES)
def test_a_program_prints_what_tensorflow_prints(
    name: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    recorded = (PROGRAMS / f"{name}.out").read_text(encoding="utf-8").splitlines()
    monkeypatch.setitem(sys.modules, "tensorflow", tfcheck_runtime)
    tfcheck_runtime.random.set_seed(None)
    monkeypatch.syspath_prepend(PROGRAMS)  # what programs share

    runpy.run_path(str(PROGRAMS / f"{name}.py"), run_name="__main__")

    printed = capfd.readouterr().out.splitlines()
    assert [pair for pair in zip_longest(printed, recorded) if not _same(*pair)] == []


def test_floats_may_differ_in_the_last_digits_and_nothing_else_may() -> None:
    assert _same("a 0.33333334 [2]", "a 0.3333333 [2]")
    assert _same("nan -inf 1.0", "nan -inf 1.")
    assert _same("[0.33333334, 1.]", "[0.3333333 , 1.]")
    assert not _same("a 0.3334", "a 0.3333")
    assert not _same("a 3", "a 4")
    assert not _same("nan", "inf")
    assert not _same("a 0.5", None)


def _same(printed: str | None, recorded: str | None) -> bool:
    if printed is None or recorded is None:
        return False
    if _words(printed) != _words(recorded):
        return False
    pairs = zip(FLOAT.findall(printed), FLOAT.findall(recorded), strict=True)
    return all(_close(float(a), float(b)) for a, b in pairs)


def _words(text: str) -> list[str]:
    # NumPy pads floats to a common width, which depends on their digits.
    return [part.strip() for part in FLOAT.split(text)]


def _close(a: float, b: float) -> bool:
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    return a == b or math.isclose(a, b, rel_tol=1e-4, abs_tol=1e-6)
