"""What `tf.io.parse_example` and its kin shall find: the kinds of features.

Follows https://www.tensorflow.org/api_docs/python/tf/io/FixedLenFeature and its siblings.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from tfcheck_runtime.specs import dtypes


class FixedLenFeature(NamedTuple):
    """As many values in each example as `shape` holds; `default_value` stands for a missing one."""

    shape: Any
    dtype: Any
    default_value: Any = None


class FixedLenSequenceFeature(NamedTuple):
    """A varying number of parts of a shape, padded in batches."""

    shape: Any
    dtype: Any
    allow_missing: bool = False
    default_value: Any = None


class VarLenFeature(NamedTuple):
    """A varying number of values, as a sparse tensor."""

    dtype: Any


class SparseFeature(NamedTuple):
    """A sparse tensor whose indices and values are features of their own."""

    index_key: Any
    value_key: str
    dtype: Any
    size: Any
    already_sorted: bool = False


class RaggedFeature(NamedTuple):
    """A varying number of values, as a row of a ragged tensor.

    `partitions`, which cut the values into rows of their own, are not supported.
    """

    dtype: Any
    value_key: str | None = None
    partitions: tuple[Any, ...] = ()
    row_splits_dtype: Any = dtypes.int32
    validate: bool = False
