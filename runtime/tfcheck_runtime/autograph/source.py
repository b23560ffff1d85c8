"""Finds the syntax tree of a function or lambda, with its places in the file kept."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator, Sequence
from types import CodeType
from typing import Final

from tfcheck_runtime.autograph.support import ConversionError

FunctionTree = ast.FunctionDef | ast.Lambda


def tree_of(code: CodeType) -> FunctionTree:
    """The definition that `code` was compiled from.

    Raises:
        ConversionError: the source is not available, ambiguous, or no plain function.
    """
    linecache.checkcache(code.co_filename)
    lines = linecache.getlines(code.co_filename)
    if not lines or code.co_firstlineno > len(lines):
        raise ConversionError(
            f"the source code of `{code.co_name}` ({code.co_filename}) is not available; functions"
            " made by the interactive shell, exec or eval cannot be converted: put it in a file"
            " [unconverted-control-flow]"
        )
    return _lambda(code, lines) if code.co_name == "<lambda>" else _definition(code, lines)


def _definition(code: CodeType, lines: Sequence[str]) -> ast.FunctionDef:
    first = code.co_firstlineno
    block = lines[first - 1 : _last_line(code, lines)]
    indented = block[0][:1] in " \t"
    text = "if 1:\n" * indented + "".join(block)
    try:
        module = ast.parse(text)
    except SyntaxError as error:
        raise ConversionError(f"the source of `{code.co_name}` does not parse: {error}") from error
    ast.increment_lineno(module, first - 1 - indented)
    statement = module.body[0]
    if isinstance(statement, ast.If):
        statement = statement.body[0]
    if isinstance(statement, ast.AsyncFunctionDef):
        raise ConversionError(
            f"async functions are not supported by AutoGraph ({code.co_filename}:{first})"
            " [unconverted-control-flow]"
        )
    if not isinstance(statement, ast.FunctionDef) or statement.name != code.co_name:
        raise ConversionError(
            f"expected the definition of `{code.co_name}` at {code.co_filename}:{first}, found"
            f" `{lines[first - 1].strip()}`; the file may have changed since it was imported"
        )
    return statement


def _last_line(code: CodeType, lines: Sequence[str]) -> int:
    """The line where the block that defines `code` ends."""
    last = max((end for end in _end_lines(code)), default=code.co_firstlineno)
    indent = _indent(lines[code.co_firstlineno - 1])
    while last < len(lines):
        line = lines[last]
        if line.strip() and not line.lstrip().startswith("#") and _indent(line) <= indent:
            break
        last += 1
    return last


def _end_lines(code: CodeType) -> Iterator[int]:
    for _, end, _, _ in code.co_positions():
        if end is not None:
            yield end
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _end_lines(constant)


def _indent(line: str) -> int:
    return len(line.expandtabs()) - len(line.expandtabs().lstrip())


_lambdas: Final[dict[str, tuple[int, dict[int, list[ast.Lambda]]]]] = {}
"""Per file: how many lines it has, and its lambdas by line."""


def _lambda(code: CodeType, lines: Sequence[str]) -> ast.Lambda:
    wanted = code.co_varnames[: _parameter_count(code)]
    here = _lambdas_of(code.co_filename, lines).get(code.co_firstlineno, [])
    matching = [node for node in here if _parameters(node) == wanted]
    if len(matching) > 1:
        shown = "; ".join(f"`{ast.unparse(node)}`" for node in matching)
        raise ConversionError(
            f"{len(matching)} lambdas with the same parameters stand on one line"
            f" ({code.co_filename}:{code.co_firstlineno}): {shown}; write each on a line of its"
            " own, or use `def` [unconverted-control-flow]"
        )
    if not matching:
        raise ConversionError(
            f"expected a lambda at {code.co_filename}:{code.co_firstlineno}, found none; the file"
            " may have changed since it was imported"
        )
    return matching[0]


def _lambdas_of(filename: str, lines: Sequence[str]) -> dict[int, list[ast.Lambda]]:
    known = _lambdas.get(filename)
    if known is None or known[0] != len(lines):
        known = len(lines), _collect(lines)
        _lambdas[filename] = known
    return known[1]


def _collect(lines: Sequence[str]) -> dict[int, list[ast.Lambda]]:
    found: dict[int, list[ast.Lambda]] = {}
    try:
        module = ast.parse("".join(lines))
    except SyntaxError as error:
        raise ConversionError(f"the file around a lambda does not parse: {error}") from error
    for node in ast.walk(module):
        if isinstance(node, ast.Lambda):
            found.setdefault(node.lineno, []).append(node)
    return found


def _parameter_count(code: CodeType) -> int:
    stars = bool(code.co_flags & 0x04) + bool(code.co_flags & 0x08)
    return code.co_argcount + code.co_kwonlyargcount + stars


def _parameters(node: ast.Lambda) -> tuple[str, ...]:
    a = node.args
    every = [*a.posonlyargs, *a.args, *a.kwonlyargs, *(x for x in (a.vararg, a.kwarg) if x)]
    return tuple(p.arg for p in every)
