"""`tensorflow.python.ops.ragged.ragged_tensor`, as far as libraries use it."""

from __future__ import annotations

from tfcheck_runtime.ops.ragged.spec import RaggedTensorSpec as RaggedTensorSpec
from tfcheck_runtime.ops.ragged.tensor import RaggedTensor as RaggedTensor
