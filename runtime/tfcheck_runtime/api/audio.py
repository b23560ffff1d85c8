"""`tf.audio`."""

from __future__ import annotations

from tfcheck_runtime.api.missing import lacking as _lacking
from tfcheck_runtime.ops.files.sound import (
    decode_wav as decode_wav,
    encode_wav as encode_wav,
)

__getattr__ = _lacking("tf.audio", globals())
