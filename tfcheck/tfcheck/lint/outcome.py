"""What checking one file gives, and what its parts tell each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tfcheck.diagnostics import FileProblem, InternalProblem, Span, TracedStep, Violation
from tfcheck.lint.modules import Found


@dataclass(frozen=True, slots=True)
class Arrival:
    """Why a function is traced by another file."""

    steps: tuple[TracedStep, ...]
    converted: bool
    """Whether AutoGraph converts what the chain calls."""
    root: bool = False
    """Whether TensorFlow itself calls the function."""
    receivers: tuple[Receiver, ...] = ()
    """Where known, the classes one of which `self` is an instance of."""


Reached = Mapping[str, Arrival]
"""Functions of a file that other files trace, by qualified name."""


@dataclass(frozen=True, slots=True)
class Place:
    """A function or class of a file of the run."""

    filename: str
    name: str
    """Its qualified name in the file."""


@dataclass(frozen=True, slots=True)
class Receiver:
    """The class of the object that a method is called on."""

    place: Place
    exact: bool
    """Whether the object is made of that very class, and of none that derives from it."""


@dataclass(frozen=True, slots=True)
class Departure:
    """A call in traced code of a function in another file."""

    target: Place
    arrival: Arrival
    virtual: bool = False
    """Whether a method is called on `self`, which a class of another file may override."""


@dataclass(frozen=True, slots=True)
class Heir:
    """A class with bases in other files."""

    name: str
    bases: tuple[Place, ...]
    methods: frozenset[str]
    """The names of the methods it defines itself."""


@dataclass(frozen=True, slots=True)
class Exports:
    """Names of a file that mean more than Python to the files that import it."""

    functions: frozenset[str] = frozenset()
    """Calling what has one of these names can call a Function or make one."""
    bases: frozenset[str] = frozenset()
    """Classes whose traced methods call what a derived class may override."""

    def __or__(self, other: Exports) -> Exports:
        return Exports(self.functions | other.functions, self.bases | other.bases)

    def __bool__(self) -> bool:
        return bool(self.functions or self.bases)


NOTHING = Exports()


@dataclass(frozen=True, slots=True)
class SyntaxProblem:
    """A file or cell that does not parse."""

    message: str
    span: Span


@dataclass(frozen=True, slots=True)
class Basis:
    """What an answer about a file rests on besides its content."""

    asked: tuple[tuple[str, int, Found | None], ...] = ()
    """The dotted names that were looked up, by which file, and where they led."""
    looked_at: tuple[int, ...] = ()
    """The positions of the other files whose content counted."""


ALONE = Basis()


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What one file means for others."""

    departures: tuple[Departure, ...] = ()
    """Where traced code leaves the file."""
    heirs: tuple[Heir, ...] = ()
    exports: Exports = NOTHING
    basis: Basis = ALONE


@dataclass(frozen=True, slots=True)
class Outcome:
    """What checking one file gave."""

    violations: tuple[Violation, ...] = ()
    traced: bool = False
    """Whether the file has traced code."""
    problem: FileProblem | None = None
    internal: tuple[InternalProblem, ...] = ()
    basis: Basis = ALONE


def order(violation: Violation) -> tuple[str, int, Span, str, str]:
    """The order of reports: by file, cell, place and code."""
    return (
        violation.filename,
        violation.cell or 0,
        violation.span,
        violation.code,
        violation.message,
    )
