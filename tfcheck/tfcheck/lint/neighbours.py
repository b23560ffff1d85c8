"""The other files of a run, opened as far as the names of one file lead to them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

from tfcheck.lint.datasets import Datasets
from tfcheck.lint.index import build_index
from tfcheck.lint.modules import EVERYWHERE, Found, Modules
from tfcheck.lint.names import LIBRARIES, Names, canonical, member_of
from tfcheck.lint.outcome import Basis, Exports, Place
from tfcheck.lint.resolve import Resolver
from tfcheck.lint.scopes import ClassInfo, FileIndex, FunctionInfo, Scope
from tfcheck.lint.source import Source
from tfcheck.lint.surface import Surface
from tfcheck.lint.targets import CALL, Creation, Foreign, FunctionTarget, Symbol, Target


@dataclass(frozen=True, slots=True, eq=False)
class Parsed:
    """A file that was parsed and indexed, before anything is concluded from it."""

    source: Source
    index: FileIndex


@dataclass(frozen=True, slots=True, eq=False)
class OpenFile:
    """A file with what its names stand for."""

    position: int
    source: Source
    index: FileIndex
    names: Names
    resolver: Resolver
    datasets: Datasets


def open_alone(source: Source, tree: ast.Module) -> OpenFile:
    """A file that is checked without any other."""
    index = build_index(tree)
    names = Names(index)
    resolver = Resolver(index, names)
    return OpenFile(0, source, index, names, resolver, Datasets(index, names, resolver))


class Files(Protocol):
    """The files of a run, as far as they are looked into."""

    def surface(self, position: int) -> Surface:
        """What the bytes of a file tell."""

    def parsed(self, position: int) -> Parsed | None:
        """A file with its syntax tree; None for one that cannot be read or parsed."""


class Neighbours:
    """Opens files for the check of one, and keeps a list of what the check rests on.

    The objects of one instance know each other alone, so that no answer depends on what was
    checked before.
    """

    def __init__(self, modules: Modules, files: Files, wanted: Exports) -> None:
        self.modules = modules
        self.wanted = wanted
        """Names that are worth opening the file they come from."""
        self._files = files
        self._open: dict[int, OpenFile | None] = {}
        self._by_module: dict[Scope, OpenFile] = {}
        self._views: dict[int, View] = {}
        self._solved: dict[Foreign, tuple[Target, ...]] = {}
        self.asked: dict[tuple[str, int], Found | None] = {}
        """The answers to all that was asked of `modules`."""
        self.looked_at: set[int] = set()
        """The files whose content counted."""

    def adopt(self, position: int, parsed: Parsed) -> OpenFile:
        """Open a file, for example the one that is being checked."""
        index = parsed.index
        view = self.view(position)
        names = Names(index, view)
        resolver = Resolver(index, names, view)
        datasets = Datasets(index, names, resolver)
        opened = OpenFile(position, parsed.source, index, names, resolver, datasets)
        self._open[position] = self._by_module[index.module] = opened
        return opened

    @property
    def basis(self) -> Basis:
        """What all answers so far rest on."""
        asked = ((target, position, found) for (target, position), found in self.asked.items())
        return Basis(tuple(asked), tuple(sorted(self.looked_at)))

    def close(self) -> None:
        """Let go of the files; the objects that answered for them know each other."""
        self._open.clear()
        self._by_module.clear()
        self._views.clear()
        self._solved.clear()

    def view(self, position: int) -> View:
        """What a file sees of the others."""
        if position not in self._views:
            self._views[position] = View(self, position)
        return self._views[position]

    def open(self, position: int) -> OpenFile | None:
        """Another file; None if it does not parse."""
        if position not in self._open:
            self.looked_at.add(position)
            parsed = self._files.parsed(position)
            self._open[position] = None
            if parsed is not None:
                self.adopt(position, parsed)
        return self._open[position]

    def surface(self, position: int) -> Surface:
        """What the bytes of a file tell."""
        self.looked_at.add(position)
        return self._files.surface(position)

    def find(self, target: str, position: int) -> Found | None:
        """The file and the name in it that a dotted name stands for, seen from a file."""
        key = (target, position)
        if key not in self.asked:
            self.asked[key] = self.modules.find(target, position)
        return self.asked[key]

    def at(self, address: str) -> Found | None:
        """The file and the name that an address leads to."""
        key = (address, EVERYWHERE)
        if key not in self.asked:
            self.asked[key] = self.modules.at(address)
        return self.asked[key]

    def owner(self, info: FunctionInfo | ClassInfo) -> OpenFile:
        """The file that defines a function or class."""
        return self._by_module[info.outer.module()]

    def place_of(self, info: FunctionInfo | ClassInfo) -> Place:
        """The file and the qualified name of a function or class."""
        return Place(self.modules.paths[self.owner(info).position].as_posix(), info.qualname)

    def holding(self, node: ast.AST) -> OpenFile | None:
        """The open file that a syntax node is part of."""
        for opened in self._open.values():
            if opened is not None and node in opened.index.parents:
                return opened
        return None

    def solve(self, foreign: Foreign) -> tuple[Target, ...]:
        """All that something in another file can be, after all its steps."""
        if foreign not in self._solved:
            self._solved[foreign] = ()  # what refers to itself ends here
            found = self._start(foreign.dotted)
            for step in foreign.steps:
                found = [part for target in found for part in self._step(target, step)]
            self._solved[foreign] = tuple(dict.fromkeys(found))
        return self._solved[foreign]

    def _start(self, dotted: str) -> list[Target]:
        found = self.at(dotted)
        opened = self.open(found.file) if found is not None and found.name else None
        if found is None or opened is None:
            return []
        return list(self._solid(opened.resolver.exported(found.name)))

    def _step(self, target: Target, step: str) -> Iterator[Target]:
        resolver = self._home(target)
        if step == CALL:
            return self._solid(resolver.result(target))
        return self._solid(resolver.member(target, step.removeprefix(".")))

    def _home(self, target: Target) -> Resolver:
        info = target.function if isinstance(target, FunctionTarget) else target.owner
        return self.owner(info).resolver

    def _solid(self, symbols: Iterable[Symbol]) -> Iterator[Target]:
        for symbol in symbols:
            if isinstance(symbol, Foreign):
                yield from self.solve(symbol)
            else:
                yield symbol


@dataclass(slots=True, eq=False)
class View:
    """What one file sees of the others."""

    neighbours: Neighbours
    position: int
    _followed: dict[str, str] = field(default_factory=dict)

    def follow(self, dotted: str) -> str:
        """A dotted name without the modules that only pass it on: up to a library or its file."""
        if dotted not in self._followed:
            self._followed[dotted] = dotted  # ends modules that import a name from each other
            self._followed[dotted] = self._follow(dotted)
        return self._followed[dotted]

    def _follow(self, dotted: str) -> str:
        if dotted.partition(".")[0] in LIBRARIES:
            return dotted
        found = self.neighbours.find(dotted, self.position)
        if found is None:
            return dotted
        address = self.neighbours.modules.name_of(found.file)
        if not found.name:
            return address
        head, _, rest = found.name.partition(".")
        inner = self._passed_on(found.file, head)
        if inner is None:
            return f"{address}.{found.name}"
        return self.follow(canonical(f"{inner}.{rest}")) if rest else inner

    def _passed_on(self, file: int, name: str) -> str | None:
        """What is behind a name that another file imports itself."""
        if file == self.position:
            return None
        surface = self.neighbours.surface(file)
        if name in surface.defined:
            return None
        view = self.neighbours.view(file)
        if name in surface.passed_on:
            return view.follow(canonical(surface.passed_on[name]))
        for module in reversed(surface.stars):
            if view.exports(module, name):
                return view.follow(member_of(module, name))
        return None

    def exports(self, module: str, name: str, *, depth: int = 4) -> bool | None:
        """Whether `from module import *` binds a name; None for modules outside of the run."""
        if module.partition(".")[0] in LIBRARIES or not depth:
            return None
        found = self.neighbours.find(module, self.position)
        if found is None or found.name:
            return None
        if found.file == self.position:
            return False
        surface = self.neighbours.surface(found.file)
        if surface.exports(name) or surface.public is not None or name.startswith("_"):
            return surface.exports(name)
        view = self.neighbours.view(found.file)
        return any(view.exports(star, name, depth=depth - 1) for star in surface.stars)

    @property
    def makers(self) -> frozenset[str]:
        """The names of other files that may wrap functions."""
        return self.neighbours.wanted.functions

    def address(self, dotted: str) -> str | None:
        """The name that leads from everywhere to a thing in another file; None without one."""
        address = self.follow(dotted)
        if address.partition(".")[0] in LIBRARIES:
            return None
        found = self.neighbours.at(address)
        return address if found is not None and found.name else None

    def solve(self, foreign: Foreign) -> tuple[Target, ...]:
        """All that something in another file can be."""
        return self.neighbours.solve(foreign)

    def maker(self, dotted: str, *, anywhere: bool) -> Creation | None:
        """How something in another file wraps functions given to it."""
        address = self.address(dotted)
        found = None if address is None else self.neighbours.at(address)
        if found is None or "." in found.name or not self._may_make(found, anywhere=anywhere):
            return None
        opened = self.neighbours.open(found.file)
        return None if opened is None else opened.resolver.exported_maker(found.name)

    def _may_make(self, found: Found, *, anywhere: bool) -> bool:
        if not anywhere and found.name not in self.neighbours.wanted.functions:
            return False
        return self.neighbours.surface(found.file).can_trace

    def home(self, info: FunctionInfo | ClassInfo) -> Resolver:
        """The resolver of the file that defines a function or class."""
        return self.neighbours.owner(info).resolver
