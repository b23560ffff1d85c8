"""TFC508: traced functions that call themselves without end."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tfcheck.diagnostics import Severity
from tfcheck.lint.callgraph import CallSite
from tfcheck.lint.rule import Rule
from tfcheck.lint.scopes import FunctionInfo


class Recursion(Rule):
    """A traced function calls itself and only a tensor would end it.

    Why:
        While tracing both sides of a tensor condition are followed, so the call that should be
        the last one is never reached: tracing ends in `RecursionError`.

    Bad:
        import tensorflow as tf

        @tf.function
        def factorial(n):
            if n <= 1:
                return 1
            return n * factorial(n - 1)  # TFC508

        factorial(tf.constant(5))

    Good:
        import tensorflow as tf

        @tf.function
        def factorial(n):
            result = tf.constant(1)
            for i in tf.range(2, n + 1):
                result *= i
            return result

        factorial(tf.constant(5))

    Not flagged:
        Recursion that a test of Python values, types or static shapes ends while tracing, as over
        the levels of a nested structure; recursion whose test is not known.
    """

    code = "TFC508"
    since = "0.1"
    severity = Severity.ERROR

    def check_file(self) -> None:
        """Look for rings of calls that no Python test breaks."""
        self._following: dict[FunctionInfo, list[FunctionInfo]] = {}
        order = {function: position for position, function in enumerate(self.model.index.functions)}
        sites: list[tuple[CallSite, FunctionInfo]] = []
        for function in self.model.traces:
            for site in self.model.calls_from(function):
                if self._is_endless(site.call) and self._is_certain(site):
                    self._follow(function, site.target.function)
                    sites.append((site, function))
            for callback in self.model.callbacks_to(function):
                around = self.model.function_around(callback.call)
                if around is not None and self._is_endless(callback.call):
                    self._follow(around, function)
        for site, caller in sites:
            # Of a ring of several functions the call that leads back is reported.
            target = site.target.function
            local = target in order  # a base class of another file has its own order
            if local and order[target] <= order[caller] and self._reaches(target, caller):
                self._report(site.call, target.name, caller)
        for function in self.model.traces:
            for call in self.model.calls_leading_back(function):
                if self._is_endless(call):
                    self._report(call, self.text(call.func), function)

    def _follow(self, caller: FunctionInfo, target: FunctionInfo) -> None:
        self._following.setdefault(caller, []).append(target)

    def _is_certain(self, site: CallSite) -> bool:
        """Whether the call can only mean one function."""
        calls = [other.call for other in self.model.calls_from(site.caller)]
        return calls.count(site.call) == 1

    def _is_endless(self, call: ast.Call) -> bool:
        """Whether nothing but tensors decides about the call."""
        traced = self.model.trace_around(call) is not None
        return traced and all(self.model.value(test).is_tensor for test in self._tests(call))

    def _tests(self, call: ast.Call) -> Iterator[ast.expr]:
        """The conditions on the way to the call, those of earlier exits and of loops included."""
        for parent, child in self.model.index.ancestors(call):
            yield from _tests_of(parent, child)
        around = self.model.function_around(call)
        if around is not None and not isinstance(around.node, ast.Lambda):
            yield from _exits(around.node.body, call)

    def _reaches(self, start: FunctionInfo, goal: FunctionInfo) -> bool:
        seen, stack = {start}, [start]
        while stack:
            function = stack.pop()
            if function is goal:
                return True
            new = set(self._following.get(function, ())) - seen
            stack.extend(new)
            seen |= new
        return False

    def _report(self, call: ast.Call, name: str, caller: FunctionInfo) -> None:
        self.report(
            call,
            f"`{name}` is called again in every trace of it: tracing ends in `RecursionError`",
            hint="write a loop with `tf.while_loop` or `for i in tf.range(...)`",
            trace=self.model.traces[caller],
        )


def _tests_of(parent: ast.AST, child: ast.AST) -> Iterator[ast.expr]:
    match parent:
        case ast.If() | ast.IfExp() | ast.While() if child is not parent.test:
            yield parent.test
        case ast.For() | ast.comprehension() if child is not parent.iter:
            yield parent.iter
        case ast.BoolOp():
            yield from (value for value in parent.values if value is not child)
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
            yield from (generator.iter for generator in parent.generators)
        case ast.Match():
            yield parent.subject


def _exits(block: list[ast.stmt], node: ast.AST) -> Iterator[ast.expr]:
    """The tests of `if`s that may leave the function before `node`."""
    line = getattr(node, "lineno", 0)
    for statement in ast.walk(ast.Module(block, [])):
        if not isinstance(statement, ast.If) or (statement.end_lineno or 0) >= line:
            continue
        if any(isinstance(part, ast.Return | ast.Raise) for part in ast.walk(statement)):
            yield statement.test
