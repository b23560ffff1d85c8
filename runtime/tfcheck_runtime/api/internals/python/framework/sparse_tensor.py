"""`tensorflow.python.framework.sparse_tensor`, as far as libraries use it."""

from __future__ import annotations

from tfcheck_runtime.specs.sparse_spec import SparseTensorSpec as SparseTensorSpec
from tfcheck_runtime.values.sparse_tensor import SparseTensor as SparseTensor
