"""`tensorflow.python.framework.indexed_slices`, as far as libraries use it."""

from __future__ import annotations

from tfcheck_runtime.specs.slices_spec import IndexedSlicesSpec as IndexedSlicesSpec
from tfcheck_runtime.values.indexed_slices import IndexedSlices as IndexedSlices
