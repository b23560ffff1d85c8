"""Types that user code names in annotations and asks `isinstance` about.

Follows https://www.tensorflow.org/api_docs/python/tf/types/experimental.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias, Union, runtime_checkable

import numpy as np
import numpy.typing as npt

from tfcheck_runtime.function.concrete import ConcreteFunction
from tfcheck_runtime.function.function import Function
from tfcheck_runtime.specs.trace_type import TraceType
from tfcheck_runtime.values.tensor import Tensor
from tfcheck_runtime.values.variable import Variable

Callable: TypeAlias = Function | ConcreteFunction
"""What `tf.function` makes, traced or not."""


@runtime_checkable
class SupportsTracingProtocol(Protocol):
    """A class that says itself which traces serve its instances."""

    def __tf_tracing_type__(self, context: Any) -> TraceType:
        """The trace type of this value."""


TensorLike: TypeAlias = Union[  # noqa: UP007  # scripts put it into unions of strings
    Tensor, Variable, int, float, bool, str, bytes, complex, list[Any], tuple[Any, ...],
    npt.NDArray[Any], np.generic,
]  # fmt: skip
"""What converts to a tensor."""
