"""What an expression can stand for: functions, classes and instances, here or in other files."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace

from tfcheck.lint.scopes import ClassInfo, FunctionInfo

CALL = "()"
"""The step that calls what was found so far."""
_MAX_STEPS = 6


@dataclass(frozen=True, slots=True, eq=False)
class Creation:
    """One place where `tf.function` is applied."""

    node: ast.expr
    """The decorator, or the call that wraps."""
    keywords: tuple[ast.keyword, ...]
    """All options, those of a partial or a configured decorator included."""
    decorates: bool

    def option(self, name: str) -> ast.expr | None:
        """The value given for an option such as `input_signature`."""
        for keyword in self.keywords:
            if keyword.arg == name:
                return keyword.value
        return None

    def is_set(self, name: str) -> bool:
        """Whether an option is given with a value that is not literally None or False."""
        value = self.option(name)
        return value is not None and not (isinstance(value, ast.Constant) and not value.value)


@dataclass(frozen=True, slots=True)
class FunctionTarget:
    """A function; `creation` says that what is called is a Function around it."""

    function: FunctionInfo
    creation: Creation | None = None
    bound: bool = False
    """Whether the first parameter is already given: a method taken from an instance."""


@dataclass(frozen=True, slots=True)
class ClassTarget:
    """A class."""

    owner: ClassInfo


@dataclass(frozen=True, slots=True)
class InstanceTarget:
    """An instance of a class."""

    owner: ClassInfo


Target = FunctionTarget | ClassTarget | InstanceTarget


@dataclass(frozen=True, slots=True)
class Foreign:
    """Something in another file that was not looked at yet: most is never asked for."""

    dotted: str
    """A name that leads there from everywhere."""
    steps: tuple[str, ...] = ()
    """What is done with it: `.attribute` or a call."""

    @property
    def last(self) -> str:
        """The name that is asked for last."""
        names = [step.removeprefix(".") for step in self.steps if step != CALL]
        return names[-1] if names else self.dotted.rpartition(".")[2]

    def then(self, *steps: str) -> Foreign | None:
        """The same with more steps; None for chains that are too long to follow."""
        longer = (*self.steps, *steps)
        return replace(self, steps=longer) if len(longer) <= _MAX_STEPS else None


Symbol = Target | Foreign
