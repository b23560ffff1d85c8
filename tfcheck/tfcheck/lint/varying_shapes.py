"""Expressions whose shape differs from one round of a loop to the next."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from tfcheck.lint.data_sizes import DataSizes
from tfcheck.lint.kinds import Kind
from tfcheck.lint.scopes import Binding, How, LoopNode
from tfcheck.lint.semantics import FileModel
from tfcheck.lint.vocabulary import MUTATORS

_SHAPED = frozenset(
    {
        *("zeros", "ones", "fill", "full", "empty", "eye", "range", "arange", "linspace"),
        *("normal", "uniform", "truncated_normal", "stateless_normal", "stateless_uniform"),
        *("rand", "randn", "random", "randint", "standard_normal", "one_hot", "random_sample"),
    }
)
"""Functions whose numbers are sizes, those that say what to fill in aside."""
_RESHAPED = frozenset({"reshape", "tile", "pad", "repeat", "broadcast_to", "resize"})
_THROUGH = frozenset(
    {
        *("constant", "convert_to_tensor", "array", "asarray", "cast", "identity", "expand_dims"),
        *("stack", "concat", "concatenate", "vstack", "hstack", "append", "float32", "int32"),
        *("squeeze", "abs", "square", "zeros_like", "ones_like", "Variable"),
    }
)
_GROWING = frozenset({"concat", "concatenate", "append", "vstack", "hstack", "stack"})
_METHODS = frozenset({"astype", "copy", "numpy", "tolist"})
_SPLITTING = frozenset({"split", "encode"})
_MAX_DEPTH = 6


class VaryingShapes:
    """Says what an expression's shape follows, None where nothing tells that it varies."""

    def __init__(self, model: FileModel, *, limit: int) -> None:
        self._model = model
        self._limit = limit
        self._sizes = DataSizes(model)

    def reason(
        self, node: ast.expr, loops: Sequence[LoopNode], *, depth: int = _MAX_DEPTH
    ) -> str | None:
        """How the shape of `node` differs between the rounds of the loops."""
        if not depth or (depth == _MAX_DEPTH and self._model.kind(node) is Kind.CONTAINER):
            return None  # a list as an argument is no tensor
        match node:
            case ast.Call():
                return self._call(node, loops, depth)
            case ast.Subscript():
                return self._slice(node)
            case ast.BinOp(left=left, op=op, right=right):
                repeated = self._repeated(left, op, right)
                return repeated or self._any([left, right], loops, depth)
            case ast.ListComp() | ast.GeneratorExp():
                return self._counted(node.generators[0].iter)
            case ast.List() | ast.Tuple():
                return self._any(node.elts, loops, depth)
            case ast.Name():
                return self._named(node, loops, depth)
            case ast.Attribute():
                return self._edited(node, loops)
        return None

    def _any(self, nodes: Sequence[ast.expr], loops: Sequence[LoopNode], depth: int) -> str | None:
        found = (self.reason(node, loops, depth=depth - 1) for node in nodes)
        return next((reason for reason in found if reason is not None), None)

    def _call(self, call: ast.Call, loops: Sequence[LoopNode], depth: int) -> str | None:
        qualified = self._model.qualified_name(call.func)
        if qualified is None:
            method = call.func if isinstance(call.func, ast.Attribute) else None
            if method is not None and method.attr in _METHODS:
                return self.reason(method.value, loops, depth=depth - 1)
            split = method is not None and method.attr in _SPLITTING
            return self._counted(call) if split else None
        package, _, rest = qualified.partition(".")
        name = rest.rpartition(".")[2]
        if package not in {"tensorflow", "numpy"}:
            return None
        if name in _SHAPED:
            return self._sized(call, name)
        if name == "boolean_mask":
            return self._masked(call, loops)
        if name in _RESHAPED:
            return self._by_numbers(call.args[1:]) or self._any(call.args[:1], loops, depth)
        return self._any(call.args, loops, depth) if name in _THROUGH else None

    def _masked(self, call: ast.Call, loops: Sequence[LoopNode]) -> str | None:
        """Whether each round keeps other rows."""
        bound = {
            part.id
            for loop in loops
            for part in ast.walk(loop)
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
        }
        masks = [*call.args[1:2], *(word.value for word in call.keywords if word.arg == "mask")]
        names = {n.id for mask in masks for n in ast.walk(mask) if isinstance(n, ast.Name)}
        return "its length follows the mask" if names & bound else None

    def _sized(self, call: ast.Call, name: str) -> str | None:
        sizes = [word.value for word in call.keywords if word.arg in {"shape", "size", "dims"}]
        given = call.args
        if name in {"fill", "full", "zeros", "ones", "empty"}:
            given = call.args[:1]
        elif name in {"randint", "normal", "uniform"} and not self._is_tensorflow(call):
            given = call.args[2:3]
        elif name == "one_hot":
            given = call.args[1:2]
        elif name in {"normal", "uniform", "truncated_normal"} or name.startswith("stateless"):
            given = call.args[:1]
        elif name == "linspace":
            given = call.args[2:3]
        return self._by_numbers([*given, *sizes])

    def _is_tensorflow(self, call: ast.Call) -> bool:
        return (self._model.qualified_name(call.func) or "").startswith("tensorflow.")

    def _by_numbers(self, nodes: Sequence[ast.expr]) -> str | None:
        """A number among sizes that takes many values."""
        for node in nodes:
            parts = node.elts if isinstance(node, ast.List | ast.Tuple) else [node]
            for part in parts:
                if self.varies(part):
                    return f"its shape follows `{ast.unparse(part)}`"
        return None

    def varies(self, node: ast.expr | None) -> bool:
        """Whether a Python number takes more values than are worth a trace each."""
        if node is None:
            return False
        value = self._model.value(node)
        return value.is_scalar and max(value.varies, len(value.literals)) > self._limit

    def _slice(self, node: ast.Subscript) -> str | None:
        cuts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        known = {Kind.TENSOR, Kind.NUMPY, Kind.VARIABLE, Kind.CONTAINER}
        if self._model.kind(node.value) not in known:
            return None
        for cut in cuts:
            if isinstance(cut, ast.Slice) and self.varies(cut.lower) != self.varies(cut.upper):
                bound = cut.upper if self.varies(cut.upper) else cut.lower
                other = cut.lower if bound is cut.upper else cut.upper
                # `x[i : i + n]` has one length; a bound of unknown value may follow the other.
                if bound is not None and (other is None or self._model.value(other).literals):
                    return f"its length follows `{ast.unparse(bound)}`"
            if isinstance(cut, ast.Slice) and cut is cuts[0] and self._has_rest(node.value, cut):
                return "the last slice is shorter"
        return None

    def _has_rest(self, rows: ast.expr, cut: ast.Slice) -> bool:
        """Whether `rows[i : i + n]`, with `i` from `range(0, len(rows), n)`, ends in less than n.

        Known sizes only: what a program does not tell may well be a multiple.
        """
        match cut:
            case ast.Slice(
                lower=ast.Name() as start,
                upper=ast.BinOp(left=ast.Name(id=again), op=ast.Add(), right=step),
            ) if again == start.id:
                bindings = list(self._model.bindings(start))
            case _:
                return False
        around = {
            loop.target
            for loop in self._model.loops_around(start)
            if not isinstance(loop, ast.While)
        }
        bindings = [binding for binding in bindings if binding.node in around]
        source = bindings[0].value if len(bindings) == 1 else None
        if not isinstance(source, ast.Call) or bindings[0].how is not How.LOOP:
            return False
        if self._model.qualified_name(source.func) != "builtins.range" or len(source.args) != 3:
            return False
        length, size = self._sizes.length(rows), self._sizes.integer(step)
        rounds = self._sizes.length(source)
        if length is None or size is None or rounds is None or rounds < 2:
            return False
        return size == self._sizes.integer(source.args[2]) and (rounds - 1) * size < length < (
            rounds * size
        )

    def _repeated(self, left: ast.expr, op: ast.operator, right: ast.expr) -> str | None:
        listed = Kind.CONTAINER in {self._model.kind(left), self._model.kind(right)}
        if not isinstance(op, ast.Mult) or not listed:
            return None
        return self._by_numbers([left, right])

    def _counted(self, source: ast.expr) -> str | None:
        if self.varies(source):
            return f"its length follows `{ast.unparse(source)}`"  # the characters of a text
        if not isinstance(source, ast.Call):
            return None
        if isinstance(source.func, ast.Attribute) and source.func.attr in _SPLITTING:
            return self._counted(source.func.value)
        ranged = self._model.qualified_name(source.func) == "builtins.range"
        return self._by_numbers(source.args) if ranged else None

    # Names

    def _named(self, name: ast.Name, loops: Sequence[LoopNode], depth: int) -> str | None:
        for binding in self._model.bindings(name):
            around = self._model.loops_around(binding.node)
            if binding.how is How.LOOP:
                reason = self._row(binding)
            elif not set(loops) & set(around) or binding.value is None:
                continue
            else:
                reason = self._bound(binding, binding.value, loops, depth)
            if reason is not None:
                return reason
        return self._edited(name, loops)

    def _bound(
        self, binding: Binding, value: ast.expr, loops: Sequence[LoopNode], depth: int
    ) -> str | None:
        names = {part.id for part in ast.walk(value) if isinstance(part, ast.Name)}
        if binding.name not in names:
            return self.reason(value, loops, depth=depth - 1)
        if isinstance(value, ast.Call):
            last = (self._model.qualified_name(value.func) or "").rpartition(".")[2]
            # A slice of itself may keep it short.
            cut = any(isinstance(part, ast.Slice) for part in ast.walk(value))
            if last in _GROWING and not cut and not self._is_reset(binding):
                return "it grows from round to round"
        return None

    def _is_reset(self, binding: Binding) -> bool:
        """Whether the same loop also binds the name anew."""
        loops = self._model.loops_around(binding.node)[:1]
        return any(
            other is not binding and loops == self._model.loops_around(other.node)[:1]
            for other in binding.scope.bindings.get(binding.name, ())
        )

    def _row(self, binding: Binding) -> str | None:
        """Whether a loop goes over lists of different lengths."""
        rows = binding.value
        if isinstance(rows, ast.Name):
            bindings = self._model.bindings(rows)
            rows = bindings[0].value if len(bindings) == 1 else None
        if not isinstance(rows, ast.List | ast.Tuple):
            return None
        lengths = {len(row.elts) for row in rows.elts if isinstance(row, ast.List | ast.Tuple)}
        return "the lists have different lengths" if len(lengths) > self._limit else None

    def _edited(self, place: ast.Name | ast.Attribute, loops: Sequence[LoopNode]) -> str | None:
        """Whether the loop appends to a list, itself or by a method that it calls."""
        if self._model.kind(place) is not Kind.CONTAINER:
            return None
        methods: set[str] = set()
        for call in self._model.index.calls():
            func = call.func
            if not isinstance(func, ast.Attribute) or func.attr not in MUTATORS:
                continue
            if self._is_same(func.value, place) and self._is_run_in(loops, call):
                methods.add(func.attr)
        grows = bool(methods) and methods <= {"append", "extend", "insert", "add"}
        return "the list grows from round to round" if grows else None

    def _is_same(self, edited: ast.expr, place: ast.Name | ast.Attribute) -> bool:
        if isinstance(edited, ast.Name) and isinstance(place, ast.Name):
            same = edited.id == place.id
            return same and self._model.holder(edited) is self._model.holder(place)
        if isinstance(edited, ast.Attribute) and isinstance(place, ast.Attribute):
            owners = set(self._model.targets(place.value)) & set(self._model.targets(edited.value))
            return edited.attr == place.attr and bool(owners)
        return False

    def _is_run_in(self, loops: Sequence[LoopNode], call: ast.Call) -> bool:
        """Whether a loop runs the call, or the function that it is the work of."""
        function = self._model.function_around(call)
        sites = self._model.calls_to(function) if function is not None else ()
        moments = [call, *(site.call for site in sites)]
        return any(set(loops) & set(self._model.loops_around(moment)) for moment in moments)
