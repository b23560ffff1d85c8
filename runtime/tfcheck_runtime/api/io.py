"""`tf.io`, as far as the runtime has it."""

from __future__ import annotations

from tfcheck_runtime.api import io_gfile as gfile
from tfcheck_runtime.api.missing import lacking as _lacking

__getattr__ = _lacking("tf.io", globals())
