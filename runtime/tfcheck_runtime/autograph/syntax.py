"""Builds the syntax trees that converted code is made of."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import Final, TypeVar

OPERATORS: Final = "ag__"
"""The name under which converted code reaches the operators of this package."""

GENERATED: Final = "__ag"
"""Ends the name of every function that conversion adds."""

Tree = TypeVar("Tree", bound=ast.AST)


def load(name: str) -> ast.Name:
    """The value of a variable."""
    return ast.Name(name, ast.Load())


def store(name: str) -> ast.Name:
    """A variable as the target of an assignment."""
    return ast.Name(name, ast.Store())


def operator(name: str, *arguments: ast.expr) -> ast.Call:
    """A call of one of this package's operators."""
    return ast.Call(ast.Attribute(load(OPERATORS), name, ast.Load()), list(arguments), [])


def is_operator(node: ast.expr) -> bool:
    """Whether an expression is one of this package's operators."""
    value = node.value if isinstance(node, ast.Attribute) else None
    return isinstance(value, ast.Name) and value.id == OPERATORS


def operator_name(name: str) -> ast.expr:
    """One of this package's operators itself."""
    return ast.Attribute(load(OPERATORS), name, ast.Load())


def assign(name: str, value: ast.expr) -> ast.Assign:
    """`name = value`."""
    return ast.Assign([store(name)], value)


def set_flag(name: str, value: bool) -> ast.Assign:
    """`name = True` or `name = False`."""
    return assign(name, ast.Constant(value))


def negated(name: str) -> ast.expr:
    """`not name`."""
    return ast.UnaryOp(ast.Not(), load(name))


def thunk(value: ast.expr) -> ast.Lambda:
    """`lambda: value`, marked as ours by the name of a parameter that is never given."""
    takes = parameters(())
    takes.vararg = ast.arg(GENERATED)
    return ast.Lambda(takes, value)


def tuple_of(values: Iterable[ast.expr]) -> ast.Tuple:
    """A tuple display."""
    return ast.Tuple(list(values), ast.Load())


def parameters(names: Iterable[str]) -> ast.arguments:
    """A plain positional parameter list."""
    return ast.arguments(
        posonlyargs=[],
        args=[ast.arg(name) for name in names],
        kwonlyargs=[],
        kw_defaults=[],
        defaults=[],
    )


def function(name: str, takes: Iterable[str], body: Sequence[ast.stmt]) -> ast.FunctionDef:
    """A function definition that conversion adds."""
    return ast.FunctionDef(
        name=name + GENERATED,
        args=parameters(takes),
        body=list(body) or [ast.Pass()],
        decorator_list=[],
        returns=None,
    )


def placed(tree: Tree, like: ast.AST) -> Tree:
    """`tree`, made to stand where `like` stands in the source."""
    return ast.copy_location(tree, like)


def as_load(target: ast.expr) -> ast.expr:
    """The target of an assignment, read."""
    if isinstance(target, ast.Attribute):
        return ast.Attribute(target.value, target.attr, ast.Load())
    if isinstance(target, ast.Subscript):
        return ast.Subscript(target.value, target.slice, ast.Load())
    assert isinstance(target, ast.Name)  # the only other target that control flow tracks
    return load(target.id)
