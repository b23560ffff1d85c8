"""Which loops run a piece of code again, those around the calls of its function included."""

from __future__ import annotations

import ast

from tfcheck.lint.resolve import ClassTarget
from tfcheck.lint.scopes import ClassInfo, FunctionInfo, LoopNode
from tfcheck.lint.semantics import FileModel

_MAX_DEPTH = 4


def repeating_loops(model: FileModel, node: ast.AST, *, depth: int = _MAX_DEPTH) -> list[LoopNode]:
    """The loops of the function around `node`, or else those around the calls of that function."""
    loops = model.loops_around(node)
    function = model.function_around(node)
    if loops or function is None or not depth:
        return loops
    found: list[LoopNode] = []
    for call in plain_calls(model, function):
        found += repeating_loops(model, call, depth=depth - 1)
    return list(dict.fromkeys(found))


def plain_calls(model: FileModel, function: FunctionInfo) -> list[ast.Call]:
    """The calls of a function from plain Python, those of a recursion left out."""
    return [
        site.call
        for site in model.calls_to(function)
        if site.caller is not function and site.caller not in model.traces
    ]


def making_loops(model: FileModel, owner: ClassInfo) -> set[LoopNode]:
    """The loops that make objects of a class."""
    return {
        loop
        for call in model.index.calls()
        if ClassTarget(owner) in model.targets(call.func)
        for loop in model.loops_around(call)
    }
