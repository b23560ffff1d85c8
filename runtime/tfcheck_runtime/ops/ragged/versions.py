"""What public functions do with ragged tensors, element by element or by rows."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any, Final

from tfcheck_runtime.ops.array import (
    casting,
    filling,
    hot,
    identity,
    joining as array_joining,
    packing,
    reversing,
    selection,
    shaping,
    splitting,
    squeezing,
)
from tfcheck_runtime.ops.array.accumulating import cumsum
from tfcheck_runtime.ops.array.broadcasting import tile
from tfcheck_runtime.ops.array.gathering import gather
from tfcheck_runtime.ops.array.gathering_nd import gather_nd
from tfcheck_runtime.ops.control.functional import map_fn
from tfcheck_runtime.ops.linalg.matmul import matmul
from tfcheck_runtime.ops.linalg.moments import reduce_logsumexp
from tfcheck_runtime.ops.math import (
    arithmetic,
    comparison,
    complexes,
    counting,
    division,
    exponential,
    logic,
    rounding,
    special,
    trigonometric,
)
from tfcheck_runtime.ops.math.clipping import clip_by_value
from tfcheck_runtime.ops.nn import activations
from tfcheck_runtime.ops.nn.cross_entropy import sigmoid_cross_entropy_with_logits
from tfcheck_runtime.ops.nn.layers import embedding_lookup
from tfcheck_runtime.ops.nn.softmax import softmax
from tfcheck_runtime.ops.ragged import (
    arranging,
    cumulating,
    elementwise,
    gathering,
    grouping,
    indexing as _indexing,  # noqa: F401  # declares what `[]` does
    joining,
    mapping,
    reducing,
    sparse_forms,
)
from tfcheck_runtime.ops.ragged.broadcasting import broadcast
from tfcheck_runtime.ops.ragged.shape import shape as ragged_shape
from tfcheck_runtime.ops.ragged.spec import RaggedTensorSpec
from tfcheck_runtime.ops.ragged.tensor import RaggedTensor
from tfcheck_runtime.ops.random.dropout import dropout
from tfcheck_runtime.ops.sparse import counting as sparse_counting
from tfcheck_runtime.ops.sparse.embedding import embedding_lookup_sparse
from tfcheck_runtime.values import operators, versions
from tfcheck_runtime.values.convert import fitted

Function = Callable[..., Any]

_UNARY: Final[tuple[Function, ...]] = (
    *(arithmetic.abs, arithmetic.negative, arithmetic.sign, arithmetic.square),
    *(exponential.exp, exponential.expm1, exponential.log, exponential.log1p),
    *(exponential.sqrt, exponential.rsqrt, exponential.reciprocal, exponential.tanh),
    *(exponential.sigmoid, exponential.log_sigmoid, exponential.softplus),
    *(rounding.ceil, rounding.floor, rounding.rint, rounding.round),
    *(rounding.is_finite, rounding.is_inf, rounding.is_nan),
    *(logic.logical_not, logic.invert, division.reciprocal_no_nan),
    *(trigonometric.sin, trigonometric.cos, trigonometric.tan, trigonometric.asin),
    *(trigonometric.acos, trigonometric.atan, trigonometric.sinh, trigonometric.cosh),
    *(trigonometric.asinh, trigonometric.acosh, trigonometric.atanh),
    *(special.erf, special.erfc, special.erfinv, special.erfcinv, special.ndtri),
    *(special.lgamma, special.digamma),
    *(complexes.real, complexes.imag, complexes.conj, complexes.angle),
    *(casting.cast, casting.bitcast, identity.identity, identity.stop_gradient),
    *(filling.ones_like, filling.zeros_like, clip_by_value),
    *(activations.relu, activations.relu6, activations.leaky_relu, activations.elu),
    *(activations.selu, activations.gelu, activations.silu, activations.swish),
    activations.softsign,
)
_BINARY: Final[tuple[Function, ...]] = (
    *(arithmetic.add, arithmetic.subtract, arithmetic.multiply),
    *(arithmetic.maximum, arithmetic.minimum, arithmetic.squared_difference),
    *(comparison.equal, comparison.not_equal, comparison.less, comparison.less_equal),
    *(comparison.greater, comparison.greater_equal),
    *(division.divide, division.truediv, division.floordiv, division.floormod, division.mod),
    *(division.realdiv, division.truncatediv, division.truncatemod),
    *(division.divide_no_nan, division.multiply_no_nan),
    *(exponential.pow, exponential.xdivy, exponential.xlog1py, exponential.xlogy),
    *(logic.logical_and, logic.logical_or, logic.logical_xor),
    *(logic.bitwise_and, logic.bitwise_or, logic.bitwise_xor),
    *(logic.left_shift, logic.right_shift),
    *(trigonometric.atan2, rounding.nextafter, special.zeta, complexes.complex_),
    sigmoid_cross_entropy_with_logits,
)
_OPERATORS: Final = {
    **dict.fromkeys(("negative", "abs", "invert"), 1),
    **dict.fromkeys(("add", "subtract", "multiply", "truediv", "floordiv", "mod", "pow"), 2),
    **dict.fromkeys(("and", "or", "xor", "equal", "not_equal"), 2),
    **dict.fromkeys(("less", "less_equal", "greater", "greater_equal"), 2),
}
"""Operators by the number of their operands."""

_BY_ROWS: Final[tuple[tuple[Function, Function], ...]] = (
    *reducing.VERSIONS,
    (array_joining.concat, joining.concat),
    (packing.stack, joining.stack),
    (gather, gathering.gather),
    (gather_nd, gathering.gather_nd),
    (selection.where, elementwise.where),
    (squeezing.expand_dims, arranging.expand_dims),
    (squeezing.squeeze, arranging.squeeze),
    (tile, arranging.tile),
    (reversing.reverse, arranging.reverse),
    (shaping.shape, ragged_shape),
    (shaping.size, arranging.size),
    (shaping.rank, arranging.rank),
    (hot.one_hot, elementwise.one_hot),
    (softmax, elementwise.softmax),
    (dropout, elementwise.dropout),
    (map_fn, mapping.map_fn),
    (cumsum, cumulating.cumsum),
    (reduce_logsumexp, cumulating.reduce_logsumexp),
    (matmul, cumulating.matmul),
    (splitting.split, cumulating.split),
    (shaping.reshape, cumulating.flattened),
    (counting.bincount, sparse_forms.bincount),
    (sparse_counting.bincount, sparse_forms.sparse_bincount),
    (embedding_lookup_sparse, sparse_forms.embedding_lookup_sparse),
    *((function, grouping.segment_version(function)) for function in grouping.UNSORTED),
)
"""Functions that know of rows."""


def by_element(function: Function, operands: int) -> Function:
    """`function`, element by element on ragged tensors among its first `operands`."""
    names = tuple(inspect.signature(function).parameters)[:operands]

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        given = (*args[:operands], *(kwargs[name] for name in names if name in kwargs))
        flat, around = broadcast(_alike(given))
        rest = {name: value for name, value in kwargs.items() if name not in names}
        return around(function(*flat, *args[operands:], **rest))

    return call


def _alike(values: Iterable[Any]) -> list[Any]:
    """Plain operands as tensors: Python data takes the dtype of the ragged one."""
    listed = list(values)
    dtype = next(v.dtype for v in listed if isinstance(v, RaggedTensor))
    return [v if isinstance(v, RaggedTensor) else fitted(v, dtype) for v in listed]


def _add_n(inputs: Any, name: str | None = None) -> Any:
    first, *rest = inputs
    for value in rest:
        first = versions.aware(arithmetic.add)(first, value)
    return first


def _looked_up(params: Any, ids: RaggedTensor, max_norm: Any = None, name: Any = None) -> Any:
    made = embedding_lookup(params, ids.flat_values, max_norm=max_norm)
    return ids.with_flat_values(made)


for _functions, _operands in ((_UNARY, 1), (_BINARY, 2)):
    for _function in _functions:
        versions.register(_function, RaggedTensor, by_element(_function, _operands))

for _name, _count in _OPERATORS.items():
    _version = by_element(operators.implementation(_name), _count)
    versions.register_operator(_name, RaggedTensor, _version)

for _function, _version in _BY_ROWS:
    versions.register(_function, RaggedTensor, _version)

versions.register_operator("matmul", RaggedTensor, cumulating.matmul)
versions.register(map_fn, RaggedTensorSpec, mapping.map_fn)
versions.register(arithmetic.add_n, RaggedTensor, _add_n)
versions.register(embedding_lookup, RaggedTensor, _looked_up)
