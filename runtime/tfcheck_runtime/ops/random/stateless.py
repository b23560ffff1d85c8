"""Random ops whose result depends on their seed alone: `tf.random.stateless_uniform` and its kin.

https://www.tensorflow.org/api_docs/python/tf/random; they run on the host.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from math import prod
from typing import Final

import numpy as np

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Aval, Op, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.examples import f32, i32, i64
from tfcheck_runtime.ops.array.filling import zeros_like
from tfcheck_runtime.ops.array.packing import stack
from tfcheck_runtime.ops.math.arithmetic import add
from tfcheck_runtime.ops.random import distributions, sampling
from tfcheck_runtime.ops.random.philox import Philox, scramble
from tfcheck_runtime.ops.random.stateful import (
    between,
    categorical_shape,
    checked_bounds,
    checked_categories,
    checked_sizes,
    over_beta,
    scaled,
    shape_tensor,
)
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import DType, as_dtype
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply, apply_n

PHILOX: Final = 1
"""TensorFlow's number for the algorithm."""

_KEY: Final = np.array([0x123456789ABCDEF], np.uint64)
_COUNTER: Final = np.array([3, 4], np.uint64)
_HALF: Final = 1 << 64


def _position(key: Array, counter: Array) -> Philox:
    low, high = (int(c) for c in counter)
    return Philox(int(key[0]), low | high << 64)


class _KeyCounter(Op):
    """The key and counter that a seed of two integers stands for."""

    type = "StatelessRandomGetKeyCounter"
    cases = (case(i32([1, 2])), case(i64([-1, 1 << 40])))

    def infer(self, seed: Aval) -> tuple[Aval, Aval]:
        return Aval(dtypes.uint64, (1,)), Aval(dtypes.uint64, (2,))

    def eager(self, seed: Array) -> tuple[Array, Array]:
        position = checked_seed(seed, self.type)
        counter = [position.counter % _HALF, position.counter >> 64]
        return np.array([position.key], np.uint64), np.array(counter, np.uint64)


def checked_seed(seed: Array, op_type: str) -> Philox:
    """Where the stream of a two-element seed starts.

    Raises:
        InvalidArgumentError: it has another shape.
    """
    if seed.shape != (2,):
        raise invalid_argument(f"seed must have shape [2], not {list(seed.shape)}", op_type)
    return scramble(seed)


class _Fill(Op):
    """Independent draws from one distribution at a key and counter."""

    def __init__(
        self, op_type: str, draw: Callable[[Philox, int, DType], Array], example: DType
    ) -> None:
        self.type = op_type
        self.draw = draw
        alg = np.int32(PHILOX)
        self.cases = (case(i32([2, 3]), _KEY, _COUNTER, alg, dtype=example),)

    def infer(self, shape: Aval, key: Aval, counter: Aval, alg: Aval, *, dtype: DType) -> Aval:
        return Aval(dtype, known.as_shape(shape))

    def eager(self, shape: Array, key: Array, counter: Array, alg: Array, *, dtype: DType) -> Array:
        sizes = checked_sizes(shape, self.type)
        return self.draw(_position(key, counter), prod(sizes), dtype).reshape(sizes)


class _UniformInt(Op):
    """Integers in [low, high) at a key and counter."""

    type = "StatelessRandomUniformIntV2"
    cases = (case(i32([4]), _KEY, _COUNTER, np.int32(PHILOX), i64(-3), i64(1 << 40)),)

    def infer(
        self, shape: Aval, key: Aval, counter: Aval, alg: Aval, low: Aval, high: Aval
    ) -> Aval:
        return Aval(low.dtype, known.as_shape(shape))

    def eager(
        self, shape: Array, key: Array, counter: Array, alg: Array, low: Array, high: Array
    ) -> Array:
        sizes = checked_sizes(shape, self.type)
        bounds = checked_bounds(low, high, self.type)
        drawn = distributions.integers(
            _position(key, counter), prod(sizes), bounds, dtype=as_dtype(low.dtype)
        )
        return drawn.reshape(sizes)


