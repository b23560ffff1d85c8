"""Indexes a file in one pass over its syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from tfcheck.lint.nodes import children
from tfcheck.lint.scopes import (
    Binding,
    ClassInfo,
    ComprehensionNode,
    FileIndex,
    FunctionInfo,
    FunctionNode,
    How,
    Scope,
    ScopeNode,
    Store,
)


def build_index(tree: ast.Module) -> FileIndex:
    """Index a parsed file."""
    return _Indexer(tree).run()


class _Indexer:
    """Walks the tree once, in source order, with an explicit stack: code can nest deeply."""

    def __init__(self, tree: ast.Module) -> None:
        self.module = Scope(tree, None)
        self.index = FileIndex(tree, self.module)
        self.index.scopes[tree] = self.module
        self.stack: list[tuple[ast.AST, Scope]] = []

    def run(self) -> FileIndex:
        self.push_children(self.index.tree, self.module)
        stack, handlers = self.stack, _HANDLERS
        while stack:
            node, scope = stack.pop()
            handler = handlers.get(type(node))
            if handler is None:
                self.push_children(node, scope)
            else:
                handler(self, node, scope)
        return self.index

    def push_children(self, node: ast.AST, scope: Scope) -> None:
        self.push(children(node), node, scope)

    def push(self, parts: list[ast.AST], parent: ast.AST, scope: Scope) -> None:
        parents, stack = self.index.parents, self.stack
        for part in reversed(parts):
            parents[part] = parent
            stack.append((part, scope))

    def bind(
        self,
        name: str,
        scope: Scope,
        *,
        how: How,
        node: ast.AST,
        value: ast.expr | None = None,
        imported: str | None = None,
    ) -> None:
        kind = scope.outer.get(name)
        if kind is ast.Global:
            scope = self.module
        elif kind is ast.Nonlocal and scope.parent is not None:
            scope = scope.parent.lookup(name) or scope
        scope.bindings.setdefault(name, []).append(
            Binding(name, how, node, scope, value=value, imported=imported)
        )

    def bind_target(
        self, target: ast.expr, scope: Scope, *, how: How, value: ast.expr | None
    ) -> None:
        match target:
            case ast.Name():
                self.bind(target.id, scope, how=how, node=target, value=value)
            case ast.Tuple() | ast.List():
                parts = _parts(value, len(target.elts)) if how is How.ASSIGN else None
                for position, part in enumerate(target.elts):
                    inner = parts[position] if parts else None
                    self.bind_target(part, scope, how=how, value=inner)
            case ast.Starred():
                self.bind_target(target.value, scope, how=how, value=None)
            case ast.Attribute() | ast.Subscript():
                self.index.stores.append(Store(target, how, scope, value))

    def new_scope(self, node: ScopeNode, parent: Scope) -> Scope:
        scope = self.index.scopes[node] = Scope(node, parent)
        return scope

    # One method a node kind, in the order of the language reference.

    def visit_assign(self, node: ast.Assign, scope: Scope) -> None:
        for target in node.targets:
            self.bind_target(target, scope, how=How.ASSIGN, value=node.value)
        self.push_children(node, scope)

    def visit_augmented(self, node: ast.AugAssign, scope: Scope) -> None:
        self.bind_target(node.target, scope, how=How.AUGMENT, value=node.value)
        self.push_children(node, scope)

    def visit_annotated(self, node: ast.AnnAssign, scope: Scope) -> None:
        if node.value is not None:
            self.bind_target(node.target, scope.owner(), how=How.ASSIGN, value=node.value)
        self.push_children(node, scope)

    def visit_named(self, node: ast.NamedExpr, scope: Scope) -> None:
        self.bind_target(node.target, scope.owner(), how=How.ASSIGN, value=node.value)
        self.push_children(node, scope)

    def visit_for(self, node: ast.For | ast.AsyncFor, scope: Scope) -> None:
        self.bind_target(node.target, scope, how=How.LOOP, value=node.iter)
        self.push_children(node, scope)

    def visit_generator(self, node: ast.comprehension, scope: Scope) -> None:
        self.bind_target(node.target, scope, how=How.LOOP, value=node.iter)
        self.push_children(node, scope)

    def visit_with_item(self, node: ast.withitem, scope: Scope) -> None:
        if node.optional_vars is not None:
            self.bind_target(node.optional_vars, scope, how=How.WITH, value=node.context_expr)
        self.push_children(node, scope)

    def visit_delete(self, node: ast.Delete, scope: Scope) -> None:
        for target in node.targets:
            if isinstance(target, ast.Attribute | ast.Subscript):
                self.index.stores.append(Store(target, How.OTHER, scope))
        self.push_children(node, scope)

    def visit_except(self, node: ast.ExceptHandler, scope: Scope) -> None:
        if node.name is not None:
            self.bind(node.name, scope, how=How.OTHER, node=node)
        self.push_children(node, scope)

    def visit_pattern(
        self, node: ast.MatchAs | ast.MatchStar | ast.MatchMapping, scope: Scope
    ) -> None:
        name = node.rest if isinstance(node, ast.MatchMapping) else node.name
        if name is not None:
            self.bind(name, scope, how=How.OTHER, node=node)
        self.push_children(node, scope)

    def visit_import(self, node: ast.Import, scope: Scope) -> None:
        for alias in node.names:
            top = alias.name.partition(".")[0]
            imported = alias.name if alias.asname else top
            self.bind(alias.asname or top, scope, how=How.IMPORT, node=alias, imported=imported)
            self.index.parents[alias] = node

    def visit_import_from(self, node: ast.ImportFrom, scope: Scope) -> None:
        module = "." * node.level + (node.module or "")
        for alias in node.names:
            self.index.parents[alias] = node
            if alias.name == "*":
                self.index.star_imports.append(module)
                continue
            separator = "" if module.endswith(".") else "."
            imported = f"{module}{separator}{alias.name}"
            self.bind(
                alias.asname or alias.name, scope, how=How.IMPORT, node=alias, imported=imported
            )

    def visit_outer(self, node: ast.Global | ast.Nonlocal, scope: Scope) -> None:
        for name in node.names:
            scope.outer[name] = type(node)
            # A binding may stand before its declaration only in broken code: nothing to move.

    def visit_call(self, node: ast.Call, scope: Scope) -> None:
        self.index.scope_at[node] = scope
        scope.owner().calls.append(node)
        self.push_children(node, scope)

    def visit_return(self, node: ast.Return, scope: Scope) -> None:
        scope.returns.append(node)
        self.push_children(node, scope)

    def visit_yield(self, node: ast.Yield | ast.YieldFrom, scope: Scope) -> None:
        scope.owner().yields = True
        self.push_children(node, scope)

    def visit_comprehension(self, node: ComprehensionNode, scope: Scope) -> None:
        self.push_children(node, self.new_scope(node, scope))

    def visit_function(self, node: FunctionNode, scope: Scope) -> None:
        name = "lambda" if isinstance(node, ast.Lambda) else node.name
        owner = self.index.class_of.get(scope.node)
        inner = self.new_scope(node, scope)
        info = FunctionInfo(node, name, _qualname(scope, name), inner, scope.owner(), owner)
        self.index.functions.append(info)
        self.index.function_of[node] = info
        if owner is not None and not isinstance(node, ast.Lambda):
            owner.methods[name] = info
        if not isinstance(node, ast.Lambda):
            self.bind(name, scope, how=How.FUNCTION, node=node)
        self.bind_parameters(node, inner)
        self.push_function(node, scope, inner)

    def bind_parameters(self, node: FunctionNode, scope: Scope) -> None:
        arguments = node.args
        extra = [arg for arg in (arguments.vararg, arguments.kwarg) if arg is not None]
        named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        for parameter in [*named, *extra]:
            self.bind(parameter.arg, scope, how=How.PARAMETER, node=parameter)

    def push_function(self, node: FunctionNode, outer: Scope, inner: Scope) -> None:
        if isinstance(node, ast.Lambda):
            self.push([node.body], node, inner)
            self.push([node.args], node, outer)
            return
        self.push([*node.body], node, inner)
        returns = [node.returns] if node.returns is not None else []
        self.push([*node.decorator_list, node.args, *returns], node, outer)

    def visit_class(self, node: ast.ClassDef, scope: Scope) -> None:
        inner = self.new_scope(node, scope)
        info = ClassInfo(node, node.name, _qualname(scope, node.name), inner, scope)
        self.index.classes.append(info)
        self.index.class_of[node] = info
        self.bind(node.name, scope, how=How.CLASS, node=node)
        self.push([*node.body], node, inner)
        self.push([*node.decorator_list, *node.bases, *node.keywords], node, scope)

    def visit_name(self, node: ast.Name, scope: Scope) -> None:
        self.index.scope_at[node] = scope
        self.index.words.add(node.id)

    def visit_attribute(self, node: ast.Attribute, scope: Scope) -> None:
        self.index.words.add(node.attr)
        self.push([node.value], node, scope)

    def visit_constant(self, node: ast.Constant, scope: Scope) -> None:
        """Constants have no children."""


def _parts(value: ast.expr | None, count: int) -> list[ast.expr] | None:
    """The right sides of `a, b = x, y`, one for each target."""
    if not isinstance(value, ast.Tuple | ast.List) or len(value.elts) != count:
        return None
    return None if any(isinstance(part, ast.Starred) for part in value.elts) else value.elts


def _qualname(scope: Scope, name: str) -> str:
    parts = [name]
    outer: Scope | None = scope
    while outer is not None and outer.parent is not None:
        node = outer.node
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            parts.append(node.name)
        outer = outer.parent
    return ".".join(reversed(parts))


# A handler takes the node class it is listed under, which the type of the table cannot say.
_HANDLERS: Mapping[type[ast.AST], Callable[..., None]] = {
    ast.Assign: _Indexer.visit_assign,
    ast.AugAssign: _Indexer.visit_augmented,
    ast.AnnAssign: _Indexer.visit_annotated,
    ast.NamedExpr: _Indexer.visit_named,
    ast.For: _Indexer.visit_for,
    ast.AsyncFor: _Indexer.visit_for,
    ast.comprehension: _Indexer.visit_generator,
    ast.withitem: _Indexer.visit_with_item,
    ast.Delete: _Indexer.visit_delete,
    ast.ExceptHandler: _Indexer.visit_except,
    ast.MatchAs: _Indexer.visit_pattern,
    ast.MatchStar: _Indexer.visit_pattern,
    ast.MatchMapping: _Indexer.visit_pattern,
    ast.Import: _Indexer.visit_import,
    ast.ImportFrom: _Indexer.visit_import_from,
    ast.Global: _Indexer.visit_outer,
    ast.Nonlocal: _Indexer.visit_outer,
    ast.Call: _Indexer.visit_call,
    ast.Return: _Indexer.visit_return,
    ast.Yield: _Indexer.visit_yield,
    ast.YieldFrom: _Indexer.visit_yield,
    ast.ListComp: _Indexer.visit_comprehension,
    ast.SetComp: _Indexer.visit_comprehension,
    ast.DictComp: _Indexer.visit_comprehension,
    ast.GeneratorExp: _Indexer.visit_comprehension,
    ast.FunctionDef: _Indexer.visit_function,
    ast.AsyncFunctionDef: _Indexer.visit_function,
    ast.Lambda: _Indexer.visit_function,
    ast.ClassDef: _Indexer.visit_class,
    ast.Name: _Indexer.visit_name,
    ast.Attribute: _Indexer.visit_attribute,
    ast.Constant: _Indexer.visit_constant,
}
