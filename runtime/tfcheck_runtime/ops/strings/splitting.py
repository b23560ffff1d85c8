"""Strings split into parts; run on the host.

TensorFlow gives a ragged tensor for tensors of strings; here a single string can be split.
"""

from __future__ import annotations

import numpy as np

from tfcheck_runtime.op import Array, Aval, Op, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.strings.elements import string_tensor, strings
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply_n


class _Split(Op):
    """The parts of a vector of strings: their indices, the parts, and the size of both."""

    type = "StringSplitV2"
    cases = (
        case(strings(b"a b  c", b"d"), strings(b"")[0], maxsplit=-1),
        case(strings(b"a,b,,c"), strings(b",")[0], maxsplit=2, unknown=((0, 0),)),
    )

    def infer(self, input: Aval, sep: Aval, *, maxsplit: int) -> tuple[Aval, Aval, Aval]:
        known.check_rank(input, 1, "input")
        return (
            Aval(dtypes.int64, (None, 2)),
            Aval(dtypes.string, (None,)),
            Aval(dtypes.int64, (2,)),
        )

    def eager(self, input: Array, sep: Array, *, maxsplit: int) -> tuple[Array, Array, Array]:
        by = sep[()] or None
        rows: list[list[bytes]] = [text.split(by, maxsplit) for text in input.tolist()]
        indices = [(i, j) for i, row in enumerate(rows) for j in range(len(row))]
        parts = strings(*[part for row in rows for part in row])
        size = [len(rows), max((len(row) for row in rows), default=0)]
        return np.array(indices, np.int64).reshape(-1, 2), parts, np.array(size, np.int64)


split_op = define(_Split())


def split(input: object, sep: object = None, maxsplit: int = -1, name: str | None = None) -> Tensor:
    """The parts of a string between separators, by default white space.

    https://www.tensorflow.org/api_docs/python/tf/strings/split

    Raises:
        NotImplementedError: `input` is no scalar, which would need a ragged tensor.
    """
    text = string_tensor(input)
    if text.ndim != 0:
        raise NotImplementedError(
            "tf.strings.split of more than one string gives a ragged tensor, which is not"
            f" supported; got shape {text.shape}: split scalars, for instance with tf.map_fn"
        )
    separator = convert_to_tensor("" if sep is None else sep, dtypes.string)
    row: Tensor = text[None]
    parts = apply_n(
        split_op, row, separator, name=f"{name or 'StringSplit'}/StringSplitV2", maxsplit=maxsplit
    )
    return parts[1]
