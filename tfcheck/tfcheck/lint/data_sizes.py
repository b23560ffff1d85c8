"""How long Python data is and how many rounds a Python loop has, as far as the source tells."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import product
from math import prod

from tfcheck.lint.form_flow import FormFlow
from tfcheck.lint.forms import Sort
from tfcheck.lint.kinds import Kind
from tfcheck.lint.nodes import walk
from tfcheck.lint.scopes import Binding, How, LoopNode, place_of
from tfcheck.lint.semantics import FileModel
from tfcheck.lint.spelled_shapes import SpelledShapes

_LOADERS = frozenset({"numpy.load", "numpy.loadtxt", "numpy.genfromtxt", "numpy.fromfile"})
_WHOLE = frozenset(f"builtins.{name}" for name in ("list", "tuple", "sorted", "reversed", "iter"))
_SAME_LENGTH = frozenset({"tolist", "astype", "copy"})
_MAX_COMBINATIONS = 16
_MAX_DEPTH = 6


class DataSizes:
    """Counts elements and rounds; None where that depends on more than the source."""

    def __init__(self, model: FileModel) -> None:
        self._model = model
        self._forms = FormFlow(model)
        self._spelled = SpelledShapes(model)

    def elements(self, node: ast.expr) -> int | None:
        """How many numbers an array or a list holds."""
        form = self._forms.of(node)
        if form is not None and form.sort is Sort.ARRAY:
            return form.size
        return self.length(node)

    def is_loaded(self, node: ast.expr, *, depth: int = _MAX_DEPTH) -> bool:
        """Whether it is an array read from a file or a data set, or made of one."""
        if not depth or self._model.kind(node) is not Kind.NUMPY:
            return False
        if not isinstance(node, ast.Name):
            parts = (part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr))
            called = isinstance(node, ast.Call) and self._loads(node)
            return called or any(self.is_loaded(part, depth=depth - 1) for part in parts)
        for binding in self._model.bindings(node):
            if binding.how is not How.ASSIGN and binding.node in self._model.index.parents:
                continue
            if isinstance(binding.node, ast.Name):
                statement = self._model.index.statement_of(binding.node)
                value = statement.value if isinstance(statement, ast.Assign) else None
                if isinstance(value, ast.Call) and self._loads(value):
                    return True
                if value is not None and self.is_loaded(value, depth=depth - 1):
                    return True
        return False

    def is_listed(self, node: ast.expr, *, depth: int = _MAX_DEPTH) -> bool:
        """Whether it is a list of all elements of a dataset, here or where it is given."""
        match node:
            case ast.Call(args=[source]):
                name = self._model.qualified_name(node.func)
                taken = any(isinstance(p, ast.Attribute) and p.attr == "take" for p in walk(source))
                whole = name in {"builtins.list", "builtins.tuple"} and not taken
                return whole and self._model.kind(source) is Kind.DATASET
            case ast.Name() if depth:
                bindings = self._model.bindings(node)
                values = [value for each in bindings for value in self._given(each)]
                return bool(values) and all(self.is_listed(v, depth=depth - 1) for v in values)
        return False

    def _given(self, binding: Binding) -> Sequence[ast.expr]:
        """What a name stands for: what is assigned, or what calls give a parameter."""
        if binding.how is How.ASSIGN and binding.value is not None:
            return [binding.value]
        if binding.how is not How.PARAMETER:
            return []
        sites = self._model.calls_to(self._model.index.function_of[binding.scope.node])
        pairs = [pair for site in sites for pair in site.arguments()]
        return [value for parameter, value in pairs if parameter is binding.node]

    def _loads(self, call: ast.Call) -> bool:
        name = self._model.qualified_name(call.func) or ""
        return name in _LOADERS or (
            name.startswith("keras.datasets.") and name.endswith(".load_data")
        )

    # Lengths

    def integer(self, node: ast.expr) -> int | None:
        """The one number that an expression can be."""
        return self._spelled.integer(node)

    def length(self, node: ast.expr) -> int | None:
        """How many rounds a loop over a Python value has; at most, where it can differ."""
        node = self._spelled.resolved(node)
        match node:
            case ast.BinOp(op=ast.Mult(), left=left, right=right):
                return self._repeated(left, right) or self._repeated(right, left)
            case ast.ListComp() | ast.GeneratorExp() | ast.SetComp():
                return self._comprehended(node.generators)
            case ast.Call():
                return self._called(node)
        form = self._forms.of(node)
        if form is None or form.sort is Sort.TENSOR:
            return None
        if form.items is not None:
            return len(form.items)
        return form.shape[0] if form.shape else None

    def _repeated(self, parts: ast.expr, times: ast.expr) -> int | None:
        written = self._spelled.resolved(parts)
        count = self._spelled.integer(times)
        if count is None or not isinstance(written, ast.List | ast.Tuple):
            return None
        return len(written.elts) * count

    def _comprehended(self, generators: Sequence[ast.comprehension]) -> int | None:
        counts = [self.length(generator.iter) for generator in generators]
        known = [count for count in counts if count is not None]
        filtered = any(generator.ifs for generator in generators)
        return None if filtered or len(known) < len(counts) else prod(known)

    def _called(self, call: ast.Call) -> int | None:
        name = self._model.qualified_name(call.func) or ""
        if name == "builtins.range":
            return self._counted(call)
        if name in _WHOLE or name == "builtins.enumerate":
            return self.length(call.args[0]) if call.args else None
        if name == "builtins.zip":
            counts = [self.length(part) for part in call.args]
            return min((count for count in counts if count is not None), default=None)
        if isinstance(call.func, ast.Attribute) and call.func.attr in _SAME_LENGTH and not name:
            return self.length(call.func.value)
        form = self._forms.of(call)
        known = form is not None and form.sort is Sort.ARRAY and form.shape
        return form.shape[0] if known and form is not None and form.shape else None

    def _counted(self, call: ast.Call) -> int | None:
        """The most rounds of `range(...)` over the numbers that its arguments can be."""
        bounds = [list(self._integers(part)) for part in call.args]
        if not bounds or len(bounds) > 3 or prod(map(len, bounds)) > _MAX_COMBINATIONS:
            return None
        counts = [len(range(*numbers)) for numbers in product(*bounds) if 0 not in numbers[2:]]
        return max(counts, default=None)

    def _integers(self, node: ast.expr) -> Iterator[int]:
        """The numbers that a bound can be; `len(x)` of what has a known length is one."""
        if isinstance(node, ast.Call) and self._model.qualified_name(node.func) == "builtins.len":
            length = self.length(node.args[0]) if node.args else None
            if length is not None:
                yield length
            return
        for item in self._model.value(node).literals:
            if isinstance(item, int):
                yield int(item)

    # Rounds

    def rounds(self, loop: LoopNode) -> int | None:
        """How many rounds a Python loop has."""
        if isinstance(loop, ast.While):
            return self._until(loop)
        return self.length(loop.iter)

    def _until(self, loop: ast.While) -> int | None:
        """The rounds of `while i < n` with a number that each round changes by a constant."""
        match loop.test:
            case ast.Compare(
                left=ast.Name() as name,
                ops=[ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE() | ast.NotEq() as op],
                comparators=[limit],
            ):
                step, start = self._step(name, loop), self._start(name, loop)
                ends = list(self._integers(limit))
                if not step or start is None or not ends:
                    return None
                inclusive = isinstance(op, ast.LtE | ast.GtE)
                return max(
                    len(range(start, end + (inclusive if step > 0 else -inclusive), step))
                    for end in ends
                )
        return None

    def _step(self, name: ast.Name, loop: ast.While) -> int | None:
        """What the only assignment of the counter in the loop adds."""
        changes = [
            node
            for node in ast.walk(loop)
            if isinstance(node, ast.AugAssign | ast.Assign)
            and any(
                isinstance(part, ast.Name)
                and part.id == name.id
                and isinstance(part.ctx, ast.Store)
                for part in ast.walk(node)
            )
        ]
        match changes:
            case [ast.AugAssign(op=ast.Add(), value=ast.Constant(value=int(step)))]:
                return step
            case [ast.AugAssign(op=ast.Sub(), value=ast.Constant(value=int(step)))]:
                return -step
            case [ast.Assign(value=ast.BinOp(op=op, right=ast.Constant(value=int(step))))]:
                return {ast.Add: step, ast.Sub: -step}.get(type(op))
        return None

    def _start(self, name: ast.Name, loop: ast.While) -> int | None:
        before = [
            binding
            for binding in self._model.bindings(name)
            if place_of(binding.node) < place_of(loop)
        ]
        last = before[-1] if before else None
        if last is None:
            return None
        if last.how is How.ASSIGN and last.value is not None:
            return self._spelled.integer(last.value)
        return None
