"""`tf.__internal__.smart_cond`."""

from __future__ import annotations

from tfcheck_runtime.api.missing import lacking as _lacking
from tfcheck_runtime.ops.control.smart_branching import (
    smart_cond as smart_cond,
)

__getattr__ = _lacking("tf.__internal__.smart_cond", globals())
