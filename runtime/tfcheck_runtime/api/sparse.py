"""`tf.sparse`, as far as the runtime has it."""

from __future__ import annotations

from tfcheck_runtime.api.missing import lacking as _lacking
from tfcheck_runtime.ops.sparse.conversion import (
    eye as eye,
    from_dense as from_dense,
    reorder as reorder,
    reset_shape as reset_shape,
    to_dense as to_dense,
    to_indicator as to_indicator,
)
from tfcheck_runtime.values.sparse_tensor import (
    SparseTensor as SparseTensor,
)

__getattr__ = _lacking("tf.sparse", globals())
