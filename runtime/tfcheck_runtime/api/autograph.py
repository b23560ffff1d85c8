"""`tf.autograph`, as far as the runtime has it."""

from __future__ import annotations

from tfcheck_runtime.api import autograph_experimental as experimental
from tfcheck_runtime.api.missing import lacking as _lacking
from tfcheck_runtime.autograph.api import (
    set_verbosity as set_verbosity,
    to_code as to_code,
    to_graph as to_graph,
    trace as trace,
)

__getattr__ = _lacking("tf.autograph", globals())
