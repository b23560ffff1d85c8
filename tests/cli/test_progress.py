from __future__ import annotations

import sys

import pytest

from tfcheck.cli import progress


def be_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")


def test_long_runs_show_how_far_they_are_and_clean_up(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    be_a_terminal(monkeypatch)
    clock = iter([0.0, 0.5, 1.2, 1.25, 2.0])
    monkeypatch.setattr(progress.time, "perf_counter", lambda: next(clock))

    with progress.counting_files() as counter:
        for through in range(1, 5):
            counter("checking", through, 4)

    clear = "\r\x1b[K"
    assert capsys.readouterr().err == (
        f"{clear}checking files: 2 of 4{clear}checking files: 4 of 4{clear}"
    )


def test_short_runs_show_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    be_a_terminal(monkeypatch)
    with progress.counting_files() as counter:
        counter("checking", 1, 1)

    assert capsys.readouterr().err == ""


def test_nothing_is_shown_where_nobody_looks(capsys: pytest.CaptureFixture[str]) -> None:
    progress.show_line("comparing")

    assert capsys.readouterr().err == ""
