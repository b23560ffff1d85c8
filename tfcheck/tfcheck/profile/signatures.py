"""Turns the signatures that a run suggests into edits of the decorators in the source."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tfcheck.diagnostics import Applicability, Edit, Fix, Position, Span
from tfcheck.profile.model import FunctionKey, FunctionProfile, Profile

WIDTH = 88
"""Columns that a decorator may have in one line."""

_Definition = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Declared:
    """A Function that can be given the signature that covers all its calls."""

    key: FunctionKey
    fix: Fix


@dataclass(frozen=True, slots=True)
class Undeclared:
    """One that cannot, and why."""

    key: FunctionKey
    reason: str


def declare(profile: Profile, texts: Mapping[str, str]) -> Iterator[Declared | Undeclared]:
    """What becomes of each Function that was traced again for its arguments.

    `texts` has the files that may be changed, by their names in the profile.
    """
    for function in profile.functions:
        if not any(cause.argument for cause in function.causes):
            continue
        outcome = _declare(function, texts)
        if isinstance(outcome, str):
            yield Undeclared(function.key, outcome)
        else:
            edits = (outcome,)
            message = f"declare {function.key.name} with an input signature"
            yield Declared(function.key, Fix(Applicability.UNSAFE, message, edits))


def _declare(function: FunctionProfile, texts: Mapping[str, str]) -> Edit | str:
    """The edit, or why there is none."""
    signature = function.suggested_signature
    if signature is None:
        return "no signature of plain tensors takes all its calls"
    text = texts.get(function.key.file)
    if text is None:
        return f"{function.key.file} is not a file of this folder"
    decorator = _decorator(function.key, ast.parse(text))
    if isinstance(decorator, str):
        return decorator
    return _edit(decorator, signature, text.split("\n"))


def _decorator(key: FunctionKey, tree: ast.Module) -> ast.expr | str:
    """The decorator that makes the Function, or why there is none to change."""
    for node in ast.walk(tree):
        if not isinstance(node, _Definition) or node.name != key.name:
            continue
        if key.line not in {node.lineno, *(each.lineno for each in node.decorator_list)}:
            continue
        makers = [each for each in node.decorator_list if _makes_functions(each)]
        if not makers:
            return "it is not decorated with tf.function itself"
        return makers[0]
    return "it is not made by a decorator"


def _makes_functions(decorator: ast.expr) -> bool:
    maker = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(maker, ast.Attribute) and maker.attr == "function"


def _edit(decorator: ast.expr, signature: str, lines: list[str]) -> Edit | str:
    maker = decorator.func if isinstance(decorator, ast.Call) else decorator
    if not isinstance(maker, ast.Attribute):
        return "it is not decorated with tf.function itself"
    spelled = signature.replace("tf.", f"{ast.unparse(maker.value)}.")
    indent = " " * (_position(decorator.lineno, decorator.col_offset, lines).column - 2)
    if not isinstance(decorator, ast.Call):
        end = _end(decorator, lines)
        return Edit(Span(end, end), f"({_alone(spelled, indent=indent, column=end.column)})")
    if decorator.args or any(each.arg in {None, "input_signature"} for each in decorator.keywords):
        return "its decorator has an input signature already"
    if not decorator.keywords:
        # Between the parentheses, whatever is there.
        span = Span(_end(maker, lines), _end(decorator, lines))
        return Edit(span, f"({_alone(spelled, indent=indent, column=span.start.column)})")
    last = _end(decorator.keywords[-1].value, lines)
    if last.column + len(spelled) > WIDTH:
        spelled = _listed(spelled, indent=indent)
    return Edit(Span(last, last), f", {spelled}")


def _alone(signature: str, *, indent: str, column: int) -> str:
    """The only argument, in one line if it fits there."""
    if column + len(signature) <= WIDTH:
        return signature
    inner = f"{indent}    "
    return f"\n{inner}{_listed(signature, indent=inner)}\n{indent}"


def _listed(signature: str, *, indent: str) -> str:
    """The argument with a line for each parameter."""
    inner = signature.removeprefix("input_signature=[").removesuffix("]")
    specs = [f"{indent}    {spec}),\n" for spec in inner.removesuffix(")").split("), ")]
    return f"input_signature=[\n{''.join(specs)}{indent}]"


def _end(node: ast.expr, lines: list[str]) -> Position:
    return _position(node.end_lineno or 1, node.end_col_offset or 0, lines)


def _position(row: int, offset: int, lines: list[str]) -> Position:
    # `ast` counts bytes.
    column = len(lines[row - 1].encode()[:offset].decode())
    return Position(row, column + 1)
