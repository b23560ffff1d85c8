"""`tf.__internal__.types`, as far as libraries use it."""

from __future__ import annotations

from tfcheck_runtime.api.missing import lacking as _lacking
from tfcheck_runtime.values.tensor import (
    CoreTensor as Tensor,
)

__getattr__ = _lacking("tf.__internal__.types", globals())
