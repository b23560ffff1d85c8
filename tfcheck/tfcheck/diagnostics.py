"""What a rule reports: a violation with its span, the traced chain and an optional fix."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class Severity(StrEnum):
    """How bad the effect is."""

    ERROR = "error"
    """Wrong result or exception."""
    WARNING = "warning"
    """Wasted work, or a wrong result on some path."""
    INFO = "info"
    """Advice."""


class Confidence(StrEnum):
    """How sure the rule is that the pattern has the effect."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Applicability(StrEnum):
    """Whether a fix may be applied without asking."""

    SAFE = "safe"
    UNSAFE = "unsafe"


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place in a file: 1-based row, 1-based column in characters, as editors count."""

    row: int
    column: int


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """From the first character up to, not including, the character at `end`."""

    start: Position
    end: Position


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the text of `span` by `content`."""

    span: Span
    content: str


@dataclass(frozen=True, slots=True)
class Fix:
    """Edits that belong together, with what they do in one imperative sentence."""

    applicability: Applicability
    message: str
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class TracedStep:
    """One link of the chain that says why a function counts as traced."""

    reason: str
    """For example `decorated @tf.function` or `called from train_step`."""
    filename: str
    row: int


@dataclass(frozen=True, slots=True)
class Related:
    """A second place that explains the finding, such as where a global is rebound."""

    message: str
    filename: str
    span: Span


class Evidence(StrEnum):
    """What a run of the program says about a finding, the weightiest first."""

    PROVEN = "proven"
    NOT_SEEN = "not-seen"
    """The code ran, and the effect was not observed."""
    NOT_REACHED = "not-reached"
    CONTRADICTED = "contradicted"
    """The code ran in a way that would have shown the effect, and there was none."""


@dataclass(frozen=True, slots=True)
class Observation:
    """What a run of the program showed of a finding."""

    evidence: Evidence
    cost_s: float
    """Seconds that the effect cost in that run."""
    seen: str
    """What the run showed, in a few words."""


@dataclass(frozen=True, slots=True)
class Violation:
    """One finding; `cell` is the 1-based cell number in notebooks, else None.

    Inside a notebook the rows of `span` count from the top of the cell.
    """

    code: str
    name: str
    message: str
    severity: Severity
    confidence: Confidence
    filename: str
    span: Span
    cell: int | None = None
    hint: str | None = None
    """The cure in one sentence; stands on its own line."""
    traced: tuple[TracedStep, ...] = ()
    related: tuple[Related, ...] = ()
    fix: Fix | None = None
    observed: Observation | None = None
    """What a run showed of it, where the findings were joined with one."""


@dataclass(frozen=True, slots=True)
class InternalProblem:
    """A fault of tfcheck itself while it looked at one file: reported, exit code 3."""

    filename: str
    rule: str | None
    summary: str
    traceback: str


@dataclass(frozen=True, slots=True)
class FileProblem:
    """A file the user named that could not be read; the run goes on without it."""

    filename: str
    message: str


@dataclass(frozen=True, slots=True)
class LintResult:
    """Everything one lint run found, in the order reports show it."""

    violations: tuple[Violation, ...]
    files: int
    traced_files: int
    seconds: float
    fixed: int = 0
    problems: tuple[FileProblem, ...] = ()
    internal: tuple[InternalProblem, ...] = ()
    filenames: tuple[str, ...] = field(default=(), compare=False)
    """The names of the files that were looked at."""
