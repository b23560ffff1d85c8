"""`tf.experimental`, as far as the runtime has it."""

from __future__ import annotations

from tfcheck_runtime.api import experimental_dtensor as dtensor
from tfcheck_runtime.api.missing import lacking as _lacking
from tfcheck_runtime.data.optional import (
    Optional as Optional,
)
from tfcheck_runtime.function.extension_type import (
    ExtensionType as ExtensionType,
)

__getattr__ = _lacking("tf.experimental", globals())
