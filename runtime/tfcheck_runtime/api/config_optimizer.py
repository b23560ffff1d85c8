"""`tf.config.optimizer`, as far as the runtime has it."""

from __future__ import annotations

from tfcheck_runtime.api.missing import lacking as _lacking
from tfcheck_runtime.execute.configuration import (
    get_experimental_options as get_experimental_options,
    get_jit as get_jit,
    set_experimental_options as set_experimental_options,
    set_jit as set_jit,
)

__getattr__ = _lacking("tf.config.optimizer", globals())
