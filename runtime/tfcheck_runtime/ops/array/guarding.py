"""Lowered graphs that must fail where TensorFlow's kernels do."""

from __future__ import annotations

import numpy as np

from tfcheck_runtime.op import Emitter
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import DType


def guarded(onnx: Emitter, value: object, fault: object, *, dtype: DType) -> object:
    """`value`, made so that the run fails, naming this node, where `fault` holds anywhere.

    ONNX has no op that raises: an index beyond the end does on onnxruntime's CPU provider. Others
    go on with what their kernels make of the fault.
    """
    faults = onnx.op("ReduceSum", onnx.cast(fault, dtypes.int64), keepdims=0)
    place = onnx.op("Min", faults, np.asarray(1, np.int64))
    nothing = onnx.op("Gather", onnx.constant(np.zeros(1, dtype.numpy)), place)
    return onnx.op("Add", value, nothing)
