"""`tf.io.gfile`, as far as the runtime has it."""

from __future__ import annotations

from tfcheck_runtime.api.missing import lacking as _lacking
from tfcheck_runtime.ops.strings.text import (
    join as join,
)

__getattr__ = _lacking("tf.io.gfile", globals())
