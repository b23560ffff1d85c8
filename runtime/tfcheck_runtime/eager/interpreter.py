"""Runs an op now, on the arrays its tensors hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tfcheck_runtime.dispatch import Inputs
from tfcheck_runtime.errors import NotFoundError, invalid_argument
from tfcheck_runtime.op import Aval, Op, no_kernel
from tfcheck_runtime.specs.dtypes import as_dtype
from tfcheck_runtime.values.resource import Resource
from tfcheck_runtime.values.tensor import EagerTensor, check_eager, check_has_values


def run_eagerly(op: Op, inputs: Inputs, attrs: Mapping[str, Any]) -> Inputs:
    """Apply `op`: infer the output types, run its NumPy kernel, wrap the results.

    Raises:
        InvalidArgumentError: the inputs do not fit the op.
        NotFoundError: TensorFlow has no kernel for their data type.
        TypeError: an input is a graph tensor that escaped.
        AttributeError: the same, of an op that takes inputs of any types.
    """
    if op.any_types:
        check_has_values(inputs)
    avals = [_aval(value) for value in inputs]
    arrays = [v.array if isinstance(v, EagerTensor) else v for v in inputs]
    try:
        inferred = op.infer(*avals, **attrs)
    except ValueError as error:
        raise invalid_argument(str(error), op.type) from error
    if op.kernelless and avals[0].dtype.name in op.kernelless:
        raise NotFoundError(None, None, no_kernel(op, avals[0].dtype))
    try:
        results = op.eager(*arrays, **attrs)
    except (IndexError, ValueError) as error:  # NumPy's words for arguments that do not fit
        raise invalid_argument(str(error), op.type) from error
    if not isinstance(inferred, tuple):
        return (EagerTensor(np.asarray(results), inferred.dtype),)
    return tuple(
        EagerTensor(np.asarray(result), aval.dtype)
        for result, aval in zip(results, inferred, strict=True)
    )


def _aval(value: object) -> Aval:
    if isinstance(value, EagerTensor):
        return Aval(value.dtype, value.static_shape, constant=value.array)
    check_eager(value)
    if isinstance(value, Resource):
        return Aval(as_dtype("resource"), ())
    raise ValueError(
        f"Attempt to convert a value ({value!r}) with an unsupported type ({type(value)}) to a"
        " Tensor."
    )
