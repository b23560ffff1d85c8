"""Dotted names: what an expression is called where it was imported from."""

from __future__ import annotations

import ast
import builtins
import re
from functools import lru_cache
from typing import Protocol

from tfcheck.lint.scopes import Binding, FileIndex, How, Scope

_BUILTINS = frozenset(dir(builtins))
_MAX_ALIASES = 8

LIBRARIES = frozenset(
    {"builtins", "functools", "itertools", "keras", "math", "numpy", "tensorflow", "typing"}
)
"""Packages that are not looked up in the project."""

# The same thing has several addresses; rules know it by the first one documented today.
_ADDRESSES = (
    (re.compile(r"^tensorflow\.compat\.v2(?=\.|$)"), "tensorflow"),
    (re.compile(r"^(?:tensorflow(?:\.python)?\.keras|tf_keras|keras\.src)(?=\.|$)"), "keras"),
    (
        re.compile(
            r"^tensorflow\.python\.eager(?:\.\w+)*\.(?:def|polymorphic)_function\.function$"
        ),
        "tensorflow.function",
    ),
    (re.compile(r"^tensorflow\.python\.ops\.variables\.Variable(V2)?$"), "tensorflow.Variable"),
)


@lru_cache(maxsize=20_000)
def canonical(dotted: str) -> str:
    """The address of `dotted` that rules use, `tensorflow.print` or `keras.layers.Dense`."""
    for pattern, address in _ADDRESSES:
        dotted = pattern.sub(address, dotted)
    return dotted


class Outside(Protocol):
    """What other files say of the names that are imported from them."""

    def follow(self, dotted: str) -> str:
        """The name under which the library or file that has the thing knows it."""

    def exports(self, module: str, name: str) -> bool | None:
        """Whether `from module import *` binds a name; None when that is not known."""


class Names:
    """Answers what names resolve to; every answer is computed once."""

    def __init__(self, index: FileIndex, outside: Outside | None = None) -> None:
        self._index = index
        self._outside = outside
        self._known: dict[ast.expr, str | None] = {}

    def qualified(self, expression: ast.expr) -> str | None:
        """The canonical dotted name, `builtins.print` for a built-in, None for anything else."""
        if not isinstance(expression, ast.Name | ast.Attribute):
            return None
        if expression not in self._known:
            scope = self._index.scope_of(expression)
            self._known[expression] = self._find(expression, scope, aliases=_MAX_ALIASES)
        return self._known[expression]

    def spelling(self, qualified: str, scope: Scope) -> str | None:
        """How code in `scope` can write a dotted name, through the imports it sees."""
        around: Scope | None = scope
        while around is not None:
            for name, bindings in around.bindings.items():
                imported = self._imported(bindings[0])
                alone = len(bindings) == 1 and scope.lookup(name) is around
                if imported and alone and f"{qualified}.".startswith(f"{imported}."):
                    return name + qualified.removeprefix(imported)
            around = around.parent
        return None

    def _by_star(self, name: str) -> str | None:
        """The module whose names include `name` and are all imported, the last one first.

        Empty when a module is not known, which may have the name or not.
        """
        for module in reversed(self._index.star_imports):
            known = self._outside.exports(module, name) if self._outside is not None else None
            if known is None:
                return ""
            if known:
                return module
        return None

    def _imported(self, binding: Binding) -> str:
        return self._follow(canonical(binding.imported or ""))

    def _follow(self, dotted: str) -> str:
        return dotted if self._outside is None or not dotted else self._outside.follow(dotted)

    def _find(self, expression: ast.expr, scope: Scope, *, aliases: int) -> str | None:
        if isinstance(expression, ast.Attribute):
            base = self._find(expression.value, scope, aliases=aliases)
            return None if base is None else self._follow(canonical(f"{base}.{expression.attr}"))
        if isinstance(expression, ast.Name):
            return self._find_name(expression.id, scope, aliases=aliases)
        return None

    def _find_name(self, name: str, scope: Scope, *, aliases: int) -> str | None:
        holder = scope.lookup(name)
        if holder is None:
            module = self._by_star(name)
            if module:
                return self._follow(canonical(member_of(module, name)))
            return f"builtins.{name}" if module is None and name in _BUILTINS else None
        bindings = holder.bindings[name]
        if all(binding.how is How.IMPORT for binding in bindings):
            # `try: import keras` / `except: from tensorflow import keras` is one name.
            found = {self._imported(binding) for binding in bindings}
            return found.pop() if len(found) == 1 else None
        value = bindings[0].value
        if len(bindings) != 1 or bindings[0].how is not How.ASSIGN or value is None or not aliases:
            return None
        return self._find(value, self._index.scope_of(value), aliases=aliases - 1)


def member_of(module: str, name: str) -> str:
    """The dotted name of a name in a module."""
    return f"{module}{name}" if module.endswith(".") else f"{module}.{name}"
