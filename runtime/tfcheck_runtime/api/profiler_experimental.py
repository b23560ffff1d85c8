"""`tf.profiler.experimental`, as far as the runtime has it."""

from __future__ import annotations

from tfcheck_runtime.api.missing import lacking as _lacking
from tfcheck_runtime.function.profiler import (
    Profile as Profile,
    ProfilerOptions as ProfilerOptions,
    Trace as Trace,
    start as start,
    stop as stop,
)

__getattr__ = _lacking("tf.profiler.experimental", globals())
