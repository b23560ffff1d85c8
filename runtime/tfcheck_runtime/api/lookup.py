"""`tf.lookup`, as far as the runtime has it."""

from __future__ import annotations

from tfcheck_runtime.api import (
    lookup_experimental as experimental,
)
from tfcheck_runtime.api.missing import lacking as _lacking
from tfcheck_runtime.ops.lookup.initializers import (
    KeyValueTensorInitializer as KeyValueTensorInitializer,
    TextFileIndex as TextFileIndex,
    TextFileInitializer as TextFileInitializer,
)
from tfcheck_runtime.ops.lookup.tables import (
    StaticHashTable as StaticHashTable,
)

__getattr__ = _lacking("tf.lookup", globals())
