"""TFC706: `predict` on one item at a time."""

from __future__ import annotations

import ast

from tfcheck.diagnostics import Confidence, Severity
from tfcheck.lint.kinds import Kind
from tfcheck.lint.repeats import repeating_loops
from tfcheck.lint.rule import Rule
from tfcheck.lint.spelled_shapes import SpelledShapes
from tfcheck.lint.test_files import is_test_file

_EXPANDING = {"tensorflow.expand_dims", "numpy.expand_dims"}
_LISTING = {f"numpy.{name}" for name in ("array", "asarray", "stack")} | {
    f"tensorflow.{name}" for name in ("constant", "convert_to_tensor", "stack")
}


class PredictInLoop(Rule):
    """`predict` runs on one item in each round of a loop.

    Why:
        `predict` is made for whole datasets: each call sets up a data pipeline, callbacks and a
        progress bar, which takes a hundred times as long as the model on one item.

    Bad:
        import numpy as np
        import keras

        model = keras.Sequential([keras.layers.Dense(1)])
        for item in np.ones((100, 4)):
            model.predict(item[None])  # TFC706

    Good:
        import numpy as np
        import keras

        model = keras.Sequential([keras.layers.Dense(1)])
        model.predict(np.ones((100, 4)))

    Not flagged:
        Whole batches; `model(x)` and `predict_on_batch`; objects that are no Keras models; files
        of tests.
    """

    code = "TFC706"
    since = "0.1"
    severity = Severity.WARNING
    confidence = Confidence.MEDIUM
    everywhere = True
    words = (".predict(",)

    def check_file(self) -> None:
        """Look at the calls of `predict` that a loop repeats."""
        self._spelled = SpelledShapes(self.model)
        if is_test_file(self.model.source.filename):
            return
        for call in self.model.index.calls():
            method = call.func
            if not isinstance(method, ast.Attribute) or method.attr != "predict" or not call.args:
                continue
            if self.model.kind(method.value) is not Kind.KERAS or not self._is_one(call.args[0]):
                continue
            if self.model.targets(method):
                continue  # a method of its own, which may do anything
            if repeating_loops(self.model, call) and self.model.is_plain(call):
                self.report(
                    call,
                    f"`predict` runs on one item in each round: `{self.text(call.args[0])}`",
                    hint="predict all items in one call, or call `model(x, training=False)`",
                )

    def _is_one(self, node: ast.expr) -> bool:
        """Whether an item is made a batch of one."""
        node = self._spelled.resolved(node)
        match node:
            case ast.Subscript(slice=ast.Constant(value=None)):
                return True
            case ast.Subscript(slice=ast.Tuple(elts=[ast.Constant(value=None), *_])):
                return True
            case ast.Subscript(
                slice=ast.Slice(lower=ast.expr() as lower, upper=ast.expr() as upper)
            ):
                return ast.unparse(upper) == f"{ast.unparse(lower)} + 1"
            case ast.List(elts=[_]):
                return True
            case ast.Call():
                return self._is_made_one(node)
        return False

    def _is_made_one(self, call: ast.Call) -> bool:
        name = self.model.qualified_name(call.func)
        given = [word.value for word in call.keywords if word.arg == "axis"] or call.args[1:2]
        if name in _EXPANDING:
            return not given or self._spelled.integer(given[0]) == 0
        if name in _LISTING and call.args:
            listed = call.args[0]
            return isinstance(listed, ast.List) and len(listed.elts) == 1
        reshaped = isinstance(call.func, ast.Attribute) and call.func.attr == "reshape"
        sizes = call.args[1:2] if name is not None else call.args[:1]
        if not reshaped or not sizes:
            return False
        first = sizes[0].elts[0] if isinstance(sizes[0], ast.Tuple | ast.List) else sizes[0]
        return self._spelled.integer(first) == 1
