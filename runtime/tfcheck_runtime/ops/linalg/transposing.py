"""The last two axes swapped."""

from __future__ import annotations

from tfcheck_runtime.op import Emitter, Term
from tfcheck_runtime.ops.array.joining import concat
from tfcheck_runtime.ops.array.permuting import transpose
from tfcheck_runtime.ops.array.ranges import range_
from tfcheck_runtime.ops.array.shaping import rank
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor


def matrix_transpose(a: object, name: str = "matrix_transpose", conjugate: bool = False) -> Tensor:
    """`a` with its last two axes swapped.

    https://www.tensorflow.org/api_docs/python/tf/linalg/matrix_transpose

    Raises:
        ValueError: the rank is less than 2.
    """
    tensor = convert_to_tensor(a)
    if tensor.ndim is None:
        axes = rank(tensor)
        order: object = concat([range_(axes - 2), [axes - 1, axes - 2]], 0)
    elif tensor.ndim < 2:
        raise ValueError(
            "Argument `a` should be a (batch) matrix with rank >= 2."
            f" Received `a` = {tensor!r} with shape: {tensor.shape}"
        )
    else:
        order = [*range(tensor.ndim - 2), tensor.ndim - 1, tensor.ndim - 2]
    return transpose(tensor, order, conjugate, name)


def adjoint(matrix: object, name: str | None = None) -> Tensor:
    """`matrix` with its last two axes swapped and its elements conjugated.

    https://www.tensorflow.org/api_docs/python/tf/linalg/adjoint
    """
    return matrix_transpose(matrix, name or "adjoint", conjugate=True)


def onnx_transposed(onnx: Emitter, term: Term) -> object:
    """The ONNX node for `matrix_transpose` of a value of known rank."""
    axes = len(term.shape or ())
    return onnx.op("Transpose", term, perm=[*range(axes - 2), axes - 1, axes - 2])
