"""Turns `break`, `continue` and nested `return` into flags, so that blocks have one way out.

while a:                     break_ = False
    if b:                    while not break_ and a:
        break         =>         if b:
    c                                break_ = True
                                 else:
                                     c
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tfcheck_runtime.autograph.syntax import assign, load, negated, operator, placed, set_flag

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_LOOPS = (ast.For, ast.While)
_NESTING = (ast.If, *_LOOPS, ast.Try, ast.With)


@dataclass(frozen=True)
class Lowered:
    """A body without jumps, and the tests that `for` loops must pass before each step."""

    body: list[ast.stmt]
    extra_tests: dict[ast.For, ast.expr]


@dataclass(frozen=True)
class _Loop:
    """The flags of the loop around a statement."""

    stop: str | None
    skip: str | None

    @property
    def guard(self) -> str | None:
        """The flag that says that the rest of this step is left out."""
        return self.skip or self.stop


def lower(body: Sequence[ast.stmt], fresh: Callable[[str], str]) -> Lowered:
    """Replace the jumps of a function's body; `fresh` makes unused variable names."""
    lowering = _Lowering(fresh)
    if not any(_has(s, ast.Return) for s in body if isinstance(s, _NESTING)):
        return Lowered(lowering.block(body, _OUTSIDE), lowering.extra_tests)
    lowering.done, lowering.result = fresh("do_return"), fresh("retval_")
    inner = lowering.block(body, _OUTSIDE)
    start = [
        set_flag(lowering.done, False),
        assign(lowering.result, operator("UndefinedReturnValue")),
    ]
    end = ast.Return(operator("returned", load(lowering.result)))
    placed(end, body[-1])
    return Lowered([*(placed(s, body[0]) for s in start), *inner, end], lowering.extra_tests)


_OUTSIDE = _Loop(None, None)


@dataclass
class _Lowering:
    """Rewrites the blocks of one function."""

    fresh: Callable[[str], str]
    done: str | None = None
    result: str | None = None
    extra_tests: dict[ast.For, ast.expr] = field(default_factory=dict)

    def block(self, statements: Sequence[ast.stmt], loop: _Loop) -> list[ast.stmt]:
        """The statements without jumps."""
        out: list[ast.stmt] = []
        for i, statement in enumerate(statements):
            rest = list(statements[i + 1 :])
            if isinstance(statement, ast.If) and rest and _moves_rest(statement, rest):
                rest = []
            flags = self._flags(statement, loop)
            out.extend(self._statement(statement, loop))
            if not rest or _always_jumps(statement):
                return out
            if flags:
                return [*out, *self._guarded(rest, loop, flags)]
        return out

    def _flags(self, statement: ast.stmt, loop: _Loop) -> list[str]:
        """The flags that `statement` may raise."""
        flags = [loop.guard] if loop.guard and _jumps_in_loop(statement) else []
        if self.done and _has(statement, ast.Return):
            flags.append(self.done)
        return flags

    def _guarded(self, rest: list[ast.stmt], loop: _Loop, flags: Sequence[str]) -> list[ast.stmt]:
        inner = self.block(rest, loop)
        for flag in flags:
            inner = [_unless(flag, inner)]
        return inner

    def _statement(self, node: ast.stmt, loop: _Loop) -> list[ast.stmt]:
        if isinstance(node, ast.Return) and self.done and self.result:
            value = node.value or ast.Constant(None)
            made = [assign(self.result, value), set_flag(self.done, True)]
            return [placed(s, node) for s in made]
        if isinstance(node, ast.Break | ast.Continue):
            raised = [loop.stop, loop.skip] if isinstance(node, ast.Break) else [loop.skip]
            return [placed(set_flag(flag, True), node) for flag in raised if flag]
        if isinstance(node, _LOOPS):
            return self._loop(node)
        self._inside(node, loop)
        return [node]

    def _inside(self, node: ast.stmt, loop: _Loop) -> None:
        if isinstance(node, ast.If):
            node.orelse = self.block(node.orelse, loop)
        if isinstance(node, ast.Try):
            self._try(node, loop)
        if isinstance(node, ast.If | ast.With | ast.Try):
            node.body = self.block(node.body, loop)

    def _try(self, node: ast.Try, loop: _Loop) -> None:
        flags = {f for s in node.body for f in self._flags(s, loop)}
        node.orelse = self.block(node.orelse, loop)
        if node.orelse and flags:
            # `else` does not run after a jump out of the body.
            for flag in sorted(flags):
                node.orelse = [_unless(flag, node.orelse)]
        for handler in node.handlers:
            handler.body = self.block(handler.body, loop)
        node.finalbody = self.block(node.finalbody, loop)

    def _loop(self, node: ast.For | ast.While) -> list[ast.stmt]:
        inner = _Loop(
            self.fresh("break_") if _own_jump(node, ast.Break) else None,
            self.fresh("continue_") if _own_jump(node, ast.Continue) else None,
        )
        node.body = self.block(node.body, inner)
        if inner.skip:
            node.body.insert(0, placed(set_flag(inner.skip, False), node.body[0]))
        stops = [inner.stop] if inner.stop else []
        if self.done and any(_has_name(s, self.done) for s in node.body):
            stops.append(self.done)
        self._stop_on(node, stops)
        start = [placed(set_flag(inner.stop, False), node)] if inner.stop else []
        return [*start, node]

    def _stop_on(self, node: ast.For | ast.While, flags: Sequence[str]) -> None:
        tests = [negated(flag) for flag in flags]
        if not tests:
            return
        if isinstance(node, ast.While):
            node.test = placed(ast.BoolOp(ast.And(), [*tests, node.test]), node.test)
        else:
            self.extra_tests[node] = tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)


