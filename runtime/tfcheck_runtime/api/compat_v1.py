"""`tf.compat.v1`, as far as libraries use it: graphs made by hand."""

from __future__ import annotations

from tfcheck_runtime.api.missing import lacking as _lacking
from tfcheck_runtime.ops.control.placeholders import (
    placeholder as placeholder,
    reset_default_graph as reset_default_graph,
)
from tfcheck_runtime.values.scopes import (
    executing_eagerly as executing_eagerly,
)

__getattr__ = _lacking("tf.compat.v1", globals())
