from __future__ import annotations

from dataclasses import replace

import pytest

from tfcheck.profile import excerpts as module
from tfcheck.profile.excerpts import excerpts
from tfcheck.profile.model import CallSite, Excerpt, FunctionKey, FunctionProfile, Place
from tfcheck.profile.sources import Body, Sources

FUNCTION = FunctionProfile(FunctionKey("f", "a.py", 10), 1, 1, 1, 0.1, 0.1, 0.1)
SOURCES = Sources({"a.py": (Body(10, 11, 12),)})
LINES = {"a.py": [f"line {row}" for row in range(1, 101)]}


def lines(first: int, last: int) -> Excerpt:
    return Excerpt("a.py", first, tuple(LINES["a.py"][first - 1 : last]))


def called_at(*rows: int) -> FunctionProfile:
    sites = tuple(CallSite(Place("a.py", row), 1, 0.1, 1, 0.1) for row in rows)
    return replace(FUNCTION, sites=sites)


def test_a_function_is_shown_with_a_few_lines_around() -> None:
    result = excerpts([FUNCTION], [], sources=SOURCES, texts=LINES)

    assert result == (lines(7, 15),)


def test_calls_nearby_are_part_of_the_same_excerpt() -> None:
    result = excerpts([called_at(18, 50)], [], sources=SOURCES, texts=LINES)

    assert result == (lines(7, 21), lines(47, 53))


def test_excerpts_end_with_the_file() -> None:
    result = excerpts([called_at(1, 100)], [], sources=SOURCES, texts=LINES)

    assert result == (lines(1, 4), lines(7, 15), lines(97, 100))


def test_files_that_were_not_read_and_lines_that_are_gone_are_left_out() -> None:
    other = replace(FUNCTION, key=FunctionKey("g", "lib.py", 3))

    assert excerpts([other, called_at(500)], [], sources=SOURCES, texts=LINES) == (lines(7, 15),)


def test_a_report_holds_a_bounded_number_of_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_LINES", 10)

    result = excerpts([called_at(50)], [], sources=SOURCES, texts=LINES)

    assert result == (lines(7, 15),)
