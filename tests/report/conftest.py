"""Findings and profiles to render."""

from __future__ import annotations

import pytest

from tfcheck.diagnostics import (
    Applicability,
    Confidence,
    Edit,
    Fix,
    LintResult,
    Position,
    Severity,
    Span,
    TracedStep,
    Violation,
)
from tfcheck.profile.model import (
    Action,
    Agreement,
    CallSite,
    Comparison,
    Device,
    Disagreement,
    Evidence,
    Excerpt,
    Finding,
    FixTrial,
    FunctionKey,
    FunctionProfile,
    Gate,
    HotLine,
    Interval,
    OpCost,
    Place,
    Policy,
    Profile,
    Retrace,
    RunCost,
    Script,
    Signature,
    Slice,
    SliceKind,
    Timeline,
    Timing,
    Totals,
    Verdict,
)


def span(row: int, column: int, end_row: int, end_column: int) -> Span:
    return Span(Position(row, column), Position(end_row, end_column))


@pytest.fixture
def scalar() -> Violation:
    """A finding without fix, in a file."""
    return Violation(
        code="TFC101",
        name="python-scalar-arg",
        message="`epoch` is a Python int here: every value traces train_step again",
        severity=Severity.ERROR,
        confidence=Confidence.HIGH,
        filename="src/train.py",
        span=span(41, 34, 41, 39),
        hint="pass tf.constant(epoch, tf.int64)",
        traced=(TracedStep("train_step, decorated @tf.function", "src/train.py", 12),),
    )


@pytest.fixture
def printing() -> Violation:
    """A finding with a safe fix, in a notebook cell."""
    return Violation(
        code="TFC301",
        name="python-print",
        message="print runs only while tracing, not in each call",
        severity=Severity.WARNING,
        confidence=Confidence.MEDIUM,
        filename="losses.ipynb",
        span=span(2, 5, 3, 16),
        cell=3,
        traced=(
            TracedStep("called from compute_loss", "losses.ipynb", 4),
            TracedStep("decorated @tf.function", "losses.ipynb", 1),
        ),
        fix=Fix(
            Applicability.SAFE,
            "use tf.print",
            (Edit(span(2, 5, 2, 10), "tf.print"),),
        ),
    )


@pytest.fixture
def result(scalar: Violation, printing: Violation) -> LintResult:
    """Both findings."""
    return LintResult(
        violations=(scalar, printing), files=214, traced_files=9, seconds=0.84, fixed=0
    )


STEP = FunctionProfile(
    key=FunctionKey("train_step", "src/train.py", 12),
    instances=1,
    calls=400,
    traces=38,
    trace_s=3.58,
    build_s=0.4,
    run_s=0.76,
    signatures=(Signature("(x: float32[32])", 400, 3.58, 0.4, 20, 64, 12, ("PyFunc",), 0.12),),
    causes=(
        Retrace(
            "python-value",
            "epoch",
            "Literal[0]",
            "Literal[1], Literal[2], …",
            36,
            3.9,
            Place("src/train.py", 41),
            "TFC101",
        ),
        Retrace(
            "shape",
            "batch['x']",
            "float32[32, 784]",
            "float32[17, 784]",
            1,
            0.08,
            Place("src/train.py", 41),
            "TFC105",
        ),
    ),
    comparison=Comparison(
        graph=Timing(0.0019, 0.0018, 0.0020, 100),
        eager=Timing(0.0112, 0.0106, 0.0118, 100),
        speedup=Interval(5.9, 5.4, 6.3),
        agrees=Agreement(2e-7, 8e-7),
    ),
    break_even=Interval(10.7, 10.1, 11.9),
    ops=(
        OpCost("MatMul", "FusedGemm", "CPU", Place("src/train.py", 20), 2.0, 0.0012),
        OpCost("", "Transpose", "CPU", None, 1.0, 0.0004),
    ),
    verdict=Verdict(
        Action.FIX_RETRACES,
        "36 of 38 traces of train_step come from `epoch` (Python value) at src/train.py:41",
        "pass a tensor: one trace then serves every value",
        3.9,
        rule="TFC101",
        found=True,
    ),
    suggested_signature="input_signature=[tf.TensorSpec([], tf.int32)]",
    first_call_s=0.12,
    sites=(CallSite(Place("src/train.py", 41), 400, 0.76, 38, 3.98),),
    policies=(Policy("tensor-for-literal", "pass `epoch` as a tensor", 2, 3.9),),
)
AUGMENT = FunctionProfile(
    key=FunctionKey("augment", "src/train.py", 30),
    instances=1,
    calls=10,
    traces=2,
    trace_s=0.08,
    build_s=0.02,
    run_s=0.004,
    comparison=Comparison(
        graph=Timing(0.00042, 0.0004, 0.00044, 100),
        eager=Timing(0.00039, 0.00037, 0.00041, 100),
        speedup=Interval(0.93, 0.84, 1.03),
        agrees=Agreement(0.0, 0.0),
    ),
    verdict=Verdict(
        Action.LEAVE_EAGER, "the graph of augment is no faster than eager", "leave it eager", 0.1
    ),
    disagreement=Disagreement(
        "results of graph and eager differ by up to 25 %", "`rate` was rebound", "TFC201"
    ),
)
PREDICT = FunctionProfile(
    key=FunctionKey("predict", "src/train.py", 70),
    instances=1,
    calls=2,
    traces=1,
    trace_s=0.02,
    build_s=0.01,
    run_s=0.001,
    not_compared="prints (src/train.py:77)",
    verdict=Verdict(Action.UNDECIDED, "not compared: prints (src/train.py:77)", "", 0.0),
)


@pytest.fixture
def profile(scalar: Violation, printing: Violation) -> Profile:
    """A run with a Function to fix, one to leave eager and one that prints."""
    return Profile(
        tool="tfcheck 0.1.0",
        script=Script("src/train.py", ("src/train.py", "--epochs", "5"), 0, None),
        device=Device("CPU", "onnxruntime 1.31.0"),
        totals=Totals(5.1, 3.68, 0.43, 0.765, 0.225, 412, 41),
        functions=(STEP, AUGMENT, PREDICT),
        findings=(
            Finding(scalar, Evidence.PROVEN, 3.9, "36 traces"),
            Finding(printing, Evidence.NOT_REACHED, 0.0),
        ),
        timeline=Timeline(
            (
                Slice(SliceKind.CALL, 0, 0, 0.5, 0.25, 0),
                Slice(SliceKind.TRACE, 0, 0, 0.5, 0.125, 0),
                Slice(SliceKind.CALL, 1, None, 2.0, 0.001, 1),
            ),
            call_stride=2,
        ),
        sources=(Excerpt("src/train.py", 40, ("for epoch in epochs:", "\tstep(x, epoch)")),),
        gates=(
            Gate("max-traces", "50", "41", True, ""),
            Gate("min-speedup", "2×", "0.93×", False, "augment (src/train.py:30) 0.84–1.03×"),
        ),
        hot_lines=(HotLine(Place("src/train.py", 41), "<module>", 4.0, 3.5, 0.4, 0.0, 0.0),),
        trial=FixTrial(
            RunCost(5.1, 4.11, 41, 412),
            unsafe=True,
            fixes=2,
            diff="--- a/train.py\n+++ b/train.py\n-step(epoch)\n+step(tf.constant(epoch))\n",
            after=RunCost(1.3, 0.25, 3, 412),
            calls=412,
            max_rel=8e-7,
        ),
    )
