"""`tensorflow.python.trackable.data_structures`, as far as libraries use it."""

from __future__ import annotations

from tfcheck_runtime.api.missing import lacking as _lacking
from tfcheck_runtime.values.containers import (
    ListWrapper as ListWrapper,
    _DictWrapper as _DictWrapper,
    wrapped as wrap_or_unwrap,
)

__getattr__ = _lacking("tensorflow.python.trackable.data_structures", globals())