class _Multinomial(Op):
    """Classes drawn by the log-odds in the rows of a matrix."""

    type = "StatelessMultinomial"
    cases = (
        case(
            f32([[1, 2, 3]]), i32(4), i32([1, 2]), output_dtype=dtypes.int64,
            unknown=((0, 0),),
        ),
    )  # fmt: skip

    def infer(self, logits: Aval, num_samples: Aval, seed: Aval, *, output_dtype: DType) -> Aval:
        return Aval(output_dtype, categorical_shape(logits, num_samples))

    def eager(
        self, logits: Array, num_samples: Array, seed: Array, *, output_dtype: DType
    ) -> Array:
        samples = checked_categories(logits, num_samples, self.type)
        position = checked_seed(seed, self.type)
        return sampling.categories(position, logits, samples).astype(output_dtype.numpy)


class _Shuffle(Op):
    """The rows of a tensor in random order."""

    type = "StatelessShuffle"
    cases = (case(np.arange(5), _KEY, _COUNTER, np.int32(PHILOX), unknown=((0, 0),)),)

    def infer(self, value: Aval, key: Aval, counter: Aval, alg: Aval) -> Aval:
        return Aval(value.dtype, value.shape)

    def eager(self, value: Array, key: Array, counter: Array, alg: Array) -> Array:
        order = sampling.permutation(_position(key, counter), len(value))
        return value[order]


class _Gamma(Op):
    """Gamma draws at a key and counter; the last axes of `shape` are those of `alpha`."""

    type = "StatelessRandomGammaV3"
    cases = (case(i32([3, 2]), _KEY, _COUNTER, np.int32(PHILOX), f32([0.5, 2])),)

    def infer(self, shape: Aval, key: Aval, counter: Aval, alg: Aval, alpha: Aval) -> Aval:
        return Aval(alpha.dtype, known.as_shape(shape))

    def eager(self, shape: Array, key: Array, counter: Array, alg: Array, alpha: Array) -> Array:
        sizes = checked_sizes(shape, self.type)
        samples = prod(sizes) // max(alpha.size, 1)
        alphas = alpha.reshape(-1).astype(np.float64)
        drawn = sampling.gamma_numbers(_position(key, counter), alphas, samples)
        return drawn.reshape(sizes).astype(alpha.dtype)


class _Poisson(Op):
    """Poisson draws by a seed; the last axes of `shape` are those of the rates."""

    type = "StatelessRandomPoisson"
    cases = (case(i32([3, 2]), i32([1, 2]), f32([0.5, 20]), dtype=dtypes.int32),)

    def infer(self, shape: Aval, seed: Aval, rate: Aval, *, dtype: DType) -> Aval:
        return Aval(dtype, known.as_shape(shape))

    def eager(self, shape: Array, seed: Array, rate: Array, *, dtype: DType) -> Array:
        sizes = checked_sizes(shape, self.type)
        samples = prod(sizes) // max(rate.size, 1)
        rates = rate.reshape(-1).astype(np.float64)
        drawn = sampling.poisson_numbers(checked_seed(seed, self.type), rates, samples)
        return drawn.reshape(sizes).astype(dtype.numpy)


key_counter_op = define(_KeyCounter())
uniform_op = define(
    _Fill("StatelessRandomUniformV2", distributions.uniform_numbers, dtypes.float32)
)
full_int_op = define(
    _Fill("StatelessRandomUniformFullIntV2", distributions.full_integers, dtypes.int32)
)
normal_op = define(_Fill("StatelessRandomNormalV2", distributions.normal_numbers, dtypes.float64))
truncated_normal_op = define(
    _Fill("StatelessTruncatedNormalV2", distributions.truncated_normal_numbers, dtypes.float32)
)
uniform_int_op = define(_UniformInt())
multinomial_op = define(_Multinomial())
shuffle_op = define(_Shuffle())
gamma_op = define(_Gamma())
poisson_op = define(_Poisson())


_UNIFORM: Final = (
    "float16", "bfloat16", "float32", "float64", "int32", "int64", "uint32", "uint64",
)  # fmt: skip


