"""`tf.debugging.check_numerics` and the switch that checks every op for NaN and infinity.

Follows https://www.tensorflow.org/api_docs/python/tf/debugging/enable_check_numerics.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from tfcheck_runtime import dispatch
from tfcheck_runtime.dispatch import EagerInterpreter, Inputs, TracingInterpreter
from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.graph.ir import Graph
from tfcheck_runtime.op import Array, Aval, Call, Op, case, define
from tfcheck_runtime.site import user_site
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply


class _CheckNumerics(Op):
    """The input; fails when it holds NaN or infinity."""

    type = "CheckNumerics"
    stateful = True

    def infer(self, x: Aval, *, message: str) -> Aval:
        if not x.dtype.is_floating:
            raise ValueError(f"check_numerics needs a floating-point tensor, got {x.dtype.name}")
        return Aval(x.dtype, x.shape)

    def eager(self, x: Array, *, message: str) -> Array:
        _check(x, message)
        return x

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor]:
        note = "Not a number (NaN) or infinity (Inf) values detected in gradient. "
        return [check_numerics(grad, note + call.attrs["message"])]

    cases = (
        case(np.array([0.5, -2.0], np.float32), message="x"),
        case(np.zeros((0, 3)), message="x"),
    )


def _check(x: Array, message: str) -> None:
    kinds = (("Inf", np.isinf(x)), ("NaN", np.isnan(x)))
    found = [name for name, bad in kinds if bad.any()]
    if found:
        raise invalid_argument(f"{message} : Tensor had {' and '.join(found)} values")


check_numerics_op = define(_CheckNumerics())


def check_numerics(tensor: object, message: str, name: str | None = None) -> Tensor:
    """The tensor, after a check that all its elements are finite.

    Args:
        tensor: of floating-point type.
        message: begins the error.
        name: of the node.

    Raises:
        InvalidArgumentError: an element is NaN or infinite.
    """
    value = convert_to_tensor(tensor)
    return apply(check_numerics_op, value, message=message, name=name or "CheckNumerics")


def assert_all_finite(x: object, message: str, name: str | None = None) -> Tensor:
    """The tensor, after a check that all its elements are finite; see `check_numerics`."""
    return check_numerics(x, message, name)


class _Original:
    """The interpreters that run while nothing is checked."""

    saved: tuple[EagerInterpreter, TracingInterpreter] | None = None


_UNCHECKED: Final = frozenset({"Const", "Placeholder", "Identity", "CheckNumerics"})


def enable_check_numerics(stack_height_limit: int = 30, path_length_limit: int = 50) -> None:
    """Let every op applied from now on fail when it makes NaN or infinity.

    Functions traced before keep running unchecked.
    """
    if _Original.saved is not None:
        return
    eager, tracing = _Original.saved = dispatch.interpreters()

    def checked_eager(op: Op, inputs: Inputs, attrs: Mapping[str, Any]) -> Inputs:
        outputs = eager(op, inputs, attrs)
        for i, output in enumerate(outputs):
            if op.type in _UNCHECKED or not output.dtype.is_floating:
                continue
            array = output.array.astype(np.float64)
            if not np.isfinite(array).all():
                _check(array, _blame("eagerly-executing", op, i, among=outputs))
        return outputs

    def checked_tracing(
        graph: Graph, op: Op, inputs: Inputs, attrs: Mapping[str, Any], name: str | None
    ) -> Inputs:
        outputs = tracing(graph, op, inputs, attrs, name)
        if op.type in _UNCHECKED:
            return outputs
        return tuple(
            tracing(graph, check_numerics_op, (output,), _message(op, i, outputs), None)[0]
            if output.dtype.is_floating
            else output
            for i, output in enumerate(outputs)
        )

    dispatch.install(eager=checked_eager, tracing=checked_tracing)


def _message(op: Op, index: int, outputs: Inputs) -> dict[str, str]:
    return {"message": _blame("graph", op, index, among=outputs)}


def _blame(how: str, op: Op, index: int, *, among: Inputs) -> str:
    """What made the value, and the user's line that asked for it."""
    output, site = among[index], user_site()
    return (
        f'!!! Detected Infinity or NaN in output {index} of {how} op "{op.type}" (# of outputs:'
        f" {len(among)}) !!!\n  dtype: {output.dtype!r}\n  shape: {output.shape}\n"
        f'  File "{site.file}", line {site.line}, in {site.function}\n'
    )


def disable_check_numerics() -> None:
    """Stop checking what is applied from now on."""
    if _Original.saved is not None:
        eager, tracing = _Original.saved
        _Original.saved = None
        dispatch.install(eager=eager, tracing=tracing)
