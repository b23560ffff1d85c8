"""Formats that services read: SARIF, GitHub, GitLab, JUnit, Markdown and JSON by lines."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest
from markdown_it import MarkdownIt

from tfcheck import __version__
from tfcheck.diagnostics import (
    FileProblem,
    InternalProblem,
    LintResult,
    Related,
    Violation,
)
from tfcheck.lint.registry import RuleInfo
from tfcheck.report.data import render_jsonl
from tfcheck.report.github import render_github
from tfcheck.report.gitlab import render_gitlab
from tfcheck.report.identity import fingerprints, uri
from tfcheck.report.junit import render_junit
from tfcheck.report.lint_markdown import render_lint_markdown
from tfcheck.report.sarif import render_sarif

RULES = tuple(
    RuleInfo(
        code=code,
        name=name,
        group=group,
        severity=severity,
        confidence="high",
        since="0.1",
        fix=None,
        summary=f"Summary of {name}.",
        sections=(),
        url=f"https://example.org/{name}",
    )
    for code, name, group, severity in (
        ("TFC101", "python-scalar-arg", "retracing", "error"),
        ("TFC102", "varying-container-arg", "retracing", "warning"),
        ("TFC301", "python-print", "side_effects", "warning"),
    )
)
HOSTILE = 'a\n::error::b,c:d%0A\x1b[31m<b>&"|`\ufffe@you'


def sarif(result: LintResult) -> Any:
    return json.loads(render_sarif(result, rules=RULES))


def test_sarif_is_one_run_with_the_rules_that_found_something(result: LintResult) -> None:
    document = sarif(result)

    (run,) = document.pop("runs")
    assert document == {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
    }
    assert run["columnKind"] == "unicodeCodePoints"
    assert run["invocations"] == [{"executionSuccessful": True, "toolExecutionNotifications": []}]
    assert run["tool"]["driver"] == {
        "name": "tfcheck",
        "version": __version__,
        "informationUri": "https://github.com/tfcheck/tfcheck",
        "rules": [
            {
                "id": "TFC101",
                "name": "python-scalar-arg",
                "shortDescription": {"text": "Summary of python-scalar-arg."},
                "helpUri": "https://example.org/python-scalar-arg",
                "defaultConfiguration": {"level": "error"},
                "properties": {"tags": ["retracing"], "precision": "very-high"},
            },
            {
                "id": "TFC301",
                "name": "python-print",
                "shortDescription": {"text": "Summary of python-print."},
                "helpUri": "https://example.org/python-print",
                "defaultConfiguration": {"level": "warning"},
                "properties": {"tags": ["side_effects"], "precision": "very-high"},
            },
        ],
    }


def test_sarif_results_have_their_place_and_the_chain(
    result: LintResult, scalar: Violation
) -> None:
    seen = replace(scalar, related=(Related("rebound here", "src/a b.py", scalar.span),))

    (found,) = sarif(replace(result, violations=(seen,)))["runs"][0]["results"]

    region = {"startLine": 41, "startColumn": 34, "endLine": 41, "endColumn": 39}
    assert found == {
        "ruleId": "TFC101",
        "ruleIndex": 0,
        "level": "error",
        "message": {
            "text": "`epoch` is a Python int here: every value traces train_step again\n"
            "Cure: pass tf.constant(epoch, tf.int64)"
        },
        "locations": [
            {"physicalLocation": {"artifactLocation": {"uri": "src/train.py"}, "region": region}}
        ],
        "relatedLocations": [
            {
                "id": 1,
                "message": {"text": "traced: train_step, decorated @tf.function"},
                "physicalLocation": {
                    "artifactLocation": {"uri": "src/train.py"},
                    "region": {"startLine": 12},
                },
            },
            {
                "id": 2,
                "message": {"text": "rebound here"},
                "physicalLocation": {
                    "artifactLocation": {"uri": "src/a%20b.py"},
                    "region": region,
                },
            },
        ],
        "partialFingerprints": {"tfcheck/v1": fingerprints([seen])[0]},
        "fixes": [],
    }


def test_sarif_fixes_replace_text(result: LintResult, printing: Violation) -> None:
    in_file = replace(printing, filename="losses.py", cell=None)

    (found,) = sarif(replace(result, violations=(in_file,)))["runs"][0]["results"]

    assert found["fixes"] == [
        {
            "description": {"text": "use tf.print"},
            "artifactChanges": [
                {
                    "artifactLocation": {"uri": "losses.py"},
                    "replacements": [
                        {
                            "deletedRegion": {
                                "startLine": 2,
                                "startColumn": 5,
                                "endLine": 2,
                                "endColumn": 10,
                            },
                            "insertedContent": {"text": "tf.print"},
                        }
                    ],
                }
            ],
        }
    ]


def test_rows_of_a_notebook_cell_are_no_rows_of_its_file(
    result: LintResult, printing: Violation
) -> None:
    only = replace(result, violations=(printing,))

    (found,) = sarif(only)["runs"][0]["results"]
    (issue,) = json.loads(render_gitlab(only))
    command = render_github(only).splitlines()[0]

    message = "cell 3, line 2: print runs only while tracing, not in each call"
    assert found["message"] == {"text": message}
    assert found["locations"] == [
        {"physicalLocation": {"artifactLocation": {"uri": "losses.ipynb"}}}
    ]
    assert (found["relatedLocations"], found["fixes"]) == ([], [])
    assert issue["description"] == f"TFC301 {message}"
    assert issue["location"] == {"path": "losses.ipynb", "lines": {"begin": 1, "end": 1}}
    assert command == f"::warning title=TFC301 python-print,file=losses.ipynb::{message}"


def test_sarif_names_files_that_were_not_read_and_our_own_faults(result: LintResult) -> None:
    troubled = replace(
        result,
        violations=(),
        problems=(FileProblem("a.py", "no permission"),),
        internal=(InternalProblem("b.py", "TFC101", "KeyError: 'x'", "Traceback"),),
    )

    (invocation,) = sarif(troubled)["runs"][0]["invocations"]

    assert not invocation["executionSuccessful"]
    assert [each["message"]["text"] for each in invocation["toolExecutionNotifications"]] == [
        "no permission",
        "KeyError: 'x'",
    ]


def test_a_fingerprint_outlives_moves_and_tells_twins_apart(scalar: Violation) -> None:
    moved = replace(scalar, span=replace(scalar.span, start=replace(scalar.span.start, row=1)))

    assert fingerprints([scalar]) == fingerprints([moved])
    assert len(set(fingerprints([scalar, moved]))) == 2
    assert fingerprints([scalar]) != fingerprints([replace(scalar, filename="other.py")])


@pytest.mark.parametrize(
    ("filename", "expected"),
    [("src/a.py", "src/a.py"), ("ü ?#.py", "%C3%BC%20%3F%23.py"), ("/a b.py", "file:///a%20b.py")],
)
def test_files_are_uris(filename: str, expected: str) -> None:
    assert uri(filename) == expected


def test_github_gets_a_command_a_finding(result: LintResult, scalar: Violation) -> None:
    assert render_github(replace(result, violations=(scalar,))) == (
        "::error title=TFC101 python-scalar-arg,file=src/train.py,line=41,endLine=41,col=34,"
        "endColumn=39::`epoch` is a Python int here: every value traces train_step again;"
        " pass tf.constant(epoch, tf.int64)\n"
        "1 finding (1 error) in 214 files, 9 with traced code, 0.8 s.\n"
    )


def test_gitlab_gets_an_object_a_finding(result: LintResult, scalar: Violation) -> None:
    assert json.loads(render_gitlab(replace(result, violations=(scalar,)))) == [
        {
            "description": "TFC101 `epoch` is a Python int here: every value traces train_step"
            " again",
            "check_name": "TFC101",
            "fingerprint": fingerprints([scalar])[0],
            "severity": "critical",
            "location": {"path": "src/train.py", "lines": {"begin": 41, "end": 41}},
        }
    ]


def test_junit_has_a_failure_a_finding(result: LintResult, scalar: Violation) -> None:
    assert render_junit(replace(result, violations=(scalar,))) == (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        '<testsuites tests="1" failures="1">\n'
        '  <testsuite name="tfcheck" tests="1" failures="1" time="0.840">\n'
        '    <testcase classname="src/train.py" name="TFC101 src/train.py:41:34">\n'
        '      <failure message="`epoch` is a Python int here: every value traces train_step'
        ' again" type="error">src/train.py:41:34: TFC101 `epoch` is a Python int here: every'
        " value traces train_step again</failure>\n"
        "    </testcase>\n"
        "  </testsuite>\n"
        "</testsuites>\n"
    )


def test_a_clean_run_is_a_test_that_passed(result: LintResult) -> None:
    root = ElementTree.fromstring(render_junit(replace(result, violations=())))

    assert root.attrib == {"tests": "1", "failures": "0"}
    assert [case.attrib for case in root.iter("testcase")] == [
        {"classname": "tfcheck", "name": "lint"}
    ]


def test_markdown_has_a_row_a_finding(result: LintResult) -> None:
    text = render_lint_markdown(result, urls={"TFC101": "https://example.org/TFC101"})

    assert text.splitlines() == [
        "### tfcheck lint",
        "",
        "2 findings (1 error, 1 warning) in 214 files, 9 with traced code, 0.8 s. 1 fixable.",
        "",
        "| where | rule |  | finding |",
        "|---|---|---|---|",
        "| `src/train.py:41:34` | [TFC101](<https://example.org/TFC101>) | error | `epoch` is a"
        r" Python int here\: every value traces train\_step again; pass tf.constant(epoch,"
        " tf.int64) |",
        "| `losses.ipynb:cell 3:2:5` | TFC301 | warning | print runs only while tracing, not in"
        " each call |",
    ]


def test_lines_of_json_are_objects(result: LintResult) -> None:
    lines = render_jsonl(result, urls={}).splitlines()

    assert [json.loads(line)["code"] for line in lines] == ["TFC101", "TFC301"]


def test_hostile_text_stays_text_in_every_format(result: LintResult, scalar: Violation) -> None:
    hostile = replace(scalar, message=HOSTILE, hint=HOSTILE, filename=HOSTILE)
    only = replace(result, violations=(hostile,))

    commands = render_github(only).splitlines()
    (failure,) = ElementTree.fromstring(render_junit(only)).iter("failure")
    html = MarkdownIt("commonmark").enable("table").render(render_lint_markdown(only, urls={}))

    assert len(commands) == 2
    assert "\x1b" not in commands[0]
    assert "file=a\\n%3A%3Aerror%3A%3Ab%2Cc%3Ad%250A" in commands[0]
    assert failure.attrib["message"] == 'a\\n::error::b,c:d%0A\\x1b[31m<b>&"|`\ufffd@you'
    assert html.count("<td") == 4
    assert "<b>" not in html
    assert len(render_jsonl(only, urls={}).splitlines()) == 1
