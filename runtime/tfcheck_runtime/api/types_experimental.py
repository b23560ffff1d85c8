"""`tf.types.experimental`, as far as the runtime has it."""

from __future__ import annotations

from tfcheck_runtime.api.missing import lacking as _lacking
from tfcheck_runtime.function.concrete import (
    ConcreteFunction as ConcreteFunction,
)
from tfcheck_runtime.function.function import (
    Function as GenericFunction,
    Function as PolymorphicFunction,
)
from tfcheck_runtime.function.protocols import (
    Callable as Callable,
    SupportsTracingProtocol as SupportsTracingProtocol,
    TensorLike as TensorLike,
)
from tfcheck_runtime.function.signature import (
    FunctionType as FunctionType,
)
from tfcheck_runtime.specs.trace_type import (
    TraceType as TraceType,
)

__getattr__ = _lacking("tf.types.experimental", globals())
