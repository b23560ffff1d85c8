"""Strings split at separators; run on the host."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcheck_runtime.op import Array, Aval, Op, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.ragged.tensor import RaggedTensor
from tfcheck_runtime.ops.strings.elements import strings
from tfcheck_runtime.ops.strings.parts import rows_of_parts
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply_n

Values = Any  # a tensor, or a ragged tensor


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


def split(input: Any, sep: object = None, maxsplit: int = -1, name: str | None = None) -> Values:
    """The parts of each string between separators, by default white space, a row per string.

    https://www.tensorflow.org/api_docs/python/tf/strings/split

    Args:
        input: strings of any rank, dense or ragged; a single one gives a vector.
        sep: the separator; white space of any length by default.
        maxsplit: how often to split at most; -1 for no limit.
        name: of the node.

    Raises:
        ValueError: the rank of `input` is not known.
    """
    separator = convert_to_tensor("" if sep is None else sep, dtypes.string)
    label = f"{name or 'StringSplit'}/StringSplitV2"

    def parts(text: Tensor) -> tuple[Tensor, ...]:
        indices, values, shape = apply_n(split_op, text, separator, name=label, maxsplit=maxsplit)
        rows: Any = indices
        sizes: Any = shape
        made: RaggedTensor = RaggedTensor.from_value_rowids(
            values, rows[:, 0], sizes[0], validate=False
        )
        return made.row_splits, values

    return rows_of_parts(input, parts)[0]
