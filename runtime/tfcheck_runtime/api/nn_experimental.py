"""`tf.nn.experimental`, as far as the runtime has it."""

from __future__ import annotations

from tfcheck_runtime.api.missing import lacking as _lacking
from tfcheck_runtime.ops.random.dropout import (
    stateless_dropout as stateless_dropout,
)

__getattr__ = _lacking("tf.nn.experimental", globals())
