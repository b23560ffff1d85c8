"""What an expression can be, given what its names can be."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Protocol

from tfcheck.lint.kinds import (
    MANY,
    NUMPY,
    OBJECT,
    SCALAR,
    SYMBOLIC,
    TENSOR,
    UNKNOWN,
    Kind,
    Value,
    container,
    display,
    join,
    known_object,
    literal,
)
from tfcheck.lint.names import Names
from tfcheck.lint.nodes import walk
from tfcheck.lint.resolve import FunctionTarget, InstanceTarget, Resolver
from tfcheck.lint.scopes import ClassInfo, ComprehensionNode, FunctionInfo, Scope
from tfcheck.lint.tracing import Trace

Environment = dict[str, Value]


@dataclass(slots=True, eq=False)
class ScopeFlow:
    """What following one scope gave."""

    values: dict[ast.expr, Value] = field(default_factory=dict)
    bound: Environment = field(default_factory=dict)
    """For each name all that it is ever bound to, joined."""
    returned: list[Value] = field(default_factory=list)
    row: int = 0
    """While it is being followed, the row of the current statement."""
    loops: int = 0
    """While it is being followed, how many loops are around the current statement."""


class Surroundings(Protocol):
    """What is known outside the scope that is being followed."""

    names: Names
    resolver: Resolver

    def bound_value(self, name: str, scope: Scope) -> Value:
        """All that a name of another scope is bound to."""

    def attribute(self, owner: ClassInfo, name: str) -> Value:
        """All that an attribute of the instances of a class is bound to."""

    def parameter(self, function: FunctionInfo, parameter: ast.arg) -> Value:
        """What a parameter holds."""

    def returned(self, target: FunctionTarget) -> Value:
        """What calling a function of the file gives."""

    def call(self, call: ast.Call, context: CallContext) -> Value:
        """What a call gives."""


@dataclass(slots=True)  # made for every call: frozen ones take three times as long
class CallContext:
    """A call with the values of its parts."""

    receiver: Value
    """The object a method is called on, else what is called."""
    arguments: tuple[Value, ...]
    keywords: Mapping[str, Value]
    trace: Trace | None
    """The trace of the function around the call."""


class Expressions:
    """Evaluates the expressions of one scope and keeps the value of each."""

    def __init__(
        self, outside: Surroundings, scope: Scope, *, trace: Trace | None, result: ScopeFlow
    ) -> None:
        self._outside = outside
        self._scope = scope
        self._trace = trace
        self._result = result
        self.changing: list[frozenset[str]] = []
        """The names bound by each loop around the current statement."""

    def evaluate(self, node: ast.expr, env: Environment) -> Value:
        """The value of `node`; those of its parts are kept too."""
        handler = _HANDLERS.get(type(node))
        value = UNKNOWN if handler is None else handler(self, node, env)
        self._result.values[node] = value
        return value

    def _each(self, nodes: list[ast.expr], env: Environment) -> tuple[Value, ...]:
        return tuple(self.evaluate(node, env) for node in nodes)

    # Atoms

    def _constant(self, node: ast.Constant, _env: Environment) -> Value:
        return constant(node)

    def _name(self, node: ast.Name, env: Environment) -> Value:
        if node.id in env:
            return env[node.id]
        qualified = self._outside.names.qualified(node)
        if qualified is not None:
            return known_object(qualified)
        holder = self._scope.lookup(node.id)
        if holder is None or holder is self._scope or holder.is_class:
            return UNKNOWN
        return self._outside.bound_value(node.id, holder.owner())

    def _attribute(self, node: ast.Attribute, env: Environment) -> Value:
        qualified = self._outside.names.qualified(node)
        if qualified is not None:
            return SCALAR if qualified in _NUMBERS else known_object(qualified)
        key = dotted(node)
        base = self.evaluate(node.value, env)
        if key is not None and key in env:
            return env[key]
        for target in self._outside.resolver.symbols(node.value):
            if isinstance(target, InstanceTarget):
                return self._outside.attribute(target.owner, node.attr)
        return _ATTRIBUTES.get((base.kind, node.attr), UNKNOWN)

    def _subscript(self, node: ast.Subscript, env: Environment) -> Value:
        base = self.evaluate(node.value, env)
        self.evaluate(node.slice, env)
        if base.kind in {Kind.TENSOR, Kind.VARIABLE}:
            return SYMBOLIC if base.graph or self._trace is not None else TENSOR
        if base.kind is Kind.NUMPY:
            return NUMPY
        if isinstance(node.slice, ast.Slice):
            return replace(base, items=None, element=base.each()) if base.items else base
        if base.items is not None and isinstance(node.slice, ast.Constant):
            position = node.slice.value
            if isinstance(position, int) and -len(base.items) <= position < len(base.items):
                return base.items[position]
        return base.each() if base.kind is Kind.CONTAINER else UNKNOWN

    def _slice(self, node: ast.Slice, env: Environment) -> Value:
        for part in (node.lower, node.upper, node.step):
            if part is not None:
                self.evaluate(part, env)
        return OBJECT

    # Displays and comprehensions

    def _sequence(self, node: ast.List | ast.Tuple, env: Environment) -> Value:
        origin = "builtins.list" if isinstance(node, ast.List) else "builtins.tuple"
        items = self._each(node.elts, env)
        if any(isinstance(part, ast.Starred) for part in node.elts):
            return container(origin)
        return display(origin, items)

    def _set_display(self, node: ast.Set, env: Environment) -> Value:
        items = self._each(node.elts, env)
        return container("builtins.set", element=join(*items))

    def _dictionary(self, node: ast.Dict, env: Environment) -> Value:
        for key in node.keys:
            if key is not None:
                self.evaluate(key, env)
        values = self._each(node.values, env)
        return container("builtins.dict", element=join(*values) if values else None)

    def _starred(self, node: ast.Starred, env: Environment) -> Value:
        return self.evaluate(node.value, env)

    def _comprehension(self, node: ComprehensionNode, env: Environment) -> Value:
        inner = dict(env)
        outer = len(self.changing)
        for generator in node.generators:
            each = self.evaluate(generator.iter, inner).each()
            self.bind_parts(generator.target, each, inner)
            self.changing.append(names_stored(generator.target))
            self._each(generator.ifs, inner)
        if isinstance(node, ast.DictComp):
            self.evaluate(node.key, inner)
            made = container("builtins.dict", element=self.evaluate(node.value, inner))
        else:
            origin = _COMPREHENSIONS[type(node)]
            made = container(origin, element=self.evaluate(node.elt, inner))
        del self.changing[outer:]
        return made

    def bind_parts(self, target: ast.expr, value: Value, env: Environment) -> None:
        """Bind the names of a target to the parts of a value."""
        match target:
            case ast.Name():
                env[target.id] = value
                self._result.values[target] = value
            case ast.Tuple() | ast.List():
                for position, part in enumerate(target.elts):
                    self.bind_parts(part, value.part(position, len(target.elts)), env)
            case ast.Starred():
                self.bind_parts(target.value, container("builtins.list"), env)
            case ast.Attribute():
                self.evaluate(target.value, env)
                key = dotted(target)
                if key is not None:
                    env[key] = value
            case ast.Subscript():
                self.evaluate(target.value, env)
                self.evaluate(target.slice, env)

    # Operators

    def _binary(self, node: ast.BinOp, env: Environment) -> Value:
        left, right = self.evaluate(node.left, env), self.evaluate(node.right, env)
        return self.operate(node.op, left, right)

    def operate(self, op: ast.operator, left: Value, right: Value) -> Value:
        """What `left op right` gives."""
        if left.is_tensor or right.is_tensor:
            return self._tensor(left, right)
        if Kind.NUMPY in {left.kind, right.kind}:
            other = right if left.kind is Kind.NUMPY else left
            known = other.is_scalar or other.kind in {Kind.NUMPY, Kind.CONTAINER}
            return NUMPY if known else UNKNOWN
        if left.kind is right.kind is Kind.LITERAL:
            return _fold(op, left, right)
        if left.is_scalar and right.is_scalar:
            return replace(SCALAR, varies=_spread(left, right))
        if left.kind is Kind.CONTAINER and isinstance(op, ast.Add | ast.Mult):
            return replace(left, items=None, element=None)
        if left.is_scalar and isinstance(op, ast.Mod) and left.literals and _is_text(left):
            return replace(SCALAR, varies=right.varies)
        return UNKNOWN

    def _tensor(self, *parts: Value) -> Value:
        graph = self._trace is not None or any(part.graph for part in parts)
        return SYMBOLIC if graph else TENSOR

    def _unary(self, node: ast.UnaryOp, env: Environment) -> Value:
        operand = self.evaluate(node.operand, env)
        if operand.is_tensor:
            return self._tensor(operand)
        if isinstance(node.op, ast.Not):
            return replace(SCALAR, varies=min(operand.varies, _TRUTHS))
        if operand.kind is Kind.LITERAL and isinstance(node.op, ast.USub):
            return _fold(ast.Sub(), literal(0), operand)
        return operand if operand.kind in {Kind.NUMPY, Kind.SCALAR, Kind.LITERAL} else UNKNOWN

    def _compare(self, node: ast.Compare, env: Environment) -> Value:
        operands = [self.evaluate(part, env) for part in (node.left, *node.comparators)]
        by_identity = all(
            isinstance(op, ast.Is | ast.IsNot | ast.In | ast.NotIn) for op in node.ops
        )
        spread = min(_spread(*operands), _TRUTHS)
        if by_identity or any(operand.is_none for operand in operands):
            return replace(SCALAR, varies=spread)
        if any(operand.is_tensor for operand in operands):
            return self._tensor(*operands)
        if any(operand.kind is Kind.NUMPY for operand in operands):
            return NUMPY
        known = all(operand.is_scalar for operand in operands)
        return replace(SCALAR, varies=spread) if known else UNKNOWN

    def _boolean(self, node: ast.BoolOp, env: Environment) -> Value:
        operands = self._each(node.values, env)
        decides = operands[0]
        if isinstance(node.op, ast.And) and decides.literals and not any(decides.literals):
            return decides
        if any(operand.is_tensor for operand in operands):
            # AutoGraph makes logical_and of it; plain Python cannot, and its error is not ours.
            known = all(operand.is_tensor or operand.is_scalar for operand in operands)
            return self._tensor(*operands) if known else UNKNOWN
        return join(*operands)

    def _choice(self, node: ast.IfExp, env: Environment) -> Value:
        self.evaluate(node.test, env)
        return join(self.evaluate(node.body, env), self.evaluate(node.orelse, env))

    def _formatted(self, node: ast.JoinedStr, env: Environment) -> Value:
        values = self._each(node.values, env)
        return replace(SCALAR, varies=_spread(*values))

    def _formatted_part(self, node: ast.FormattedValue, env: Environment) -> Value:
        if node.format_spec is not None:
            self.evaluate(node.format_spec, env)
        return self.evaluate(node.value, env)

    def _named(self, node: ast.NamedExpr, env: Environment) -> Value:
        value = self.evaluate(node.value, env)
        self.bind_parts(node.target, value, env)
        return value

    def _other(self, node: ast.Await | ast.Yield | ast.YieldFrom, env: Environment) -> Value:
        if node.value is not None:
            self.evaluate(node.value, env)
        return UNKNOWN

    def _function(self, _node: ast.Lambda, _env: Environment) -> Value:
        return OBJECT

    # Calls

    def _call(self, node: ast.Call, env: Environment) -> Value:
        called = self.evaluate(node.func, env)
        receiver = called
        if isinstance(node.func, ast.Attribute):
            receiver = self._result.values.get(node.func.value, UNKNOWN)
        arguments = self._each(node.args, env)
        keywords = {
            keyword.arg or "**": self.evaluate(keyword.value, env) for keyword in node.keywords
        }
        context = CallContext(receiver, arguments, keywords, self._trace)
        value = self._outside.call(node, context)
        self._note_growth(node, arguments, env)
        if value.kind is Kind.SCALAR:
            return replace(value, varies=self._variation(node, value, arguments))
        return value

    def _variation(self, node: ast.Call, value: Value, arguments: tuple[Value, ...]) -> int:
        """How many results the call gives: in a loop, one for each value of a changing name."""
        changing = frozenset().union(*self.changing)
        if changing:
            parts = list(walk(node))
            names = {part.id for part in parts if isinstance(part, ast.Name)}
            calls = (part for part in parts if isinstance(part, ast.Call))
            if names & changing or any(map(self._is_another, calls)):
                return MANY
        return _spread(value, *arguments)

    def _is_another(self, call: ast.Call) -> bool:
        """Whether each call gives another number: by the clock, at random, or of a variable."""
        name = self._outside.names.qualified(call.func)
        parts = [self._result.values.get(part, UNKNOWN) for part in call.args[:1]]
        if name is None and isinstance(call.func, ast.Attribute):
            receiver = self._result.values.get(call.func.value, UNKNOWN)
            parts, name = [receiver], receiver.origin
            if call.func.attr not in _READING:
                parts = []
        elif name not in _CONVERTING:
            parts = []
        return (name or "").startswith(_DRAWING) or any(
            part.kind is Kind.VARIABLE for part in parts
        )

    def _note_growth(self, node: ast.Call, arguments: tuple[Value, ...], env: Environment) -> None:
        """`items.append(x)` makes `items` a list of such elements."""
        func = node.func
        if not (isinstance(func, ast.Attribute) and func.attr in {"append", "add", "insert"}):
            return
        key = dotted(func.value)
        known = env.get(key) if key is not None else None
        if key is None or known is None or known.kind is not Kind.CONTAINER or not arguments:
            return
        before = [known.each()] if known.items or known.element else []
        grown = replace(known, items=None, element=join(arguments[-1], *before))
        env[key] = self._result.bound[key] = grown


def constant(node: ast.Constant) -> Value:
    """The value of a constant."""
    return OBJECT if node.value is Ellipsis else literal(node.value)


def names_stored(node: ast.AST) -> frozenset[str]:
    """The names that a loop or a target binds."""
    return frozenset(
        part.id
        for part in walk(node)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    )


def dotted(node: ast.expr) -> str | None:
    """`self.score` for an attribute path on a name, None for anything else."""
    match node:
        case ast.Name():
            return node.id
        case ast.Attribute():
            base = dotted(node.value)
            return None if base is None else f"{base}.{node.attr}"
    return None


def _spread(*values: Value) -> int:
    return max((max(value.varies, len(value.literals)) for value in values), default=1)


def _is_text(value: Value) -> bool:
    return all(isinstance(text, str) for text in value.literals)


_DRAWING = ("time.", "random.", "numpy.random.")
"""Where the functions and generators live that give another number each time."""

_CONVERTING = frozenset({"builtins.int", "builtins.float", "builtins.bool"})
_READING = frozenset({"numpy", "value", "read_value"})
"""What reads a variable as a number of Python or NumPy."""

_TRUTHS = 2
"""How many values a condition has."""

_PYTHON_TESTS = (ast.Is, ast.IsNot, ast.In, ast.NotIn)
"""Comparisons that never make a tensor."""

_OPERATIONS: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_MAX_COMBINATIONS = 16


def _fold(op: ast.operator, left: Value, right: Value) -> Value:
    """Arithmetic on small known numbers; anything else stays a Python value."""
    operation = _OPERATIONS.get(type(op))
    pairs = list(product(left.literals, right.literals))
    spread = replace(SCALAR, varies=_spread(left, right))
    if operation is None or len(pairs) > _MAX_COMBINATIONS:
        return spread
    results: list[Value] = []
    for a, b in pairs:
        if not isinstance(a, int | float) or not isinstance(b, int | float):
            return spread
        try:
            results.append(literal(operation(a, b)))
        except ArithmeticError:
            return spread
    return join(*results) if results else spread


_NUMBERS = frozenset(
    f"{module}.{name}" for module in ("math", "numpy") for name in ("pi", "e", "inf", "nan")
)

_VARIABLES = container("builtins.list", element=Value(Kind.VARIABLE))
_ATTRIBUTES: Mapping[tuple[Kind, str], Value] = {
    (Kind.TENSOR, "shape"): Value(Kind.OBJECT, origin="tensorflow.TensorShape"),
    (Kind.TENSOR, "dtype"): OBJECT,
    (Kind.VARIABLE, "shape"): Value(Kind.OBJECT, origin="tensorflow.TensorShape"),
    (Kind.VARIABLE, "dtype"): OBJECT,
    (Kind.NUMPY, "shape"): container("builtins.tuple", element=SCALAR),
    (Kind.NUMPY, "size"): SCALAR,
    (Kind.NUMPY, "ndim"): SCALAR,
    (Kind.NUMPY, "T"): NUMPY,
    (Kind.KERAS, "trainable_variables"): _VARIABLES,
    (Kind.KERAS, "trainable_weights"): _VARIABLES,
    (Kind.KERAS, "variables"): _VARIABLES,
    (Kind.KERAS, "weights"): _VARIABLES,
    (Kind.KERAS, "iterations"): Value(Kind.VARIABLE),
}

_COMPREHENSIONS: Mapping[type[ast.expr], str] = {
    ast.ListComp: "builtins.list",
    ast.SetComp: "builtins.set",
    ast.GeneratorExp: "iterator",
}

# A handler takes the node class it is listed under, which the type of the table cannot say.
_HANDLERS: Mapping[type[ast.expr], Callable[..., Value]] = {
    ast.Constant: Expressions._constant,
    ast.Name: Expressions._name,
    ast.Attribute: Expressions._attribute,
    ast.Subscript: Expressions._subscript,
    ast.Slice: Expressions._slice,
    ast.List: Expressions._sequence,
    ast.Tuple: Expressions._sequence,
    ast.Set: Expressions._set_display,
    ast.Dict: Expressions._dictionary,
    ast.Starred: Expressions._starred,
    ast.ListComp: Expressions._comprehension,
    ast.SetComp: Expressions._comprehension,
    ast.DictComp: Expressions._comprehension,
    ast.GeneratorExp: Expressions._comprehension,
    ast.BinOp: Expressions._binary,
    ast.UnaryOp: Expressions._unary,
    ast.Compare: Expressions._compare,
    ast.BoolOp: Expressions._boolean,
    ast.IfExp: Expressions._choice,
    ast.JoinedStr: Expressions._formatted,
    ast.FormattedValue: Expressions._formatted_part,
    ast.NamedExpr: Expressions._named,
    ast.Await: Expressions._other,
    ast.Yield: Expressions._other,
    ast.YieldFrom: Expressions._other,
    ast.Lambda: Expressions._function,
    ast.Call: Expressions._call,
}
