"""`tf.random.Generator`: random numbers from a state that the program holds.

Follows https://www.tensorflow.org/api_docs/python/tf/random/Generator, with the Philox algorithm:
the state is a variable of three int64 elements, the two halves of the counter and the key.
"""

from __future__ import annotations

import secrets
from typing import Any, Final

import numpy as np

from tfcheck_runtime.op import Array, Aval, Op, define
from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.filling import zeros_like
from tfcheck_runtime.ops.array.joining import concat
from tfcheck_runtime.ops.array.packing import stack, unstack
from tfcheck_runtime.ops.array.products import reduce_prod
from tfcheck_runtime.ops.array.shaping import reshape
from tfcheck_runtime.ops.random.philox import BLOCKS_PER_OUTPUT
from tfcheck_runtime.ops.random.stateful import scaled, shape_tensor
from tfcheck_runtime.ops.random.stateless import (
    PHILOX,
    Algorithm,
    check_algorithm,
    drawn_uniform,
    normal_op,
    truncated_normal_op,
)
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import as_dtype
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.resource import Resource, undisturbed
from tfcheck_runtime.values.tensor import Tensor, apply
from tfcheck_runtime.values.trackable import Trackable
from tfcheck_runtime.values.variable import Variable

_STATE_SIZE: Final = 3
_WORD: Final = 1 << 64


class _ReadAndSkip(Op):
    """The state of a generator, which moves on by some outputs."""

    type = "RngReadAndSkip"
    stateful = True

    def infer(self, resource: Aval, alg: Aval, delta: Aval) -> Aval:
        return Aval(dtypes.int64, (_STATE_SIZE,))

    @undisturbed
    def eager(self, resource: Resource, alg: Array, delta: Array) -> Array:
        state = resource.content
        low, high, key = (int(s) % _WORD for s in state)
        counter = (low | high << 64) + int(delta) * BLOCKS_PER_OUTPUT
        moved = [counter % _WORD, (counter >> 64) % _WORD, key]
        resource.replace(np.array(moved, np.uint64).view(np.int64))
        return state


read_and_skip_op = define(_ReadAndSkip())


