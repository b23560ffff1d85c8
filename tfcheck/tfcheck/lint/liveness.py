"""Whether a name is read after a statement, before anything else is bound to it."""

from __future__ import annotations

import ast

from tfcheck.lint.scopes import FunctionInfo
from tfcheck.lint.semantics import FileModel

_Moment = tuple[int, bool, int]


class Liveness:
    """Orders the places where a function reads and binds its names."""

    def __init__(self, model: FileModel) -> None:
        self._model = model
        self._uses: dict[FunctionInfo, dict[str, list[tuple[_Moment, ast.Name]]]] = {}

    def is_read_after(self, name: str, node: ast.stmt, function: FunctionInfo) -> bool:
        """Whether the name is read after `node`, also in the next round of a loop around it."""
        uses = self._names(function).get(name, [])
        end = (node.end_lineno or 0, node.end_col_offset or 0)
        later = [use for _, use in uses if (use.lineno, use.col_offset) >= end]
        if self._first_is_read(later):
            return True
        start = (node.lineno, node.col_offset)
        for loop in self._model.loops_around(node):
            if isinstance(loop, ast.comprehension):
                continue
            begin = (loop.lineno, loop.col_offset)
            earlier = [use for _, use in uses if begin <= (use.lineno, use.col_offset) < start]
            if self._first_is_read(earlier):
                return True
        return False

    def _first_is_read(self, uses: list[ast.Name]) -> bool:
        """What is bound under a condition may still be read with the value from before."""
        for use in uses:
            changed = isinstance(self._model.index.parents.get(use), ast.AugAssign)
            if isinstance(use.ctx, ast.Load) or changed:
                return True
            if not self._is_conditional(use):
                return False
        return False

    def _is_conditional(self, use: ast.Name) -> bool:
        ancestors = self._model.index.ancestors(use)
        return any(
            isinstance(parent, ast.If | ast.Try | ast.For | ast.While) for parent, _ in ancestors
        )

    def _names(self, function: FunctionInfo) -> dict[str, list[tuple[_Moment, ast.Name]]]:
        if function not in self._uses:
            found: dict[str, list[tuple[_Moment, ast.Name]]] = {}
            for node in ast.walk(function.node):
                if isinstance(node, ast.Name):
                    found.setdefault(node.id, []).append((self._moment(node), node))
            for uses in found.values():
                uses.sort(key=lambda pair: pair[0])
            self._uses[function] = found
        return self._uses[function]

    def _moment(self, name: ast.Name) -> _Moment:
        """The order in which Python meets names: the right side of `x = x + 1` goes first."""
        line = self._model.index.statement_of(name).lineno
        return (line, isinstance(name.ctx, ast.Store), name.col_offset)
