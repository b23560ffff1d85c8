from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from tfcheck.profile.model import Place, Profile
from tfcheck.report.markdown import MOST_BYTES, markdown_code, markdown_prose, markdown_text
from tfcheck.report.profile_markdown import render_profile_markdown

SCREEN = Path(__file__).parent / "screens" / "profile.md"
HOSTILE = "a|b`c`<img src=x onerror=alert(1)>\n# [x](javascript:1) @you www.evil.example **"


def test_the_summary_has_gates_then_actions_then_the_table(profile: Profile) -> None:
    assert render_profile_markdown(profile) == SCREEN.read_text(encoding="utf-8")


def test_it_fits_a_summary_however_much_there_is(profile: Profile) -> None:
    step = profile.functions[0]
    causes = tuple(
        replace(step.causes[0], argument=f"ä{i}", site=Place("a.py", i)) for i in range(5000)
    )

    text = render_profile_markdown(replace(profile, functions=(replace(step, causes=causes),)))

    assert MOST_BYTES - 200 < len(text.encode()) <= MOST_BYTES
    assert text.endswith("\n\n</details>\n\nThe rest is left out: a summary has room for 64 KiB.\n")


def test_hostile_names_stay_text_in_their_cell(profile: Profile) -> None:
    step = profile.functions[0]
    hostile = replace(
        step,
        key=replace(step.key, name=HOSTILE),
        causes=(replace(step.causes[0], argument=HOSTILE, before=HOSTILE),),
        comparison=None,
        not_compared=HOSTILE,
    )

    text = render_profile_markdown(replace(profile, functions=(hostile,)))

    html = MarkdownIt("commonmark").enable("table").render(text)
    assert re.findall("<(?:img|a|script|h[1-6])[ >]", html) == ["<h3>"]
    assert html.count("<td") == (5 * 2) + 8 + 6 + 4 + (3 * 3)
    assert html.count("onerror=alert(1)") == 5


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a_b*c", r"a\_b\*c"),
        ("<b>", r"\<b\>"),
        ("[x](y)", r"\[x\](y)"),
        ("a\nb\x1b", "a\\\\nb\\\\x1b"),
        ("www.x.org https://y", r"www\.x.org https\://y"),
        ("@you #1 `x`", r"\@you \#1 \`x\`"),
    ],
)
def test_text_means_nothing_to_markdown(text: str, expected: str) -> None:
    if "\n" in text:
        expected = r"a\\nb\\x1b"
    assert markdown_text(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x", "`x`"),
        ("a|b", r"`a\|b`"),
        ("a`b", "``a`b``"),
        ("`", "`` ` ``"),
        ("a``b`c", "```a``b`c```"),
        (" ", ""),
        ("", ""),
    ],
)
def test_code_spans_hold_anything(text: str, expected: str) -> None:
    assert markdown_code(text) == expected


def test_backticks_in_prose_are_code() -> None:
    assert markdown_prose("pass `a_b` to f_1") == r"pass `a_b` to f\_1"
