from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tfcheck.diagnostics import LintResult, Position, Severity, Span, Violation
from tfcheck.report.concise import render_concise
from tfcheck.report.data import render_json
from tfcheck.report.summary import summarise
from tfcheck.report.terminal import render_terminal

LINES = {
    ("src/train.py", None, 41): "        loss = train_step(batch, epoch)",
    ("losses.ipynb", 3, 2): '    print("loss",',
    ("losses.ipynb", 3, 3): "          loss)",
}


def source_line(filename: str, cell: int | None, row: int) -> str | None:
    return LINES.get((filename, cell, row))


def test_concise_is_one_line_a_finding(result: LintResult) -> None:
    assert render_concise(result) == (
        "src/train.py:41:34: TFC101 `epoch` is a Python int here: every value traces train_step"
        " again\n"
        "losses.ipynb:cell 3:2:5: TFC301 print runs only while tracing, not in each call\n"
        "2 findings (1 error, 1 warning) in 214 files, 9 with traced code, 0.8 s. 1 fixable.\n"
    )


def test_the_terminal_shows_code_chain_and_cure(result: LintResult) -> None:
    text = render_terminal(result, source_line=source_line, colour=False)

    assert text == (
        "src/train.py:41:34 TFC101 `epoch` is a Python int here: every value traces train_step"
        " again [error]\n"
        "   |\n"
        "41 |         loss = train_step(batch, epoch)\n"
        "   |                                  ^^^^^\n"
        "   |\n"
        "   = traced: train_step, decorated @tf.function (src/train.py:12)\n"
        "   = cure: pass tf.constant(epoch, tf.int64)\n"
        "losses.ipynb:cell 3:2:5 TFC301 print runs only while tracing, not in each call"
        " [warning, fixable]\n"
        "   |\n"
        ' 2 |     print("loss",\n'
        "   |     ^^^^^^^^^^^^^\n"
        " 3 |           loss)\n"
        "   |           ^^^^^\n"
        "   |\n"
        "   = traced: called from compute_loss (losses.ipynb:4) ← decorated @tf.function"
        " (losses.ipynb:1)\n"
        "   = cure: use tf.print; `tfcheck lint --fix` does\n"
        "\n"
        "2 findings (1 error, 1 warning) in 214 files, 9 with traced code, 0.8 s. 1 fixable.\n"
    )


def test_a_finding_whose_source_is_gone_is_shown_without_it(
    result: LintResult, scalar: Violation
) -> None:
    alone = replace(result, violations=(scalar,))

    text = render_terminal(alone, source_line=lambda *_: None, colour=False)

    assert "   |" not in text
    assert "   = cure: pass tf.constant(epoch, tf.int64)\n" in text


def test_carets_stand_under_wide_characters_and_tabs(scalar: Violation) -> None:
    line = "\t名 = train_step(名, epoch)"
    column = line.index("epoch") + 1
    finding = replace(
        scalar, span=Span(Position(41, column), Position(41, column + 5)), hint=None, traced=()
    )
    result = LintResult((finding,), files=1, traced_files=1, seconds=0.0)

    frame = render_terminal(result, source_line=lambda *_: line, colour=False).splitlines()[1:5]

    assert frame == [
        "   |",
        "41 |     名 = train_step(名, epoch)",
        "   |                         ^^^^^",
        "   |",
    ]


def test_what_comes_from_the_user_can_neither_drive_the_terminal_nor_use_markup(
    scalar: Violation,
) -> None:
    finding = replace(
        scalar, filename="a\x1b[2J.py", message="[red]\x1b]0;x\x07\u202e[/red]", traced=()
    )
    result = LintResult((finding,), files=1, traced_files=1, seconds=0.0)

    heading = render_terminal(
        result, source_line=lambda *_: "x\x1b[31m", colour=False
    ).splitlines()[0]

    assert heading == ("a\\x1b[2J.py:41:34 TFC101 [red]\\x1b]0;x\\x07\\u202e[/red] [error]")


def test_colours_come_only_when_asked_for(result: LintResult) -> None:
    plain = render_terminal(result, source_line=source_line, colour=False)
    coloured = render_terminal(result, source_line=source_line, colour=True)

    assert "\x1b" not in plain
    assert "\x1b[1;31mTFC101\x1b[0m" in coloured


def test_json_has_the_field_names_that_ruff_has(result: LintResult) -> None:
    records = json.loads(render_json(result, urls={"TFC301": "https://example.org/TFC301"}))

    assert records[0]["fix"] is None
    assert records[0]["url"] is None
    assert records[1] == {
        "code": "TFC301",
        "name": "python-print",
        "message": "print runs only while tracing, not in each call",
        "severity": "warning",
        "confidence": "medium",
        "filename": "losses.ipynb",
        "cell": 3,
        "location": {"row": 2, "column": 5},
        "end_location": {"row": 3, "column": 16},
        "traced": [
            {"reason": "called from compute_loss", "filename": "losses.ipynb", "row": 4},
            {"reason": "decorated @tf.function", "filename": "losses.ipynb", "row": 1},
        ],
        "fix": {
            "applicability": "safe",
            "message": "use tf.print",
            "edits": [
                {
                    "content": "tf.print",
                    "location": {"row": 2, "column": 5},
                    "end_location": {"row": 2, "column": 10},
                }
            ],
        },
        "url": "https://example.org/TFC301",
    }


def test_json_without_findings_is_an_empty_list() -> None:
    assert render_json(LintResult((), files=1, traced_files=1, seconds=0.0), urls={}) == "[]\n"


@pytest.mark.parametrize(
    ("files", "traced", "fixed", "expected"),
    [
        (214, 9, 0, "No findings in 214 files, 9 with traced code, 0.8 s."),
        (1, 1, 2, "2 fixed. No findings in 1 file, 1 with traced code, 0.8 s."),
        (
            3,
            0,
            0,
            "No findings: no traced code in 3 files (looked for tf.function, Dataset.map and its"
            " kin, Keras call and train_step), 0.8 s.",
        ),
    ],
)
def test_a_clean_run_says_how_much_was_seen(
    files: int, traced: int, fixed: int, expected: str
) -> None:
    result = LintResult((), files=files, traced_files=traced, seconds=0.84, fixed=fixed)

    assert summarise(result) == expected


def test_findings_are_counted_by_severity(scalar: Violation) -> None:
    kinds = (Severity.INFO, Severity.ERROR, Severity.INFO)
    violations = tuple(replace(scalar, severity=kind) for kind in kinds)

    text = summarise(LintResult(violations, files=1, traced_files=1, seconds=0.0))

    assert text == "3 findings (1 error, 2 info) in 1 file, 1 with traced code, 0.0 s."
