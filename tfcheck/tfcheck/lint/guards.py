"""Tests that let traced code run a part the first time only."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tfcheck.lint.lifetimes import Lifetimes
from tfcheck.lint.scopes import FunctionInfo, How
from tfcheck.lint.semantics import FileModel


class Guards:
    """Answers whether something in traced code happens once, and not in each trace."""

    def __init__(self, model: FileModel) -> None:
        self._model = model
        self._lifetimes = Lifetimes(model)

    def is_guarded(self, node: ast.AST) -> bool:
        """Whether `node` stands under a test of what outlives the trace."""
        return self._is_fallback(node) or any(map(self._is_test, self._tests(node)))

    def is_tested(self, node: ast.AST, place: ast.expr) -> bool:
        """Whether `node` stands under a test of just that place."""
        spelled = ast.unparse(place)
        tested = any(spelled in ast.unparse(test) for test in self._tests(node))
        return tested or self._is_fallback(node)

    def _is_fallback(self, node: ast.AST) -> bool:
        """`except AttributeError: self.v = ...`."""
        ancestors = self._model.index.ancestors(node)
        return any(isinstance(parent, ast.ExceptHandler) for parent, _ in ancestors)

    def _tests(self, node: ast.AST) -> Iterator[ast.expr]:
        """The conditions that decide whether `node` runs, those of earlier exits included."""
        function = self._model.function_around(node)
        statement: ast.AST = self._model.index.statement_of(node)
        for parent, child in self._model.index.ancestors(node):
            match parent:
                case ast.If() | ast.IfExp() if child is not parent.test:
                    yield parent.test
                case ast.BoolOp():
                    yield from (value for value in parent.values if _ends_before(value, child))
            if isinstance(parent, ast.stmt):
                yield from _exits(_block_of(parent, child), child)
                statement = parent
        if function is not None and not isinstance(function.node, ast.Lambda):
            yield from _exits(function.node.body, statement)

    def _is_test(self, test: ast.expr) -> bool:
        """`self.v is None`, `not self.built`, `"v" not in store`, `hasattr(self, "v")`."""
        if self._model.value(test).is_tensor:
            return False
        asks_none = any(isinstance(part, ast.Is | ast.IsNot) for part in ast.walk(test))
        for part in ast.walk(test):
            if isinstance(part, ast.Name | ast.Attribute) and self._lifetimes.outlives(part):
                return True
            if asks_none and isinstance(part, ast.Name) and self._is_parameter(part):
                return True
        return False

    def _is_parameter(self, name: ast.Name) -> bool:
        return any(binding.how is How.PARAMETER for binding in self._model.bindings(name))

    def is_once(self, node: ast.AST) -> bool:
        """Whether `node` is under such a test, or its function is called under one only."""
        trace = self._model.trace_around(node)
        once = trace is not None and self._is_guarded_at_calls(trace.function, frozenset())
        return once or self.is_guarded(node)

    def is_created_once(self, call: ast.Call) -> bool:
        """Whether what `call` creates is kept where a test around it will find it."""
        trace = self._model.trace_around(call)
        if trace is not None and self._is_called_once(trace.function, frozenset()):
            return True
        if not self.is_guarded(call):
            return False
        statement = self._model.index.statement_of(call)
        if not isinstance(statement, ast.Assign):
            return True
        names = [target for target in statement.targets if isinstance(target, ast.Name)]
        return len(names) < len(statement.targets) or any(self._is_kept(name) for name in names)

    def _is_kept(self, name: ast.Name) -> bool:
        """Whether a name lives outside the function, or is stored somewhere."""
        function = self._model.function_around(name)
        if function is None or self._model.holder(name) is not function.scope:
            return True
        if self._is_parameter(name):
            return True  # created only where the caller gives none
        values = [store.value for store in self._model.index.stores]
        return any(isinstance(value, ast.Name) and value.id == name.id for value in values)

    def _is_called_once(self, function: FunctionInfo, seen: frozenset[FunctionInfo]) -> bool:
        """Whether traced code calls the function under such a test only."""
        if any(map(self._is_unknown, function.decorators)):
            return True  # it may well be one that runs the function once
        return self._is_guarded_at_calls(function, seen)

    def _is_guarded_at_calls(self, function: FunctionInfo, seen: frozenset[FunctionInfo]) -> bool:
        if self._model.traces[function].root or function in seen:
            return False
        calls = self._model.calls_to(function)
        sites = [site for site in calls if site.caller in self._model.traces]
        return bool(sites) and all(
            self.is_guarded(site.call)
            or (
                site.caller is not None
                and self._is_guarded_at_calls(site.caller, seen | {function})
            )
            for site in sites
        )

    def _is_unknown(self, decorator: ast.expr) -> bool:
        """Whether a decorator is neither of Python nor of TensorFlow."""
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        name = self._model.qualified_name(called) or ""
        return not name.startswith(("builtins.", "tensorflow.", "keras.", "functools.", "abc."))


def _block_of(parent: ast.AST, child: ast.AST) -> list[ast.stmt]:
    """The block of a compound statement that holds `child`."""
    for name in ("body", "orelse", "finalbody"):
        block: list[ast.stmt] = getattr(parent, name, [])
        if child in block:
            return block
    return []


def _exits(block: list[ast.stmt], statement: ast.AST) -> Iterator[ast.expr]:
    """The tests of `if test: return ...` before a statement of the block."""
    for other in block:
        if other is statement:
            return
        if isinstance(other, ast.If) and isinstance(other.body[-1], ast.Return | ast.Raise):
            yield other.test


def _ends_before(first: ast.AST, second: ast.AST) -> bool:
    """Whether the one node ends before the other starts."""
    end = (getattr(first, "end_lineno", 0), getattr(first, "end_col_offset", 0))
    return end <= (getattr(second, "lineno", 0), getattr(second, "col_offset", 0))
