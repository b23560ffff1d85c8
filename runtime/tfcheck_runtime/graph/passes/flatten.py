"""Turns a graph into a program: calls inlined, constants folded, bodies in lexical scope."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol, runtime_checkable

from tfcheck_runtime.errors import OpError
from tfcheck_runtime.graph.ir import Graph, Node, Value
from tfcheck_runtime.graph.program import Block, Slot, Step
from tfcheck_runtime.op import Array

_CALLS: Final = frozenset({"PartitionedCall", "StatefulPartitionedCall"})


def flatten(graph: Graph) -> Block:
    """The program of `graph`; its parameters are those of the graph, in order.

    1. A constant, or a pure op whose small result follows from constants, becomes a constant slot.
    2. An identity is its input.
    3. A call becomes the steps of the function called.
    4. A branch or loop becomes one step whose blocks use the slots of the scope around directly.
    5. Everything else becomes a step; an attribute that changes while the op runs, such as the
       position in a random stream, becomes its own for each place that the node comes to stand.
    """
    parameters = tuple(Slot(v.aval, v.node.name) for v in graph.parameters)
    return _block(graph, parameters, parameters)


def _block(graph: Graph, parameters: tuple[Slot, ...], arguments: Sequence[Slot]) -> Block:
    steps: list[Step] = []
    outputs = _inline(graph, arguments, steps)
    return Block(parameters, tuple(steps), outputs)


def _inline(graph: Graph, arguments: Sequence[Slot], steps: list[Step]) -> tuple[Slot, ...]:
    # Keyed by identity: tensors are not hashable.
    env = {id(v): slot for v, slot in zip(graph.parameters, arguments, strict=True)}
    for node in graph.nodes:
        if node.op.type == "Placeholder":
            continue
        inputs = tuple(env[id(v)] for v in node.inputs)
        if node.op.type == "Identity":
            outputs = inputs
        elif node.op.type in _CALLS:
            outputs = _inline(node.attrs["function"], inputs, steps)
        else:
            outputs = tuple(Slot(v.aval, node.name, _content(v)) for v in node.outputs)
            if not outputs or any(o.constant is None for o in outputs):
                steps.append(_step(node, inputs, outputs))
        env.update((id(v), slot) for v, slot in zip(node.outputs, outputs, strict=True))
    return tuple(env[id(v)] for v in graph.outputs)


def _content(value: Value) -> Array | None:
    node = value.node
    if node.op.type == "Const":
        constant: Array = node.attrs["value"]
        return constant
    if node.op.stateful or node.subgraphs:
        return None
    try:
        return value.aval.constant()
    except OpError:
        # The op fails on these constants: let it fail when the graph runs, as TensorFlow does.
        return None


def _step(node: Node, inputs: tuple[Slot, ...], outputs: tuple[Slot, ...]) -> Step:
    shape = _CONTROL.get(node.op.type)
    return shape(node, inputs, outputs) if shape else Step(_own(node), inputs, outputs)


@runtime_checkable
class _Changing(Protocol):
    def fresh(self) -> object:
        """The same from the start."""


def _own(node: Node) -> Node:
    if not any(isinstance(value, _Changing) for value in node.attrs.values()):
        return node
    attrs = {
        name: value.fresh() if isinstance(value, _Changing) else value
        for name, value in node.attrs.items()
    }
    made = Node(node.op, node.inputs, attrs, name=node.name, site=node.site)
    made.outputs, made.waits = node.outputs, node.waits
    return made


def _branches(node: Node, inputs: tuple[Slot, ...], outputs: tuple[Slot, ...]) -> Step:
    graphs = node.attrs.get("branches") or (node.attrs["then_branch"], node.attrs["else_branch"])
    blocks: list[Block] = []
    start = 1
    for graph in graphs:
        end = start + len(graph.parameters)
        blocks.append(_block(graph, (), inputs[start:end]))
        start = end
    return Step(node, inputs[:1], outputs, tuple(blocks))


def _loop(node: Node, inputs: tuple[Slot, ...], outputs: tuple[Slot, ...]) -> Step:
    count, cond, body = node.attrs["count"], node.attrs["cond"], node.attrs["body"]
    split = count + len(cond.captures)
    blocks = (
        _loop_block(cond, inputs[count:split]),
        _loop_block(body, inputs[split:]),
    )
    return Step(node, inputs[:count], outputs, blocks)


def _loop_block(graph: Graph, externals: Sequence[Slot]) -> Block:
    variables = tuple(Slot(v.aval, v.node.name) for v in graph.inputs)
    return _block(graph, variables, (*variables, *externals))


Shaper = Callable[[Node, tuple[Slot, ...], tuple[Slot, ...]], Step]
_CONTROL: Final[Mapping[str, Shaper]] = {
    "If": _branches,
    "StatelessIf": _branches,
    "Case": _branches,
    "StatelessCase": _branches,
    "While": _loop,
    "StatelessWhile": _loop,
}
