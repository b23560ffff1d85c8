"""The whole of what some rules say: sentence, cure, chain, places and fix."""

from __future__ import annotations

import json
from textwrap import dedent

from tfcheck.config import Selector, Settings
from tfcheck.diagnostics import (
    Applicability,
    Confidence,
    Edit,
    Fix,
    Position,
    Related,
    Severity,
    Span,
    TracedStep,
    Violation,
)
from tfcheck.lint.check import check_bytes

FILE = "train.py"


def found(code: str, program: str) -> tuple[Violation, ...]:
    content = dedent(program).lstrip("\n").encode()
    settings = Settings(select=(Selector(code, "test"),))
    return check_bytes(content, filename=FILE, settings=settings).violations


def span(row: int, start: int, end: int) -> Span:
    return Span(Position(row, start), Position(row, end))


def test_python_print() -> None:
    violations = found(
        "TFC301",
        """
        import tensorflow as tf

        @tf.function
        def step(x):
            print("x", x)
        """,
    )

    assert violations == (
        Violation(
            code="TFC301",
            name="python-print",
            message="`print` runs only while tracing, not in each call",
            severity=Severity.WARNING,
            confidence=Confidence.HIGH,
            filename=FILE,
            span=span(5, 5, 18),
            hint="print with `tf.print(...)`",
            traced=(TracedStep("step is decorated @tf.function", FILE, 3),),
            fix=Fix(
                Applicability.SAFE,
                "Use tf.print",
                (Edit(span(5, 5, 18), 'tf.print("x", x)'),),
            ),
        ),
    )


def test_python_scalar_arg() -> None:
    violations = found(
        "TFC101",
        """
        import tensorflow as tf

        @tf.function
        def step(n):
            return n

        for epoch in range(EPOCHS):
            step(epoch)
        """,
    )

    assert violations == (
        Violation(
            code="TFC101",
            name="python-scalar-arg",
            message="`epoch` is a Python int here: every value traces `step` again",
            severity=Severity.ERROR,
            confidence=Confidence.HIGH,
            filename=FILE,
            span=span(8, 10, 15),
            hint="pass a tensor: `tf.constant(epoch)`",
            traced=(TracedStep("step is decorated @tf.function", FILE, 3),),
            fix=Fix(
                Applicability.UNSAFE,
                "Pass a tensor",
                (Edit(span(8, 10, 15), "tf.constant(epoch)"),),
            ),
        ),
    )


def test_stale_global_capture() -> None:
    violations = found(
        "TFC201",
        """
        import tensorflow as tf

        rate = 0.1

        @tf.function
        def step(x):
            return x * rate

        step(tf.constant(1.0))
        rate = 0.2
        step(tf.constant(1.0))
        """,
    )

    assert violations == (
        Violation(
            code="TFC201",
            name="stale-global-capture",
            message="`rate` is read while tracing only, but rebound later (line 10):"
            " calls go on with the old value",
            severity=Severity.ERROR,
            confidence=Confidence.HIGH,
            filename=FILE,
            span=span(7, 16, 20),
            hint="pass it as a tensor argument, or make it a `tf.Variable` and assign to it",
            traced=(TracedStep("step is decorated @tf.function", FILE, 5),),
            related=(Related("rebound here", FILE, span(10, 1, 5)),),
        ),
    )


def test_a_function_for_each_case_of_a_test_is_no_finding() -> None:
    program = b"import tensorflow as tf\nfor n in range(3):\n    tf.function(lambda x: x)(n)\n"
    settings = Settings(select=(Selector("TFC103", "test"),))
    files = ("train.py", "train_test.py", "tests/train.py")

    counts = [
        len(check_bytes(program, filename=name, settings=settings).violations) for name in files
    ]

    assert counts == [1, 0, 0]


def test_unused_ignore_and_syntax_error() -> None:
    (unused,) = found("ALL", "x = 1  # tfcheck: ignore[TFC301]\n")
    (broken,) = found("TFC002", "x = = 1\n")

    assert unused.message == "the suppression of `TFC301` suppresses nothing"
    assert (broken.message, broken.span) == ("does not parse: invalid syntax", span(1, 5, 6))


def test_a_message_about_a_notebook_names_the_cell_and_its_row() -> None:
    cells = [
        "import tensorflow as tf\nrate = 0.1\n",
        "@tf.function\ndef step(x):\n    return x * rate\n",
        "step(tf.constant(1.0))\nrate = 0.2\nstep(tf.constant(1.0))\n",
        "for n in range(3):\n    tf.function(lambda x: x)(tf.constant(1.0))\n",
    ]
    document = {"cells": [{"cell_type": "code", "source": cell} for cell in cells]}
    settings = Settings(select=(Selector("TFC201", "test"), Selector("TFC103", "test")))

    violations = check_bytes(
        json.dumps(document).encode(), filename="train.ipynb", settings=settings
    ).violations

    assert [(found.cell, found.span, found.message) for found in violations] == [
        (
            2,
            span(3, 16, 20),
            "`rate` is read while tracing only, but rebound later (cell 3:2):"
            " calls go on with the old value",
        ),
        (
            4,
            span(2, 5, 29),
            "a new Function is made in each round of the loop at cell 4:1: every call traces",
        ),
    ]
