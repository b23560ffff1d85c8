from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from tfcheck.cli.formats import Output, parse_outputs, use_colour


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")


def test_people_at_a_terminal_get_the_rich_report_in_colour(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "stdout", Terminal())

    assert parse_outputs([]) == [Output("rich", None)]
    assert use_colour(None)


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_colours_can_be_declined(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setattr(sys, "stdout", Terminal())
    monkeypatch.setenv(name, value)

    assert not use_colour(None)


def test_a_file_gets_no_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", Terminal())

    assert not use_colour(Path("report.txt"))


def test_pipes_get_one_line_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", io.StringIO())

    assert parse_outputs([]) == [Output("concise", None)]


def test_a_file_may_have_an_equals_sign_in_its_name() -> None:
    assert parse_outputs(["json=a=b.json"]) == [Output("json", Path("a=b.json"))]
