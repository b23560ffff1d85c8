"""`tensorflow.python.eager.context`, as far as libraries use it."""

from __future__ import annotations

from tfcheck_runtime.api.missing import lacking as _lacking
from tfcheck_runtime.values.context import (
    Context as Context,
    async_wait as async_wait,
    context as context,
)
from tfcheck_runtime.values.scopes import (
    executing_eagerly as executing_eagerly,
)

__getattr__ = _lacking("tensorflow.python.eager.context", globals())
