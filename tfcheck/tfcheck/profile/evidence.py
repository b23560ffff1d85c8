"""Joins what the static pass found with what the run showed."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tfcheck.diagnostics import Violation
from tfcheck.profile.analyse import Group
from tfcheck.profile.model import Evidence, Finding, FunctionKey, FunctionProfile, Retrace

RUN_TIME_EFFECTS: Mapping[str, str] = {
    "tf.print": "prints",
    "py_function": "calls Python while it runs",
    "random": "draws random numbers",
}
"""Side effects in events that forbid repeating a call, and what the Function does by them."""

TRACED_EFFECTS: Mapping[str, str] = {
    "TFC301": "prints",
    "TFC302": "changes a container outside",
    "TFC303": "writes a global",
    "TFC304": "sets an attribute",
    "TFC305": "stores tensors outside",
    "TFC307": "does input or output",
    "TFC308": "consumes an iterator",
    "TFC310": "calls Python while it runs",
}
"""Findings that forbid it, because eager execution would repeat the effect in each call."""

TRACE_TIME_ONLY = frozenset(
    {"TFC301", "TFC302", "TFC303", "TFC304", "TFC305", "TFC306", "TFC307", "TFC308"}
)
"""Findings about Python that runs in each trace and not in each call."""


@dataclass(frozen=True, slots=True)
class Body:
    """The lines of a function in the source, decorators included."""

    first: int
    definition: int
    last: int
    always: tuple[tuple[int, int], ...] = ()
    """The rows of statements that run whenever the function does, from first to last."""

    def always_runs(self, row: int) -> bool:
        """Whether the statement in this row runs whenever the function does."""
        return any(first <= row <= last for first, last in self.always)


@dataclass(frozen=True, slots=True)
class Sources:
    """Where functions begin and end in the files that were analysed."""

    bodies: Mapping[str, tuple[Body, ...]] = field(default_factory=dict)

    def body(self, key: FunctionKey) -> Body:
        """The lines of a Function; its first one only when the source is not known."""
        for body in self.bodies.get(key.file, ()):
            # Python's first line of a decorated function is that of its first decorator.
            if key.line in {body.first, body.definition}:
                return body
        return Body(key.line, key.line, key.line)


def read_bodies(source: str) -> tuple[Body, ...]:
    """The functions in a file; none when it does not parse."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return ()
    return tuple(_body(node) for node in ast.walk(tree) if isinstance(node, _FUNCTIONS))


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def _body(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Body:
    first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
    return Body(first, node.lineno, _last(node), tuple(_always(node.body)))


def _always(statements: Sequence[ast.stmt]) -> Iterator[tuple[int, int]]:
    for statement in statements:
        if isinstance(statement, ast.With):
            yield from _always(statement.body)
        elif not hasattr(statement, "body"):
            yield (statement.lineno, _last(statement))
        # What follows a statement that may leave the function need not run.
        if any(isinstance(node, _EXITS) for node in ast.walk(statement)):
            return


_EXITS = (ast.Return, ast.Raise, ast.Assert, ast.Break, ast.Continue)


def _last(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno


def blocked(
    groups: Iterable[Group], violations: Sequence[Violation], *, sources: Sources
) -> dict[FunctionKey, str]:
    """Why calls of a Function must not be repeated, for those where that is so."""
    reasons: dict[FunctionKey, str] = {}
    for group in groups:
        reason = _effect_seen(group) or _effect_found(group.key, violations, sources)
        if reason is not None:
            reasons[group.key] = reason
    return reasons


def _effect_seen(group: Group) -> str | None:
    for effect in group.side_effects:
        if effect.kind in RUN_TIME_EFFECTS:
            return f"{RUN_TIME_EFFECTS[effect.kind]} ({effect.site.file}:{effect.site.line})"
    return None


def _effect_found(
    key: FunctionKey, violations: Sequence[Violation], sources: Sources
) -> str | None:
    body = sources.body(key)
    for violation in violations:
        if violation.code in TRACED_EFFECTS and concerns(violation, key, body):
            row = violation.span.start.row
            return f"{TRACED_EFFECTS[violation.code]} ({violation.filename}:{row})"
    return None


def concerns(violation: Violation, key: FunctionKey, body: Body) -> bool:
    """Whether the finding lies in the Function, or in code that is traced because of it."""
    places = [(violation.filename, violation.span.start.row)]
    places += [(step.filename, step.row) for step in violation.traced]
    return any(file == key.file and body.first <= row <= body.last for file, row in places)


def join(
    functions: Sequence[FunctionProfile],
    violations: Iterable[Violation],
    *,
    sources: Sources,
    error: str | None = None,
) -> tuple[Finding, ...]:
    """Every finding with its evidence, the dearest first.

    `error` is the message that ended the program: the runtime's errors name the hazard in it.
    """
    findings = [_finding(each, functions, sources=sources, error=error) for each in violations]
    order = list(Evidence)
    return tuple(sorted(findings, key=lambda each: (order.index(each.evidence), -each.cost_s)))


def _finding(
    violation: Violation,
    functions: Sequence[FunctionProfile],
    *,
    sources: Sources,
    error: str | None,
) -> Finding:
    concerned = [each for each in functions if _touches(violation, each, sources)]
    proofs = [c for each in concerned for c in each.causes if c.rule == violation.code]
    if proofs:
        seen = f"{sum(cause.count for cause in proofs)} traces"
        return Finding(violation, Evidence.PROVEN, sum(cause.cost_s for cause in proofs), seen)
    if concerned and f"[{violation.name}]" in (error or ""):
        return Finding(violation, Evidence.PROVEN, 0.0, "ended the script")
    for profile in concerned:
        if profile.disagreement and violation.message in profile.disagreement.reason:
            return Finding(violation, Evidence.PROVEN, 0.0, profile.disagreement.text)
        if _was_skipped(violation, profile, sources.body(profile.key)):
            seen = f"ran in {profile.traces} of {profile.calls} calls"
            return Finding(violation, Evidence.PROVEN, 0.0, seen)
    reached = any(each.traces for each in concerned)
    return Finding(violation, Evidence.NOT_SEEN if reached else Evidence.NOT_REACHED, 0.0)


def _was_skipped(violation: Violation, profile: FunctionProfile, body: Body) -> bool:
    """Whether calls ran the graph without the Python statement that was found."""
    if violation.code not in TRACE_TIME_ONLY or violation.filename != profile.key.file:
        return False
    row = violation.span.start.row
    return not profile.failures and profile.traces < profile.calls and body.always_runs(row)


def mark_found(
    functions: Iterable[FunctionProfile], findings: Sequence[Finding], *, sources: Sources
) -> tuple[FunctionProfile, ...]:
    """The profiles, with a note at verdicts that the static pass came to as well."""
    return tuple(_marked(each, findings, sources) for each in functions)


def _marked(
    profile: FunctionProfile, findings: Sequence[Finding], sources: Sources
) -> FunctionProfile:
    verdict = profile.verdict
    if verdict is None or verdict.rule is None:
        return profile
    found = any(
        each.evidence is Evidence.PROVEN
        and each.violation.code == verdict.rule
        and _touches(each.violation, profile, sources)
        for each in findings
    )
    return replace(profile, verdict=replace(verdict, found=found))


def _touches(violation: Violation, profile: FunctionProfile, sources: Sources) -> bool:
    if concerns(violation, profile.key, sources.body(profile.key)):
        return True
    return any(_is_site(violation, cause) for cause in profile.causes)


def _is_site(violation: Violation, cause: Retrace) -> bool:
    span = violation.span
    rows = range(span.start.row, span.end.row + 1)
    return violation.filename == cause.site.file and cause.site.line in rows