def _keyed(seed: object, alg: object, name: str) -> tuple[Tensor, Tensor, Tensor]:
    """Key, counter and algorithm, the inputs of the ops above."""
    check_algorithm(alg)
    key, counter = apply_n(
        key_counter_op, convert_to_tensor(seed), name=f"{name}/StatelessRandomGetKeyCounter"
    )
    return key, counter, convert_to_tensor(PHILOX)


class Algorithm(enum.Enum):
    """Random number algorithms (https://www.tensorflow.org/api_docs/python/tf/random/Algorithm)."""

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


def check_algorithm(alg: object) -> None:
    """Check that an algorithm is Philox, the default on CPUs.

    Raises:
        NotImplementedError: it is another one.
        ValueError: there is no such algorithm.
    """
    alg = alg.value if isinstance(alg, Algorithm) else alg
    if alg in (PHILOX, "philox", "auto_select", 3, None):
        return
    if alg not in (2, "threefry"):
        raise ValueError(f"Unsupported algorithm {alg!r}: expected 'philox' or 'auto_select'")
    raise NotImplementedError(
        f"random numbers by {alg!r} are not supported; use 'philox' or 'auto_select'"
    )


def stateless_uniform(
    shape: object,
    seed: object,
    minval: object = 0,
    maxval: object = None,
    dtype: object = dtypes.float32,
    name: str | None = None,
    alg: object = "auto_select",
) -> Tensor:
    """Uniform numbers in [minval, maxval) that depend on `seed` alone.

    https://www.tensorflow.org/api_docs/python/tf/random/stateless_uniform

    Raises:
        ValueError: the dtype is another than floats and integers of 32 and 64 bits; for integers,
            only one bound is given, or bounds for unsigned ones.
        InvalidArgumentError: `seed` has not two elements.
    """
    kind, label = as_dtype(dtype), name or "stateless_random_uniform"
    if kind.name not in _UNIFORM:
        names = ", ".join(f"tf.{n}" for n in _UNIFORM)
        raise ValueError(
            f"Argument `dtype` got invalid value {kind}. Accepted dtypes are ({names})."
        )
    if kind.is_integer:
        _check_integer_bounds(kind, minval, maxval)
    keyed = _keyed(seed, alg, label)
    return drawn_uniform(shape_tensor(shape), keyed, (minval, maxval), dtype=kind, name=label)


def _check_integer_bounds(dtype: DType, minval: object, maxval: object) -> None:
    if (minval is None) != (maxval is None):
        raise ValueError(
            f"For integer `dtype` argument {dtype}, argument `minval` and `maxval` must be both"
            f" None or not None. Got `minval`={minval} and `maxval`={maxval}."
        )
    if minval is not None and dtype.is_unsigned:
        raise ValueError(
            f"Argument `dtype` got invalid value {dtype} when argument `minval` is not None."
            " Please don't use unsigned integers in this case."
        )


def drawn_uniform(
    sizes: Tensor,
    keyed: tuple[Tensor, Tensor, Tensor],
    bounds: tuple[object, object],
    *,
    dtype: DType,
    name: str,
) -> Tensor:
    """Uniform numbers at a key and counter; integers over their whole range without bounds."""
    low, high = bounds
    if not dtype.is_integer:
        drawn = apply(uniform_op, sizes, *keyed, dtype=dtype, name=f"{name}/{uniform_op.type}")
        return between(drawn, low, 1 if high is None else high, name=name)
    if low is None:
        return apply(full_int_op, sizes, *keyed, dtype=dtype, name=name)
    ends = convert_to_tensor(low, dtype), convert_to_tensor(high, dtype)
    return apply(uniform_int_op, sizes, *keyed, *ends, name=name)


def stateless_normal(
    shape: object,
    seed: object,
    mean: object = 0.0,
    stddev: object = 1.0,
    dtype: object = dtypes.float32,
    name: str | None = None,
    alg: object = "auto_select",
) -> Tensor:
    """Normal numbers that depend on `seed` alone.

    https://www.tensorflow.org/api_docs/python/tf/random/stateless_normal
    """
    label = name or "stateless_random_normal"
    drawn = _fill(normal_op, shape, seed, dtype=dtype, alg=alg, name=label)
    return scaled(drawn, mean, stddev, name=label)


