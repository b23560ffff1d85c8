"""Which names a piece of code binds and reads in its own scope.

A composite is an attribute or item that is assigned to, such as `self.total` or `rows[i]`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

Composites: TypeAlias = dict[str, ast.expr]
FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass
class _Bindings:
    """What a piece of code binds in its own scope."""

    names: set[str] = field(default_factory=set)
    deleted: set[str] = field(default_factory=set)
    declared: set[str] = field(default_factory=set)
    composites: Composites = field(default_factory=dict)

    def add(self, node: ast.AST | None) -> None:
        """Collect from a statement, a clause of one, or the target of an assignment.

        Values are not looked at: without `:=`, which is not supported, they bind nothing.
        """
        if isinstance(node, ast.expr):
            self._target(node)
            return
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            self.names.add(node.name)
            return
        for name in ("targets", "target", "optional_vars"):
            self._each(getattr(node, name, None))
        if isinstance(node, ast.Import | ast.ImportFrom):
            self.names.update(a.asname or a.name.partition(".")[0] for a in node.names)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            self.declared.update(node.names)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            self.names.add(node.name)
            self.deleted.add(node.name)  # Python unbinds it where the handler ends
        for name in ("items", "body", "handlers", "orelse", "finalbody"):
            self._each(getattr(node, name, None))

    def _each(self, part: object) -> None:
        for node in part if isinstance(part, list) else [part]:
            if isinstance(node, ast.AST):
                self.add(node)

    def _target(self, node: ast.expr) -> None:
        if isinstance(node, ast.Name):
            self.names.add(node.id)
            if isinstance(node.ctx, ast.Del):
                self.deleted.add(node.id)
        elif isinstance(node, ast.Tuple | ast.List):
            self._each(node.elts)
        elif isinstance(node, ast.Starred):
            self._target(node.value)
        elif (
            isinstance(node, ast.Attribute | ast.Subscript)
            and isinstance(node.ctx, ast.Store)
            and is_symbol(node)
        ):
            self.composites[ast.unparse(node)] = node


def _bindings(nodes: Iterable[ast.AST]) -> _Bindings:
    found = _Bindings()
    for node in nodes:
        found.add(node)
    return found


def bound(nodes: Iterable[ast.AST]) -> set[str]:
    """The variables that code binds, deletes, imports or defines in its own scope."""
    return _bindings(nodes).names


def deleted(nodes: Iterable[ast.AST]) -> set[str]:
    """The variables that code may unbind."""
    return _bindings(nodes).deleted


def declared(nodes: Iterable[ast.AST]) -> set[str]:
    """The variables that code declares `global` or `nonlocal`."""
    return _bindings(nodes).declared


def globals_of(nodes: Iterable[ast.AST]) -> set[str]:
    """The variables that code declares `global`."""
    return {name for node in nodes for g in _own(node, ast.Global) for name in g.names}


def composites(nodes: Iterable[ast.AST]) -> Composites:
    """The attributes and items that code assigns to, by their source text."""
    return _bindings(nodes).composites


def is_symbol(node: ast.expr) -> bool:
    """Whether an expression is a name, or attributes and simple items of one."""
    if isinstance(node, ast.Name):
        return True
    if isinstance(node, ast.Attribute):
        return is_symbol(node.value)
    return (
        isinstance(node, ast.Subscript)
        and isinstance(node.slice, ast.Name | ast.Constant)
        and is_symbol(node.value)
    )


def roots(composite: ast.expr) -> set[str]:
    """The variables a composite hangs on: `rows` and `i` of `rows[i]`."""
    return {n.id for n in ast.walk(composite) if isinstance(n, ast.Name)}


def parameter_names(node: FunctionNode) -> set[str]:
    """The names of a function's parameters."""
    a = node.args
    every = (*a.posonlyargs, *a.args, *a.kwonlyargs, *(x for x in (a.vararg, a.kwarg) if x))
    return {p.arg for p in every}


def reads(node: ast.AST) -> set[str]:
    """The variables that code reads, those its nested functions take from outside included."""
    if isinstance(node, ast.Name):
        return set() if isinstance(node.ctx, ast.Store) else {node.id}
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        return captured(node) | _read_at_definition(node)
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        return {node.target.id} | reads(node.value)
    found: set[str] = set()
    for child in ast.iter_child_nodes(node):
        found |= reads(child)
    if isinstance(node, _COMPREHENSIONS):
        found -= {n for g in node.generators for n in _targets(g.target)}
    return found


def _targets(target: ast.expr) -> set[str]:
    return {n.id for n in ast.walk(target) if isinstance(n, ast.Name)}


def _read_at_definition(node: FunctionNode) -> set[str]:
    outside: list[ast.AST] = [*node.args.defaults, *(d for d in node.args.kw_defaults if d)]
    if not isinstance(node, ast.Lambda):
        outside.extend(node.decorator_list)
    return {name for n in outside for name in reads(n)}


def captured(node: FunctionNode) -> set[str]:
    """The variables a function reads from around it."""
    body: list[ast.AST] = [node.body] if isinstance(node, ast.Lambda) else [*node.body]
    own = (bound(body) - declared(body)) | parameter_names(node)
    inside = {name for n in body for name in reads(n)} | declared(body)
    return inside - own


def _own(node: ast.AST, kind: type[ast.Global]) -> Iterable[ast.Global]:
    if isinstance(node, kind):
        yield node
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
        return
    for child in ast.iter_child_nodes(node):
        yield from _own(child, kind)
