"""Initial values of variables, as callables of a shape.

Follows `tf.zeros_initializer` and its kin; Keras has its own.
"""

from __future__ import annotations

from tfcheck_runtime.ops.array.filling import ones, zeros
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import as_dtype
from tfcheck_runtime.values.convert import constant
from tfcheck_runtime.values.tensor import Tensor


class Initializer:
    """Base of initial values."""

    def __call__(self, shape: object, dtype: object = None, **kwargs: object) -> Tensor:
        """The initial value of a variable of `shape`."""
        raise NotImplementedError(f"{type(self).__name__} must define __call__")

    def get_config(self) -> dict[str, object]:
        """The arguments that make an equal one."""
        return dict(vars(self))

    @classmethod
    def from_config(cls, config: dict[str, object]) -> Initializer:
        """The initial value of which `config` was got."""
        return cls(**{k: v for k, v in config.items() if k != "dtype"})


class ZerosInitializer(Initializer):
    """Zeros (https://www.tensorflow.org/api_docs/python/tf/zeros_initializer)."""

    def __call__(self, shape: object, dtype: object = dtypes.float32, **kwargs: object) -> Tensor:
        """Zeros of a shape."""
        return zeros(shape, dtype)


class OnesInitializer(Initializer):
    """Ones (https://www.tensorflow.org/api_docs/python/tf/ones_initializer)."""

    def __call__(self, shape: object, dtype: object = dtypes.float32, **kwargs: object) -> Tensor:
        """Ones of a shape."""
        return ones(shape, dtype)


class ConstantInitializer(Initializer):
    """A value (https://www.tensorflow.org/api_docs/python/tf/constant_initializer).

    Args:
        value: a number, list or array.
        support_partition: without effect.
    """

    def __init__(self, value: object = 0, support_partition: bool = False) -> None:
        del support_partition
        self.value = value

    def __call__(self, shape: object, dtype: object = None, **kwargs: object) -> Tensor:
        """The value, repeated or reshaped to fit."""
        kind = None if dtype is None else as_dtype(dtype)
        return constant(self.value, kind, shape)
