"""`tf.__internal__`, as far as libraries use it."""

from __future__ import annotations

from tfcheck_runtime.api import (
    internal_distribute as distribute,
    internal_smart_cond as smart_cond,
    internal_tracking as tracking,
    internal_types as types,
)
from tfcheck_runtime.api.missing import lacking as _lacking
from tfcheck_runtime.specs.nest import (
    Composite as CompositeTensor,
)
from tfcheck_runtime.values.tensor import (
    EagerTensor as EagerTensor,
    FuncGraph as FuncGraph,
)

__getattr__ = _lacking("tf.__internal__", globals())
