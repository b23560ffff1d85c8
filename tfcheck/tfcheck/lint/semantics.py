"""The questions rules ask about a file; each is answered once."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from tfcheck.diagnostics import Span
from tfcheck.lint.border import Border
from tfcheck.lint.callgraph import Callback, CallGraph, CallSite
from tfcheck.lint.flow import Flow
from tfcheck.lint.freshness import Change, Freshness
from tfcheck.lint.kinds import Kind, Value
from tfcheck.lint.names import Names
from tfcheck.lint.neighbours import Neighbours, OpenFile, open_alone
from tfcheck.lint.nodes import walk
from tfcheck.lint.outcome import ALONE, NOTHING, Basis, Exports, Reached
from tfcheck.lint.resolve import Creation, Resolver, Target
from tfcheck.lint.rings import leads_back
from tfcheck.lint.scopes import Binding, FileIndex, FunctionInfo, LoopNode, Scope
from tfcheck.lint.source import Source
from tfcheck.lint.targets import Foreign
from tfcheck.lint.tracing import Trace, Tracer
from tfcheck.lint.untraced import Untraced


class FileModel:
    """What is known about one file. Expressions are `ast` nodes of `tree`."""

    def __init__(
        self,
        source: Source,
        tree: ast.Module,
        *,
        reached: Reached | None = None,
        opened: OpenFile | None = None,
        neighbours: Neighbours | None = None,
    ) -> None:
        opened = opened or open_alone(source, tree)
        self.source = source
        self.tree = tree
        self._reached = reached or {}
        self._neighbours = neighbours
        self._index = opened.index
        self._names = opened.names
        self._resolver = opened.resolver
        self._datasets = opened.datasets
        self._traces_around: dict[ast.AST, Trace | None] = {}

    @cached_property
    def _graph(self) -> CallGraph:
        return CallGraph(self._index, self._names, self._resolver, self._datasets)

    @cached_property
    def _untraced(self) -> Untraced:
        return Untraced(
            self._index,
            self._names,
            self._resolver,
            graph=self._graph,
            reached=self._reached,
        )

    @cached_property
    def _flow(self) -> Flow:
        return Flow(
            self._index,
            names=self._names,
            resolver=self._resolver,
            graph=self._graph,
            traces=self.traces,
        )

    @cached_property
    def _freshness(self) -> Freshness:
        return Freshness(self._index, self._graph, self.traces)

    # Definitions and names

    @property
    def index(self) -> FileIndex:
        """Scopes, bindings, definitions and stores as written."""
        return self._index

    @property
    def resolver(self) -> Resolver:
        """Which function, class or instance an expression stands for."""
        return self._resolver

    def qualified_name(self, expression: ast.expr) -> str | None:
        """`tensorflow.print`, `builtins.print`, `numpy.random.rand`; None for local names."""
        return self._home(expression)[0].qualified(expression)

    def spelling(self, qualified: str, node: ast.AST) -> str | None:
        """How the code around `node` can spell a library name: `tf.print`; None without import."""
        return self._names.spelling(qualified, self._index.scope_of(node))

    def targets(self, expression: ast.expr) -> tuple[Target, ...]:
        """The functions, classes and instances of this file that `expression` can be."""
        found = self._home(expression)[1].symbols(expression)
        return tuple(target for target in found if not isinstance(target, Foreign))

    def targets_anywhere(self, expression: ast.expr) -> tuple[Target, ...]:
        """Those of other files too, which are opened for it: to be asked of few expressions."""
        return self._home(expression)[1].targets(expression)

    def own_nodes(self, function: FunctionInfo) -> tuple[ast.AST, ...]:
        """The nodes that run when a function runs, outer ones first: not those of inner bodies."""
        return self._index.own_nodes(function)

    def close(self) -> None:
        """Let go of the other files, when all questions are answered."""
        if self._neighbours is not None:
            self._neighbours.close()

    def is_local(self, node: ast.AST) -> bool:
        """Whether a node is part of this file; others come from functions of other files."""
        return node in self._index.parents or node is self.tree or self._neighbours is None

    def _home(self, node: ast.AST) -> tuple[Names, Resolver]:
        if self._neighbours is not None and node not in self._index.parents:
            opened = self._neighbours.holding(node)
            if opened is not None:
                return opened.names, opened.resolver
        return self._names, self._resolver

    def source_of(self, node: ast.AST) -> Source:
        """The file that a node is part of."""
        if self._neighbours is None or self.is_local(node):
            return self.source
        opened = self._neighbours.holding(node)
        return opened.source if opened is not None else self.source

    def function_around(self, node: ast.AST) -> FunctionInfo | None:
        """The innermost function whose body holds `node`."""
        return self._index.function_of.get(self._index.scope_of(node).owner().node)

    def holder(self, name: ast.Name) -> Scope | None:
        """The scope that `name` belongs to; None for built-ins and unknown names."""
        return self._index.scope_of(name).lookup(name.id)

    def bindings(self, name: ast.Name) -> tuple[Binding, ...]:
        """All places that bind `name`, in source order."""
        holder = self.holder(name)
        return tuple(holder.bindings.get(name.id, ())) if holder is not None else ()

    # Tracing

    @cached_property
    def traces(self) -> dict[FunctionInfo, Trace]:
        """The traced functions in source order, each with the reason."""
        tracer = Tracer(
            self._index,
            self._names,
            self._resolver,
            self._graph,
            filename=self.source.filename,
            reached=self._reached,
            untraced=self._untraced,
        )
        return tracer.run()

    @cached_property
    def traced_nodes(self) -> tuple[ast.AST, ...]:
        """The nodes of traced functions, those of functions inside of them included."""
        found: dict[ast.AST, None] = {}
        for function in self.traces:
            if function.node not in found:
                found.update(dict.fromkeys(walk(function.node)))
        return tuple(found)

    def trace_around(self, node: ast.AST) -> Trace | None:
        """The trace that runs `node`; None for code that runs as plain Python."""
        if node not in self._traces_around:
            function = self.function_around(node)
            trace = self.traces.get(function) if function is not None else None
            eager = trace is None or self.is_left_out(node)
            self._traces_around[node] = None if eager else trace
        return self._traces_around[node]

    @cached_property
    def traced_calls(self) -> tuple[ast.Call, ...]:
        """The calls in traced code."""
        return tuple(
            call
            for function in self.traces
            for call in function.scope.calls
            if self.trace_around(call) is not None
        )

    def is_plain(self, node: ast.AST) -> bool:
        """Whether `node` runs as plain Python, and is not just left out of the trace around it."""
        traced = self.function_around(node) in self.traces
        return not traced or self._untraced.is_lifted(node)

    def is_expected_to_fail(self, node: ast.AST) -> bool:
        """Whether `node` stands under `with pytest.raises(...)`, `assertRaises` or alike."""
        return self._index.is_expected_to_fail(node)

    def is_left_out(self, node: ast.AST) -> bool:
        """Whether no trace runs `node`: under `tf.init_scope`, or a switch that stays off."""
        return node in self._untraced

    def roots(self, function: FunctionInfo) -> frozenset[FunctionInfo]:
        """The functions that TensorFlow itself calls and that reach the traced `function`."""
        return self._freshness.roots(function)

    def late_changes(self, name: ast.Name, reader: FunctionInfo) -> list[Change]:
        """Where a name that the traced `reader` captures changes after a trace has read it."""
        holder = self.holder(name)
        return self._freshness.late_changes(name.id, holder, reader) if holder is not None else []

    def runs_between(
        self,
        node: ast.AST,
        calls: Sequence[ast.AST],
        *,
        remade: set[LoopNode],
        receiver: Callable[[ast.AST], str | None],
    ) -> bool:
        """Whether `node` runs after a call and before another on the same `receiver`."""
        return self._freshness.runs_between(node, calls, remade=remade, receiver=receiver)

    def creation_of(self, function: FunctionInfo) -> Creation | None:
        """The `tf.function` that decorates `function`."""
        return self._resolver.definition(function)

    @cached_property
    def creations(self) -> tuple[Creation, ...]:
        """All places that apply `tf.function`, in source order."""
        decorated = [self.creation_of(function) for function in self._index.functions]
        wrapped = [
            self._resolver.wrapping(call)
            for scope in self._index.scopes.values()
            for call in scope.calls
        ]
        found = [creation for creation in decorated if creation is not None]
        found += [pair[0] for pair in wrapped if pair is not None]
        return tuple(sorted(found, key=lambda made: (made.node.lineno, made.node.col_offset)))

    @property
    def basis(self) -> Basis:
        """What all that was said of the file rests on, besides its content."""
        return self._neighbours.basis if self._neighbours is not None else ALONE

    @property
    def wanted(self) -> Exports:
        """Names of other files that can mean a Function or a class with traced methods."""
        return self._neighbours.wanted if self._neighbours is not None else NOTHING

    @cached_property
    def border(self) -> Border | None:
        """Where the traced code of the file leaves it; None for a file that is checked alone."""
        if self._neighbours is None:
            return None
        return Border(
            self._index,
            self._names,
            resolver=self._resolver,
            graph=self._graph,
            traces=self.traces,
            untraced=self._untraced,
            atlas=self._neighbours,
            filename=self.source.filename,
        )

    # Calls

    def calls_to(self, function: FunctionInfo) -> tuple[CallSite, ...]:
        """The visible calls of `function`, through every name and wrapper."""
        return tuple(self._graph.to_function.get(function, ()))

    def calls_from(self, function: FunctionInfo | None) -> tuple[CallSite, ...]:
        """The calls in `function` (None: at module level) whose target is in this file."""
        return tuple(self._graph.from_function.get(function, ()))

    def calls_leading_back(self, function: FunctionInfo) -> Iterator[ast.Call]:
        """The calls in `function` of functions in other files that are sure to call it again."""
        for call, _ in self._graph.foreign.get(function, ()):
            if self._neighbours is not None and leads_back(call, function, self._neighbours):
                yield call

    def callbacks_to(self, function: FunctionInfo) -> tuple[Callback, ...]:
        """The places that hand `function` to TensorFlow."""
        return tuple(self._graph.callbacks_to.get(function, ()))

    def eager_calls(self) -> Iterator[CallSite]:
        """The calls of Functions, those of other files too, from plain Python: each may trace."""
        if not self.creations and not self.wanted.functions:
            return
        for sites in (*self._graph.from_function.values(), self._foreign_calls):
            for site in sites:
                if site.target.creation is not None and self.is_plain(site.call):
                    yield site

    @cached_property
    def _foreign_calls(self) -> list[CallSite]:
        """The calls of functions of other files that are known to be Functions."""
        return [
            CallSite(call, target, caller)
            for caller, calls in self._graph.foreign.items()
            for call, foreign in calls
            if foreign.last in self.wanted.functions
            for target in self._resolver.solid_functions(foreign)
        ]

    def loops_around(self, node: ast.AST) -> list[LoopNode]:
        """The loops of the same function whose body holds `node`, innermost first."""
        return self._index.loops_around(node)

    def tensor_loops_around(self, node: ast.AST) -> list[LoopNode]:
        """Those of the loops that become operations of the graph where AutoGraph converts."""
        return [loop for loop in self.loops_around(node) if self._is_tensor_loop(loop)]

    def _is_tensor_loop(self, loop: LoopNode) -> bool:
        if isinstance(loop, ast.While):
            return self.value(loop.test).is_tensor
        each = loop.iter
        if isinstance(each, ast.Call) and self.qualified_name(each.func) == "builtins.enumerate":
            return bool(each.args) and self.kind(each.args[0]) is Kind.DATASET
        graph = {Kind.TENSOR, Kind.VARIABLE, Kind.DATASET}
        return isinstance(loop, ast.For) and self.kind(each) in graph

    # Values

    def value(self, expression: ast.expr) -> Value:
        """What `expression` can be where it stands."""
        return self._flow.value(expression)

    def kind(self, expression: ast.expr) -> Kind:
        """The kind of `value`."""
        return self._flow.value(expression).kind

    def bound_value(self, name: ast.Name) -> Value:
        """All that the name is ever bound to, joined, whatever the order."""
        holder = self.holder(name)
        if holder is None or holder.is_class:
            return Value(Kind.UNKNOWN)
        return self._flow.bound_value(name.id, holder.owner())

    def is_graph_tensor(self, expression: ast.expr) -> bool:
        """Whether `expression` is surely a symbolic tensor."""
        value = self.value(expression)
        return value.kind is Kind.TENSOR and value.graph

    # Positions

    def span(self, node: ast.expr | ast.stmt | ast.arg | ast.keyword | ast.alias) -> Span:
        """Where a node stands."""
        return self.source.span(node)
