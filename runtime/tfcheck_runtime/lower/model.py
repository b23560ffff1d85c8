"""Exports a graph as one checked ONNX model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import onnx
import onnx_ir as ir

from tfcheck_runtime.errors import InternalError
from tfcheck_runtime.graph.effects import block_effects
from tfcheck_runtime.graph.ir import Graph, Node
from tfcheck_runtime.graph.passes.flatten import flatten
from tfcheck_runtime.graph.passes.prune import prune
from tfcheck_runtime.graph.passes.silence import silence
from tfcheck_runtime.graph.program import Block, Slot
from tfcheck_runtime.lower.emitter import GraphEmitter, ModelState, onnx_type
from tfcheck_runtime.lower.finish import finish
from tfcheck_runtime.lower.manifest import BakedIn, Manifest
from tfcheck_runtime.lower.placement import host_steps
from tfcheck_runtime.lower.plan import contents_of
from tfcheck_runtime.lower.scope import Boundary, Scope
from tfcheck_runtime.lower.steps import lower_steps
from tfcheck_runtime.op import Aval
from tfcheck_runtime.specs.shapes import Shape
from tfcheck_runtime.values.resource import Resource
from tfcheck_runtime.values.tensor import EagerTensor


class ExportError(Exception):
    """A function has ops that ONNX cannot express; `blockers` are their nodes."""

    def __init__(self, name: str, blockers: Sequence[Node]) -> None:
        self.blockers = tuple(blockers)
        what = "1 op has" if len(blockers) == 1 else f"{len(blockers)} ops have"
        lines = [
            f"  {n.op.type} `{n.name}` at {n.site.file}:{n.site.line} in {n.site.function}"
            for n in blockers
        ]
        super().__init__(
            "\n".join(
                [
                    f"`{name}` cannot be exported to ONNX: {what} no ONNX form",
                    *lines,
                    "Move them out of the function, or export a function without them",
                ]
            )
        )


@dataclass(frozen=True, slots=True)
class Export:
    """A checked model, and how it differs from what it was made from."""

    model: onnx.ModelProto
    manifest: Manifest
    block: Block
    """The program that was lowered."""
    feeds: tuple[str | None, ...]
    """For each parameter of the program the input of the model, if it is one.

    The outputs of the model are those of the program, then the new contents of the variables
    that it writes, in the order of its parameters.
    """


def to_model(
    graph: Graph, *, name: str | None = None, output_names: Sequence[str] | None = None
) -> onnx.ModelProto:
    """The ONNX model of `graph`: that of `export_graph`."""
    return export_graph(graph, name=name, output_names=output_names).model


def export_graph(
    graph: Graph, *, name: str | None = None, output_names: Sequence[str] | None = None
) -> Export:
    """The ONNX model of `graph` with its manifest, which is in the model's metadata too.

    Its inputs are the graph's parameters by name, its outputs `Identity`, `Identity_1`… Captured
    tensors and variables become initialisers with their present value; a variable that the graph
    writes becomes an input of its name and an output `name_new`. Sizes that are unknown get
    symbolic names, and each node names its line of Python in its metadata. Prints, checks and
    whatever else only acts outside are left out.

    Args:
        graph: what to export.
        name: of the model; by default that of the graph.
        output_names: one per output of the graph.

    Raises:
        ExportError: some ops have no ONNX form; it lists all of them.
    """
    block, dropped = silence(prune(flatten(graph))[0])
    return _export(graph, block, dropped, title=name or graph.name, names=output_names)


def probe_graph(graph: Graph) -> Export:
    """As `export_graph`, with whatever a step outside branches and loops makes as an output.

    Raises:
        ExportError: some ops have no ONNX form.
    """
    block, dropped = silence(prune(flatten(graph))[0])
    made = [o for step in block.steps for o in step.outputs if o.constant is None]
    outputs = tuple(slot for slot in made if not slot.is_resource)
    return _export(graph, Block(block.parameters, block.steps, outputs), dropped, title=graph.name)


def _export(
    graph: Graph,
    block: Block,
    dropped: tuple[Node, ...],
    *,
    title: str,
    names: Sequence[str] | None = None,
) -> Export:
    _refuse_host_steps(block, title)
    scope = _scope(graph, block, title)
    parameters, baked_in = _bind_parameters(scope, graph, block)
    outputs = _named_outputs(scope, block, names)
    written = {
        str(scope.cells[output.slot].name): output.name
        for output in outputs
        if output.slot.is_resource
    }
    lower_steps(scope, block.steps)
    inputs = [value for value in parameters if value is not None]
    model = _checked(_finished(scope, inputs, outputs), title)
    manifest = Manifest(dropped, written, _used(scope, baked_in))
    manifest.write_into(model)
    feeds = tuple(None if value is None else str(value.name) for value in parameters)
    return Export(model, manifest, block, feeds)


def _refuse_host_steps(block: Block, title: str) -> None:
    blockers = [step.node for step in host_steps(block)]
    if blockers:
        raise ExportError(title, blockers)


def _scope(graph: Graph, block: Block, title: str) -> Scope:
    state = ModelState()
    emitter = GraphEmitter(state, title)
    return Scope(emitter, Boundary(state, emitter, contents_of(graph, block)))


def _used(scope: Scope, captured: Mapping[ir.Value, BakedIn]) -> tuple[BakedIn, ...]:
    state = scope.boundary.state
    found = [
        captured.get(value)
        or BakedIn(str(value.name), "constant", array.nbytes, state.first_uses.get(value))
        for value, array in state.arrays.items()
        if value.uses()
    ]
    return tuple(sorted(found, key=lambda each: -each.size))


def _bind_parameters(
    scope: Scope, graph: Graph, block: Block
) -> tuple[list[ir.Value | None], dict[ir.Value, BakedIn]]:
    """The input for each parameter, if it is one, and what came from outside as initialisers."""
    written = block_effects(block).writes
    externals = [
        *((None, None) for _ in graph.inputs),
        *((each.external, each.internal.node.site) for each in graph.captures),
    ]
    inputs: list[ir.Value | None] = []
    baked_in: dict[ir.Value, BakedIn] = {}
    for slot, (external, site) in zip(block.parameters, externals, strict=True):
        if slot.is_resource and slot not in scope.boundary.contents:
            inputs.append(None)  # never used
            continue
        value = _parameter(scope, slot, external, written=slot in written)
        array = scope.boundary.state.arrays.get(value)
        inputs.append(value if array is None else None)
        if array is not None:
            kind = "variable" if slot.is_resource else "tensor"
            baked_in[value] = BakedIn(str(value.name), kind, array.nbytes, site)
        if slot.is_resource:
            scope.cells[slot] = value
        else:
            scope.bind([slot], [value])
    return inputs, baked_in


def _parameter(scope: Scope, slot: Slot, external: object, *, written: bool) -> ir.Value:
    if isinstance(external, EagerTensor):
        return scope.emitter.initializer(slot.name, external.array)
    if isinstance(external, Resource) and not written:
        return scope.emitter.initializer(external.name, external.content)
    name = external.name if isinstance(external, Resource) else slot.name
    aval = scope.boundary.contents[slot] if slot.is_resource else slot.aval
    return scope.emitter.input(name, aval.dtype, _named_sizes(name, aval.shape))


def _named_sizes(name: str, shape: Shape) -> list[int | str | None] | None:
    if shape is None:
        return None
    return [f"{name}_dim_{i}" if d is None else d for i, d in enumerate(shape)]


@dataclass(frozen=True, slots=True)
class _Output:
    """An output of the model: a value of the program, or the new content of a variable."""

    slot: Slot
    name: str
    aval: Aval


def _named_outputs(scope: Scope, block: Block, names: Sequence[str] | None) -> list[_Output]:
    chosen = names or [f"Identity_{i}" if i else "Identity" for i in range(len(block.outputs))]
    unique = scope.boundary.state.unique
    outputs = [
        _Output(slot, unique(name), slot.aval)
        for slot, name in zip(block.outputs, chosen, strict=True)
    ]
    written = block_effects(block).writes
    for slot in (p for p in block.parameters if p in written):
        name = unique(f"{scope.cells[slot].name}_new")
        outputs.append(_Output(slot, name, scope.boundary.contents[slot]))
    return outputs


def _finished(
    scope: Scope, inputs: Sequence[ir.Value], outputs: Sequence[_Output]
) -> onnx.ModelProto:
    values = [scope.content(o.slot) if o.slot.is_resource else scope.value(o.slot) for o in outputs]
    graph = scope.emitter.graph(inputs, values)
    for value, output in zip(graph.outputs, outputs, strict=True):
        value.name = output.name
        value.type = ir.TensorType(onnx_type(output.aval.dtype))
        value.shape = None if output.aval.shape is None else ir.Shape(output.aval.shape)
    return finish(graph, scope.boundary.state)


def _checked(model: onnx.ModelProto, title: str) -> onnx.ModelProto:
    try:
        inferred = onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True)
        onnx.checker.check_model(_with_ranks(inferred))
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError) as error:
        raise InternalError(
            None, None, f"the ONNX model of `{title}` is not valid: {error}"
        ) from error
    return inferred


def _with_ranks(model: onnx.ModelProto) -> onnx.ModelProto:
    # The checker refuses inputs and outputs of unknown rank, which ONNX itself allows.
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    for value in (*copy.graph.input, *copy.graph.output):
        if not value.type.tensor_type.HasField("shape"):
            value.type.tensor_type.shape.SetInParent()
    return copy
