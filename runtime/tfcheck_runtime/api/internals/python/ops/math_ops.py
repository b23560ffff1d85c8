"""`tensorflow.python.ops.math_ops`, as far as libraries use it."""

from __future__ import annotations

from tfcheck_runtime.api.math import is_nan as is_nan
