"""Matrix products, also of stacks of matrices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tfcheck_runtime.op import Array, Attributes, Aval, Call, Emitter, Op, Term, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.agreement import COMPLEXES, FLOATS, check_kind, check_same_dtypes
from tfcheck_runtime.ops.array.broadcasting import sum_to
from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.examples import counting, f32, f64, i32
from tfcheck_runtime.ops.array.squeezing import expand_dims, squeeze
from tfcheck_runtime.ops.linalg.transposing import adjoint, matrix_transpose, onnx_transposed
from tfcheck_runtime.ops.math.complexes import conj
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import as_dtype
from tfcheck_runtime.specs.shapes import Shape, broadcast
from tfcheck_runtime.values import operators
from tfcheck_runtime.values.convert import convert_pair
from tfcheck_runtime.values.tensor import Tensor, apply

_ACCEPTED = FLOATS | COMPLEXES | {"int32", "int64", "uint8", "uint16", "uint32", "uint64"}


def _inner_shapes(a: Shape, b: Shape, *, flip_a: bool, flip_b: bool) -> Shape:
    """The last two axes of the product."""
    rows, inner = (None, None) if a is None else (a[-1], a[-2]) if flip_a else (a[-2], a[-1])
    other, columns = (None, None) if b is None else (b[-1], b[-2]) if flip_b else (b[-2], b[-1])
    if inner is not None and other is not None and inner != other:
        raise ValueError(
            f"Matrix size-incompatible: In[0]: {a}, In[1]: {b}: dimensions must be equal, but are"
            f" {inner} and {other}"
        )
    return rows, columns


def _product(a: Array, b: Array) -> Array:
    if a.dtype.itemsize > 2 or a.dtype.kind not in "fV":
        return np.asarray(np.matmul(a, b))
    return np.asarray(np.matmul(a.astype(np.float32), b.astype(np.float32))).astype(a.dtype)


def _lowers(a: Aval) -> bool:
    # With nothing to sum, onnxruntime leaves some results as it finds the memory.
    nothing = 0 in (a.shape or ())[-2:]
    return a.dtype.name in ("float32", "float64", "int32", "int64") and not nothing


class _MatMul(Op):
    """The product of two matrices, either transposed first."""

    type = "MatMul"
    kernelless = frozenset({"uint8", "uint16", "uint32", "uint64"})

    def infer(self, a: Aval, b: Aval, *, transpose_a: bool, transpose_b: bool) -> Aval:
        check_same_dtypes(self.type, (a, b))
        check_kind(self.type, a, _ACCEPTED)
        for shape in (a.shape, b.shape):
            if shape is not None and len(shape) != 2:
                raise ValueError(
                    f"Shape must be rank 2 but is rank {len(shape)}: In[0] and In[1] ndims must be"
                    f" >= 2, got shapes {a.shape} and {b.shape}"
                )
        return Aval(
            a.dtype, _inner_shapes(a.shape, b.shape, flip_a=transpose_a, flip_b=transpose_b)
        )

    def eager(self, a: Array, b: Array, *, transpose_a: bool, transpose_b: bool) -> Array:
        return _product(a.T if transpose_a else a, b.T if transpose_b else b)

    def lower(
        self, onnx: Emitter, a: Term, b: Term, *, transpose_a: bool, transpose_b: bool
    ) -> object:
        left = onnx.op("Transpose", a, perm=[1, 0]) if transpose_a else a
        right = onnx.op("Transpose", b, perm=[1, 0]) if transpose_b else b
        return onnx.op("MatMul", left, right)

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        del outputs, attrs
        return _lowers(inputs[0])

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor]:
        return _matmul_gradient(
            call.inputs, grad, flip_a=call.attrs["transpose_a"], flip_b=call.attrs["transpose_b"]
        )

    cases = (
        case(counting(2, 3), counting(3, 4), transpose_a=False, transpose_b=False),
        case(
            counting(3, 2),
            f64([[1, 2, 3]]).astype(np.float32),
            transpose_a=True,
            transpose_b=True,
            unknown=((0, 1), (1, 0)),
        ),
        case(counting(3, 2), counting(3, 1), transpose_a=True, transpose_b=False),
        case(counting(2, 3), counting(4, 3), transpose_a=False, transpose_b=True),
        case(f32([[]]), np.zeros((0, 2), np.float32), transpose_a=False, transpose_b=False),
        case(i32([[1, 2]]), i32([[3], [4]]), transpose_a=False, transpose_b=False),
    )


class _BatchMatMul(Op):
    """The products of stacks of matrices, whose leading axes broadcast."""

    type = "BatchMatMulV2"

    def infer(self, a: Aval, b: Aval, *, adj_x: bool, adj_y: bool) -> Aval:
        check_same_dtypes(self.type, (a, b))
        check_kind(self.type, a, _ACCEPTED | {"int8", "int16"})
        for shape in (a.shape, b.shape):
            if shape is not None and len(shape) < 2:
                raise ValueError(f"In[0] and In[1] ndims must be >= 2, got {a.shape} and {b.shape}")
        inner = _inner_shapes(a.shape, b.shape, flip_a=adj_x, flip_b=adj_y)
        if a.shape is None or b.shape is None or inner is None:
            return Aval(a.dtype, None)
        try:
            lead = broadcast(a.shape[:-2], b.shape[:-2])
        except ValueError:
            raise ValueError(
                "In[0] and In[1] must have compatible batch dimensions:"
                f" {list(a.shape)} vs. {list(b.shape)}"
            ) from None
        return Aval(a.dtype, (*(lead or ()), *inner))

    def eager(self, a: Array, b: Array, *, adj_x: bool, adj_y: bool) -> Array:
        return _product(_adjoint(a) if adj_x else a, _adjoint(b) if adj_y else b)

    def lower(self, onnx: Emitter, a: Term, b: Term, *, adj_x: bool, adj_y: bool) -> object:
        left = onnx_transposed(onnx, a) if adj_x else a
        right = onnx_transposed(onnx, b) if adj_y else b
        return onnx.op("MatMul", left, right)

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        a, b = inputs
        ranked = (a.shape or not attrs["adj_x"]) and (b.shape or not attrs["adj_y"])
        return bool(ranked) and _lowers(a)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor]:
        return _matmul_gradient(
            call.inputs, grad, flip_a=call.attrs["adj_x"], flip_b=call.attrs["adj_y"]
        )

    cases = (
        case(counting(2, 2, 3), counting(2, 3, 4), adj_x=False, adj_y=False),
        case(counting(2, 1, 3, 2), counting(3, 4, 3), adj_x=True, adj_y=True, unknown=((0, 0),)),
        case(counting(2, 3), counting(2, 3, 1), adj_x=False, adj_y=False, unknown=((1, 0),)),
        case(counting(0, 2, 3), counting(3, 1), adj_x=False, adj_y=False),
    )


def _adjoint(a: Array) -> Array:
    return np.conj(np.swapaxes(a, -1, -2)) if a.dtype.kind == "c" else np.swapaxes(a, -1, -2)


def _matmul_gradient(
    inputs: tuple[Tensor, ...], grad: Tensor, *, flip_a: bool, flip_b: bool
) -> list[Tensor]:
    a, b = (conj(i) if i.dtype.is_complex else i for i in inputs)
    if flip_a:
        grad_a = matmul(b, grad, transpose_a=flip_b, transpose_b=True)
    else:
        grad_a = matmul(grad, b, transpose_b=not flip_b)
    if flip_b:
        grad_b = matmul(grad, a, transpose_a=True, transpose_b=flip_a)
    else:
        grad_b = matmul(a, grad, transpose_a=not flip_a)
    return [sum_to(grad_a, inputs[0]), sum_to(grad_b, inputs[1])]


matmul_op = define(_MatMul())
batch_matmul_op = define(_BatchMatMul())


def matmul(
    a: object,
    b: object,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: object = None,
    grad_a: bool = False,
    grad_b: bool = False,
    name: str | None = None,
) -> Tensor:
    """The matrix product of the last two axes; axes before them broadcast.

    https://www.tensorflow.org/api_docs/python/tf/linalg/matmul

    Args:
        a: rank 2 or more.
        b: rank 2 or more, of the same dtype.
        transpose_a: whether to swap the last two axes of `a` first.
        transpose_b: the same for `b`.
        adjoint_a: whether to transpose and conjugate `a` first.
        adjoint_b: the same for `b`.
        a_is_sparse: a hint, for matrices alone; without effect on the result.
        b_is_sparse: the same.
        output_type: the dtype of the result, if not that of the operands.
        grad_a: a hint, without effect.
        grad_b: a hint, without effect.
        name: of the node.

    Raises:
        ValueError: both transpose and adjoint are asked for; in a graph, sizes do not fit.
        InvalidArgumentError: sizes do not fit, or dtypes differ (TypeError in a graph).
    """
    del grad_a, grad_b
    for letter, both in (("a", transpose_a and adjoint_a), ("b", transpose_b and adjoint_b)):
        if both:
            raise ValueError(
                f"Only one of `transpose_{letter}` and `adjoint_{letter}` can be True."
            )
    left, right = convert_pair(a, b)
    sparse = bool(a_is_sparse or b_is_sparse)
    if sparse:
        known.check_rank(known.aval_of(left), 2, "`a` of a product of sparse matrices")
        known.check_rank(known.aval_of(right), 2, "`b` of a product of sparse matrices")
    if {left.dtype.name, right.dtype.name} == {"bfloat16", "float32"} and not _stacked(left, right):
        # TensorFlow has this product of sparse matrices alone, and takes it whenever types differ.
        left, right = cast(left, dtypes.float32), cast(right, dtypes.float32)
    left, flip_a = _oriented(left, transpose_a, adjoint_a)
    right, flip_b = _oriented(right, transpose_b, adjoint_b)
    label = name or "MatMul"
    if not _stacked(left, right):
        product = apply(matmul_op, left, right, transpose_a=flip_a, transpose_b=flip_b, name=label)
    else:
        product = apply(batch_matmul_op, left, right, adj_x=flip_a, adj_y=flip_b, name=label)
    return product if output_type is None else cast(product, as_dtype(output_type))


def _stacked(left: Tensor, right: Tensor) -> bool:
    return not {left.ndim, right.ndim} <= {0, 1, 2}


@operators.implements("matmul")
def _at(a: object, b: object) -> Tensor:
    return matmul(a, b, name="matmul")


def _oriented(tensor: Tensor, transposed: bool, adjoined: bool) -> tuple[Tensor, bool]:
    """The operand and whether to swap its axes; only complex ones need conjugating.

    A product of stacks adjoins, so what is only to be transposed is conjugated before.
    """
    if not tensor.dtype.is_complex:
        return tensor, transposed or adjoined
    if adjoined and not transposed:
        return adjoint(tensor), False
    return (matrix_transpose(tensor), False) if transposed else (tensor, False)


def matvec(
    a: object,
    b: object,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """The product of matrices and vectors; leading axes broadcast.

    https://www.tensorflow.org/api_docs/python/tf/linalg/matvec. For arguments and errors see
    `matmul`.
    """
    left, right = convert_pair(a, b)
    column = matmul(
        left,
        expand_dims(right, -1),
        transpose_a=transpose_a,
        adjoint_a=adjoint_a,
        a_is_sparse=a_is_sparse,
        b_is_sparse=b_is_sparse,
        name=name,
    )
    return squeeze(column, [-1])
