"""Which dimensions of a tensor are surely open while tracing: None in its static shape."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from tfcheck.lint.scopes import Binding, FunctionInfo, How
from tfcheck.lint.semantics import FileModel
from tfcheck.lint.spelled_shapes import SpelledShapes

_KEEPING = frozenset(
    f"tensorflow.{name}"
    for name in (
        *("abs", "cast", "identity", "square", "sqrt", "exp", "tanh", "sigmoid", "zeros_like"),
        *("ones_like", "nn.relu", "nn.softmax", "math.log", "math.exp", "clip_by_value"),
        *("stop_gradient", "negative", "round"),
    )
)
_PASSING = frozenset({"cache", "prefetch", "repeat", "shuffle", "skip", "take", "with_options"})

Open = Callable[[int], bool]
"""Whether an axis is open."""


def _none(_axis: int) -> bool:
    return False


class OpenShapes:
    """Follows a tensor back to what says its shape: a signature, a batch, a mask."""

    def __init__(self, model: FileModel) -> None:
        self._model = model
        self._spelled = SpelledShapes(model)
        self._running: set[ast.AST] = set()

    def is_open(self, tensor: ast.expr, axis: int) -> bool:
        """Whether `tensor.shape[axis]` is surely None."""
        return self._open(tensor)(axis)

    def _open(self, node: ast.expr) -> Open:
        match node:
            case ast.Name():
                return self._name(node)
            case ast.Call():
                name = self._model.qualified_name(node.func)
                if name in _KEEPING and node.args:
                    return self._open(node.args[0])
                if name == "tensorflow.boolean_mask":
                    return lambda axis: axis == 0
            case ast.BinOp():
                numbers = [self._model.value(part).is_scalar for part in (node.left, node.right)]
                if any(numbers):
                    return self._open(node.right if numbers[0] else node.left)
        return _none

    def _name(self, name: ast.Name) -> Open:
        bindings = list(self._model.bindings(name))
        if len(bindings) > 1:
            bindings = self._model.index.reaching(name, bindings)
        fresh = [binding for binding in bindings if binding.node not in self._running]
        if not bindings:
            return _none
        # A name that depends on itself, as in a loop, is what its other bindings are.
        nodes = {binding.node for binding in fresh}
        self._running |= nodes
        found = [self._bound(binding) for binding in fresh]
        self._running -= nodes
        return lambda axis: all(each(axis) for each in found)

    def _bound(self, binding: Binding) -> Open:
        if binding.how is How.ASSIGN and binding.value is not None:
            return self._open(binding.value)
        if binding.how is not How.PARAMETER or not isinstance(binding.node, ast.arg):
            return _none
        return self._parameter(self._model.index.function_of[binding.scope.node], binding.node)

    def _parameter(self, function: FunctionInfo, parameter: ast.arg) -> Open:
        trace = self._model.traces.get(function)
        if trace is None or parameter not in function.parameters:
            return _none
        place = function.parameters.index(parameter) - (1 if function.owner is not None else 0)
        if trace.creation is not None and trace.root:
            entries = self._spelled.signature(trace.creation)
            if entries is None or not 0 <= place < len(entries):
                return _none
            return self._written(entries[place].node)
        if trace.root:
            return self._from_batches(function, place)
        return self._from_callers(function, parameter)

    def _written(self, spec: ast.expr) -> Open:
        """The dimensions that a `TensorSpec` gives as None."""
        call = self._spelled.resolved(spec)
        if not isinstance(call, ast.Call) or self._spelled.spec(call) is None:
            return _none
        given = [word.value for word in call.keywords if word.arg == "shape"] or call.args[:1]
        shape = self._spelled.resolved(given[0]) if given else None
        if not isinstance(shape, ast.List | ast.Tuple):
            return _none
        return lambda axis: _is_none_at(shape.elts, axis)

    def _from_batches(self, function: FunctionInfo, place: int) -> Open:
        """`dataset.batch(4).map(f)`: the last batch may be smaller."""
        callbacks = self._model.callbacks_to(function)
        if len(callbacks) != 1 or callbacks[0].entry != "Dataset.map" or place < 0:
            return _none
        method = callbacks[0].call.func
        return self._elements(method.value, place) if isinstance(method, ast.Attribute) else _none

    def _elements(self, dataset: ast.expr, place: int) -> Open:
        """Those of the part at `place` of each element."""
        dataset = self._spelled.resolved(dataset)
        if not isinstance(dataset, ast.Call) or not isinstance(dataset.func, ast.Attribute):
            return _none
        method = dataset.func.attr
        if method in _PASSING:
            return self._elements(dataset.func.value, place)
        given = {word.arg: word.value for word in dataset.keywords}
        if method in {"batch", "padded_batch"}:
            loose = "drop_remainder" not in given and len(dataset.args) < 2
            return (lambda axis: axis == 0) if loose else _none
        signature = given.get("output_signature")
        if method != "from_generator" or signature is None:
            return _none
        specs = self._spelled.resolved(signature)
        if isinstance(specs, ast.Tuple):
            return self._written(specs.elts[place]) if place < len(specs.elts) else _none
        return self._written(specs) if place == 0 else _none

    def _from_callers(self, function: FunctionInfo, parameter: ast.arg) -> Open:
        sites = self._model.calls_to(function)
        given = [value for site in sites for named, value in site.arguments() if named is parameter]
        if not sites or len(given) < len(sites):
            return _none
        found = [self._open(value) for value in given]
        return lambda axis: all(each(axis) for each in found)


def _is_none_at(parts: Sequence[ast.expr], axis: int) -> bool:
    if not -len(parts) <= axis < len(parts):
        return False
    part = parts[axis]
    return isinstance(part, ast.Constant) and part.value is None
