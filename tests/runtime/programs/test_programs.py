"""Programs that print the same here as what was recorded from real TensorFlow by `record.py`."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest
from printed_lines import differences, same

import tfcheck_runtime

PROGRAMS = Path(__file__).parents[3] / "fixtures" / "programs"
NAMES = sorted(
    str(path.relative_to(PROGRAMS).with_suffix(""))
    for path in PROGRAMS.glob("*/*.py")
    if path.parent.name != "keras"
)


@pytest.mark.parametrize("name", NAMES)
def test_a_program_prints_what_tensorflow_prints(
    name: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    recorded = (PROGRAMS / f"{name}.out").read_text(encoding="utf-8")
    monkeypatch.setitem(sys.modules, "tensorflow", tfcheck_runtime)
    tfcheck_runtime.random.set_seed(None)
    monkeypatch.syspath_prepend(PROGRAMS)  # what programs share

    runpy.run_path(str(PROGRAMS / f"{name}.py"), run_name="__main__")

    assert differences(capfd.readouterr().out, recorded) == []


def test_floats_may_differ_in_the_last_digits_and_nothing_else_may() -> None:
    assert same("a 0.33333334 [2]", "a 0.3333333 [2]")
    assert same("nan -inf 1.0", "nan -inf 1.")
    assert same("[0.33333334, 1.]", "[0.3333333 , 1.]")
    assert not same("a 0.3334", "a 0.3333")
    assert not same("a 3", "a 4")
    assert not same("nan", "inf")
    assert not same("a 0.5", None)
