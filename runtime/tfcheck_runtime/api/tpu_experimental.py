"""`tf.tpu.experimental`, as far as the runtime has it."""

from __future__ import annotations

from tfcheck_runtime.api.missing import lacking as _lacking
from tfcheck_runtime.distribute.cluster import (
    initialize_tpu_system as initialize_tpu_system,
)

__getattr__ = _lacking("tf.tpu.experimental", globals())
