"""The base class of all rules, and what a rule sees of the file it looks at."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from tfcheck.diagnostics import (
    Applicability,
    Confidence,
    Edit,
    Fix,
    Related,
    Severity,
    Span,
    Violation,
)
from tfcheck.lint.kinds import UNKNOWN, Value
from tfcheck.lint.outcome import SyntaxProblem
from tfcheck.lint.semantics import FileModel
from tfcheck.lint.tracing import Trace

if TYPE_CHECKING:
    # libcst takes a quarter of a second to load: only files with traced code pay for it.
    import libcst as cst

    from tfcheck.config import Settings
    from tfcheck.lint.regions import Region

__all__ = ["FileView", "Rule", "SyntaxProblem", "UnusedIgnore"]

_DOCS = "https://github.com/tfcheck/tfcheck/blob/main/docs/rules/"


def docs_url(slug: str) -> str:
    """The page of a rule on the web."""
    return f"{_DOCS}{slug}.md"


@dataclass(slots=True)
class FileView:
    """The file being checked and, during a walk, the place the walk is at."""

    model: FileModel
    settings: Settings
    region: Region | None = None
    trace: Trace | None = None


@dataclass(frozen=True, slots=True)
class UnusedIgnore:
    """A suppression comment, or codes in it, that suppress nothing."""

    codes: tuple[str, ...]
    """The unused codes; empty for a comment that names none."""
    span: Span
    replacement: str
    """The text to put in place of `span`."""


class Rule:
    """A rule: its docstring is its page, its examples and its first tests.

    A subclass sets the class variables and defines any of `enter_<Node>` (for
    the `ast` nodes of traced code), `visit_<Node>` and `leave_<Node>` (the same for libcst nodes,
    which take thirty times as long to get) and `check_file` (once for each file with traced code
    or calls of it). One instance looks at one file.
    """

    code: ClassVar[str]
    since: ClassVar[str]
    severity: ClassVar[Severity]
    confidence: ClassVar[Confidence] = Confidence.HIGH
    fix: ClassVar[Applicability | None] = None
    """How safe its fix is, for rules that have one."""
    everywhere: ClassVar[bool] = False
    """Whether `check_file` is also called for files without traced code."""
    words: ClassVar[tuple[str, ...]] = ()
    """With `everywhere`: texts of which a file has one, to be asked for; none means all files."""

    def __init__(self, view: FileView) -> None:
        self._view = view
        self._found: list[Violation] = []

    @classmethod
    def slug(cls) -> str:
        """The name people type: `python-print` for `PythonPrint`."""
        return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", cls.__name__).lower()

    @classmethod
    def is_about_ignores(cls) -> bool:
        """Whether the rule looks at suppressions that suppress nothing."""
        return cls.check_ignore is not Rule.check_ignore

    @classmethod
    def looks_at(cls, text: str) -> bool:
        """Whether the rule has a look at a file without traced code."""
        return cls.everywhere and (not cls.words or any(word in text for word in cls.words))

    @property
    def found(self) -> Sequence[Violation]:
        """What was reported so far."""
        return self._found

    # Hooks

    def check_file(self) -> None:
        """Look at the whole file through `self.model`."""

    def check_syntax(self, problem: SyntaxProblem) -> None:
        """Called for each file or cell that does not parse."""

    def check_ignore(self, ignore: UnusedIgnore) -> None:
        """Called for each suppression that suppresses nothing."""

    # What is known

    @property
    def model(self) -> FileModel:
        """The questions to ask about the file; expressions are `ast` nodes."""
        return self._view.model

    @property
    def settings(self) -> Settings:
        """The settings of the run."""
        return self._view.settings

    @property
    def trace(self) -> Trace:
        """In a visit: why the code around the node is traced."""
        if self._view.trace is None:
            raise RuntimeError(f"{self.code}: `trace` is known in visit methods only")
        return self._view.trace

    def syntax(self, node: cst.CSTNode | ast.AST) -> ast.AST | None:
        """The `ast` node at the place of a libcst node; None where there is none."""
        return node if isinstance(node, ast.AST) else self._region.syntax(node)

    def expression(self, node: cst.CSTNode | ast.expr) -> ast.expr | None:
        """The `ast` expression at the place of a libcst node."""
        found = self.syntax(node)
        return found if isinstance(found, ast.expr) else None

    def qualified_name(self, node: cst.CSTNode | ast.expr) -> str | None:
        """`tensorflow.print`, `builtins.print`; None for names of the file itself."""
        expression = self.expression(node)
        return None if expression is None else self.model.qualified_name(expression)

    def value(self, node: cst.CSTNode | ast.expr) -> Value:
        """What an expression can be where it stands; `.kind` is its kind."""
        expression = self.expression(node)
        return UNKNOWN if expression is None else self.model.value(expression)

    def span(self, node: cst.CSTNode | ast.expr | ast.stmt | ast.arg | ast.keyword) -> Span:
        """Where a node stands."""
        if isinstance(node, ast.AST):
            return self.model.span(node)
        return self._region.span(node)

    def text(self, node: cst.CSTNode | ast.expr | ast.stmt) -> str:
        """The source of a node as written."""
        return self.model.source.slice(self.span(node))

    @property
    def _region(self) -> Region:
        if self._view.region is None:
            raise RuntimeError(f"{self.code}: libcst nodes are known in visit methods only")
        return self._view.region

    def line(self, node: ast.AST) -> str:
        """How a message names the line of a node: `line 7`, `cell 2:7`, `line 7 of other.py`."""
        source = self.model.source_of(node)
        name = source.line_name(getattr(node, "lineno", 0))
        return name if source is self.model.source else f"{name} of {Path(source.filename).name}"

    # What is reported

    def report(
        self,
        where: cst.CSTNode | ast.expr | ast.stmt | ast.arg | ast.keyword | Span,
        message: str,
        *,
        hint: str | None = None,
        fix: Fix | None = None,
        related: Sequence[Related] = (),
        confidence: Confidence | None = None,
        trace: Trace | None = None,
    ) -> None:
        """Report a finding: the thing and its consequence; the cure goes into `hint`.

        `trace` is that of the code being visited unless given.
        """
        if isinstance(where, ast.AST) and not self.model.is_local(where):
            return  # it is found when the file that it stands in is checked
        if isinstance(where, ast.AST) and self.model.is_expected_to_fail(where):
            return
        reason = trace or self._view.trace
        self._found.append(
            Violation(
                code=self.code,
                name=self.slug(),
                message=message,
                severity=self.severity,
                confidence=confidence or self.confidence,
                filename=self.model.source.filename,
                span=where if isinstance(where, Span) else self.span(where),
                hint=hint,
                traced=reason.steps if reason is not None else (),
                related=tuple(related),
                fix=fix,
            )
        )

    def related(self, node: ast.expr | ast.stmt | ast.arg, message: str) -> Related:
        """A second place that explains a finding."""
        source = self.model.source_of(node)
        return Related(message, source.filename, source.span(node))

    def replace(
        self,
        node: cst.CSTNode | ast.expr | ast.stmt | ast.keyword,
        content: str,
        *,
        message: str,
        safe: bool,
    ) -> Fix:
        """A fix that puts `content` in the place of `node`."""
        return self.edits([Edit(self.span(node), content)], message=message, safe=safe)

    def edits(self, edits: Sequence[Edit], *, message: str, safe: bool) -> Fix:
        """A fix of several edits, which are applied together or not at all."""
        applicability = Applicability.SAFE if safe else Applicability.UNSAFE
        return Fix(applicability, message, tuple(sorted(edits, key=lambda edit: edit.span)))
