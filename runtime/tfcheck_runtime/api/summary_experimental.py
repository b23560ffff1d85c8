"""`tf.summary.experimental`, as far as the runtime has it."""

from __future__ import annotations

from tfcheck_runtime.api.missing import lacking as _lacking
from tfcheck_runtime.ops.summary.writers import (
    get_step as get_step,
    set_step as set_step,
)

__getattr__ = _lacking("tf.summary.experimental", globals())
