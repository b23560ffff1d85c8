"""Code inside of traced functions that no trace runs."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from tfcheck.lint.callgraph import CallGraph
from tfcheck.lint.names import Names
from tfcheck.lint.nodes import walk
from tfcheck.lint.outcome import Reached
from tfcheck.lint.resolve import InstanceTarget, Resolver
from tfcheck.lint.scopes import ClassInfo, FileIndex, FunctionInfo, How

_Constant = int | None
_Values = frozenset[_Constant]

_MAX_DEPTH = 5
_KERAS_SETS = {"training", "is_training", "train", "is_train"}
"""Parameters that `fit` sets, whatever their default is."""


class Untraced:
    """Finds what `tf.init_scope` lifts out of a trace, and what a switch that is off leaves out.

    A switch is a parameter, an attribute or a global that is False (or None, or 0) wherever its
    value can be seen: what stands under `if verbose:` does not run until somebody asks for it.
    """

    def __init__(
        self,
        index: FileIndex,
        names: Names,
        resolver: Resolver,
        *,
        graph: CallGraph,
        reached: Reached,
    ) -> None:
        self._index = index
        self._names = names
        self._resolver = resolver
        self._graph = graph
        self._reached = reached
        self._dead: dict[FunctionInfo, frozenset[ast.AST]] = {}
        self._parameters: dict[tuple[FunctionInfo, str], _Values | None] = {}

    def __contains__(self, node: ast.AST) -> bool:
        """Whether no trace of the function around `node` runs it."""
        return self.is_lifted(node) or self._is_off(node)

    # `tf.init_scope`

    def is_lifted(self, node: ast.AST) -> bool:
        """Whether `node` is under `with tf.init_scope()` or `if tf.executing_eagerly()`."""
        if self._index.words.isdisjoint({"init_scope", "executing_eagerly"}):
            return False
        for parent, child in self._index.ancestors(node):
            if isinstance(parent, ast.With):
                if any(self._calls(item.context_expr, "init_scope") for item in parent.items):
                    return True
            elif isinstance(parent, ast.If) and child in parent.body and self._asks(parent.test):
                return True
        return False

    def _asks(self, test: ast.expr) -> bool:
        """Whether a condition only holds where code runs eagerly."""
        return any(self._calls(part, "executing_eagerly") for part in _all_of(test))

    def _calls(self, node: ast.expr, name: str) -> bool:
        called = node.func if isinstance(node, ast.Call) else None
        return called is not None and self._names.qualified(called) == f"tensorflow.{name}"

    # Switches

    def _is_off(self, node: ast.AST) -> bool:
        function = self._index.function_of.get(self._index.scope_of(node).owner().node)
        return function is not None and node in self._off(function)

    def _off(self, function: FunctionInfo) -> frozenset[ast.AST]:
        """The nodes of a function that stand under switches that are off."""
        if function not in self._dead:
            self._dead[function] = frozenset()
            found: set[ast.AST] = set()
            for node in self._index.own_nodes(function):
                if isinstance(node, ast.If | ast.IfExp):
                    for block in self._left_out(node):
                        found.update(part for each in block for part in walk(each))
            self._dead[function] = frozenset(found)
        return self._dead[function]

    def _left_out(self, node: ast.If | ast.IfExp) -> Iterator[Sequence[ast.AST]]:
        decided = self._decide(node.test, _MAX_DEPTH)
        if decided is None:
            return
        body = node.body if isinstance(node, ast.If) else [node.body]
        other = node.orelse if isinstance(node, ast.If) else [node.orelse]
        yield other if decided else body
        if decided and isinstance(node, ast.If) and isinstance(body[-1], ast.Return | ast.Raise):
            yield self._after(node)

    def _after(self, node: ast.If) -> list[ast.stmt]:
        """The statements that follow in the same block."""
        parent = self._index.parents[node]
        for name in ("body", "orelse", "finalbody"):
            block: list[ast.stmt] = getattr(parent, name, [])
            if node in block:
                return block[block.index(node) + 1 :]
        return []

    def _decide(self, test: ast.expr, depth: int) -> bool | None:
        """What a condition is as long as all switches stay off; None where that is open."""
        match test:
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                inner = self._decide(operand, depth)
                return None if inner is None else not inner
            case ast.BoolOp(op=op, values=parts):
                return _combined(op, [self._decide(part, depth) for part in parts])
            case ast.Compare(left=left, ops=[op], comparators=[ast.Constant(value=other)]):
                values = self._values(left, depth)
                return _agreed(_compared(op, value, other) for value in values or ())
            case ast.Name() | ast.Attribute():
                return _agreed(bool(value) for value in self._values(test, depth) or ())
        return None

    def _values(self, node: ast.expr, depth: int) -> _Values | None:
        """All that a switch can be, if it is off in all that can be seen."""
        if not depth:
            return None
        match node:
            case ast.Constant(value=None | int() as value) if not value:
                return frozenset({value})
            case ast.Name():
                return self._name(node, depth)
            case ast.Attribute():
                return self._attribute(node, depth)
        return None

    def _name(self, name: ast.Name, depth: int) -> _Values | None:
        holder = self._index.scope_of(name).lookup(name.id)
        bindings = holder.bindings[name.id] if holder is not None else []
        if holder is None or len(bindings) != 1 or holder.is_class:
            return None
        if bindings[0].how is How.PARAMETER:
            return self._parameter(self._index.function_of[holder.node], name.id, depth)
        if bindings[0].how is How.ASSIGN and bindings[0].value is not None:
            return self._values(bindings[0].value, depth - 1)
        return None

    def _parameter(self, function: FunctionInfo, name: str, depth: int) -> _Values | None:
        key = (function, name)
        if key not in self._parameters:
            self._parameters[key] = frozenset()  # a function that hands on its own parameter
            self._parameters[key] = self._find_parameter(function, name, depth)
        return self._parameters[key]

    def _find_parameter(self, function: FunctionInfo, name: str, depth: int) -> _Values | None:
        default = function.defaults().get(name)
        if not isinstance(default, ast.Constant) or name in _KERAS_SETS:
            return None
        found: set[_Constant] = set()
        sites = self._graph.to_function.get(function, ())
        if default.value is None and (not sites or self._is_open(function)):
            return None  # what is optional is given by most callers
        for site in sites:
            given = [value for parameter, value in site.arguments() if parameter.arg == name]
            unpacked = any(isinstance(part, ast.Starred) for part in site.call.args) or any(
                word.arg is None for word in site.call.keywords
            )
            values = self._values(given[0] if given else default, depth - 1)
            if values is None or unpacked:
                return None
            found |= values
        own = self._values(default, depth - 1)
        return None if own is None else frozenset(found or own)

    def _is_open(self, function: FunctionInfo) -> bool:
        """Whether others may call the function, too."""
        return function.qualname in self._reached or bool(function.decorators)

    def _attribute(self, node: ast.Attribute, depth: int) -> _Values | None:
        owners = [
            target.owner
            for target in self._resolver.symbols(node.value)
            if isinstance(target, InstanceTarget)
        ]
        if len(owners) != 1 or self._names.qualified(node) is not None:
            return None
        given = list(self._given(owners[0], node.attr))
        found: set[_Constant] = set()
        for value in given:
            values = None if value is None else self._values(value, depth - 1)
            if values is None:
                return None
            found |= values
        return frozenset(found) if given else None

    def _given(self, owner: ClassInfo, attribute: str) -> Iterator[ast.expr | None]:
        """What the file stores under an attribute; None where that is not one expression."""
        for info in self._resolver.near(owner):
            if attribute in info.methods:
                yield None
            for binding in info.scope.bindings.get(attribute, ()):
                yield binding.value if binding.how is How.ASSIGN else None
        for store in self._index.stores:
            if isinstance(store.target, ast.Attribute) and store.target.attr == attribute:
                yield store.value if store.how is How.ASSIGN else None


def _all_of(test: ast.expr) -> list[ast.expr]:
    """The conditions that all hold when `test` does."""
    return test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]


def _combined(op: ast.boolop, parts: Sequence[bool | None]) -> bool | None:
    ends = isinstance(op, ast.Or)
    if ends in parts:
        return ends
    return None if None in parts else not ends


def _compared(op: ast.cmpop, value: _Constant, other: object) -> bool | None:
    match op:
        case ast.Is() | ast.IsNot():
            return (value is other) is isinstance(op, ast.Is)
        case ast.Eq() | ast.NotEq():
            return (value == other) is isinstance(op, ast.Eq)
        case ast.Gt() if value is not None and isinstance(other, int | float):
            return value > other
        case ast.GtE() if value is not None and isinstance(other, int | float):
            return value >= other
    return None


def _agreed(answers: Iterable[bool | None]) -> bool | None:
    """The one answer that all give."""
    found = set(answers)
    return found.pop() if len(found) == 1 else None
