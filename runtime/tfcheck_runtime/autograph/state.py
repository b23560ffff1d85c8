"""The variables that a branch or loop shares with the code around it, and their accessors."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from tfcheck_runtime.autograph import names
from tfcheck_runtime.autograph.liveness import Control, Span
from tfcheck_runtime.autograph.syntax import (
    GENERATED,
    as_load,
    assign,
    function,
    load,
    operator,
    operator_name,
    placed,
    store,
    thunk,
    tuple_of,
)

_NEW = "new" + GENERATED


@dataclass(frozen=True)
class State:
    """The shared variables in TensorFlow's order: what comes out first, then what only goes in."""

    symbols: tuple[str, ...]
    outputs: int
    composites: names.Composites
    probed: frozenset[str]

    def names_display(self) -> ast.expr:
        """The names as a tuple display."""
        return tuple_of(ast.Constant(s) for s in self.symbols)

    def getter(self) -> ast.expr:
        """A function that returns the current values."""
        if not self.symbols:
            return operator_name("no_values")
        return thunk(tuple_of(self._read(s) for s in self.symbols))

    def setter(self, declare: Sequence[ast.stmt], like: ast.AST) -> list[ast.stmt]:
        """The definition of a function that assigns new values; none when nothing is shared."""
        if not self.symbols:
            return []
        targets = [
            store(s if s not in self.composites else f"value{i}{GENERATED}")
            for i, s in enumerate(self.symbols)
        ]
        body: list[ast.stmt] = [
            *declare,
            ast.Assign([ast.Tuple(list(targets), ast.Store())], load(_NEW)),
        ]
        for target, symbol in zip(targets, self.symbols, strict=True):
            if symbol in self.composites:
                body.append(_write(self.composites[symbol], target.id))
        return [placed(function("set_state", [_NEW], body), like)]

    def setter_name(self) -> ast.expr:
        """The name of what `setter` defines."""
        return load("set_state" + GENERATED) if self.symbols else operator_name("no_setter")

    def simple(self) -> set[str]:
        """The shared plain variables."""
        return set(self.symbols) - set(self.composites)

    def _read(self, symbol: str) -> ast.expr:
        composite = self.composites.get(symbol)
        if composite is not None:
            return operator("probe", thunk(as_load(composite)), ast.Constant(symbol))
        if symbol in self.probed:
            return operator("probe", thunk(load(symbol)), ast.Constant(symbol))
        return load(symbol)


def _write(target: ast.expr, value: str) -> ast.stmt:
    """Assign a composite, or remove it when the new value is an `Undefined`."""
    delete = ast.With(
        [ast.withitem(operator("missing"))], [ast.Delete([_with_context(target, ast.Del())])]
    )
    return ast.If(
        operator("is_defined", load(value)),
        [ast.Assign([_with_context(target, ast.Store())], load(value))],
        [delete],
    )


def _with_context(target: ast.expr, context: ast.expr_context) -> ast.expr:
    copy = as_load(target)
    assert isinstance(copy, ast.Attribute | ast.Subscript)  # plain names are no composites
    copy.ctx = context
    return copy


def shared(node: Control, span: Span, probed: frozenset[str]) -> State:
    """The variables that `node` changes and that matter outside it."""
    modified = names.bound([node])
    simple = {n for n in modified if n in span.before or n in span.after}
    composites = {
        text: target
        for text, target in names.composites([node]).items()
        if names.roots(target) <= span.before
    }
    inputs_only = (simple & span.before) - span.after
    ordered = sorted({*simple, *composites}, key=lambda s: (s in inputs_only, s))
    return State(tuple(ordered), len(ordered) - len(inputs_only), composites, probed)


def initialise(unbound: Sequence[str], uncertain: Sequence[str]) -> list[ast.stmt]:
    """Statements that bind variables without a value to an `Undefined`."""
    made: list[ast.stmt] = [_undefined(n) for n in unbound]
    made.extend(
        ast.Try(
            body=[ast.Expr(load(n))],
            handlers=[ast.ExceptHandler(load("NameError"), None, [_undefined(n)])],
            orelse=[],
            finalbody=[],
        )
        for n in uncertain
    )
    return made


def _undefined(name: str) -> ast.stmt:
    return assign(name, operator("Undefined", ast.Constant(name)))
