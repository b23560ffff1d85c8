"""`tensorflow.python.framework.config`, as far as libraries use it."""

from __future__ import annotations

from tfcheck_runtime.api.missing import lacking as _lacking
from tfcheck_runtime.ops.random.seeds import (
    enable_op_determinism as enable_op_determinism,
    is_op_determinism_enabled as is_op_determinism_enabled,
)

__getattr__ = _lacking("tensorflow.python.framework.config", globals())
