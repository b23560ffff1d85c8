"""Python numbers and flags outside of a trace that traced code changes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tfcheck.lint.guards import Guards
from tfcheck.lint.kinds import Value, literal
from tfcheck.lint.lifetimes import Lifetimes, OuterStore
from tfcheck.lint.places import Places
from tfcheck.lint.semantics import FileModel


class PythonState:
    """Tells counters, which differ from call to call, from what is set once."""

    def __init__(self, model: FileModel) -> None:
        self._model = model
        self._places = Places(model)

    def changes(self) -> Iterator[OuterStore]:
        """The stores of traced code that change a Python number, string or flag."""
        for store in Lifetimes(self._model).stores():
            if counts_traces(store.target):
                continue
            before = [self._value(value) for value in self._places.stored(store.target)]
            if not any(old.is_scalar for old in before) or any(old.is_tensor for old in before):
                continue
            step = store.value if store.in_place else _operand(store)
            if self._value(step).is_scalar if step is not None else self._is_reset(store):
                yield store

    def _value(self, node: ast.expr) -> Value:
        """The value, also of a constant that a class binds."""
        if isinstance(node, ast.Constant) and node.value is not Ellipsis:
            return literal(node.value)
        return self._model.value(node)

    def _is_reset(self, store: OuterStore) -> bool:
        """Whether plain Python binds another constant later, so that writing it again matters."""
        written = store.value
        tested = Guards(self._model).is_tested(store.target, store.target)
        if not isinstance(written, ast.Constant) or tested:
            return False
        return any(
            isinstance(value, ast.Constant)
            and value.value != written.value
            and self._model.is_plain(value)
            and self._is_run_later(value, store)
            for value in self._places.stored(store.target)
        )

    def _is_run_later(self, value: ast.expr, store: OuterStore) -> bool:
        """Whether `value` is bound in a loop, or further down and not by a method of its object."""
        if self._model.loops_around(value):
            return True
        function = self._model.function_around(value)
        method = function is not None and function.owner is not None
        return value.lineno > store.target.lineno and not method


def counts_traces(place: ast.expr) -> bool:
    """Whether a name says that traces are counted, which runs while tracing on purpose."""
    name = place.id if isinstance(place, ast.Name) else getattr(place, "attr", "")
    return "trac" in name.lower()


def _operand(store: OuterStore) -> ast.expr | None:
    """The `y` in `x = x + y`."""
    value, place = store.value, ast.unparse(store.target)
    if not isinstance(value, ast.BinOp):
        return None
    sides = {ast.unparse(value.left): value.right, ast.unparse(value.right): value.left}
    return sides.get(place)