def stateless_truncated_normal(
    shape: object,
    seed: object,
    mean: object = 0.0,
    stddev: object = 1.0,
    dtype: object = dtypes.float32,
    name: str | None = None,
    alg: object = "auto_select",
) -> Tensor:
    """Normal numbers within two deviations of the mean that depend on `seed` alone.

    https://www.tensorflow.org/api_docs/python/tf/random/stateless_truncated_normal
    """
    label = name or "stateless_truncated_normal"
    drawn = _fill(truncated_normal_op, shape, seed, dtype=dtype, alg=alg, name=label)
    return scaled(drawn, mean, stddev, name=label)


def _fill(op: Op, shape: object, seed: object, *, dtype: object, alg: object, name: str) -> Tensor:
    keyed = _keyed(seed, alg, name)
    return apply(op, shape_tensor(shape), *keyed, dtype=as_dtype(dtype), name=f"{name}/{op.type}")


def stateless_categorical(
    logits: object,
    num_samples: object,
    seed: object,
    dtype: object = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """Classes drawn by unnormalised log-odds that depend on `seed` alone.

    https://www.tensorflow.org/api_docs/python/tf/random/stateless_categorical
    """
    return apply(
        multinomial_op, convert_to_tensor(logits), convert_to_tensor(num_samples, dtypes.int32),
        convert_to_tensor(seed), output_dtype=as_dtype(dtype),
        name=f"{name or 'stateless_categorical'}/StatelessMultinomial",
    )  # fmt: skip


def stateless_shuffle(
    value: object, seed: object, alg: object = "auto_select", name: str | None = None
) -> Tensor:
    """The rows of `value` in an order that depends on `seed` alone.

    https://www.tensorflow.org/api_docs/python/tf/random/experimental/stateless_shuffle
    """
    label = name or "stateless_shuffle"
    keyed = _keyed(seed, alg, label)
    return apply(shuffle_op, convert_to_tensor(value), *keyed, name=f"{label}/StatelessShuffle")


def stateless_gamma(
    shape: object,
    seed: object,
    alpha: object,
    beta: object = None,
    dtype: object = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Gamma numbers that depend on `seed` alone; alpha and beta broadcast to `shape`.

    https://www.tensorflow.org/api_docs/python/tf/random/stateless_gamma
    """
    kind, label = as_dtype(dtype), name or "stateless_random_gamma"
    sizes = shape_tensor(shape)
    alphas = convert_to_tensor(alpha, kind)
    betas = convert_to_tensor(1 if beta is None else beta, kind)
    repeated = add(alphas, zeros_like(betas))
    keyed = _keyed(seed, None, label)
    drawn = apply(gamma_op, sizes, *keyed, repeated, name=f"{label}/{gamma_op.type}")
    return over_beta(drawn, betas, name=label)


def stateless_poisson(
    shape: object,
    seed: object,
    lam: object,
    dtype: object = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """Poisson numbers that depend on `seed` alone; the rates broadcast to `shape`.

    https://www.tensorflow.org/api_docs/python/tf/random/stateless_poisson
    """
    return apply(
        poisson_op, shape_tensor(shape), convert_to_tensor(seed),
        convert_to_tensor(lam, dtype_hint=dtypes.float32), dtype=as_dtype(dtype),
        name=f"{name or 'stateless_random_poisson'}/StatelessRandomPoisson",
    )  # fmt: skip


def split(seed: object, num: int = 2, alg: object = "auto_select") -> Tensor:
    """`num` new seeds from one: a matrix with a row each.

    https://www.tensorflow.org/api_docs/python/tf/random/split
    """
    tensor = convert_to_tensor(seed)
    return stateless_uniform([num, 2], tensor, None, None, tensor.dtype, alg=alg)


def fold_in(seed: object, data: object, alg: object = "auto_select") -> Tensor:
    """A new seed from one and an integer.

    https://www.tensorflow.org/api_docs/python/tf/random/fold_in
    """
    tensor = convert_to_tensor(data)
    first = stateless_uniform([], seed, None, None, tensor.dtype, alg=alg)
    return stack([first, tensor])
