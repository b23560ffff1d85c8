"""TFC707: `tf.function` around next to nothing."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from tfcheck.diagnostics import Confidence, Severity
from tfcheck.lint.kinds import Kind
from tfcheck.lint.repeats import repeating_loops
from tfcheck.lint.rule import Rule
from tfcheck.lint.scopes import FunctionInfo
from tfcheck.lint.tracing import Trace

_CONSTANTS = frozenset(
    f"tensorflow.{name}"
    for name in (
        *("zeros", "ones", "constant", "fill", "eye", "range", "linspace", "cast", "reshape"),
        *("convert_to_tensor", "one_hot", "stack", "concat", "expand_dims", "identity"),
    )
)
_FROZEN = {Kind.LITERAL, Kind.SCALAR, Kind.CONTAINER, Kind.NUMPY}
"""What is outside stays as it was while tracing."""
_FEW = 2
"""Calls, and operations, that a trace cannot pay off for."""


class TrivialFunction(Rule):
    """A decorated function runs a few times and does next to nothing.

    Why:
        The first call traces and builds a graph, which takes a thousand times as long as a few
        operations. A function that gives the same constant in each call never pays that off.

    Bad:
        import tensorflow as tf

        @tf.function  # TFC707
        def initial_state():
            return tf.zeros([4])

        state = initial_state()

    Good:
        import tensorflow as tf

        def initial_state():
            return tf.zeros([4])

        state = initial_state()

    Not flagged:
        Functions that a loop calls, or that nothing in the file calls; random numbers; options
        such as `input_signature`, which say that the graph is exported. One operation on
        arguments, called once, is reported with low confidence.
    """

    code = "TFC707"
    since = "0.1"
    severity = Severity.WARNING
    confidence = Confidence.MEDIUM

    def check_file(self) -> None:
        """Look at the decorated functions."""
        for function, trace in self.model.traces.items():
            creation = trace.creation
            if creation is None or creation.keywords:
                continue
            if not creation.decorates or not self._runs_seldom(function):
                continue
            if self._is_constant(function):
                self._report(trace, "gives the same in each call", Confidence.MEDIUM)
            elif _has_arguments(function) and self._is_one_operation(function):
                self._report(trace, "is one operation", Confidence.LOW)

    def _runs_seldom(self, function: FunctionInfo) -> bool:
        """Whether all uses are a few calls that no loop repeats."""
        sites = self.model.calls_to(function)
        inner = function.outer.parent if function.owner is not None else function.outer
        if not 0 < len(sites) <= _FEW or inner is not self.model.index.module:
            return False
        uses = [
            node
            for node in ast.walk(self.model.tree)
            if _spelled(node, method=function.owner is not None) == function.name
        ]
        return (
            len(uses) == len(sites)
            and all(site.caller not in self.model.traces for site in sites)
            and not any(repeating_loops(self.model, site.call) for site in sites)
        )

    def _body(self, function: FunctionInfo) -> Sequence[ast.stmt]:
        if isinstance(function.node, ast.Lambda):
            return []
        return [part for part in function.node.body if not _is_text(part)]

    def _is_constant(self, function: FunctionInfo) -> bool:
        """Whether nothing from outside goes into what it returns."""
        body = self._body(function)
        plain = all(isinstance(part, ast.Assign | ast.Return) for part in body)
        if not body or not plain or not function.scope.returns:
            return False
        return all(self._is_fixed(node, function) for node in self.model.own_nodes(function))

    def _is_fixed(self, node: ast.AST, function: FunctionInfo) -> bool:
        match node:
            case ast.Call():
                return self.model.qualified_name(node.func) in _CONSTANTS
            case ast.Name(ctx=ast.Load()):
                known = self.model.qualified_name(node) is not None
                local = self.model.holder(node) is function.scope
                given = node.id in {parameter.arg for parameter in function.parameters}
                constant = self.model.kind(node) in _FROZEN
                return known or (local and not given) or (constant and not given)
            case ast.Lambda() | ast.ListComp() | ast.GeneratorExp() | ast.Await() | ast.Yield():
                return False
        return True

    def _is_one_operation(self, function: FunctionInfo) -> bool:
        """`return x * 2`: names and constants around one operator or function of `tf`."""
        match self._body(function):
            case [ast.Return(value=ast.BinOp() | ast.Call() as value)]:
                inner = [node for node in ast.walk(value) if isinstance(node, ast.BinOp | ast.Call)]
                name = ""
                if isinstance(value, ast.Call):
                    name = self.model.qualified_name(value.func) or ""
                known = isinstance(value, ast.BinOp) or name.startswith("tensorflow.")
                return len(inner) == 1 and known and len(self.model.calls_to(function)) == 1
        return False

    def _report(self, trace: Trace, what: str, confidence: Confidence) -> None:
        if trace.creation is None:
            return
        count = len(self.model.calls_to(trace.function))
        times = "once" if count == 1 else f"{count} times"
        self.report(
            trace.creation.node,
            f"`{trace.function.name}` {what} and is called {times}: tracing it costs more",
            hint="leave the decorator out",
            confidence=confidence,
        )


def _has_arguments(function: FunctionInfo) -> bool:
    return len(function.parameters) > (0 if function.owner is None else 1)


def _spelled(node: ast.AST, *, method: bool) -> str | None:
    """The name that a node reads, of a method or of anything else."""
    if isinstance(node, ast.Attribute):
        return node.attr if method else None
    return node.id if isinstance(node, ast.Name) and not method else None


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
