"""Random initial values of variables."""

from __future__ import annotations

from tfcheck_runtime.ops.array.initial_values import Initializer
from tfcheck_runtime.ops.random.stateful import normal, uniform
from tfcheck_runtime.ops.random.stateless import stateless_normal, stateless_uniform
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.values.tensor import Tensor


class RandomNormalInitializer(Initializer):
    """Normal draws (https://www.tensorflow.org/api_docs/python/tf/random_normal_initializer)."""

    def __init__(self, mean: float = 0.0, stddev: float = 0.05, seed: int | None = None) -> None:
        self.mean, self.stddev, self.seed = mean, stddev, seed

    def __call__(self, shape: object, dtype: object = dtypes.float32, **kwargs: object) -> Tensor:
        """Draws of a shape."""
        if self.seed is not None:
            return stateless_normal(shape, [self.seed, 0], self.mean, self.stddev, dtype)
        return normal(shape, self.mean, self.stddev, dtype)


class RandomUniformInitializer(Initializer):
    """Uniform draws (https://www.tensorflow.org/api_docs/python/tf/random_uniform_initializer)."""

    def __init__(
        self, minval: float = -0.05, maxval: float = 0.05, seed: int | None = None
    ) -> None:
        self.minval, self.maxval, self.seed = minval, maxval, seed

    def __call__(self, shape: object, dtype: object = dtypes.float32, **kwargs: object) -> Tensor:
        """Draws of a shape."""
        if self.seed is not None:
            return stateless_uniform(shape, [self.seed, 0], self.minval, self.maxval, dtype)
        return uniform(shape, self.minval, self.maxval, dtype)
