"""`tensorflow.compiler.tf2xla.python.xla`, as far as libraries use it."""

from __future__ import annotations

from tfcheck_runtime.ops.math.slice_updating import dynamic_update_slice as dynamic_update_slice
