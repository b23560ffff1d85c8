"""`tf.autograph.experimental`, as far as the runtime has it."""

from __future__ import annotations

from tfcheck_runtime.api.missing import lacking as _lacking
from tfcheck_runtime.autograph.api import (
    Feature as Feature,
    do_not_convert as do_not_convert,
)
from tfcheck_runtime.autograph.options import (
    set_loop_options as set_loop_options,
)

__getattr__ = _lacking("tf.autograph.experimental", globals())
