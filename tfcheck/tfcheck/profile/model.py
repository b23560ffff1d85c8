"""What a profile says: plain data, made by the analysis and read by the reports."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from tfcheck.diagnostics import Evidence, Violation

VERSION = 1

AGREE = 1e-3
"""Results of graph and eager that differ by a larger share of their size disagree."""


@dataclass(frozen=True, slots=True)
class Place:
    """A line of the user's code."""

    file: str
    line: int


@dataclass(frozen=True, slots=True)
class FunctionKey:
    """A `tf.function` in the source: the name of the Python function and where it begins."""

    name: str
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Interval:
    """A median with a 95 % interval."""

    median: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds of one call: median with a 95 % interval over `runs` repeated calls."""

    median_s: float
    low_s: float
    high_s: float
    runs: int


@dataclass(frozen=True, slots=True)
class Agreement:
    """The largest differences between the results of graph and eager."""

    max_abs: float
    max_rel: float
    """Through the largest number in the same result."""
    steady: bool = True
    """Whether graph and eager each give the same result again; looked at when they disagree."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Graph against eager on the same inputs."""

    graph: Timing
    eager: Timing
    speedup: Interval
    """Eager time through graph time."""
    agrees: Agreement


@dataclass(frozen=True, slots=True)
class Signature:
    """One trace of a Function."""

    text: str
    calls: int
    trace_s: float
    build_s: float
    nodes: int
    constant_bytes: int
    built_nodes: int = 0
    """Nodes of the ONNX models that were made of it."""
    host_steps: tuple[str, ...] = ()
    """Types of the ops that run on the host between the models."""
    first_call_s: float | None = None
    """How long its first call took, tracing and building included."""


@dataclass(frozen=True, slots=True)
class Retrace:
    """Traces that were made for the same reason at the same line."""

    kind: str
    """A `tfcheck_runtime.events.CauseKind`."""
    argument: str
    """The Python path of what differed, such as `batch['x']`; empty when no argument did."""
    before: str
    after: str
    """What it became, the first few values."""
    count: int
    cost_s: float
    site: Place
    rule: str | None
    """Code of the rule that finds this cause without running."""


@dataclass(frozen=True, slots=True)
class CallSite:
    """A line that calls a Function, and what that cost."""

    place: Place
    calls: int
    running_s: float
    traces: int
    tracing_s: float
    """Tracing and building for calls from here."""


@dataclass(frozen=True, slots=True)
class OpCost:
    """Kernels of one kind that come from one line, in a call of a Function's graph."""

    op: str
    """The TensorFlow op; empty when that is not known."""
    kernel: str
    """The op of the executor that ran: a fused one stands for several."""
    device: str
    place: Place | None
    count: float
    """How often they run in a call."""
    seconds: float
    """In a call, without what runs inside of loops and branches."""


@dataclass(frozen=True, slots=True)
class HotLine:
    """Seconds of the run that were spent in a line of the user's or in what it called of others.

    Sampled; the main thread only.
    """

    place: Place
    function: str
    seconds: float
    tracing_s: float
    building_s: float
    executing_s: float
    """In graphs."""
    eager_s: float
    """In ops outside of graphs, and in finding the graph for a call."""

    @property
    def python_s(self) -> float:
        """What is left: Python itself, and other packages."""
        return self.seconds - self.tracing_s - self.building_s - self.executing_s - self.eager_s


@dataclass(frozen=True, slots=True)
class Policy:
    """What the recorded calls would have cost under another way to call or declare a Function."""

    name: str
    text: str
    """What to change, imperative."""
    traces: int
    """How many traces the same calls would have made."""
    saves_s: float


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Graph and eager gave different results for the same call."""

    text: str
    reason: str
    """What most likely made the difference."""
    rule: str | None
    """Code of the rule that found the reason."""


class Action(StrEnum):
    """What to do about a Function."""

    FIX_RETRACES = "fix-retraces"
    LEAVE_EAGER = "leave-eager"
    KEEP = "keep"
    UNDECIDED = "undecided"
    """It was not compared, or no time is to be gained either way."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The one thing to do about a Function, and what that would have saved in this run."""

    action: Action
    text: str
    cure: str
    """Empty when there is nothing to change."""
    saves_s: float
    rule: str | None = None
    """Code of the rule about it."""
    found: bool = False
    """Whether the static pass found it, too."""


