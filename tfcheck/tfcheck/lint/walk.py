"""Follows the statements of one scope, branch by branch, on kinds instead of values."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from tfcheck.lint.expressions import (
    Environment,
    Expressions,
    ScopeFlow,
    Surroundings,
    names_stored,
)
from tfcheck.lint.kinds import (
    MANY,
    OBJECT,
    SCALAR,
    UNKNOWN,
    Value,
    container,
    join,
)
from tfcheck.lint.scopes import FunctionInfo, Scope
from tfcheck.lint.tracing import Trace

_MAX_PASSES = 3


class Walk:
    """Executes a module or function once, loops until nothing changes."""

    def __init__(
        self, outside: Surroundings, scope: Scope, *, trace: Trace | None, result: ScopeFlow
    ) -> None:
        self._outside = outside
        self._result = result
        self._env: Environment = {}
        self._expressions = Expressions(outside, scope, trace=trace, result=result)
        self._left: list[Environment] = []
        """The environments at each `break` and `continue` of the current loop."""

    def run_module(self, tree: ast.Module) -> None:
        """Follow the statements of a module."""
        self._block(tree.body)

    def run_function(self, function: FunctionInfo) -> None:
        """Bind the parameters and follow the body."""
        arguments = function.node.args
        for parameter in function.parameters:
            self._bind(parameter.arg, self._outside.parameter(function, parameter))
        if arguments.vararg is not None:
            self._bind(arguments.vararg.arg, container("builtins.tuple"))
        if arguments.kwarg is not None:
            self._bind(arguments.kwarg.arg, container("builtins.dict"))
        if isinstance(function.node, ast.Lambda):
            self._result.returned.append(self._evaluate(function.node.body))
        else:
            self._block(function.node.body)

    def _evaluate(self, node: ast.expr) -> Value:
        return self._expressions.evaluate(node, self._env)

    def _bind(self, name: str, value: Value) -> None:
        self._env[name] = value
        known = self._result.bound.get(name)
        self._result.bound[name] = value if known is None else join(known, value)

    def _bind_target(self, target: ast.expr, value: Value) -> None:
        self._expressions.bind_parts(target, value, self._env)
        if isinstance(target, ast.Name):
            self._bind(target.id, value)
            return
        for node in ast.walk(target):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                self._bind(node.id, self._env.get(node.id, UNKNOWN))

    def _block(self, body: Sequence[ast.stmt]) -> bool:
        """Follow statements; False when the end is not reached."""
        for statement in body:
            self._result.row = statement.lineno
            handler = _HANDLERS.get(type(statement))
            if handler is not None and handler(self, statement) is False:
                return False
        return True

    # Simple statements

    def _expression(self, node: ast.Expr) -> None:
        self._evaluate(node.value)

    def _assign(self, node: ast.Assign) -> None:
        value = self._evaluate(node.value)
        for target in node.targets:
            self._bind_target(target, value)

    def _annotated(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self._bind_target(node.target, self._evaluate(node.value))

    def _augmented(self, node: ast.AugAssign) -> None:
        # The value first: what the target was before may depend on it, through an attribute.
        value = self._evaluate(node.value)
        before = self._evaluate(node.target)
        self._bind_target(node.target, self._expressions.operate(node.op, before, value))

    def _returned(self, node: ast.Return) -> bool:
        value = UNKNOWN if node.value is None else self._evaluate(node.value)
        self._result.returned.append(value)
        return False

    def _raised(self, node: ast.Raise) -> bool:
        if node.exc is not None:
            self._evaluate(node.exc)
        return False

    def _asserted(self, node: ast.Assert) -> None:
        self._evaluate(node.test)

    def _deleted(self, node: ast.Delete) -> None:
        for target in node.targets:
            if isinstance(target, ast.Name):
                self._env.pop(target.id, None)

    def _jumped(self, _node: ast.Break | ast.Continue) -> bool:
        self._left.append(dict(self._env))
        return False

    def _defined(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        for decorator in node.decorator_list:
            self._evaluate(decorator)
        if not isinstance(node, ast.ClassDef):
            for default in [*node.args.defaults, *node.args.kw_defaults]:
                if default is not None:
                    self._evaluate(default)
        self._bind(node.name, OBJECT)

    # Compound statements

    def _branch(self, node: ast.If) -> bool:
        self._evaluate(node.test)
        before = dict(self._env)
        through = self._block(node.body)
        after_body, self._env = self._env, before
        other = self._block(node.orelse)
        if through and other:
            self._env = _merge(after_body, self._env)
        elif through:
            self._env = after_body
        return through or other

    def _for_loop(self, node: ast.For | ast.AsyncFor) -> bool:
        each = self._evaluate(node.iter).each()
        if each.is_scalar:
            each = replace(each, varies=max(each.varies, len(each.literals)))

        def enter() -> None:
            self._bind_target(node.target, each)

        self._loop(node.body, enter, names=names_stored(node))
        return self._block(node.orelse)

    def _while_loop(self, node: ast.While) -> bool:
        def enter() -> None:
            self._evaluate(node.test)

        self._loop(node.body, enter, names=names_stored(node))
        return self._block(node.orelse)

    def _loop(
        self, body: list[ast.stmt], enter: Callable[[], None], *, names: frozenset[str]
    ) -> None:
        outer_left, self._left = self._left, []
        self._expressions.changing.append(names)
        self._result.loops += 1
        start = dict(self._env)
        for number in range(_MAX_PASSES):
            self._env = dict(start)
            enter()
            self._block(body)
            end = self._env
            for left in self._left:
                end = _merge(end, left)
            joined = _merge(start, end)
            changed = [name for name in start if joined[name] != start[name]]
            self._env = joined
            if not changed:
                break
            start = joined if number == 0 else _widen(joined, changed)
            self._left = []
        self._expressions.changing.pop()
        self._result.loops -= 1
        self._left = outer_left

    def _with_block(self, node: ast.With | ast.AsyncWith) -> bool:
        for item in node.items:
            value = self._evaluate(item.context_expr)
            if item.optional_vars is not None:
                known = (value.origin or "").startswith("tensorflow.")
                self._bind_target(item.optional_vars, value if known else UNKNOWN)
        return self._block(node.body)

    def _try_block(self, node: ast.Try | ast.TryStar) -> bool:
        before = dict(self._env)
        through = self._block(node.body) and self._block(node.orelse)
        ends = [self._env] if through else []
        failed = _merge(before, self._env)
        for handler in node.handlers:
            self._env = dict(failed)
            if handler.name is not None:
                self._bind(handler.name, OBJECT)
            if self._block(handler.body):
                ends.append(self._env)
        for end in ends:
            self._env = end if end is ends[0] else _merge(self._env, end)
        finished = self._block(node.finalbody)
        return bool(ends) and finished

    def _match(self, node: ast.Match) -> bool:
        self._evaluate(node.subject)
        before = dict(self._env)
        ends = [before]
        for case in node.cases:
            self._env = dict(before)
            for name in _captures(case.pattern):
                self._bind(name, UNKNOWN)
            if case.guard is not None:
                self._evaluate(case.guard)
            if self._block(case.body):
                ends.append(self._env)
        self._env = before
        for end in ends:
            self._env = _merge(self._env, end)
        return True


def _captures(pattern: ast.pattern) -> Iterator[str]:
    for node in ast.walk(pattern):
        if isinstance(node, ast.MatchAs | ast.MatchStar) and node.name is not None:
            yield node.name


def _merge(a: Environment, b: Environment) -> Environment:
    merged = {**a, **b}
    for name in a.keys() & b.keys():
        if a[name] is not b[name]:
            merged[name] = join(a[name], b[name])
    return merged


def _widen(env: Environment, changed: list[str]) -> Environment:
    """A number that still changes in the second round changes in every round."""
    widened = dict(env)
    for name in changed:
        scalar = env[name].is_scalar
        widened[name] = replace(SCALAR, varies=MANY) if scalar else env[name]
    return widened


# A handler takes the node class it is listed under, which the type of the table cannot say.
_HANDLERS: Mapping[type[ast.stmt], Callable[..., bool | None]] = {
    ast.Expr: Walk._expression,
    ast.Assign: Walk._assign,
    ast.AnnAssign: Walk._annotated,
    ast.AugAssign: Walk._augmented,
    ast.Return: Walk._returned,
    ast.Raise: Walk._raised,
    ast.Assert: Walk._asserted,
    ast.Delete: Walk._deleted,
    ast.Break: Walk._jumped,
    ast.Continue: Walk._jumped,
    ast.FunctionDef: Walk._defined,
    ast.AsyncFunctionDef: Walk._defined,
    ast.ClassDef: Walk._defined,
    ast.If: Walk._branch,
    ast.For: Walk._for_loop,
    ast.AsyncFor: Walk._for_loop,
    ast.While: Walk._while_loop,
    ast.With: Walk._with_block,
    ast.AsyncWith: Walk._with_block,
    ast.Try: Walk._try_block,
    ast.TryStar: Walk._try_block,
    ast.Match: Walk._match,
}