class Generator(Trackable):
    """A source of random numbers with a state of its own.

    Args:
        copy_from: a generator to copy.
        state: of a new one, three integers.
        alg: "philox" or "auto_select".
    """

    def __init__(
        self, copy_from: Generator | None = None, state: object = None, alg: object = None
    ) -> None:
        check_algorithm(alg)
        chosen = alg in (3, "auto_select", Algorithm.AUTO_SELECT)
        self._algorithm = (Algorithm.AUTO_SELECT if chosen else Algorithm.PHILOX).value
        if copy_from is not None:
            self._state = Variable(copy_from.state.read_value(), trainable=False, name="StateVar")
        elif isinstance(state, Variable) and alg is not None:
            self._state = state  # shared, as in TensorFlow
        elif state is not None and alg is not None:
            self._state = Variable(_state_tensor(state), trainable=False, name="StateVar")
        else:
            # TensorFlow asserts it.
            raise AssertionError(
                "tf.random.Generator needs `copy_from`, or `state` and `alg`; or use from_seed,"
                " from_state, from_key_counter or from_non_deterministic_state"
            )

    @classmethod
    def from_seed(cls, seed: object, alg: object = None) -> Generator:
        """A generator whose state is `seed`, an integer or up to three."""
        return cls(state=_padded(seed), alg=PHILOX if alg is None else alg)

    @classmethod
    def from_state(cls, state: object, alg: object) -> Generator:
        """A generator with this state."""
        return cls(state=state, alg=alg)

    @classmethod
    def from_key_counter(cls, key: object, counter: object, alg: object) -> Generator:
        """A generator with this key (an integer) and counter (two)."""
        return cls(state=_keyed_state(key, counter), alg=alg)

    @classmethod
    def from_non_deterministic_state(cls, alg: object = None) -> Generator:
        """A generator that differs in each run."""
        return cls.from_seed(secrets.randbits(64 * _STATE_SIZE), alg)

    @property
    def state(self) -> Variable:
        """The variable that holds counter and key."""
        return self._state

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        return {"_state_var": self._state}

    @property
    def algorithm(self) -> int:
        """TensorFlow's number for the algorithm."""
        return int(self._algorithm)

    @property
    def key(self) -> Tensor:
        """The key."""
        last: Tensor = self._state.read_value()[-1]
        return last

    def reset(self, state: object) -> None:
        """Replace the state."""
        self._state.assign(_state_tensor(state))

    def reset_from_seed(self, seed: object) -> None:
        """Replace the state by a seed."""
        self.reset(_padded(seed))

    def reset_from_key_counter(self, key: object, counter: object) -> None:
        """Replace the state by a key and a counter."""
        self.reset(_keyed_state(key, counter))

    def skip(self, delta: object) -> Tensor:
        """Move on as if `delta` numbers had been drawn; returns the state before."""
        steps = cast(convert_to_tensor(delta), dtypes.uint64)
        return apply(
            read_and_skip_op, self._state.handle, convert_to_tensor(PHILOX), steps,
            name="RngReadAndSkip",
        )  # fmt: skip

    def uniform(
        self,
        shape: object,
        minval: object = 0,
        maxval: object = None,
        dtype: object = dtypes.float32,
        name: str | None = None,
    ) -> Tensor:
        """Uniform numbers in [minval, maxval).

        Raises:
            ValueError: integers are asked for without `maxval`.
        """
        kind = as_dtype(dtype)
        if kind.is_integer and maxval is None:
            raise ValueError(f"Must specify maxval for integer dtype {kind!r}")
        sizes = shape_tensor(shape)
        return drawn_uniform(
            sizes, self._keyed(sizes), (minval, maxval), dtype=kind,
            name=name or "stateful_uniform",
        )  # fmt: skip

    def uniform_full_int(
        self, shape: object, dtype: object = dtypes.uint64, name: str | None = None
    ) -> Tensor:
        """Integers over the whole range of their type."""
        sizes = shape_tensor(shape)
        return drawn_uniform(
            sizes, self._keyed(sizes), (None, None), dtype=as_dtype(dtype),
            name=name or "stateful_uniform_full_int",
        )  # fmt: skip

    def normal(
        self,
        shape: object,
        mean: object = 0.0,
        stddev: object = 1.0,
        dtype: object = dtypes.float32,
        name: str | None = None,
    ) -> Tensor:
        """Normal numbers."""
        drawn = self._fill(normal_op, shape, dtype)
        return scaled(drawn, mean, stddev, name=name or "stateful_normal")

    def truncated_normal(
        self,
        shape: object,
        mean: object = 0.0,
        stddev: object = 1.0,
        dtype: object = dtypes.float32,
        name: str | None = None,
    ) -> Tensor:
        """Normal numbers within two deviations of the mean."""
        drawn = self._fill(truncated_normal_op, shape, dtype)
        return scaled(drawn, mean, stddev, name=name or "truncated_normal")

    def make_seeds(self, count: int = 1) -> Tensor:
        """Seeds for stateless ops: a matrix of two rows and `count` columns."""
        keys = self.uniform_full_int([count], dtypes.int64)
        return stack([keys, zeros_like(keys)])

    def split(self, count: int = 1) -> list[Generator]:
        """`count` new generators that do not overlap with this one."""
        keys = unstack(self.uniform_full_int([count], dtypes.int64))
        return [Generator(state=_keyed_state(key, [0, 0]), alg=PHILOX) for key in keys]

    def _fill(self, op: Op, shape: object, dtype: object) -> Tensor:
        sizes = shape_tensor(shape)
        return apply(op, sizes, *self._keyed(sizes), dtype=as_dtype(dtype))

    def _keyed(self, sizes: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Key, counter and algorithm of the draw, after which the state moves on."""
        state = cast(self.skip(reduce_prod(sizes)), dtypes.uint64)
        return state[2:], state[:2], convert_to_tensor(PHILOX)


def _padded(seed: object) -> object:
    """A seed as a state: an integer of any size, or up to three, filled with zeros on the left."""
    if isinstance(seed, int):
        return [seed >> 64 * i for i in range(_STATE_SIZE)]
    # As in TensorFlow, scalars of NumPy and tensors count as lists of one.
    given = np.asarray(seed).reshape(-1)[:_STATE_SIZE]
    return [0] * (_STATE_SIZE - len(given)) + given.tolist()


def _keyed_state(key: object, counter: object) -> Tensor:
    parts = _int64(counter), _int64(key)
    return concat([parts[0], reshape(parts[1], [1])], 0)


def _int64(value: object) -> Tensor:
    """Integers as int64, the larger ones wrapped around."""
    if isinstance(value, Tensor | Variable):
        return cast(convert_to_tensor(value), dtypes.int64)
    whole = np.asarray(value, object)
    words = [int(word) % _WORD for word in whole.reshape(-1)]
    return convert_to_tensor(np.array(words, np.uint64).view(np.int64).reshape(whole.shape))


def _state_tensor(state: object) -> Tensor:
    """Three integers as int64, the larger ones wrapped around."""
    if isinstance(state, Tensor | Variable):
        return cast(convert_to_tensor(state), dtypes.int64)
    found = _int64(state)
    if found.static_shape != (_STATE_SIZE,):
        raise ValueError(
            f"The state of a Philox generator has {_STATE_SIZE} elements, got {state!r}"
        )
    return found


class _Global:
    """The generator that programs share."""

    generator: Generator | None = None


def get_global_generator() -> Generator:
    """The shared generator, made when first asked for.

    https://www.tensorflow.org/api_docs/python/tf/random/get_global_generator
    """
    if _Global.generator is None:
        _Global.generator = Generator.from_non_deterministic_state()
    return _Global.generator


def set_global_generator(generator: Generator) -> None:
    """Replace the shared generator.

    https://www.tensorflow.org/api_docs/python/tf/random/set_global_generator
    """
    _Global.generator = generator
