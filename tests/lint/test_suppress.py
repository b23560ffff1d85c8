"""Suppression comments, and those that are of no use."""

from __future__ import annotations

import pytest

from tfcheck.config import Selector, Settings
from tfcheck.lint.check import check_bytes
from tfcheck.lint.files import StdinSource
from tfcheck.lint.mend import mend

PROGRAM = """import tensorflow as tf

@tf.function
def step(x):
    print(x){}
    return x
"""


def codes(program: str, *selected: str) -> list[str]:
    settings = Settings(select=tuple(Selector(code, "test") for code in selected))
    outcome = check_bytes(program.encode(), filename="a.py", settings=settings)
    return [violation.code for violation in outcome.violations]


USEFUL = [
    "  # tfcheck: ignore",
    "  # tfcheck: ignore[TFC301]",
    "  # tfcheck: ignore[python-print]",
    "  # tfcheck: ignore[TFC3]",
    "  # tfcheck:ignore[ TFC301 ]",
    "  # noqa: TFC301",
    "  # noqa: E501, TFC301",
    "  # noqa",
    "  # why not  # tfcheck: ignore[TFC301]",
]


@pytest.mark.parametrize("comment", USEFUL)
def test_comment_on_the_line_suppresses(comment: str) -> None:
    assert codes(PROGRAM.format(comment)) == []


@pytest.mark.parametrize("comment", ["  # tfcheck: ignore[TFC302]", "  # noqa: E501", " # fine"])
def test_comment_about_something_else_suppresses_nothing(comment: str) -> None:
    assert "TFC301" in codes(PROGRAM.format(comment))


def test_whole_files_can_be_suppressed() -> None:
    program = PROGRAM.format("")

    assert codes("# tfcheck: ignore-file\n" + program) == []
    assert codes("# tfcheck: ignore-file[TFC301]\n" + program) == []
    assert codes("# tfcheck: ignore-file[TFC302]\n" + program) == ["TFC001", "TFC301"]


def test_text_in_a_string_is_no_comment() -> None:
    assert codes(PROGRAM.format("; s = '# tfcheck: ignore'")) == ["TFC301"]


REMOVED = {
    "alone": ("x = 1  # tfcheck: ignore[TFC301]\n", "x = 1\n"),
    "one of two": (
        "print(1)  # tfcheck: ignore[TFC301, TFC302]\n",
        "print(1)\n",
    ),
    "own line": ("x = 1\n# tfcheck: ignore\ny = 2\n", "x = 1\ny = 2\n"),
    "noqa of others": ("x = 1  # noqa: E501, TFC301\n", "x = 1  # noqa: E501\n"),
    "before another": (
        "x = 1  # tfcheck: ignore  # type: ignore\n",
        "x = 1    # type: ignore\n",
    ),
}


@pytest.mark.parametrize(("before", "after"), REMOVED.values(), ids=REMOVED)
def test_useless_comments_are_reported_and_removed(before: str, after: str) -> None:
    result = mend(StdinSource(before.encode(), "a.py"), settings=Settings(), unsafe=False)

    assert codes(before) == ["TFC001"]
    assert result.content.decode() == after


def test_codes_that_did_not_run_are_left_alone() -> None:
    assert codes("x = 1  # tfcheck: ignore[TFC301]\n", "TFC001", "TFC302") == []
