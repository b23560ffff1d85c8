"""Lambdas that AutoGraph finds again in the source, or not."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tfcheck.lint.scopes import FunctionInfo
from tfcheck.lint.semantics import FileModel


class Lambdas:
    """Compares the places and the arguments of all lambdas of a file."""

    def __init__(self, model: FileModel) -> None:
        self._model = model
        self._all = [f for f in model.index.functions if isinstance(f.node, ast.Lambda)]

    def has_twin(self, function: FunctionInfo) -> bool:
        """Whether another lambda with the same arguments spans the line where it starts."""
        if not isinstance(function.node, ast.Lambda) or self._is_inside_converted(function):
            return False
        return any(
            other is not function
            and other.node.lineno <= function.node.lineno <= (other.node.end_lineno or 0)
            and _arguments(other) == _arguments(function)
            for other in self._all
        )

    def _is_inside_converted(self, function: FunctionInfo) -> bool:
        """Whether it is rewritten together with the function around it."""
        around = self._model.index.function_of.get(function.outer.owner().node)
        trace = self._model.traces.get(around) if around is not None else None
        return trace is not None and trace.converted


def compares_argument(function: FunctionInfo) -> bool:
    """Whether a condition compares an argument with a number, as tensors are."""
    given = {parameter.arg for parameter in function.parameters}
    tests = (node.test for node in ast.walk(function.node) if isinstance(node, ast.IfExp))
    for test in tests:
        match test:
            case ast.Compare(
                left=ast.Name(id=name), comparators=[ast.Constant(value=int() | float())]
            ):
                if name in given:
                    return True
    return False


def _arguments(function: FunctionInfo) -> tuple[str, ...]:
    return tuple(_names(function.node.args))


def _names(arguments: ast.arguments) -> Iterator[str]:
    for parameter in (*arguments.posonlyargs, *arguments.args):
        yield parameter.arg
    for sign, extra in (("*", arguments.vararg), ("**", arguments.kwarg)):
        if extra is not None:
            yield sign + extra.arg
    for parameter in arguments.kwonlyargs:
        yield f"={parameter.arg}"
