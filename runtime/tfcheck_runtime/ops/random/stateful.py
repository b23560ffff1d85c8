"""Random ops that keep a position in a stream: `tf.random.uniform` and its kin.

They run on the host, in program order; https://www.tensorflow.org/api_docs/python/tf/random.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, Final

import numpy as np

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Aval, Op, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.examples import f32, i32, i64
from tfcheck_runtime.ops.array.filling import zeros_like
from tfcheck_runtime.ops.math.arithmetic import add, maximum, multiply, subtract
from tfcheck_runtime.ops.math.division import realdiv
from tfcheck_runtime.ops.random import distributions, sampling
from tfcheck_runtime.ops.random.philox import Philox
from tfcheck_runtime.ops.random.seeds import Seeds, Stream, next_seeds, stream
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import DType, as_dtype
from tfcheck_runtime.specs.shapes import Shape
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply

_FLOATS: Final = ("float16", "bfloat16", "float32", "float64")
_INTS: Final = ("int32", "int64")


def _example() -> dict[str, Any]:
    return {"seed": 1, "seed2": 2, "stream": Stream(Philox.from_seeds(1, 2))}


def checked_sizes(shape: Array, op_type: str) -> tuple[int, ...]:
    """The sizes a shape tensor holds.

    Raises:
        InvalidArgumentError: it is no vector, or a size is negative.
    """
    if shape.ndim != 1:
        raise invalid_argument(
            f"shape must be a vector of {{int32,int64}}, got shape {list(shape.shape)}", op_type
        )
    negative = shape[shape < 0]
    if negative.size:
        raise invalid_argument(f"Dimension {negative[0]} must be >= 0", op_type)
    return tuple(int(s) for s in shape.tolist())


class _Fill(Op):
    """Independent draws from one distribution, in the shape asked for."""

    stateful = True

    def __init__(self, op_type: str, draw: Callable[[Philox, int, DType], Array]) -> None:
        self.type = op_type
        self.draw = draw
        self.cases = (
            case(i32([2, 3]), dtype=dtypes.float32, **_example()),
            case(i64([5]), dtype=dtypes.float64, **_example()),
        )

    def infer(self, shape: Aval, *, dtype: DType, seed: int, seed2: int, stream: Stream) -> Aval:
        return Aval(dtype, known.as_shape(shape))

    def eager(self, shape: Array, *, dtype: DType, seed: int, seed2: int, stream: Stream) -> Array:
        sizes = checked_sizes(shape, self.type)
        count = prod(sizes)
        return self.draw(stream.reserve_outputs(count), count, dtype).reshape(sizes)


class _UniformInt(Op):
    """Integers in [low, high)."""

    type = "RandomUniformInt"
    stateful = True
    cases = (case(i32([4]), i32(0), i32(9), **_example()),)

    def infer(
        self, shape: Aval, low: Aval, high: Aval, *, seed: int, seed2: int, stream: Stream
    ) -> Aval:
        return Aval(low.dtype, known.as_shape(shape))

    def eager(
        self, shape: Array, low: Array, high: Array, *, seed: int, seed2: int, stream: Stream
    ) -> Array:
        sizes = checked_sizes(shape, self.type)
        count = prod(sizes)
        bounds = checked_bounds(low, high, self.type)
        position = stream.reserve_outputs(count)
        drawn = distributions.integers(position, count, bounds, dtype=as_dtype(low.dtype))
        return drawn.reshape(sizes)


def checked_bounds(low: Array, high: Array, op_type: str) -> tuple[int, int]:
    """The bounds of a range of integers.

    Raises:
        InvalidArgumentError: the range is empty.
    """
    if low >= high:
        raise invalid_argument(f"Need minval < maxval, got {low} >= {high}", op_type)
    return int(low), int(high)


class _Shuffle(Op):
    """The rows of a tensor in random order."""

    type = "RandomShuffle"
    stateful = True
    cases = (case(np.arange(6).reshape(3, 2), unknown=((0, 0),), **_example()),)

    def infer(self, value: Aval, *, seed: int, seed2: int, stream: Stream) -> Aval:
        return Aval(value.dtype, value.shape)

    def eager(self, value: Array, *, seed: int, seed2: int, stream: Stream) -> Array:
        if value.size <= 1 or len(value) <= 1:
            return value
        position = stream.reserve(-(-(len(value) - 1) // 4))
        return value[sampling.permutation(position, len(value))]


class _Multinomial(Op):
    """Classes drawn by the log-odds in the rows of a matrix."""

    type = "Multinomial"
    stateful = True
    cases = (
        case(
            f32([[1, 2, 3]]), i32(4), output_dtype=dtypes.int64, **_example(),
            unknown=((0, 0),),
        ),
    )  # fmt: skip

    def infer(
        self, logits: Aval, num_samples: Aval, *, output_dtype: DType, seed: int, seed2: int,
        stream: Stream,
    ) -> Aval:  # fmt: skip
        return Aval(output_dtype, categorical_shape(logits, num_samples))

    def eager(
        self, logits: Array, num_samples: Array, *, output_dtype: DType, seed: int, seed2: int,
        stream: Stream,
    ) -> Array:  # fmt: skip
        samples = checked_categories(logits, num_samples, self.type)
        # Two words for each sample, in whole blocks.
        blocks = logits.shape[0] * -(-samples // 4) * 4 * 2
        position = stream.reserve_outputs(blocks)
        return sampling.categories(position, logits, samples).astype(output_dtype.numpy)


def categorical_shape(logits: Aval, num_samples: Aval) -> Shape:
    """The shape of drawn classes: a row for each row of `logits`.

    Raises:
        ValueError: `logits` is no matrix.
    """
    known.check_rank(logits, 2, "logits")
    rows = None if logits.shape is None else logits.shape[0]
    return rows, known.scalar(num_samples)


def checked_categories(logits: Array, num_samples: Array, op_type: str) -> int:
    """How many classes to draw for each row of `logits`.

    Raises:
        InvalidArgumentError: `logits` is no matrix or has no classes, or the number is negative.
    """
    if logits.ndim != 2:
        raise invalid_argument(
            f"logits should be a matrix, got shape {list(logits.shape)}", op_type
        )
    if logits.shape[1] == 0:
        raise invalid_argument(
            f"num_classes should be positive, got logits of shape {list(logits.shape)}", op_type
        )
    if num_samples < 0:
        raise invalid_argument(f"num_samples should be nonnegative, got {num_samples}", op_type)
    return int(num_samples)


class _Gamma(Op):
    """Gamma draws: `shape` of them for each alpha."""

    type = "RandomGamma"
    stateful = True
    cases = (case(i32([3]), f32([0.5, 2]), unknown=((1, 0),), **_example()),)

    def infer(self, shape: Aval, alpha: Aval, *, seed: int, seed2: int, stream: Stream) -> Aval:
        return Aval(alpha.dtype, _joined(known.as_shape(shape), alpha.shape))

    def eager(self, shape: Array, alpha: Array, *, seed: int, seed2: int, stream: Stream) -> Array:
        sizes = checked_sizes(shape, self.type)
        position = stream.reserve_outputs(prod(sizes) * alpha.size)
        drawn = sampling.gamma_numbers(position, alpha.reshape(-1).astype(np.float64), prod(sizes))
        return drawn.reshape(sizes + alpha.shape).astype(alpha.dtype)


class _Poisson(Op):
    """Poisson draws: `shape` of them for each rate."""

    type = "RandomPoissonV2"
    stateful = True
    cases = (case(i32([3]), f32([0.5, 20]), dtype=dtypes.float32, **_example()),)

    def infer(
        self, shape: Aval, rate: Aval, *, dtype: DType, seed: int, seed2: int, stream: Stream
    ) -> Aval:
        return Aval(dtype, _joined(known.as_shape(shape), rate.shape))

    def eager(
        self, shape: Array, rate: Array, *, dtype: DType, seed: int, seed2: int, stream: Stream
    ) -> Array:
        sizes = checked_sizes(shape, self.type)
        position = stream.reserve_outputs(prod(sizes) * rate.size)
        drawn = sampling.poisson_numbers(position, rate.reshape(-1).astype(np.float64), prod(sizes))
        return drawn.reshape(sizes + rate.shape).astype(dtype.numpy)


def _joined(front: Shape, back: Shape) -> Shape:
    return None if front is None or back is None else front + back


uniform_op = define(_Fill("RandomUniform", distributions.uniform_numbers))
normal_op = define(_Fill("RandomStandardNormal", distributions.normal_numbers))
truncated_normal_op = define(_Fill("TruncatedNormal", distributions.truncated_normal_numbers))
uniform_int_op = define(_UniformInt())
shuffle_op = define(_Shuffle())
multinomial_op = define(_Multinomial())
gamma_op = define(_Gamma())
poisson_op = define(_Poisson())


def _drawn(op: Op, *inputs: Tensor, seed: object, name: str, **attrs: object) -> Tensor:
    seeds: Seeds = next_seeds(seed)
    key = (op.type, *(t.dtype for t in inputs), *attrs.values())
    return apply(
        op, *inputs, name=name, seed=seeds.seed, seed2=seeds.seed2, stream=stream(seeds, *key),
        **attrs,
    )  # fmt: skip


def uniform(
    shape: object,
    minval: object = 0,
    maxval: object = None,
    dtype: object = dtypes.float32,
    seed: object = None,
    name: str | None = None,
) -> Tensor:
    """Uniform numbers in [minval, maxval).

    https://www.tensorflow.org/api_docs/python/tf/random/uniform

    Args:
        shape: of the result, an integer vector.
        minval: lower bound, included.
        maxval: upper bound, excluded; 1 by default for floats.
        dtype: a float type, int32 or int64.
        seed: of this op; see `set_seed`.
        name: of the node.

    Raises:
        ValueError: the dtype is another, or is an integer one and there is no `maxval`.
        InvalidArgumentError: the range of integers is empty.
    """
    kind = as_dtype(dtype)
    _check_dtype(kind, (*_FLOATS, *_INTS))
    if kind.is_integer and maxval is None:
        raise ValueError(f"Must specify maxval for integer dtype {kind!r}")
    label = name or "random_uniform"
    sizes = shape_tensor(shape)
    if kind.is_integer:
        bounds = convert_to_tensor(minval, kind), convert_to_tensor(maxval, kind)
        return _drawn(uniform_int_op, sizes, *bounds, seed=seed, name=label)
    drawn = _drawn(uniform_op, sizes, seed=seed, name=f"{label}/RandomUniform", dtype=kind)
    return between(drawn, minval, 1 if maxval is None else maxval, name=label)


def between(drawn: Tensor, low: object, high: object, *, name: str) -> Tensor:
    """Numbers in [0, 1) stretched to [low, high)."""
    if isinstance(low, int) and low == 0:
        if isinstance(high, int) and high == 1:
            return drawn
        return multiply(drawn, convert_to_tensor(high, drawn.dtype), name=name)
    first, last = convert_to_tensor(low, drawn.dtype), convert_to_tensor(high, drawn.dtype)
    width = subtract(last, first, name=f"{name}/sub")
    return add(multiply(drawn, width, name=f"{name}/mul"), first, name=name)


def normal(
    shape: object,
    mean: object = 0.0,
    stddev: object = 1.0,
    dtype: object = dtypes.float32,
    seed: object = None,
    name: str | None = None,
) -> Tensor:
    """Normal numbers (https://www.tensorflow.org/api_docs/python/tf/random/normal).

    Args:
        shape: of the result, an integer vector.
        mean: broadcasts with `shape`.
        stddev: broadcasts with `shape`.
        dtype: a float type.
        seed: of this op; see `set_seed`.
        name: of the node.
    """
    label = name or "random_normal"
    kind = as_dtype(dtype)
    drawn = _drawn(
        normal_op, shape_tensor(shape), seed=seed, name=f"{label}/RandomStandardNormal", dtype=kind
    )
    return scaled(drawn, mean, stddev, name=label)


def scaled(drawn: Tensor, mean: object, stddev: object, *, name: str) -> Tensor:
    """Standard numbers with another mean and deviation."""
    deviation = convert_to_tensor(stddev, drawn.dtype)
    stretched = multiply(drawn, deviation, name=f"{name}/mul")
    return add(stretched, convert_to_tensor(mean, drawn.dtype), name=name)


def truncated_normal(
    shape: object,
    mean: object = 0.0,
    stddev: object = 1.0,
    dtype: object = dtypes.float32,
    seed: object = None,
    name: str | None = None,
) -> Tensor:
    """Normal numbers within two standard deviations of the mean.

    https://www.tensorflow.org/api_docs/python/tf/random/truncated_normal
    """
    label = name or "truncated_normal"
    drawn = _drawn(
        truncated_normal_op, shape_tensor(shape), seed=seed, name=f"{label}/TruncatedNormal",
        dtype=as_dtype(dtype),
    )  # fmt: skip
    return scaled(drawn, mean, stddev, name=label)


def shuffle(value: object, seed: object = None, name: str | None = None) -> Tensor:
    """The rows of `value` in random order; has no gradient.

    https://www.tensorflow.org/api_docs/python/tf/random/shuffle
    """
    return _drawn(shuffle_op, convert_to_tensor(value), seed=seed, name=name or "RandomShuffle")


def categorical(
    logits: object,
    num_samples: object,
    dtype: object = None,
    seed: object = None,
    name: str | None = None,
) -> Tensor:
    """Classes drawn by unnormalised log-odds.

    https://www.tensorflow.org/api_docs/python/tf/random/categorical

    Args:
        logits: a matrix, a row of log-odds for each row of the result.
        num_samples: columns of the result.
        dtype: int64 or int32.
        seed: of this op; see `set_seed`.
        name: of the node.

    Raises:
        InvalidArgumentError: `logits` is no matrix (in graphs ValueError).
    """
    return _drawn(
        multinomial_op, convert_to_tensor(logits), convert_to_tensor(num_samples, dtypes.int32),
        seed=seed, name=f"{name or 'categorical'}/Multinomial",
        output_dtype=dtypes.int64 if dtype is None else as_dtype(dtype),
    )  # fmt: skip


def gamma(
    shape: object,
    alpha: object,
    beta: object = None,
    dtype: object = dtypes.float32,
    seed: object = None,
    name: str | None = None,
) -> Tensor:
    """Gamma numbers, `shape` of them for each alpha and beta.

    https://www.tensorflow.org/api_docs/python/tf/random/gamma. Unlike TensorFlow's, the result has
    no gradient by `alpha`.
    """
    kind, label = as_dtype(dtype), name or "random_gamma"
    alphas = convert_to_tensor(alpha, kind)
    betas = convert_to_tensor(1 if beta is None else beta, kind)
    repeated = add(alphas, zeros_like(betas))
    drawn = _drawn(
        gamma_op, shape_tensor(shape), repeated, seed=seed,
        name=f"{label}/RandomGamma",
    )  # fmt: skip
    return over_beta(drawn, betas, name=label)


def over_beta(drawn: Tensor, betas: Tensor, *, name: str) -> Tensor:
    """Gamma numbers of rate 1 with another rate; never 0, which no gamma number is."""
    tiny = np.finfo(drawn.dtype.as_numpy_dtype).tiny
    return maximum(tiny, realdiv(drawn, betas, name=f"{name}/truediv"), name=name)


def poisson(
    shape: object,
    lam: object,
    dtype: object = dtypes.float32,
    seed: object = None,
    name: str | None = None,
) -> Tensor:
    """Poisson numbers, `shape` of them for each rate.

    https://www.tensorflow.org/api_docs/python/tf/random/poisson
    """
    return _drawn(
        poisson_op, shape_tensor(shape), convert_to_tensor(lam, dtype_hint=dtypes.float32),
        seed=seed, name=f"{name or 'random_poisson'}/RandomPoissonV2", dtype=as_dtype(dtype),
    )  # fmt: skip


def shape_tensor(shape: object) -> Tensor:
    """A shape argument as an integer tensor."""
    return known.integer_tensor(shape, what="shape")


def _check_dtype(dtype: DType, accepted: tuple[str, ...]) -> None:
    if dtype.name not in accepted:
        names = ", ".join(f"tf.{n}" for n in accepted)
        raise ValueError(
            f"Argument `dtype` got invalid value {dtype}. Accepted dtypes are ({names})."
        )
