"""Whether a captured name changes after the trace that read it: never, before, or too late."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tfcheck.lint.callgraph import CallGraph
from tfcheck.lint.scopes import Binding, FileIndex, FunctionInfo, How, LoopNode, Scope, place_of
from tfcheck.lint.tracing import Trace
from tfcheck.lint.vocabulary import MUTATORS

_FIXED = frozenset({How.FUNCTION, How.CLASS, How.IMPORT, How.PARAMETER})


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """A place that changes what a name holds after a trace has read it."""

    node: ast.AST
    in_place: bool
    """Whether the object was edited, and not another one bound."""


class Freshness:
    """Compares the moments of calls and of changes, in the scope that a name belongs to."""

    def __init__(
        self, index: FileIndex, graph: CallGraph, traces: Mapping[FunctionInfo, Trace]
    ) -> None:
        self._index = index
        self._graph = graph
        self._traces = traces
        self._roots: dict[FunctionInfo, frozenset[FunctionInfo]] = {}

    def late_changes(self, name: str, holder: Scope, reader: FunctionInfo) -> list[Change]:
        """The changes of a captured name that later calls of the traced `reader` do not see."""
        bindings = holder.bindings.get(name, [])
        if holder.is_class or holder.is_comprehension or _same_constant(bindings):
            return []
        roots = self.roots(reader)
        calls = [call for root in roots for call in self._calls(root, holder)]
        if not calls:
            return []
        remade = {loop for root in roots for loop in self._index.loops_around(root.node)}
        changes = list(self._rebindings(bindings))
        if not all(binding.how in _FIXED - {How.PARAMETER} for binding in bindings):
            changes += self._edits(name, holder)  # `tf.add(x, y)` edits no module
        return [change for change in changes if self._is_late(change, calls, holder, remade=remade)]

    def roots(self, function: FunctionInfo) -> frozenset[FunctionInfo]:
        """The functions that TensorFlow itself calls and that reach `function`."""
        if function not in self._roots:
            seen = {function}
            stack = [function]
            while stack:
                for caller in self._callers(stack.pop()):
                    if caller not in seen:
                        seen.add(caller)
                        stack.append(caller)
            found = (reached for reached in seen if self._traces[reached].root)
            self._roots[function] = frozenset(found)
        return self._roots[function]

    def _callers(self, function: FunctionInfo) -> Iterator[FunctionInfo]:
        sites = self._graph.to_function.get(function, ())
        around = [site.caller for site in sites]
        around += [
            self._index.function_of.get(self._index.scope_of(callback.call).owner().node)
            for callback in self._graph.callbacks_to.get(function, ())
        ]
        for caller in around:
            if caller is not None and caller in self._traces:
                yield caller

    def _calls(self, root: FunctionInfo, holder: Scope) -> list[ast.AST]:
        """The moments in `holder` at which plain Python runs the root."""
        nodes: list[ast.AST] = [
            site.call
            for site in self._graph.to_function.get(root, ())
            if site.caller not in self._traces and self._names(site.call, root)
        ]
        nodes += [
            callback.call
            for callback in self._graph.callbacks_to.get(root, ())
            if callback.eager_too
        ]
        return [moment for node in nodes for moment in self.moments(node, holder)]

    def _names(self, call: ast.Call, function: FunctionInfo) -> bool:
        """Whether a call by name means this definition, and not one that has replaced it."""
        scope = function.outer.owner()
        if not isinstance(call.func, ast.Name):
            return True
        made, called = place_of(function.node), place_of(call)
        if self._index.scope_of(call).owner() is not scope:
            return True
        # One that a block around the call defines is sure to have been defined.
        around = {parent for parent, _ in self._index.ancestors(call)}
        return not any(
            binding.how is How.FUNCTION
            and binding.node is not function.node
            and place_of(binding.node) < called
            and not place_of(binding.node) < made < called
            and self._index.parents[binding.node] in around
            for binding in scope.bindings.get(call.func.id, ())
        )

    def moments(self, node: ast.AST, scope: Scope) -> list[ast.AST]:
        """The nodes of `scope` that run when `node` runs: itself, or calls that lead to it."""
        return list(self._moments(node, scope, frozenset()))

    def _moments(self, node: ast.AST, scope: Scope, seen: frozenset[Scope]) -> Iterator[ast.AST]:
        around = self._index.scope_of(node).owner()
        if around is scope:
            yield node
        elif around.is_class:
            yield from self._moments(around.node, scope, seen)
        elif around not in seen and around.node in self._index.function_of:
            function = self._index.function_of[around.node]
            for site in self._graph.to_function.get(function, ()):
                yield from self._moments(site.call, scope, seen | {around})

    def runs_between(
        self,
        node: ast.AST,
        calls: Sequence[ast.AST],
        *,
        remade: set[LoopNode],
        receiver: Callable[[ast.AST], str | None],
    ) -> bool:
        """Whether `node` runs after a call and before another on the same `receiver`.

        Loops in `remade` make the object anew in each round.
        """
        holders = [self._index.scope_of(each).owner() for each in (node, *calls)]
        for holder in dict.fromkeys([*holders, self._index.module]):
            for moment in self.moments(node, holder):
                same = [
                    called
                    for call in calls
                    for called in self.moments(call, holder)
                    if receiver(called) == receiver(moment)
                ]
                change = Change(moment, in_place=False)
                if self._is_late(change, same, holder, remade=remade):
                    return True
        return False

    def _rebindings(self, bindings: list[Binding]) -> Iterator[Change]:
        for binding in bindings:
            if binding.how not in _FIXED and not self._is_traced(binding.node):
                yield Change(binding.node, in_place=False)

    def _edits(self, name: str, holder: Scope) -> Iterator[Change]:
        for store in self._index.stores:
            target = store.target
            if (
                isinstance(target, ast.Subscript)
                and isinstance(target.value, ast.Name)
                and target.value.id == name
                and store.scope.lookup(name) is holder
                and not self._is_traced(target)
            ):
                yield Change(target, in_place=True)
        for call in self._index.calls():
            func = call.func
            if (
                isinstance(func, ast.Attribute)
                and func.attr in MUTATORS
                and isinstance(func.value, ast.Name)
                and func.value.id == name
                and self._index.scope_of(func.value).lookup(name) is holder
                and not self._is_traced(call)
            ):
                yield Change(call, in_place=True)

    def _is_traced(self, node: ast.AST) -> bool:
        around = self._index.scope_of(node).owner().node
        return self._index.function_of.get(around) in self._traces

    def _is_late(
        self, change: Change, calls: list[ast.AST], holder: Scope, *, remade: set[LoopNode]
    ) -> bool:
        """Whether a call comes before the change, so that it traced, and another after it."""
        for moment in self.moments(change.node, holder):
            loops = set(self._loops(moment)) - remade
            shared = any(loops & set(self._index.loops_around(call)) for call in calls)
            before = any(self._comes_before(call, moment) for call in calls)
            after = any(self._comes_before(moment, call) for call in calls)
            if shared or (before and after):
                return True
        return False

    def _comes_before(self, first: ast.AST, second: ast.AST) -> bool:
        """Whether both can run, one after the other: not in two branches, or behind a `return`."""
        if place_of(first) >= place_of(second):
            return False
        around = dict(self._index.ancestors(second))
        for parent, child in self._index.ancestors(first):
            if isinstance(parent, ast.Match) and around.get(parent, child) is not child:
                return False
            if not isinstance(parent, ast.If):
                continue
            block = _block(parent, child)
            if parent in around and _block(parent, around[parent]) is not block:
                return not block  # the test runs before both
            if parent not in around and block and isinstance(block[-1], ast.Return | ast.Raise):
                return False
        return True

    def _loops(self, node: ast.AST) -> list[LoopNode]:
        """The loops that run `node` again; the target of a loop is bound by each round."""
        loops = self._index.loops_around(node)
        for parent, child in self._index.ancestors(node):
            if isinstance(parent, ast.For | ast.AsyncFor) and child is parent.target:
                loops.append(parent)
        return loops


def _block(branch: ast.If, child: ast.AST) -> list[ast.stmt]:
    """The side of a condition that a statement stands on; empty for the condition itself."""
    return next((block for block in (branch.body, branch.orelse) if child in block), [])


def _same_constant(bindings: list[Binding]) -> bool:
    """Whether every binding gives the same constant, so that the order does not matter."""
    values = [binding.value for binding in bindings]
    constants = {repr(value.value) for value in values if isinstance(value, ast.Constant)}
    return (
        len(bindings) > 1
        and len(constants) == 1
        and all(isinstance(value, ast.Constant) for value in values)
        and all(binding.how is How.ASSIGN for binding in bindings)
    )
