"""Finds functions that call themselves through other files."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tfcheck.lint.neighbours import Neighbours, OpenFile
from tfcheck.lint.nodes import walk
from tfcheck.lint.scopes import FunctionInfo
from tfcheck.lint.targets import FunctionTarget

_MAX_FUNCTIONS = 50
_DECIDING = (ast.If, ast.IfExp, ast.While, ast.For, ast.BoolOp, ast.Try, ast.Match)
_PARTS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda)


def leads_back(call: ast.Call, function: FunctionInfo, neighbours: Neighbours) -> bool:
    """Whether what `call` in `function` calls in another file is sure to call `function` again.

    Of a ring only the call that leads to the file with the earlier name is one that leads back.
    """
    home = neighbours.owner(function)
    seen: set[FunctionInfo] = set()
    stack = [target for target in _called(call, home) if _is_earlier(target, home, neighbours)]
    while stack and len(seen) < _MAX_FUNCTIONS:
        current = stack.pop()
        if current is function:
            return True
        if current not in seen:
            seen.add(current)
            stack.extend(_sure_calls(current, neighbours))
    return False


def _called(call: ast.Call, home: OpenFile) -> list[FunctionInfo]:
    """The function that a call means, if that is certain."""
    found = home.resolver.functions_anywhere(call.func)
    targets = [target for target in found if isinstance(target, FunctionTarget)]
    return [target.function for target in targets] if len(targets) == 1 else []


def _is_earlier(target: FunctionInfo, home: OpenFile, neighbours: Neighbours) -> bool:
    paths = neighbours.modules.paths
    return paths[neighbours.owner(target).position] < paths[home.position]


def _sure_calls(function: FunctionInfo, neighbours: Neighbours) -> Iterator[FunctionInfo]:
    home = neighbours.owner(function)
    for call in function.scope.calls:
        if _is_sure(call, function, home):
            yield from _called(call, home)


def _is_sure(call: ast.Call, function: FunctionInfo, home: OpenFile) -> bool:
    """Whether nothing decides about the call, nor an earlier statement that may leave."""
    for parent, _ in home.index.ancestors(call):
        if isinstance(parent, (*_DECIDING, *_PARTS)) and parent is not function.node:
            return False
    if isinstance(function.node, ast.Lambda):
        return True
    before = (each for each in function.node.body if (each.end_lineno or 0) < call.lineno)
    return not any(
        isinstance(part, ast.Return | ast.Raise) for statement in before for part in walk(statement)
    )
