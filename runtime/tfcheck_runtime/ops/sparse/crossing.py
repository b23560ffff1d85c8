"""Crosses of features: the product of what stands in the same rows of several tensors."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any, Final

import numpy as np

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Aval, Op, case, define
from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.examples import i64
from tfcheck_runtime.ops.array.fingerprints import farm, joined
from tfcheck_runtime.ops.sparse.parts import parts_of
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.values.sparse_tensor import SparseTensor
from tfcheck_runtime.values.tensor import Tensor, apply_n

DEFAULT_KEY: Final = 0xDECAFCAFFE
"""What TensorFlow's own hashes of crosses start from."""
_LARGEST: Final = 2**63 - 1


def hashed(features: Sequence[Any], key: int, buckets: int) -> int:
    """The bucket of a combination of features; any non-negative int64 where there are none."""
    code = key & (2**64 - 1)
    for feature in features:
        own = farm(feature) if isinstance(feature, bytes) else int(feature) & (2**64 - 1)
        code = joined(code, own)
    return code % (buckets or _LARGEST)


def spelled(features: Sequence[Any], separator: bytes) -> bytes:
    """The texts of a combination of features, side by side."""
    texts = (f if isinstance(f, bytes) else str(int(f)).encode() for f in features)
    return separator.join(texts)


class _Cross(Op):
    """The crosses of each row: sparse features first, then dense ones."""

    def __init__(self, op_type: str, *, hashes: bool) -> None:
        self.type = op_type
        self._hashes = hashes
        own = {"buckets": 10, "key": 5} if hashes else {"separator": "_X_"}
        ab = np.array([[b"a"], [b"b"]], object)
        self.cases = (
            case(i64([[0, 0], [0, 1]]), i64([7, 8]), i64([2, 2]), ab, sparse=1, **own),
            case(ab, ab, sparse=0, **own),
        )

    def infer(self, *inputs: Aval, sparse: int, **options: Any) -> tuple[Aval, Aval, Aval]:
        return parts_of(dtypes.int64 if self._hashes else dtypes.string, 2)

    def eager(self, *inputs: Array, sparse: int, **options: Any) -> tuple[Array, Array, Array]:
        columns = [_sparse_rows(*inputs[i : 3 * sparse : sparse]) for i in range(sparse)]
        columns += [value.tolist() for value in inputs[3 * sparse :]]
        _check_batch(columns, self.type)
        rows = [[self._made(f, options) for f in product(*row)]
                for row in zip(*columns, strict=True)]  # fmt: skip
        places = [(i, j) for i, row in enumerate(rows) for j in range(len(row))]
        made: Array = np.empty(len(places), np.int64 if self._hashes else object)
        made[:] = [value for row in rows for value in row]
        widest = max(map(len, rows), default=0)
        return (
            np.array(places, np.int64).reshape(-1, 2),
            made,
            np.array([len(rows), widest], np.int64),
        )

    def _made(self, features: Sequence[Any], options: dict[str, Any]) -> int | bytes:
        if self._hashes:
            return hashed(features, options["key"], options["buckets"])
        return spelled(features, options["separator"].encode())


def _sparse_rows(indices: Array, values: Array, shape: Array) -> list[list[Any]]:
    rows: list[list[Any]] = [[] for _ in range(int(shape[0]))]
    for row, value in zip(indices[:, 0].tolist(), values.tolist(), strict=True):
        rows[row].append(value)
    return rows


def _check_batch(columns: Sequence[Sequence[Any]], op_type: str) -> None:
    for i, column in enumerate(columns):
        if len(column) != len(columns[0]):
            raise invalid_argument(
                f"Expected batch size {len(columns[0])} got {len(column)} at dense tensor {i}",
                op_type,
            )


cross_op = define(_Cross("SparseCrossV2", hashes=False))
cross_hashed_op = define(_Cross("SparseCross", hashes=True))


def cross(
    inputs: Sequence[object], name: str | None = None, separator: str | None = None
) -> SparseTensor:
    """The combinations of what stands in each row, as text.

    https://www.tensorflow.org/api_docs/python/tf/sparse/cross

    Args:
        inputs: sparse or dense matrices of strings or integers, of one number of rows.
        name: of the node.
        separator: between the texts; `_X_` by default.

    Raises:
        TypeError: an input is neither.
        InvalidArgumentError: numbers of rows differ.
    """
    count, parts = _operands(inputs)
    made = apply_n(
        cross_op, *parts, name=name or cross_op.type, sparse=count,
        separator="_X_" if separator is None else separator,
    )  # fmt: skip
    return SparseTensor(*made)


def cross_hashed(
    inputs: Sequence[object],
    num_buckets: int = 0,
    hash_key: int | None = None,
    name: str | None = None,
) -> SparseTensor:
    """The combinations of what stands in each row, as numbers below `num_buckets`.

    https://www.tensorflow.org/api_docs/python/tf/sparse/cross_hashed

    Args:
        inputs: sparse or dense matrices of strings or integers, of one number of rows.
        num_buckets: how many numbers there are; 0 for all.
        hash_key: what the hash starts from.
        name: of the node.

    Raises:
        TypeError: an input is neither.
    """
    count, parts = _operands(inputs)
    made = apply_n(
        cross_hashed_op, *parts, name=name or cross_hashed_op.type, sparse=count,
        buckets=num_buckets, key=DEFAULT_KEY if hash_key is None else hash_key,
    )  # fmt: skip
    return SparseTensor(*made)


def _operands(inputs: Sequence[object]) -> tuple[int, list[Tensor]]:
    if not all(isinstance(value, Tensor | SparseTensor) for value in inputs):
        raise TypeError("All inputs must be Tensor or SparseTensor.")
    sparse = [value for value in inputs if isinstance(value, SparseTensor)]
    dense = [_feature(value) for value in inputs if isinstance(value, Tensor)]
    parts = [
        *(s.indices for s in sparse),
        *(_feature(s.values) for s in sparse),
        *(s.dense_shape for s in sparse),
    ]
    return len(sparse), [*parts, *dense]


def _feature(values: Tensor) -> Tensor:
    return values if values.dtype is dtypes.string else cast(values, dtypes.int64)
