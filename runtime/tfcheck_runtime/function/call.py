"""The op that calls a function's graph, from eager code or inside another graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfcheck_runtime import dispatch
from tfcheck_runtime.function.differentiate import backward, forward
from tfcheck_runtime.function.graph import FunctionGraph
from tfcheck_runtime.function.running import run_graph
from tfcheck_runtime.op import Array, Aval, Call, Op, define
from tfcheck_runtime.tape.gradient_tape import GradientTape
from tfcheck_runtime.tape.slices import Gradient
from tfcheck_runtime.values.tensor import Tensor


class _PartitionedCall(Op):
    """The outputs of a graph for values of its parameters.

    `wanted` are the inputs that gradients are computed for; all that can have one by default.
    """

    stateful = True  # what it calls decides; the call disappears when the graph is lowered

    def __init__(self, op_type: str) -> None:
        self.type = op_type

    def infer(
        self, *inputs: Aval, function: FunctionGraph, wanted: tuple[int, ...] | None = None
    ) -> tuple[Aval, ...]:
        del inputs, wanted
        return tuple(
            Aval(v.aval.dtype, v.aval.shape, partial=v.aval.partial) for v in function.outputs
        )

    def eager(
        self, *inputs: Any, function: FunctionGraph, wanted: tuple[int, ...] | None = None
    ) -> tuple[Array, ...]:
        del wanted
        return tuple(run_graph(function, inputs))

    def gradient(self, call: Call[Tensor], *grads: Tensor | None) -> list[Gradient | None]:
        function: FunctionGraph = call.attrs["function"]
        seeded = tuple(i for i, g in enumerate(grads) if g is not None)
        plan = backward(function, seeded=seeded, wanted=call.attrs.get("wanted"))
        available = (*call.inputs, *call.outputs)
        arguments = [
            *(grads[i] for i in seeded),
            *(available[i] for i in plan.needs),
            *(c.external for c in plan.graph.captures),
        ]
        results: list[Gradient | None] = [None] * len(call.inputs)
        for i, gradient in plan.repack(call_graph(plan.graph, arguments)):
            results[i] = gradient
        return results


call_op = define(_PartitionedCall("PartitionedCall"))
stateful_call_op = define(_PartitionedCall("StatefulPartitionedCall"))


def call_graph(graph: FunctionGraph, inputs: Sequence[Any]) -> tuple[Tensor, ...]:
    """Call `graph` with values for its parameters; tapes that watch one of them see the call."""
    tapes = [t for t in dispatch.state.tapes if isinstance(t, GradientTape)]
    wanted = tuple(i for i, v in enumerate(inputs) if any(t.is_watching(v) for t in tapes))
    op = stateful_call_op if graph.is_stateful else call_op
    if not wanted:
        return dispatch.run(op, tuple(inputs), {"function": graph})
    # The state that a second derivative would need cannot be read again later.
    again = len(tapes) > 1 or any(t.persistent for t in tapes)
    try:
        full = forward(graph, wanted=wanted, keep_state=again)
    except (NotImplementedError, LookupError):
        full = graph  # no gradient through one of its ops: an error only if it is asked for
    attrs = {"function": full, "wanted": wanted}
    outputs: tuple[Tensor, ...] = dispatch.run(op, tuple(inputs), attrs)
    return outputs[: len(graph.outputs)]
