"""What public functions do with sparse tensors and with slices."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, Final

from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.identity import identity, stop_gradient
from tfcheck_runtime.ops.array.products import reduce_prod
from tfcheck_runtime.ops.array.shaping import rank, shape, size
from tfcheck_runtime.ops.math import arithmetic, division, exponential, special, trigonometric
from tfcheck_runtime.ops.math.clipping import clip_by_norm, clip_by_value
from tfcheck_runtime.ops.sparse import counting as _counting  # noqa: F401  # enters its own
from tfcheck_runtime.ops.sparse.dense_operands import divided
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import as_dtype
from tfcheck_runtime.values import versions
from tfcheck_runtime.values.indexed_slices import IndexedSlices
from tfcheck_runtime.values.sparse_tensor import SparseTensor
from tfcheck_runtime.values.tensor import Tensor

Function = Callable[..., Any]

_OF_VALUES: Final[tuple[Function, ...]] = (
    *(arithmetic.abs, arithmetic.negative, arithmetic.sign, arithmetic.square),
    *(exponential.sqrt, exponential.tanh, special.erf),
    *(trigonometric.sin, trigonometric.tan, trigonometric.asin, trigonometric.asinh),
    *(trigonometric.atan, trigonometric.atanh),
    *(cast, identity, stop_gradient),
)
"""What is zero for zero: TensorFlow applies it to the values of sparse tensors."""

_OF_ROWS: Final[tuple[Function, ...]] = (
    *(cast, identity, stop_gradient),
    *(clip_by_norm, clip_by_value),
)
"""What TensorFlow applies to the rows of slices; other functions get the whole tensor."""


def _on_values(function: Function) -> Function:
    name = next(iter(inspect.signature(function).parameters))

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> SparseTensor:
        sparse, rest = (args[0], args[1:]) if args else (kwargs.pop(name), ())
        made = function(sparse.values, *rest, **kwargs)
        return SparseTensor(sparse.indices, made, sparse.dense_shape)

    return call


def _on_rows(function: Function) -> Function:
    name = next(iter(inspect.signature(function).parameters))

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> IndexedSlices:
        slices, rest = (args[0], args[1:]) if args else (kwargs.pop(name), ())
        made: IndexedSlices = slices.with_rows(function(slices.values, *rest, **kwargs))
        return made

    return call


def _shape(input: SparseTensor, out_type: object = dtypes.int32, name: str | None = None) -> Tensor:
    return cast(input.dense_shape, as_dtype(out_type or dtypes.int32), name=name)


def _size(input: SparseTensor, out_type: object = dtypes.int32, name: str | None = None) -> Tensor:
    return reduce_prod(cast(input.dense_shape, as_dtype(out_type)), name=name)


def _rank(input: SparseTensor, name: str | None = None) -> Tensor:
    return size(input.dense_shape, name=name)


def _scaled(scalar: object, x: IndexedSlices, name: str | None = None) -> IndexedSlices:
    return x.with_rows(arithmetic.scalar_mul(scalar, x.values, name=name))


for _function in _OF_VALUES:
    versions.register(_function, SparseTensor, _on_values(_function))
for _function in _OF_ROWS:
    versions.register(_function, IndexedSlices, _on_rows(_function))
versions.register(shape, SparseTensor, _shape)
versions.register(size, SparseTensor, _size)
versions.register(rank, SparseTensor, _rank)
versions.register(division.divide, SparseTensor, divided)
versions.register(arithmetic.scalar_mul, IndexedSlices, _scaled)
