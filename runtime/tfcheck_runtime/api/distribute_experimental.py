"""`tf.distribute.experimental`, as far as the runtime has it."""

from __future__ import annotations

from tfcheck_runtime.api.missing import lacking as _lacking
from tfcheck_runtime.distribute.strategy import (
    MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy,
    TPUStrategy as TPUStrategy,
)

__getattr__ = _lacking("tf.distribute.experimental", globals())
