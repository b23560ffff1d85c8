"""What the source tells of the batches of a dataset: how many, and whether they are alike."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from tfcheck.lint.form_flow import FormFlow
from tfcheck.lint.forms import Form
from tfcheck.lint.kinds import Kind
from tfcheck.lint.library_forms import literal_shape
from tfcheck.lint.semantics import FileModel
from tfcheck.lint.spelled_shapes import SpelledShapes

_SAME_COUNT = frozenset({"map", "shuffle", "cache", "prefetch", "with_options", "enumerate"})
_BATCHING = frozenset({"batch", "padded_batch"})
_SOURCES = "tensorflow.data.Dataset."


@dataclass(frozen=True, slots=True)
class Uneven:
    """How the elements of a dataset differ in shape."""

    message: str
    is_sure: bool


class Batches:
    """Reads chains such as `Dataset.range(10).batch(4).prefetch(1)`."""

    def __init__(self, model: FileModel) -> None:
        self._model = model
        self._forms = FormFlow(model)
        self._spelled = SpelledShapes(model)

    def dataset_of(self, target: ast.Name) -> ast.expr | None:
        """The dataset whose elements, or parts of them, a loop binds to a name."""
        child: ast.AST = target
        parent = self._model.index.parents.get(child)
        while isinstance(parent, ast.Tuple | ast.List):
            child, parent = parent, self._model.index.parents.get(parent)
        if not isinstance(parent, ast.For | ast.comprehension) or parent.target is not child:
            return None
        source = parent.iter
        if isinstance(source, ast.Call) and self._model.kind(source) is not Kind.DATASET:
            # `enumerate(ds)`, a progress bar
            source = source.args[0] if source.args else source
        return source if self._model.kind(source) is Kind.DATASET else None

    def uneven(self, dataset: ast.expr) -> Uneven | None:
        """How its elements differ in shape, None when they may all be alike."""
        batched = False
        for call in self._chain(dataset):
            method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
            if method in {"padded_batch", "batch"}:
                if method == "padded_batch" and self._pads_freely(call):
                    return Uneven("each batch is padded to its own longest element", is_sure=True)
                return self._short_batch(call)
            if method in {"map", "unbatch", "window", "ragged_batch", "apply", "flat_map"}:
                batched = True  # what comes out may have any shape
            if method == "from_generator" and not batched:
                return self._generated(call)
        return None

    def _chain(self, dataset: ast.expr) -> Iterator[ast.Call]:
        """The calls that made a dataset, the last one first."""
        node = self._spelled.resolved(dataset)
        while isinstance(node, ast.Call):
            yield node
            if not isinstance(node.func, ast.Attribute):
                return
            node = self._spelled.resolved(node.func.value)

    def _pads_freely(self, call: ast.Call) -> bool:
        """Whether no fixed length is asked for."""
        given = [word.value for word in call.keywords if word.arg == "padded_shapes"]
        shapes = given or call.args[1:2]
        if not shapes:
            return True
        dims = self._spelled.dims(shapes[0])
        return dims is not None and (None in dims or -1 in dims)

    def _short_batch(self, call: ast.Call) -> Uneven | None:
        """Whether the last batch is smaller than the others."""
        options = {word.arg: word.value for word in call.keywords}
        dropped = options.get("drop_remainder") or (call.args[1] if len(call.args) > 1 else None)
        sizes = [word.value for word in call.keywords if word.arg == "batch_size"]
        given = sizes or call.args
        size_node = given[0] if given else None
        if dropped is not None or size_node is None or not isinstance(call.func, ast.Attribute):
            return None
        size, count = self._spelled.integer(size_node), self._count(call.func.value)
        if count == -1:
            return None
        if size is None or count is None:
            message = "the last batch is smaller (assuming the size is no multiple of the batch)"
            return Uneven(message, is_sure=False)
        rest = count % size if size > 0 else 0
        if not rest or count < size:
            return None
        return Uneven(f"the last batch holds {rest} elements instead of {size}", is_sure=True)

    def _count(self, dataset: ast.expr) -> int | None:
        """How many elements a dataset has; -1 when it has no end."""
        node = self._spelled.resolved(dataset)
        if not isinstance(node, ast.Call):
            return None
        name = self._model.qualified_name(node.func) or ""
        if name.startswith(_SOURCES):
            return self._source_count(node, name.removeprefix(_SOURCES))
        if not isinstance(node.func, ast.Attribute):
            return None
        before = self._count(node.func.value)
        argument = self._spelled.integer(node.args[0]) if node.args else None
        match node.func.attr:
            case method if method in _SAME_COUNT:
                return before
            case "repeat":
                if not node.args and not node.keywords:
                    return -1
                return before * argument if before is not None and argument is not None else None
            case "take" if before is not None and argument is not None:
                return argument if before == -1 else min(before, argument)
            case "skip" if before is not None and before >= 0 and argument is not None:
                return max(before - argument, 0)
        return None

    def _source_count(self, call: ast.Call, method: str) -> int | None:
        if method == "range":
            bounds = [self._spelled.integer(part) for part in call.args]
            known = [bound for bound in bounds if bound is not None]
            return len(range(*known)) if 0 < len(known) == len(bounds) < 3 else None
        if method == "from_tensor_slices" and call.args:
            return self._rows(self._forms.of(call.args[0]), call.args[0])
        return 1 if method == "from_tensors" else None

    def _rows(self, form: Form | None, node: ast.expr) -> int | None:
        written = self._spelled.resolved(node)
        if isinstance(written, ast.Tuple) and written.elts:
            return self._rows(self._forms.of(written.elts[0]), written.elts[0])
        if isinstance(written, ast.Dict) and written.values:
            return self._rows(self._forms.of(written.values[0]), written.values[0])
        shape = None if form is None else literal_shape(form)
        if shape:
            return shape[0]
        return len(form.items) if form is not None and form.items is not None else None

    def _generated(self, call: ast.Call) -> Uneven | None:
        """A generator whose signature leaves a dimension open."""
        for word in call.keywords:
            if word.arg == "output_signature":
                spec = self._spelled.spec(word.value)
                if spec is not None and spec.shape is not None and None in spec.shape:
                    return Uneven("the generator gives tensors of any length", is_sure=True)
        return None
