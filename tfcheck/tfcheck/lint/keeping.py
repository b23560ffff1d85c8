"""Functions that a loop makes and puts away, to be called when it has ended."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tfcheck.lint.resolve import Creation, FunctionTarget
from tfcheck.lint.scopes import FunctionInfo, LoopNode
from tfcheck.lint.semantics import FileModel

_ADDERS = {"append", "add", "insert", "appendleft"}


def kept_functions(model: FileModel, creation: Creation) -> Iterator[tuple[FunctionInfo, LoopNode]]:
    """The function of a creation, with the loop around it, if the loop keeps and never calls it."""
    made: ast.AST = creation.node
    if creation.decorates:
        made = model.index.parents[creation.node]
    loops = model.loops_around(made)
    if not loops:
        return
    inside = set(ast.walk(_statement(model, loops[0])))
    if _is_kept(model, made, inside):
        for function in _wrapped(model, creation, made):
            if function.node in inside:
                yield function, loops[0]


def _statement(model: FileModel, loop: LoopNode) -> ast.AST:
    """The comprehension that a generator is a part of, else the loop itself."""
    return model.index.parents[loop] if isinstance(loop, ast.comprehension) else loop


def _wrapped(model: FileModel, creation: Creation, made: ast.AST) -> Iterator[FunctionInfo]:
    if creation.decorates:
        yield model.index.function_of[made]
    elif isinstance(made, ast.Call):
        for target in model.targets(made):
            if isinstance(target, FunctionTarget) and model.is_local(target.function.node):
                yield target.function


def _is_kept(model: FileModel, made: ast.AST, inside: set[ast.AST]) -> bool:
    """Whether all that the loop does with what is made is to put it into a container."""
    parent = model.index.parents.get(made)
    name = None
    if isinstance(made, ast.FunctionDef | ast.AsyncFunctionDef):
        name = made.name
    elif isinstance(parent, ast.Assign) and isinstance(parent.targets[0], ast.Name):
        name = parent.targets[0].id
    places = [made]
    if name is not None:
        places = [
            node
            for node in inside
            if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
        ]
    containers = [_container(model, place) for place in places]
    return bool(places) and all(
        container is not None and _is_only_filled(model, container, inside)
        for container in containers
    )


def _container(model: FileModel, place: ast.AST) -> str | None:
    """What a Function goes into, as spelled; empty for what a comprehension makes."""
    parent = model.index.parents.get(place)
    match parent:
        case ast.Call(func=ast.Attribute(value=container, attr=attr)) if place in parent.args:
            return ast.unparse(container) if attr in _ADDERS else None
        case ast.Assign(targets=[ast.Subscript(value=container)]):
            return ast.unparse(container)
        case ast.ListComp() | ast.DictComp():
            return ""
    return None


def _is_only_filled(model: FileModel, container: str, inside: set[ast.AST]) -> bool:
    """Whether the loop adds to the container and reads nothing from it."""
    for node in inside:
        if isinstance(node, ast.Name | ast.Attribute) and ast.unparse(node) == container:
            parent = model.index.parents.get(node)
            stored = isinstance(parent, ast.Subscript) and isinstance(parent.ctx, ast.Store)
            added = isinstance(parent, ast.Attribute) and parent.attr in _ADDERS
            if not stored and not added:
                return False
    return True
