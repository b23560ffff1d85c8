"""`tf.bitwise`, as far as the runtime has it."""

from __future__ import annotations

from tfcheck_runtime.api.aware import make_aware as _make_aware
from tfcheck_runtime.api.missing import lacking as _lacking
from tfcheck_runtime.ops.math.logic import (
    bitwise_and as bitwise_and,
    bitwise_or as bitwise_or,
    bitwise_xor as bitwise_xor,
    invert as invert,
    left_shift as left_shift,
    right_shift as right_shift,
)

_make_aware(globals())
__getattr__ = _lacking("tf.bitwise", globals())