def _unless(flag: str, body: list[ast.stmt]) -> ast.If:
    """`if not flag: body`."""
    return placed(ast.If(placed(negated(flag), body[0]), body, []), body[0])


def _moves_rest(node: ast.If, rest: list[ast.stmt]) -> bool:
    """Move what follows an `if` into the branch that goes on, when only one does."""
    body_jumps, else_jumps = _always(node.body), _always(node.orelse)
    if body_jumps == else_jumps:
        return False
    if body_jumps:
        node.orelse = [*node.orelse, *rest]
    else:
        node.body = [*node.body, *rest]
    return True


def _always(statements: Sequence[ast.stmt]) -> bool:
    return any(_always_jumps(s) for s in statements)


def _always_jumps(node: ast.stmt) -> bool:
    if isinstance(node, ast.Return | ast.Break | ast.Continue):
        return True
    if isinstance(node, ast.If):
        return _always(node.body) and _always(node.orelse)
    return isinstance(node, ast.With) and _always(node.body)


def _has(node: ast.AST, kind: type[ast.stmt]) -> bool:
    """Whether a statement of `kind` is in `node`, nested functions left out."""
    if isinstance(node, kind):
        return True
    if isinstance(node, _SCOPES) or not isinstance(node, ast.stmt | ast.excepthandler):
        return False
    return any(_has(child, kind) for child in ast.iter_child_nodes(node))


def _jumps_in_loop(node: ast.AST) -> bool:
    """Whether `break` or `continue` of the loop around `node` is in it."""
    if isinstance(node, ast.Break | ast.Continue):
        return True
    if isinstance(node, (*_LOOPS, *_SCOPES)) or not isinstance(node, ast.stmt | ast.excepthandler):
        return False
    return any(_jumps_in_loop(child) for child in ast.iter_child_nodes(node))


def _own_jump(loop: ast.For | ast.While, kind: type[ast.stmt]) -> bool:
    return any(_find_own(s, kind) for s in loop.body)


def _find_own(node: ast.AST, kind: type[ast.stmt]) -> bool:
    if isinstance(node, kind):
        return True
    if isinstance(node, (*_LOOPS, *_SCOPES)) or not isinstance(node, ast.stmt | ast.excepthandler):
        return False
    return any(_find_own(child, kind) for child in ast.iter_child_nodes(node))


def _has_name(node: ast.AST, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(node))
