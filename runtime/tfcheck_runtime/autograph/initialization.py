"""Which variables may be unbound where a branch or loop begins.

They are bound to an `Undefined` there, so that the functions a branch is made of can share them.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tfcheck_runtime.autograph import names
from tfcheck_runtime.autograph.liveness import Control, Span


@dataclass(frozen=True, slots=True)
class Missing:
    """Variables to initialise: those certainly unbound, and those that may be bound already."""

    unbound: tuple[str, ...]
    uncertain: tuple[str, ...]


@dataclass
class Initialization:
    """The variables to initialise before each branch and loop."""

    missing: dict[Control, Missing] = field(default_factory=dict)

    @property
    def names(self) -> set[str]:
        """Every variable that may hold an `Undefined` somewhere."""
        return {n for m in self.missing.values() for n in (*m.unbound, *m.uncertain)}


def analyse(
    body: Sequence[ast.stmt], given: set[str], spans: Mapping[Control, Span]
) -> Initialization:
    """Walk a function without jumps in program order.

    Args:
        body: the statements.
        given: parameters, and names that belong to other scopes.
        spans: what is live around each branch and loop; its other names are its own.
    """
    walk = _Walk(names.deleted(body), spans)
    walk.block(body, set(given))
    return walk.found


@dataclass
class _Walk:
    uncertain: set[str]
    spans: Mapping[Control, Span]
    found: Initialization = field(default_factory=Initialization)

    def block(self, statements: Sequence[ast.stmt], bound: set[str]) -> None:
        """Walk a block, adding to `bound` what it certainly binds."""
        for statement in statements:
            self._statement(statement, bound)

    def _statement(self, node: ast.stmt, bound: set[str]) -> None:
        if isinstance(node, ast.If | ast.While | ast.For):
            self._control(node, bound)
        elif isinstance(node, ast.Try):
            self._try(node, bound)
        elif isinstance(node, ast.With):
            bound |= names.bound(node.items)
            self.block(node.body, bound)
        else:
            # A bare annotation (`x: int`) counts as a binding and leaves the variable without a
            # value; TensorFlow then fails with NameError, and so do we.
            bound |= names.bound([node])
            bound -= names.deleted([node])

    def _control(self, node: Control, bound: set[str]) -> None:
        modified = names.bound([node])
        own = modified - self.spans[node].around
        absent = sorted(modified - bound - own)
        self.found.missing[node] = Missing(
            tuple(n for n in absent if n not in self.uncertain),
            tuple(n for n in absent if n in self.uncertain),
        )
        bound |= modified - own
        for block in (node.body, node.orelse):
            inside = bound - own
            if isinstance(node, ast.For):
                inside |= names.bound([node.target])
            self.block(block, inside)

    def _try(self, node: ast.Try, bound: set[str]) -> None:
        before = set(bound)
        self.uncertain |= names.bound([*node.body, *node.handlers, *node.orelse])
        self.block(node.body, bound)
        self.block(node.orelse, bound)
        for handler in node.handlers:
            self.block(handler.body, before | ({handler.name} if handler.name else set()))
        bound &= before
        self.block(node.finalbody, bound)
