"""TFC705: datasets that carry big arrays in their graph."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tfcheck.diagnostics import Severity
from tfcheck.lint.data_sizes import DataSizes
from tfcheck.lint.rule import Rule

_SOURCES = {f"tensorflow.data.Dataset.from_{name}" for name in ("tensors", "tensor_slices")}
_LARGE = 10_000_000


class DatasetCapturesPythonState(Rule):
    """A dataset is made of a big array, which its graph carries.

    Why:
        `from_tensors` and `from_tensor_slices` put the array into the graph of the dataset as a
        constant. Its memory is taken several times, and more than 2 GB do not fit.

    Bad:
        import numpy as np
        import tensorflow as tf

        images = np.zeros((60000, 28, 28), np.float32)
        ds = tf.data.Dataset.from_tensor_slices(images).map(lambda x: x / 255.0)  # TFC705

    Good:
        import numpy as np
        import tensorflow as tf

        images = np.zeros((60000, 28, 28), np.float32)
        spec = tf.TensorSpec((28, 28), tf.float32)
        ds = tf.data.Dataset.from_generator(lambda: iter(images), output_signature=spec)
        ds = ds.map(lambda x: x / 255.0)

    Not flagged:
        Fewer than 10 000 000 elements, and arrays of unknown size. What the functions of a
        dataset read and change is looked at by TFC2xx and TFC3xx. This is advice and shown on
        request.
    """

    code = "TFC705"
    since = "0.1"
    severity = Severity.INFO

    def check_file(self) -> None:
        """Look at what datasets are made of."""
        sizes = DataSizes(self.model)
        for call in self.model.index.calls():
            if self.model.qualified_name(call.func) not in _SOURCES or not call.args:
                continue
            for part in _parts(call.args[0]):
                count = sizes.elements(part)
                if count is not None and count >= _LARGE:
                    self.report(
                        part,
                        f"`{self.text(part)}` ({count} elements) becomes a constant of the dataset",
                        hint="read it in pieces: `from_generator`, or files with `tf.data`",
                    )


def _parts(node: ast.expr) -> Iterator[ast.expr]:
    match node:
        case ast.Tuple() | ast.List():
            yield from node.elts
        case ast.Dict():
            yield from node.values
        case _:
            yield node
