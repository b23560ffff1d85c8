"""`tf.version`: which TensorFlow the runtime follows."""

from __future__ import annotations

from typing import Final as _Final

from tfcheck_runtime.api.missing import lacking as _lacking

VERSION: _Final = "2.21.0"
"""The TensorFlow release whose behaviour this runtime follows."""
GIT_VERSION: _Final = "unknown"
COMPILER_VERSION: _Final = "none"

__getattr__ = _lacking("tf.version", globals())
