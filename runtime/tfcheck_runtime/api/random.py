"""`tf.random`, as far as the runtime has it."""

from __future__ import annotations

from tfcheck_runtime.api import random_experimental as experimental
from tfcheck_runtime.api.missing import lacking as _lacking
from tfcheck_runtime.ops.random.generator import (
    Generator as Generator,
    get_global_generator as get_global_generator,
    set_global_generator as set_global_generator,
)
from tfcheck_runtime.ops.random.seeds import (
    set_seed as set_seed,
)
from tfcheck_runtime.ops.random.stateful import (
    categorical as categorical,
    gamma as gamma,
    normal as normal,
    poisson as poisson,
    shuffle as shuffle,
    truncated_normal as truncated_normal,
    uniform as uniform,
)
from tfcheck_runtime.ops.random.stateless import (
    Algorithm as Algorithm,
    fold_in as fold_in,
    split as split,
    stateless_categorical as stateless_categorical,
    stateless_gamma as stateless_gamma,
    stateless_normal as stateless_normal,
    stateless_poisson as stateless_poisson,
    stateless_truncated_normal as stateless_truncated_normal,
    stateless_uniform as stateless_uniform,
)

__getattr__ = _lacking("tf.random", globals())
