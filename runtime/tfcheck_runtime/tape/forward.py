"""`tf.autodiff.ForwardAccumulator`: products of jacobians with vectors.

Follows https://www.tensorflow.org/api_docs/python/tf/autodiff/ForwardAccumulator.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self

from tfcheck_runtime import dispatch
from tfcheck_runtime.ops.array.filling import ones_like, zeros_like
from tfcheck_runtime.ops.array.reduction import reduce_sum
from tfcheck_runtime.ops.math.arithmetic import add_n, multiply
from tfcheck_runtime.specs import nest
from tfcheck_runtime.tape.backprop import backpropagate, is_differentiable
from tfcheck_runtime.tape.derivatives import UnconnectedGradients, handle_of
from tfcheck_runtime.tape.gradient_tape import GradientTape
from tfcheck_runtime.tape.slices import dense
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor


class ForwardAccumulator:
    """Computes how results change when `primals` change in the direction of `tangents`.

    Args:
        primals: tensor, variable or structure of these.
        tangents: the direction: a structure like `primals` of tensors of the same shapes.

    Raises:
        ValueError: a tangent has another dtype or shape than its primal.
    """

    def __init__(self, primals: Any, tangents: Any) -> None:
        nest.assert_same_structure(primals, tangents)
        pairs = zip(nest.flatten(primals), nest.flatten(tangents), strict=True)
        self._directions = [(p, _checked(p, t)) for p, t in pairs]
        self._tape = GradientTape(persistent=True, watch_accessed_variables=False)

    def __enter__(self) -> Self:
        self._tape.__enter__()
        for primal, _ in self._directions:
            self._tape.watch(primal)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._tape.__exit__(kind, error, trace)

    def jvp(
        self,
        primals: Any,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
    ) -> Any:
        """How `primals`, computed while the context was open, change; in their structure.

        Args:
            primals: tensor, variable or structure of these.
            unconnected_gradients: whether what does not change gives None or zeros.
        """
        mode = UnconnectedGradients.checked(unconnected_gradients)
        with dispatch.hidden_from(self._tape):
            return nest.map_structure(lambda target: self._change(target, mode), primals)

    def _change(self, target: Any, mode: UnconnectedGradients) -> Tensor | None:
        handle = handle_of(target)
        own = [t for p, t in self._directions if handle_of(p) is handle]
        found = own or self._along(convert_to_tensor(target), handle)
        if not found:
            return zeros_like(target) if mode is UnconnectedGradients.ZERO else None
        return found[0] if len(found) == 1 else add_n(found)

    def _along(self, target: Tensor, handle: Any) -> list[Tensor]:
        """The change of a result, per path to it.

        A gradient is linear in what it starts from: its own gradient, in the direction of the
        tangents, is the change that is wanted.
        """
        if not is_differentiable(target) or not self._tape.is_watching(handle):
            return []
        with GradientTape(watch_accessed_variables=False) as tape:
            start = ones_like(target)
            tape.watch(start)
            sources = [handle_of(p) for p, _ in self._directions]
            gradients = backpropagate(self._tape.records, [(handle, start)], sources)
            terms = [
                reduce_sum(multiply(gradient, tangent))
                for source, (_, tangent) in zip(sources, self._directions, strict=True)
                if (gradient := dense(gradients.of(source))) is not None
            ]
        found = tape.gradient(terms, start) if terms else None
        return [] if found is None else [found]


def _checked(primal: Any, tangent: Any) -> Tensor:
    direction = convert_to_tensor(tangent, primal.dtype)
    if not direction.shape.is_compatible_with(primal.shape):
        raise ValueError(
            f"the tangent {direction!r} has shape {direction.shape}, its primal {primal.shape}"
        )
    return direction
