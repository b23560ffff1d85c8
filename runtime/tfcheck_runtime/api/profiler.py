"""`tf.profiler`, as far as the runtime has it."""

from __future__ import annotations

from tfcheck_runtime.api import profiler_experimental as experimental
from tfcheck_runtime.api.missing import lacking as _lacking

__getattr__ = _lacking("tf.profiler", globals())
