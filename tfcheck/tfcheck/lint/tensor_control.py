"""Where a function decides or iterates by tensors: what AutoGraph has to rewrite, or cannot."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tfcheck.lint.form_flow import FormFlow
from tfcheck.lint.forms import Sort
from tfcheck.lint.kinds import Kind
from tfcheck.lint.scopes import ComprehensionNode, FunctionInfo
from tfcheck.lint.semantics import FileModel

_LAZY = frozenset(f"builtins.{name}" for name in ("zip", "enumerate", "map", "filter"))
_WHOLE = frozenset(
    f"builtins.{name}"
    for name in ("list", "tuple", "set", "iter", "reversed", "sum", "any", "all", "min", "max")
)
_IDENTITY = (ast.Is, ast.IsNot, ast.In, ast.NotIn)


class TensorControl:
    """Finds constructs by function; inner functions are looked at by themselves."""

    def __init__(self, model: FileModel) -> None:
        self._model = model
        self._forms = FormFlow(model)

    def _nodes(self, function: FunctionInfo) -> Iterator[ast.AST]:
        for node in self._model.own_nodes(function):
            if not self._model.is_left_out(node):
                yield node

    def rewritten(self, function: FunctionInfo) -> Iterator[ast.AST]:
        """The constructs that work only where AutoGraph rewrites them."""
        for node in self._nodes(function):
            match node:
                case ast.If() | ast.While() | ast.IfExp():
                    if self._decides(node.test):
                        yield node
                case ast.For():
                    if self._model.kind(node.iter) in {Kind.TENSOR, Kind.DATASET, Kind.VARIABLE}:
                        yield node
                case ast.BoolOp():
                    if any(self._model.value(part).is_tensor for part in node.values[:-1]):
                        yield node
                case ast.UnaryOp(op=ast.Not()):
                    if self._model.value(node.operand).is_tensor:
                        yield node
                case ast.Compare() if len(node.ops) > 1:
                    if self._model.value(node).is_tensor:
                        yield node

    def _decides(self, test: ast.expr) -> bool:
        """Whether a condition is a tensor, and not one that the code around already reports."""
        return self._model.value(test).is_tensor and not isinstance(test, ast.Constant)

    def never_rewritten(self, function: FunctionInfo) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
        """The constructs that AutoGraph leaves as they are, with what they do to a tensor."""
        for node in self._nodes(function):
            if isinstance(node, ComprehensionNode):
                yield from self._comprehension(node)
            elif isinstance(node, ast.Call):
                name = self._model.qualified_name(node.func) or ""
                if self._takes_apart(node, name):
                    yield node, f"`{name.removeprefix('builtins.')}` iterates over a tensor"
                elif name in _WHOLE - {"builtins.iter"} and self._is_dataset(node):
                    yield node, "a dataset is read without end while tracing"
            elif isinstance(node, ast.Assign) and self._unpacks(node):
                yield node, "unpacking iterates over a tensor"
            elif isinstance(node, ast.Match):
                yield from self._match(node)

    def _comprehension(self, node: ComprehensionNode) -> Iterator[tuple[ast.expr, str]]:
        for generator in node.generators:
            kind = self._model.kind(generator.iter)
            if kind in {Kind.TENSOR, Kind.VARIABLE}:
                yield node, "a comprehension iterates over a tensor"
                return
            if kind is Kind.DATASET:
                yield node, "a comprehension reads a dataset without end"
                return
            if any(self._model.value(test).is_tensor for test in generator.ifs):
                yield node, "a comprehension decides by a tensor"
                return

    def _takes_apart(self, call: ast.Call, name: str) -> bool:
        if name in _LAZY:
            given = call.args[1:] if name in {"builtins.map", "builtins.filter"} else call.args
            return any(map(self._is_symbolic, given))
        return name in _WHOLE and len(call.args) == 1 and self._is_symbolic(call.args[0])

    def _is_dataset(self, call: ast.Call) -> bool:
        return len(call.args) == 1 and self._model.kind(call.args[0]) is Kind.DATASET

    def _is_symbolic(self, node: ast.expr) -> bool:
        value = self._model.value(node)
        return value.kind is Kind.TENSOR and value.graph

    def _unpacks(self, node: ast.Assign) -> bool:
        """Whether a tensor, and not a call that may give several, is unpacked."""
        if not isinstance(node.targets[0], ast.Tuple | ast.List):
            return False
        if not self._is_symbolic(node.value):
            return False
        form = self._forms.of(node.value)
        known = form is not None and form.sort is Sort.TENSOR
        return known and form is not None and (form.dtype is not None or form.shape is not None)

    def _match(self, node: ast.Match) -> Iterator[tuple[ast.stmt, str]]:
        guards = [case.guard for case in node.cases if case.guard is not None]
        if any(self._model.value(part).is_tensor for part in (node.subject, *guards)):
            yield node, "`match` decides by a tensor"

    def spoilers(self, function: FunctionInfo) -> Iterator[tuple[ast.stmt, str]]:
        """The statements that make AutoGraph give up the whole function."""
        for node in self._nodes(function):
            if isinstance(node, ast.Match):
                yield node, "`match`"
            elif isinstance(node, ast.AnnAssign) and node.value is None:
                yield node, "an annotation without a value"
