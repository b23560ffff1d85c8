"""Diagonals of matrices: made, taken, replaced, and what lies beside them cut off."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Attributes, Aval, Call, Emitter, Op, Term, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.agreement import check_same_dtypes
from tfcheck_runtime.ops.array.examples import counting, f32, i32, i64
from tfcheck_runtime.ops.array.filling import zeros_like
from tfcheck_runtime.ops.array.reduction import reduce_sum
from tfcheck_runtime.ops.array.shaping import reshape, shape as shape_of
from tfcheck_runtime.ops.linalg import diagonal_kernels as kernels, diagonal_lowering as lowering
from tfcheck_runtime.ops.math.arithmetic import subtract
from tfcheck_runtime.specs.shapes import Shape, are_compatible
from tfcheck_runtime.values import operators
from tfcheck_runtime.values.convert import convert_pair, convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply


class _MatrixDiag(Op):
    """Matrices with the given diagonals, and a padding value elsewhere."""

    type = "MatrixDiagV3"

    def infer(
        self, diagonal: Aval, k: Aval, rows: Aval, columns: Aval, padding: Aval, *, align: str
    ) -> Aval:
        del align
        check_same_dtypes(self.type, (diagonal, padding))
        band = known.complete(k)
        if diagonal.shape is None or band is None:
            return Aval(diagonal.dtype, None)
        if not diagonal.shape:
            raise ValueError("diagonal must be at least 1-dim, received shape: []")
        single = kernels.is_single(band)
        lead = diagonal.shape[:-1] if single else diagonal.shape[:-2]
        longest = diagonal.shape[-1]
        asked = (known.scalar(rows), known.scalar(columns))
        return Aval(diagonal.dtype, (*lead, *kernels.matrix_size(longest, band, asked)))

    def eager(
        self,
        diagonal: Array,
        k: Array,
        rows: Array,
        columns: Array,
        padding: Array,
        *,
        align: str,
    ) -> Array:
        band, asked = kernels.band_of(k), (int(rows), int(columns))
        height, width = kernels.matrix_size(diagonal.shape[-1], band, asked)
        stacked = diagonal[..., None, :] if kernels.is_single(band) else diagonal
        lead = stacked.shape[:-2]
        out = np.full((*lead, height or 0, width or 0), padding, diagonal.dtype)
        kernels.write(out, stacked, band, align)
        return out

    def lower(
        self,
        onnx: Emitter,
        diagonal: Term,
        k: Term,
        rows: Term,
        columns: Term,
        padding: Term,
        *,
        align: str,
    ) -> object:
        del k, rows, columns, align
        return lowering.square_matrix(onnx, diagonal, padding)

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        # Only square matrices with one diagonal in the middle, by far the most common.
        diagonal, k, rows, columns, _ = inputs
        plain = kernels.is_main(known.complete(k)) and known.scalar(rows) == -1
        whole = plain and known.scalar(columns) == -1 and diagonal.shape is not None
        return whole and diagonal.dtype.name != "bool" and super().lowers(inputs, outputs, attrs)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | None]:
        _, k, *_ = call.inputs
        taken = apply(matrix_diag_part_op, grad, k, _zero(grad), align=call.attrs["align"])
        return [taken, None, None, None, subtract(reduce_sum(grad), reduce_sum(taken))]

    cases = (
        case(counting(2, 3), np.int32(0), np.int32(-1), np.int32(-1), np.float32(0),
             align="RIGHT_LEFT", unknown=((0, 0), (0, 1))),
        case(counting(2), np.int32(1), np.int32(-1), np.int32(-1), np.float32(9),
             align="RIGHT_LEFT", differentiable=False),
        case(i32([[0, 1], [2, 3], [4, 0]]), i32([-1, 1]), np.int32(-1), np.int32(-1), np.int32(0),
             align="RIGHT_LEFT"),
        case(i32([1, 2]), np.int32(-1), np.int32(3), np.int32(2), np.int32(0), align="LEFT_LEFT"),
    )  # fmt: skip


def _filler(value: object, like: Tensor) -> Tensor:
    if like.dtype.is_bool and isinstance(value, int):
        return convert_to_tensor(bool(value))
    return convert_to_tensor(value, dtype_hint=like.dtype)


def _zero(like: Tensor) -> Tensor:
    return convert_to_tensor(0, dtype_hint=like.dtype)


class _MatrixDiagPart(Op):
    """The diagonals of matrices, from `k[1]` down to `k[0]`; one alone loses its axis."""

    type = "MatrixDiagPartV3"

    def infer(self, x: Aval, k: Aval, padding: Aval, *, align: str) -> Aval:
        del align
        check_same_dtypes(self.type, (x, padding))
        band = known.complete(k)
        if x.shape is None or band is None:
            return Aval(x.dtype, None)
        if len(x.shape) < 2:
            raise ValueError(f"input must be at least 2-dim, received shape: {x.shape}")
        longest = kernels.longest(x.shape[-2], x.shape[-1], band)
        count = () if kernels.is_single(band) else (band[-1] - band[0] + 1,)
        return Aval(x.dtype, (*x.shape[:-2], *count, longest))

    def eager(self, x: Array, k: Array, padding: Array, *, align: str) -> Array:
        band = kernels.band_of(k)
        length = kernels.longest(x.shape[-2], x.shape[-1], band)
        found = kernels.read(x, band, align, length=length or 0, padding=padding)
        return found[..., 0, :] if kernels.is_single(band) else found

    def lower(self, onnx: Emitter, x: Term, k: Term, padding: Term, *, align: str) -> object:
        del padding, align
        return lowering.diagonal(onnx, x, (known.complete(k.aval) or (0,))[0])

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        band = known.complete(inputs[1])
        single = band is not None and kernels.is_single(band) and inputs[0].shape is not None
        return single and inputs[0].dtype.name != "bool" and super().lowers(inputs, outputs, attrs)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | None]:
        x, k, _ = call.inputs
        align = call.attrs["align"]
        spread = apply(matrix_set_diag_op, zeros_like(x, grad.dtype), grad, k, align=align)
        inside = apply(matrix_diag_part_op, spread, k, _zero(grad), align=align)
        return [spread, None, subtract(reduce_sum(grad), reduce_sum(inside))]

    cases = (
        case(counting(2, 3, 3), np.int32(0), np.float32(0), align="RIGHT_LEFT", unknown=((0, 1),)),
        case(counting(3, 4), np.int32(2), np.float32(0), align="RIGHT_LEFT"),
        case(counting(4, 2), np.int32(-1), np.float32(0), align="RIGHT_LEFT"),
        case(counting(3, 4), i32([-1, 1]), np.float32(0), align="RIGHT_LEFT"),
        case(i32([[1, 2], [3, 4]]), np.int32(0), np.int32(0), align="LEFT_RIGHT"),
    )


def _check_diagonal(matrix: tuple[int | None, ...], diagonal: Shape, k: int) -> None:
    """Check the shape of one diagonal, `k` above the main one, where it is known."""
    *lead, rows, columns = matrix
    length = None if rows is None or columns is None else min(rows + min(k, 0), columns - max(k, 0))
    if not are_compatible((*lead, length), diagonal):
        raise ValueError(
            f"set_diag: diagonal {k} of matrices of shape {matrix} has shape {(*lead, length)}, got"
            f" {diagonal}"
        )


class _MatrixSetDiag(Op):
    """Matrices with diagonals replaced."""

    type = "MatrixSetDiagV3"

    def infer(self, x: Aval, diagonal: Aval, k: Aval, *, align: str) -> Aval:
        del align
        check_same_dtypes(self.type, (x, diagonal))
        if x.shape is not None and len(x.shape) < 2:
            raise ValueError(f"input must be at least 2-dim, received shape: {x.shape}")
        offset = known.complete(k)
        if x.shape is not None and offset is not None and len(set(offset)) == 1:
            _check_diagonal(x.shape, diagonal.shape, offset[0])
        return Aval(x.dtype, x.shape)

    def eager(self, x: Array, diagonal: Array, k: Array, *, align: str) -> Array:
        band = kernels.band_of(k)
        out = x.copy()
        stacked = diagonal[..., None, :] if kernels.is_single(band) else diagonal
        kernels.write(out, stacked, band, align)
        return out

    def lower(self, onnx: Emitter, x: Term, diagonal: Term, k: Term, *, align: str) -> object:
        del k, align
        return lowering.replaced_diagonal(onnx, x, diagonal)

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        x, diagonal, k = inputs
        ranked = x.shape is not None and diagonal.shape is not None
        # Whether the diagonal runs along rows or columns must be known.
        sized = ranked and None not in (x.shape or ())[-2:] and 0 not in (x.shape or ())
        main = sized and kernels.is_main(known.complete(k)) and x.dtype.name != "bool"
        return main and super().lowers(inputs, outputs, attrs)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | None]:
        _, diagonal, k = call.inputs
        align = call.attrs["align"]
        kept = apply(matrix_set_diag_op, grad, zeros_like(diagonal), k, align=align)
        taken = apply(matrix_diag_part_op, grad, k, _zero(grad), align=align)
        return [kept, taken, None]

    cases = (
        case(counting(2, 3, 3), counting(2, 3), np.int32(0), align="RIGHT_LEFT", unknown=((0, 0),)),
        case(counting(2, 3), f32([7, 8]), np.int32(0), align="RIGHT_LEFT"),
        case(counting(3, 2), f32([7, 8]), np.int32(0), align="RIGHT_LEFT"),
        case(counting(3, 3), f32([7, 8]), np.int32(1), align="RIGHT_LEFT"),
    )


class _MatrixBandPart(Op):
    """Matrices with zeros outside a band around the diagonal; negative widths keep everything."""

    type = "MatrixBandPart"

    def infer(self, x: Aval, lower: Aval, upper: Aval) -> Aval:
        check_same_dtypes(self.type, (lower, upper))
        if x.shape is not None and len(x.shape) < 2:
            raise ValueError(f"input must be at least 2-dim, received shape: {x.shape}")
        for width, size, side in zip(
            (lower, upper), (x.shape or (None, None))[-2:], ("num_lower", "num_upper"), strict=True
        ):
            content = known.scalar(width)
            if content is not None and size is not None and content > size:
                raise invalid_argument(
                    f"{side} must be negative or less or equal to number of"
                    f" {'rows' if side == 'num_lower' else 'columns'} ({size}) got: {content}",
                    self.type,
                )
        return Aval(x.dtype, x.shape)

    def eager(self, x: Array, lower: Array, upper: Array) -> Array:
        below = np.subtract.outer(np.arange(x.shape[-2]), np.arange(x.shape[-1]))
        inside = ((lower < 0) | (below <= lower)) & ((upper < 0) | (-below <= upper))
        return np.where(inside, x, np.zeros((), x.dtype))

    def lower(self, onnx: Emitter, x: Term, lower: Term, upper: Term) -> object:
        return lowering.band(onnx, x, lower, upper)

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        ranked = inputs[0].shape is not None and inputs[0].dtype.name != "bool"
        return ranked and super().lowers(inputs, outputs, attrs)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | None]:
        _, lower, upper = call.inputs
        return [band_part(grad, lower, upper), None, None]

    cases = (
        case(counting(3, 3), np.int32(-1), np.int32(0)),
        case(counting(2, 2, 4), i64(1), i64(1), unknown=((0, 2),)),
        case(i32([[1, 2], [3, 4]]), np.int32(0), np.int32(-1)),
    )


matrix_diag_op = define(_MatrixDiag())
matrix_diag_part_op = define(_MatrixDiagPart())
matrix_set_diag_op = define(_MatrixSetDiag())
matrix_band_part_op = define(_MatrixBandPart())


def diag(
    diagonal: object,
    name: str = "diag",
    k: object = 0,
    num_rows: object = -1,
    num_cols: object = -1,
    padding_value: object = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """Matrices with `diagonal` (its last axis) as diagonal.

    https://www.tensorflow.org/api_docs/python/tf/linalg/diag

    Args:
        diagonal: the elements; for several diagonals packed from the highest down.
        name: of the node.
        k: which diagonal, or the (lowest, highest) of several; 0 is the middle one.
        num_rows: -1 for as many as needed.
        num_cols: -1 for as many as needed.
        padding_value: what stands elsewhere.
        align: how shorter diagonals are packed.

    Raises:
        InvalidArgumentError: the diagonals do not fit the matrix (ValueError in a graph).
    """
    elements = convert_to_tensor(diagonal)
    filler = _filler(padding_value, elements)
    sizes = [known.integer_tensor(v, what=w) for v, w in ((k, "k"), (num_rows, "num_rows"))]
    columns = known.integer_tensor(num_cols, what="num_cols")
    return apply(matrix_diag_op, elements, *sizes, columns, filler, align=align, name=name)


def diag_part(
    input: object,
    name: str = "diag_part",
    k: object = 0,
    padding_value: object = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """The diagonals of the matrices in the last two axes; for arguments see `diag`.

    https://www.tensorflow.org/api_docs/python/tf/linalg/diag_part

    Raises:
        InvalidArgumentError: there is no such diagonal (ValueError in a graph).
    """
    matrix = convert_to_tensor(input)
    band = known.integer_tensor(k, what="k")
    filler = _filler(padding_value, matrix)
    return apply(matrix_diag_part_op, matrix, band, filler, align=align, name=name)


def set_diag(
    input: object,
    diagonal: object,
    name: str = "set_diag",
    k: object = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """The matrices in the last two axes with `diagonal` in place of theirs; see `diag`.

    https://www.tensorflow.org/api_docs/python/tf/linalg/set_diag

    Raises:
        InvalidArgumentError: the diagonal does not fit (ValueError in a graph).
    """
    matrix, elements = convert_pair(input, diagonal)
    band = known.integer_tensor(k, what="k")
    return apply(matrix_set_diag_op, matrix, elements, band, align=align, name=name)


def band_part(
    input: object, num_lower: object, num_upper: object, name: str | None = None
) -> Tensor:
    """Matrices with zeros outside a band; negative numbers keep that whole side.

    https://www.tensorflow.org/api_docs/python/tf/linalg/band_part

    Raises:
        InvalidArgumentError: the rank is less than 2 (ValueError in a graph).
    """
    widths = [known.integer_tensor(n, what="widths") for n in (num_lower, num_upper)]
    label = name or "MatrixBandPart"
    return apply(matrix_band_part_op, convert_to_tensor(input), *widths, name=label)


def trace(x: object, name: str | None = None) -> Tensor:
    """The sums of the diagonals (https://www.tensorflow.org/api_docs/python/tf/linalg/trace)."""
    return reduce_sum(diag_part(x), [-1], name=name)


def tensor_diag(diagonal: object, name: str | None = None) -> Tensor:
    """A tensor of twice the rank with `diagonal` where all index pairs agree.

    https://www.tensorflow.org/api_docs/python/tf/linalg/tensor_diag
    """
    elements = convert_to_tensor(diagonal)
    sizes = shape_of(elements)
    square = diag(reshape(elements, [-1]))
    return reshape(square, operators.implementation("concat")([sizes, sizes], 0), name=name)


def tensor_diag_part(input: object, name: str | None = None) -> Tensor:
    """What `tensor_diag` spread out (https://www.tensorflow.org/api_docs/python/tf/linalg/tensor_diag_part).

    Raises:
        ValueError: the rank is odd or unknown.
    """
    tensor = convert_to_tensor(input)
    if tensor.ndim is None or tensor.ndim % 2:
        raise ValueError(f"tensor_diag_part: expected an even rank, got shape {tensor.shape}")
    sizes = shape_of(tensor)[: tensor.ndim // 2]
    count = operators.implementation("prod")(sizes)
    return reshape(diag_part(reshape(tensor, [count, count])), sizes, name=name)
