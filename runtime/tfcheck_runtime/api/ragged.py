"""`tf.ragged`, as far as the runtime has it."""

from __future__ import annotations

from tfcheck_runtime.api.missing import lacking as _lacking
from tfcheck_runtime.ops.ragged.constants import (
    constant as constant,
)

__getattr__ = _lacking("tf.ragged", globals())
