"""Refuses functions that hold constructs AutoGraph does not convert, naming the construct."""

from __future__ import annotations

import ast
from collections.abc import Iterator

_INSTEAD = {
    "match": "write `if`/`elif` instead",
    "for/else": "set a flag in the loop and test it after the loop",
    "while/else": "set a flag in the loop and test it after the loop",
    "`:=`": "assign on a line of its own",
    "generator": "collect the values in a list",
    "except*": "use plain `except`",
    "a jump out of `finally`": "move the `return`, `break` or `continue` behind the `try`",
}


class ConversionError(Exception):
    """A function cannot be converted; says why, and what to write instead."""


def check(node: ast.AST, filename: str) -> None:
    """Check that a function holds only what can be converted.

    Raises:
        ConversionError: names the construct, its line, and what to write instead.
    """
    for construct, place in _refused(node):
        raise ConversionError(
            f"{construct} is not supported by AutoGraph ({filename}:{place.lineno});"
            f" {_INSTEAD[construct]} [unconverted-control-flow]"
        )


def _refused(root: ast.AST) -> Iterator[tuple[str, ast.stmt | ast.expr]]:
    for node in ast.walk(root):
        if isinstance(node, ast.stmt | ast.expr):
            construct = _construct(node)
            if construct:
                yield construct, node


def _construct(node: ast.stmt | ast.expr) -> str | None:
    if isinstance(node, ast.Match):
        return "match"
    if isinstance(node, ast.For | ast.While) and node.orelse:
        return "for/else" if isinstance(node, ast.For) else "while/else"
    if isinstance(node, ast.NamedExpr):
        return "`:=`"
    if isinstance(node, ast.Yield | ast.YieldFrom):
        return "generator"
    if isinstance(node, ast.TryStar):
        return "except*"
    if isinstance(node, ast.Try) and any(_jumps(s) for s in node.finalbody):
        return "a jump out of `finally`"
    return None


def _jumps(node: ast.AST) -> bool:
    if isinstance(node, ast.Return | ast.Break | ast.Continue):
        return True
    if isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef):
        return False
    return any(_jumps(child) for child in ast.iter_child_nodes(node))
