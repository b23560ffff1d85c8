"""`tensorflow.python.framework.composite_tensor`, as far as libraries use it."""

from __future__ import annotations

from tfcheck_runtime.specs.nest import Composite as CompositeTensor
