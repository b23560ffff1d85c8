"""`tf.tpu`, as far as the runtime has it: it says that there is none."""

from __future__ import annotations

from tfcheck_runtime.api import tpu_experimental as experimental
from tfcheck_runtime.api.missing import lacking as _lacking

__getattr__ = _lacking("tf.tpu", globals())
