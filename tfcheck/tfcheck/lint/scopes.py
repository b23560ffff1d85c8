"""What the index of a file holds: scopes, bindings, definitions and stores."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from tfcheck.lint.nodes import children

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
LoopNode = ast.For | ast.AsyncFor | ast.While | ast.comprehension
ComprehensionNode = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
ScopeNode = ast.Module | ast.ClassDef | FunctionNode | ComprehensionNode


class How(Enum):
    """What kind of statement binds a name."""

    ASSIGN = "assigned"
    AUGMENT = "changed in place"
    LOOP = "bound by a loop"
    WITH = "bound by `with`"
    IMPORT = "imported"
    FUNCTION = "defined"
    CLASS = "defined as a class"
    PARAMETER = "a parameter"
    OTHER = "bound"


@dataclass(frozen=True, slots=True, eq=False)
class Binding:
    """One place that gives a name a value."""

    name: str
    how: How
    node: ast.AST
    scope: Scope
    """The scope whose name it is, which `global` can make another than that of `node`."""
    value: ast.expr | None = None
    """The right side, where the name is bound to the whole of it."""
    imported: str | None = None
    """The dotted name behind an import."""


@dataclass(slots=True, eq=False)
class Scope:
    """A module, class, function, lambda or comprehension with the names bound in it."""

    node: ScopeNode
    parent: Scope | None
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    outer: dict[str, type[ast.Global] | type[ast.Nonlocal]] = field(default_factory=dict)
    calls: list[ast.Call] = field(default_factory=list)
    returns: list[ast.Return] = field(default_factory=list)
    yields: bool = False
    is_class: bool = field(init=False)
    """Whether nested functions do not see its names."""
    is_comprehension: bool = field(init=False)
    """Whether it is a part of the function around it."""

    def __post_init__(self) -> None:
        self.is_class = isinstance(self.node, ast.ClassDef)
        self.is_comprehension = isinstance(self.node, ComprehensionNode)

    def lookup(self, name: str) -> Scope | None:
        """The scope that holds `name` as seen from here, None for built-in and unknown names."""
        scope: Scope | None = self
        inside = True
        while scope is not None:
            if scope.outer.get(name) is ast.Global:
                return scope.module()
            bound = name in scope.bindings and name not in scope.outer
            if bound and (inside or not scope.is_class):
                return scope
            inside = inside and scope.is_comprehension
            scope = scope.parent
        return None

    def module(self) -> Scope:
        """The outermost scope."""
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope

    def owner(self) -> Scope:
        """The function, class or module that a comprehension runs in, else the scope itself."""
        scope = self
        while scope.is_comprehension and scope.parent is not None:
            scope = scope.parent
        return scope


@dataclass(frozen=True, slots=True, eq=False)
class FunctionInfo:
    """A `def` or lambda."""

    node: FunctionNode
    name: str
    qualname: str
    scope: Scope
    """Its own names."""
    outer: Scope
    """Where it is defined."""
    owner: ClassInfo | None
    """The class, for methods."""

    @property
    def row(self) -> int:
        """The row of `def` or `lambda`."""
        return self.node.lineno

    @property
    def decorators(self) -> list[ast.expr]:
        """Its decorators, none for a lambda."""
        return [] if isinstance(self.node, ast.Lambda) else self.node.decorator_list

    @property
    def parameters(self) -> list[ast.arg]:
        """The parameters that take arguments by position or keyword, in order, `self` included."""
        arguments = self.node.args
        return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]

    def defaults(self) -> dict[str, ast.expr]:
        """The default of each parameter that has one."""
        arguments = self.node.args
        positional = [*arguments.posonlyargs, *arguments.args]
        found = zip(reversed(positional), reversed(arguments.defaults), strict=False)
        defaults = {parameter.arg: value for parameter, value in found}
        for parameter, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
            if value is not None:
                defaults[parameter.arg] = value
        return defaults


@dataclass(frozen=True, slots=True, eq=False)
class ClassInfo:
    """A class statement."""

    node: ast.ClassDef
    name: str
    qualname: str
    scope: Scope
    outer: Scope
    methods: dict[str, FunctionInfo] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Store:
    """An attribute or item that is assigned, changed in place or deleted."""

    target: ast.Attribute | ast.Subscript
    how: How
    scope: Scope
    value: ast.expr | None = None


@dataclass(slots=True, eq=False)
class FileIndex:
    """What one file says, before anything is concluded from it."""

    tree: ast.Module
    module: Scope
    functions: list[FunctionInfo] = field(default_factory=list)
    classes: list[ClassInfo] = field(default_factory=list)
    stores: list[Store] = field(default_factory=list)
    scopes: dict[ast.AST, Scope] = field(default_factory=dict)
    function_of: dict[ast.AST, FunctionInfo] = field(default_factory=dict)
    class_of: dict[ast.AST, ClassInfo] = field(default_factory=dict)
    parents: dict[ast.AST, ast.AST] = field(default_factory=dict)
    scope_at: dict[ast.AST, Scope] = field(default_factory=dict)
    """The scope of each name and call, which are asked for the most."""
    words: set[str] = field(default_factory=set)
    """The names and attributes that are read."""
    _own_nodes: dict[FunctionInfo, tuple[ast.AST, ...]] = field(default_factory=dict)
    star_imports: list[str] = field(default_factory=list)
    """The modules, with leading dots when relative, of `from module import *`."""

    def release(self) -> None:
        """Cut the references that go round in circles, so that no garbage collector is needed."""
        for scope in self.scopes.values():
            scope.bindings.clear()
        for owner in self.classes:
            owner.methods.clear()
        self._own_nodes.clear()

    def own_nodes(self, function: FunctionInfo) -> tuple[ast.AST, ...]:
        """The nodes that run when a function runs, outer ones first: not those of inner bodies."""
        known = self._own_nodes.get(function)
        if known is None:
            known = self._own_nodes[function] = tuple(_running_nodes(function.node))
        return known

    def calls(self) -> Iterator[ast.Call]:
        """All calls of the file, scope by scope."""
        for scope in self.scopes.values():
            yield from scope.calls

    def scope_of(self, node: ast.AST) -> Scope:
        """The scope whose code `node` is part of."""
        while isinstance(node, ast.Attribute):
            node = node.value
        known = self.scope_at.get(node)
        if known is not None:
            return known
        child, parent = node, self.parents.get(node)
        while parent is not None:
            if parent in self.scopes and _is_inside(child, parent):
                return self.scopes[parent]
            child, parent = parent, self.parents.get(parent)
        return self.module

    def ancestors(self, node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
        """Pairs of an enclosing node and its child on the way to `node`, inside its function."""
        child, parent = node, self.parents.get(node)
        while parent is not None:
            if isinstance(parent, FunctionNode | ast.ClassDef) and _is_inside(child, parent):
                return
            yield parent, child
            child, parent = parent, self.parents.get(parent)

    def is_expected_to_fail(self, node: ast.AST) -> bool:
        """Whether `node` stands under `with pytest.raises(...)`, `assertRaises` or alike."""
        if not any("raises" in word.lower() for word in self.words):
            return False
        return any(
            isinstance(item.context_expr, ast.Call)
            and "raises" in ast.unparse(item.context_expr.func).lower()
            for parent, _ in self.ancestors(node)
            if isinstance(parent, ast.With | ast.AsyncWith)
            for item in parent.items
        )

    def loops_around(self, node: ast.AST) -> list[LoopNode]:
        """The loops of the same function whose body holds `node`, innermost first."""
        loops: list[LoopNode] = []
        for parent, child in self.ancestors(node):
            if isinstance(parent, ast.While):
                loops.extend([parent] if child not in parent.orelse else [])
            elif isinstance(parent, ast.For | ast.AsyncFor):
                loops.extend([parent] if child in parent.body else [])
            elif isinstance(parent, ComprehensionNode):
                loops.extend(_generators_around(parent, child))
        return loops

    def reaching(self, name: ast.Name, bindings: list[Binding]) -> list[Binding]:
        """Those of the bindings in the scope of `name` that it can see the value of.

        What stands before the last unconditional binding is overwritten, and what comes later
        is not there yet, unless a loop comes round.
        """
        own = self.statement_of(name)
        others = [found for found in bindings if self._statement(found.node) is not own]
        place = (name.lineno, name.col_offset)
        loops = set(self.loops_around(name))
        kept: list[Binding] = []
        for found in others:
            if place_of(found.node) < place:
                sure = self.parents.get(self._statement(found.node)) is found.scope.node
                kept = [found] if sure else [*kept, found]
            elif loops & set(self.loops_around(found.node)):
                kept.append(found)
        return kept or others or bindings

    def final(self, name: str) -> list[Binding]:
        """Those of the bindings of a module's name that importers of it can see."""
        kept: list[Binding] = []
        for found in self.module.bindings.get(name, ()):
            sure = self.parents.get(self._statement(found.node)) is self.tree
            kept = [found] if sure else [*kept, found]
        return kept

    def _statement(self, node: ast.AST) -> ast.AST:
        return self.statement_of(node) if node in self.parents else node

    def statement_of(self, node: ast.AST) -> ast.stmt:
        """The innermost statement that `node` is part of."""
        while not isinstance(node, ast.stmt):
            node = self.parents[node]
        return node


def _running_nodes(function: FunctionNode) -> Iterator[ast.AST]:
    stack: list[ast.AST] = [function.body] if isinstance(function, ast.Lambda) else []
    stack += [] if isinstance(function, ast.Lambda) else function.body[::-1]
    while stack:
        node = stack.pop()
        yield node
        parts = children(node)
        if isinstance(node, FunctionNode | ast.ClassDef):
            parts = [part for part in parts if not _is_inside(part, node)]
        stack.extend(reversed(parts))


def place_of(node: ast.AST) -> tuple[int, int]:
    """The row and byte offset of a node, to compare the order of two."""
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def _is_inside(child: ast.AST, scope: ast.AST) -> bool:
    """Whether `child` of `scope` sees its names; decorators, defaults and bases do not."""
    if isinstance(scope, ast.Lambda):
        return child is scope.body
    if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return isinstance(child, ast.stmt)
    return True


def _generators_around(node: ComprehensionNode, child: ast.AST) -> list[ast.comprehension]:
    if child in node.generators:
        before = node.generators.index(child)
        return list(reversed(node.generators[:before]))
    return list(reversed(node.generators))
