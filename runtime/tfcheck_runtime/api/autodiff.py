"""`tf.autodiff`, as far as the runtime has it."""

from __future__ import annotations

from tfcheck_runtime.api.missing import lacking as _lacking
from tfcheck_runtime.tape.forward import (
    ForwardAccumulator as ForwardAccumulator,
)
from tfcheck_runtime.tape.gradient_tape import (
    GradientTape as GradientTape,
)

__getattr__ = _lacking("tf.autodiff", globals())
