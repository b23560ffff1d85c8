"""`set_loop_options`, which conversion moves from a loop's body to its head."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from tfcheck_runtime.autograph.support import ConversionError

_POSITIONS = ("parallel_iterations", "swap_memory", "maximum_iterations", "shape_invariants")


def set_loop_options(
    parallel_iterations: object = None,
    swap_memory: object = None,
    maximum_iterations: object = None,
    shape_invariants: object = None,
) -> None:
    """Say how a tensor loop runs; stands first in the body of a loop that AutoGraph converts.

    See https://www.tensorflow.org/api_docs/python/tf/autograph/experimental/set_loop_options.

    Args:
        parallel_iterations: accepted, without effect.
        swap_memory: accepted, without effect.
        maximum_iterations: the loop stops after that many steps.
        shape_invariants: pairs of a loop variable and the shape it keeps.
    """


def take(loop: ast.For | ast.While) -> ast.Dict:
    """Remove `set_loop_options` from a loop's body; returns a dict display of what it says."""
    call = _directive(loop.body[0])
    if call is None:
        return _as_dict([])
    loop.body = loop.body[1:] or [ast.copy_location(ast.Pass(), loop)]
    return _as_dict(_arguments(call))


def check_taken(body: Sequence[ast.stmt]) -> None:
    """Check that no `set_loop_options` is left in a function.

    Raises:
        ConversionError: one does not stand first in a loop.
    """
    for statement in body:
        for call in _left(statement):
            raise ConversionError(
                f"`set_loop_options` must be the first statement of a loop (line {call.lineno})"
                " [unconverted-control-flow]"
            )


def _left(node: ast.AST) -> Iterator[ast.Call]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.expr):
        return
    call = _directive(node) if isinstance(node, ast.stmt) else None
    if call is not None:
        yield call
    for child in ast.iter_child_nodes(node):
        yield from _left(child)


def _directive(statement: ast.stmt) -> ast.Call | None:
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return None
    callee = statement.value.func
    name = callee.attr if isinstance(callee, ast.Attribute) else getattr(callee, "id", "")
    return statement.value if name == "set_loop_options" else None


def _arguments(call: ast.Call) -> list[tuple[str, ast.expr]]:
    positional = list(zip(_POSITIONS, call.args, strict=False))
    return positional + [(k.arg, k.value) for k in call.keywords if k.arg is not None]


def _as_dict(pairs: Sequence[tuple[str, ast.expr]]) -> ast.Dict:
    return ast.Dict([ast.Constant(name) for name, _ in pairs], [value for _, value in pairs])


def with_entry(display: ast.Dict, name: str, value: ast.expr) -> ast.Dict:
    """A dict display with one more entry."""
    return ast.Dict([*display.keys, ast.Constant(name)], [*display.values, value])
