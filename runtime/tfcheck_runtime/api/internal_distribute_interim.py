"""`tf.__internal__.distribute.interim`, as far as libraries use it."""

from __future__ import annotations

from tfcheck_runtime.api.missing import lacking as _lacking
from tfcheck_runtime.distribute.strategy import (
    maybe_merge_call as maybe_merge_call,
)

__getattr__ = _lacking("tf.__internal__.distribute.interim", globals())
