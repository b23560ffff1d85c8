"""Makes a model of a graph whose nodes are all there."""

from __future__ import annotations

from typing import Final

import onnx
import onnx_ir as ir

from tfcheck_runtime.lower.emitter import ModelState

OPSET: Final = 21
_IR_VERSION: Final = 10


def finish(graph: ir.Graph, state: ModelState) -> onnx.ModelProto:
    """The model of `graph`, with the initialisers that it or a graph inside it uses."""
    for value in state.initializers.values():
        if value.uses():
            graph.register_initializer(value)
    graph.opset_imports[""] = OPSET
    model = ir.Model(graph, ir_version=_IR_VERSION, producer_name="tfcheck")
    proto: onnx.ModelProto = ir.to_proto(model)
    return proto
