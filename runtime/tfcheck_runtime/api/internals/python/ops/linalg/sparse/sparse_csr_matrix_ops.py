"""`tensorflow.python.ops.linalg.sparse.sparse_csr_matrix_ops`: the namespace only."""

from __future__ import annotations

from tfcheck_runtime.api.missing import lacking as _lacking

__getattr__ = _lacking("tensorflow.python.ops.linalg.sparse.sparse_csr_matrix_ops", globals())