@dataclass(frozen=True, slots=True)
class FunctionProfile:
    """One `tf.function` in the source, over all Function objects made of it."""

    key: FunctionKey
    instances: int
    """How many Function objects were made of it."""
    calls: int
    traces: int
    trace_s: float
    build_s: float
    run_s: float
    signatures: tuple[Signature, ...] = ()
    causes: tuple[Retrace, ...] = ()
    """Why it was traced more than once, the dearest first."""
    failures: tuple[str, ...] = ()
    """Types of the exceptions that tracing or calls ended in."""
    comparison: Comparison | None = None
    not_compared: str | None = None
    """Why there is no comparison."""
    break_even: Interval | None = None
    """Calls after which one trace has paid; None when it never does, or was not compared."""
    verdict: Verdict | None = None
    suggested_signature: str | None = None
    """An `input_signature` that would take all calls with one trace."""
    first_call_s: float | None = None
    """How long its first call took, tracing and building included."""
    sites: tuple[CallSite, ...] = ()
    """Where it is called from, the dearest first."""
    policies: tuple[Policy, ...] = ()
    """What would have spared traces, the most sparing first."""
    disagreement: Disagreement | None = None
    ops: tuple[OpCost, ...] = ()
    """What its graph spends its time on, the dearest first; measured where it was asked for."""

    @property
    def retraces(self) -> int:
        """Traces that a better call would have spared."""
        return sum(cause.count for cause in self.causes)


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding of the static pass with what the run says about it."""

    violation: Violation
    evidence: Evidence
    cost_s: float
    seen: str = ""
    """What the run showed, in a few words."""


@dataclass(frozen=True, slots=True)
class Totals:
    """Where the run's time went; `python_s` is what is left of `wall_s`."""

    wall_s: float
    tracing_s: float
    building_s: float
    running_s: float
    python_s: float
    calls: int
    traces: int


@dataclass(frozen=True, slots=True)
class Script:
    """What was run and how it ended."""

    path: str
    argv: tuple[str, ...]
    exit: int
    error: str | None
    places: tuple[Place, ...] = ()
    """The lines of the error's traceback, outermost first."""


@dataclass(frozen=True, slots=True)
class Device:
    """What the times were measured on."""

    name: str
    engine: str
    """The executor and its version."""


class SliceKind(StrEnum):
    """What took its time."""

    TRACE = "trace"
    BUILD = "build"
    CALL = "call"


@dataclass(frozen=True, slots=True)
class Slice:
    """A trace, a build or a call, from the beginning of the run."""

    kind: SliceKind
    function: int
    """Its index among the Functions of the profile."""
    signature: int | None
    """The index among the Function's signatures."""
    start_s: float
    seconds: float
    thread: int
    """Threads are numbered from 0 in the order in which they came."""


@dataclass(frozen=True, slots=True)
class Timeline:
    """When what happened."""

    slices: tuple[Slice, ...] = ()
    call_stride: int = 1
    """Each n-th call is in it."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Some lines of a source file, as they were when the report was made."""

    file: str
    first: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Gate:
    """A limit that was asked for, and whether the run kept it."""

    name: str
    limit: str
    value: str
    ok: bool
    text: str
    """What to look at, when it was not kept."""


@dataclass(frozen=True, slots=True)
class RunCost:
    """What a whole run took."""

    wall_s: float
    tracing_s: float
    """Tracing and building."""
    traces: int
    calls: int


@dataclass(frozen=True, slots=True)
class FixTrial:
    """What came of running the program again with the fixes of its findings."""

    before: RunCost
    unsafe: bool
    """Whether fixes that ask were applied, too."""
    fixes: int = 0
    diff: str = ""
    after: RunCost | None = None
    calls: int = 0
    """Calls of Functions whose results were compared."""
    max_rel: float = 0.0
    """The largest difference of their results through the size of the result."""
    differing: tuple[str, ...] = ()
    """Functions whose results are others with the fixes, and how."""
    varying: tuple[str, ...] = ()
    """Functions whose results vary from run to run without fixes, too."""
    failed: str | None = None
    """Why there is nothing to compare, or what the fixes broke."""

    @property
    def holds(self) -> bool:
        """Whether the program does the same with the fixes, as far as can be seen."""
        return self.after is not None and self.failed is None and not self.differing


@dataclass(frozen=True, slots=True)
class Profile:
    """Everything that the reports of a run say."""

    tool: str
    script: Script
    device: Device
    totals: Totals
    functions: tuple[FunctionProfile, ...] = ()
    findings: tuple[Finding, ...] = ()
    eager_calls: int = 0
    backend: str = "onnx"
    partial: str | None = None
    """Why the run was cut short; what is said holds for what happened until then."""
    timeline: Timeline = Timeline()
    sources: tuple[Excerpt, ...] = ()
    """The source around Functions and their calls."""
    gates: tuple[Gate, ...] = ()
    hot_lines: tuple[HotLine, ...] = ()
    """Where the run spent its time, the dearest first; sampled where that was asked for."""
    trial: FixTrial | None = None
    """What the fixes do, where that was asked for."""
