"""Sums of products along axes named by letters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfcheck_runtime.op import Array, Attributes, Aval, Call, Emitter, Op, Term, case, define
from tfcheck_runtime.ops.array.agreement import NUMBERS, check_kind, check_same_dtypes
from tfcheck_runtime.ops.array.examples import counting, i32
from tfcheck_runtime.ops.array.packing import joinable
from tfcheck_runtime.ops.linalg.einsum_equation import Equation, parse
from tfcheck_runtime.ops.linalg.einsum_gradient import operand_gradient
from tfcheck_runtime.values.tensor import Tensor, apply


class _Einsum(Op):
    """The sum of products that an equation describes."""

    type = "Einsum"

    def infer(self, *inputs: Aval, equation: str) -> Aval:
        check_same_dtypes(self.type, inputs)
        check_kind(self.type, inputs[0], NUMBERS)
        return Aval(inputs[0].dtype, parse(equation, len(inputs)).shape([i.shape for i in inputs]))

    def eager(self, *inputs: Array, equation: str) -> Array:
        small = inputs[0].dtype.itemsize <= 2 and inputs[0].dtype.kind in "fV"
        operands = [i.astype(np.float32) for i in inputs] if small else list(inputs)
        found = np.einsum(equation, *operands, optimize=len(inputs) > 2)
        return np.asarray(found, inputs[0].dtype)

    def lower(self, onnx: Emitter, *inputs: Term, equation: str) -> object:
        return onnx.op("Einsum", *inputs, equation=equation)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor]:
        equation = parse(call.attrs["equation"], len(call.inputs))
        explicit = equation.explicit([i.static_shape for i in call.inputs])
        shared = "".join(c for c in explicit.output if c not in equation.output)
        return [
            operand_gradient(
                explicit, call.inputs, which=i, grad=grad, shared=shared, einsum=einsum
            )
            for i in range(len(call.inputs))
        ]

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        # onnxruntime's kernel divides by the sizes, and wants an ellipsis to be of one rank.
        shapes = [i.shape for i in inputs if i.shape is not None and 0 not in i.shape]
        sized = len(shapes) == len(inputs)
        free = {
            len(shape) - len(term.replace("...", ""))
            for shape, term in zip(
                shapes, attrs["equation"].split("->")[0].split(","), strict=False
            )
            if "..." in term
        }
        return sized and len(free) < 2 and super().lowers(inputs, outputs, attrs)

    cases = (
        case(counting(2, 3), counting(3, 4), equation="ij,jk->ik", unknown=((0, 0),)),
        case(counting(2, 2, 3), counting(3, 4), equation="...ij,jk->...ik"),
        case(counting(2, 1, 3), counting(2, 2, 3), equation="...i,...i->..."),
        case(counting(3, 3), equation="ii->i"),
        case(counting(3, 3), equation="ii->"),
        case(counting(2, 3), equation="ij->ji"),
        case(counting(2, 3), equation="ij->i", unknown=((0, 1),)),
        case(counting(2), counting(3), counting(2), equation="i,j,i->j"),
        case(i32([[1, 2]]), i32([[3], [4]]), equation="ij,jk->ik"),
    )


einsum_op = define(_Einsum())


def einsum(equation: str, *inputs: object, **kwargs: object) -> Tensor:
    """The sum of products that `equation` describes, in Einstein's notation.

    https://www.tensorflow.org/api_docs/python/tf/einsum

    Args:
        equation: a letter per axis: inputs, `->`, output; `...` stands for axes that broadcast.
        *inputs: as many tensors as the equation names, of one dtype.
        **kwargs: `optimize`, without effect, and `name`.

    Raises:
        ValueError: the equation is malformed; in a graph, sizes do not fit.
        TypeError: there is another keyword.
        InvalidArgumentError: sizes do not fit.
    """
    name: Any = kwargs.pop("name", None)
    kwargs.pop("optimize", None)
    if kwargs:
        raise TypeError(f"Invalid keyword arguments for einsum: {', '.join(kwargs)}")
    parsed: Equation = parse(equation, len(inputs))
    return apply(einsum_op, *joinable(inputs), equation=str(parsed), name=name or "einsum/Einsum")
