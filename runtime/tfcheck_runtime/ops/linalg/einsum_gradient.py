"""The gradient of einsum: another one, of the output's gradient and the other inputs."""

from __future__ import annotations

import string
from collections.abc import Callable, Sequence

from tfcheck_runtime.ops.array.broadcasting import broadcast_to, sum_to
from tfcheck_runtime.ops.array.hot import eye
from tfcheck_runtime.ops.array.shaping import shape as shape_of
from tfcheck_runtime.ops.array.squeezing import expand_dims, squeeze
from tfcheck_runtime.ops.linalg.einsum_equation import Equation
from tfcheck_runtime.ops.math.complexes import conj
from tfcheck_runtime.values.tensor import Tensor


def operand_gradient(
    equation: Equation,
    inputs: Sequence[Tensor],
    *,
    which: int,
    grad: Tensor,
    shared: str,
    einsum: Callable[..., Tensor],
) -> Tensor:
    """The gradient of one input; `equation` names all axes, those in `shared` broadcast.

    Three things need care: a letter twice in the input (its diagonal: multiply with a unit
    matrix), a letter that only this input has (summed away: repeat), and axes of size 1 that
    were repeated to fit the others (sum).
    """
    operand, labels = inputs[which], equation.inputs[which]
    sources = [(equation.output, grad)]
    sources += [
        _squeezed(equation.inputs[i], conj(value) if value.dtype.is_complex else value, shared)
        for i, value in enumerate(inputs)
        if i != which
    ]
    labels, units = _without_repeats(labels, operand, equation)
    sources += units
    available = {c for names, _ in sources for c in names} - _single(labels, operand, shared)
    present = "".join(c for c in labels if c in available)
    wanted = f"{','.join(names for names, _ in sources)}->{present}"
    value = einsum(wanted, *(v for _, v in sources))
    if present == labels:
        return sum_to(value, operand)
    for axis, label in enumerate(labels):
        if label not in available:
            value = expand_dims(value, axis)
    return broadcast_to(value, shape_of(operand))


def _single(labels: str, value: Tensor, shared: str) -> set[str]:
    """The broadcasting axes that have size 1 here."""
    sizes = zip(labels, value.shape, strict=True) if value.static_shape is not None else ()
    return {label for label, size in sizes if size == 1 and label in shared}


def _squeezed(labels: str, value: Tensor, shared: str) -> tuple[str, Tensor]:
    """Labels and value without broadcasting axes of size 1."""
    gone = _single(labels, value, shared)
    if not gone:
        return labels, value
    axes = [i for i, label in enumerate(labels) if label in gone]
    return "".join(label for label in labels if label not in gone), squeeze(value, axes)


def _without_repeats(
    labels: str, operand: Tensor, equation: Equation
) -> tuple[str, list[tuple[str, Tensor]]]:
    """New letters for labels that occur again, and the unit matrices that tie them."""
    used = {c for names in (*equation.inputs, equation.output) for c in names}
    fresh = (c for c in string.ascii_letters if c not in used)
    renamed, units = "", []
    for axis, label in enumerate(labels):
        if label not in renamed:
            renamed += label
            continue
        letter = next(fresh)
        size = operand.shape[axis]
        unit = eye(shape_of(operand)[axis] if size is None else size, dtype=operand.dtype)
        units.append((label + letter, unit))
        renamed += letter
    return renamed, units
