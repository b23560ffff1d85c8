"""Lets branches and loops of a forward graph keep what their gradients need.

The node of a branch or loop gets more outputs. They change nothing for who does not use them, and
are added once however often a gradient is built.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final
from weakref import WeakKeyDictionary, WeakValueDictionary

from tfcheck_runtime import dispatch
from tfcheck_runtime.graph.effects import READ_ONLY
from tfcheck_runtime.graph.ir import Graph, Node, Value
from tfcheck_runtime.op import Aval
from tfcheck_runtime.ops.array.filling import zeros
from tfcheck_runtime.ops.control.tensor_list import ElementShape, reserve_op, set_item_op
from tfcheck_runtime.ops.math.arithmetic import add
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.trace.interpreter import capture
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.parameters import add_input
from tfcheck_runtime.values.tensor import FuncGraph, SymbolicTensor, Tensor, apply
from tfcheck_runtime.values.variable import read_variable_op

_kept: Final[WeakKeyDictionary[Graph, dict[int, int]]] = WeakKeyDictionary()
"""Per body: the output of the node around it that keeps a value, by the value's id."""

_reads: Final[WeakKeyDictionary[Graph, WeakValueDictionary[int, Value]]] = WeakKeyDictionary()
"""Per body: what was read ahead of its loop, by the id of the handle in the body."""

_STEPS: Final = 0
"""Key of a loop's number of steps, which is no id."""


def keep_in_branch(
    node: Node, graphs: Sequence[FuncGraph], *, number: int, values: Sequence[Value]
) -> dict[int, Value]:
    """Outputs of `node` that keep `values` of one branch, by their ids; others give zeros."""
    known = _kept.setdefault(graphs[number], {})
    for value in values:
        if id(value) in known:
            continue
        for i, graph in enumerate(graphs):
            graph.outputs.append(value if i == number else _filler(graph, value.aval))
        known[id(value)] = _add_output(node, value.aval.dtype, value.aval.shape)
    return {id(v): node.outputs[known[id(v)]] for v in values}


def _filler(graph: FuncGraph, aval: Aval) -> Value:
    with dispatch.building(graph):
        return capture(graph, zeros([d or 0 for d in aval.shape or ()], aval.dtype))


def _add_output(node: Node, dtype: dtypes.DType, shape: Any) -> int:
    graph = node.outputs[0].graph
    made = SymbolicTensor(graph, node, len(node.outputs), Aval(dtype, shape))
    node.outputs = (*node.outputs, made)
    return made.index


def keep_in_loop(node: Node, values: Sequence[Value]) -> tuple[Value, dict[int, Value]]:
    """The number of steps of a loop, and lists of `values` of its body step by step, by ids."""
    body: FuncGraph = node.attrs["body"]
    known = _kept.setdefault(body, {})
    if _STEPS not in known:
        known[_STEPS] = _count_steps(node, body)
    for value in values:
        if id(value) not in known:
            known[id(value)] = _collect(node, body, value=value, steps=known[_STEPS])
    return node.outputs[known[_STEPS]], {id(v): node.outputs[known[id(v)]] for v in values}


def kept_lists(node: Node) -> tuple[int, dict[int, Value]]:
    """How many variables a loop had by itself, and which outputs keep values of its body."""
    body: FuncGraph = node.attrs["body"]
    known = _kept.get(body, {})
    numbers = {key: index for key, index in known.items() if key != _STEPS}
    values = (v for n in body.nodes for v in n.outputs if id(v) in numbers)
    return node.attrs["count"] - len(known), {numbers[id(v)]: v for v in values}


def _count_steps(node: Node, body: FuncGraph) -> int:
    start = before(node, lambda: convert_to_tensor(0, dtypes.int32))
    counter = _add_variable(node, start, ())
    with dispatch.building(body):
        body.outputs.append(capture(body, add(counter, 1)))
    return _add_output(node, dtypes.int32, ())


def _collect(node: Node, body: FuncGraph, *, value: Value, steps: int) -> int:
    element = ElementShape(value.aval.shape)
    dtype = value.aval.dtype
    start = before(node, lambda: apply(reserve_op, _zero(), dtype=dtype, element=element))
    shape = None if element.shape is None else (None, *element.shape)
    so_far = _add_variable(node, start, shape)
    with dispatch.building(body):
        longer = apply(
            set_item_op, so_far, body.inputs[steps], value, element=element, dynamic=True
        )
        body.outputs.append(capture(body, longer))
    return _add_output(node, dtype, shape)


def _zero() -> Tensor:
    return convert_to_tensor(0, dtypes.int32)


def _add_variable(node: Node, start: Value, shape: Any) -> Value:
    """One more loop variable; its output of the body is still to be added."""
    count: int = node.attrs["count"]
    node.inputs = (*node.inputs[:count], start, *node.inputs[count:])
    node.attrs = {**node.attrs, "count": count + 1}
    add_input(node.attrs["cond"], start.aval.dtype, shape, "kept")
    return add_input(node.attrs["body"], start.aval.dtype, shape, "kept")


def before(node: Node, make: Callable[[], Tensor]) -> Value:
    """What `make` computes in the graph of `node`, ahead of it."""
    graph = node.outputs[0].graph
    length = len(graph.nodes)
    with dispatch.building(graph):
        made = capture(graph, make())
    added = graph.nodes[length:]
    del graph.nodes[length:]
    place = graph.nodes.index(node)
    graph.nodes[place:place] = added
    return made


def invariant_read(node: Node, value: Value) -> Value | None:
    """The content of a variable that a loop reads and does not write, read ahead of the loop."""
    body: FuncGraph = node.attrs["body"]
    if value.node.op is not read_variable_op:
        return None
    (handle,) = value.node.inputs
    users = [n for n in body.nodes if any(v is handle for v in n.inputs)]
    if any(n.op.type not in READ_ONLY for n in users):
        return None
    known = _reads.setdefault(body, WeakValueDictionary())
    if id(handle) not in known:
        position = next(i for i, v in enumerate(body.parameters) if v is handle)
        outer = node.inputs[position + len(node.attrs["cond"].captures)]
        attrs = value.node.attrs
        known[id(handle)] = before(node, lambda: apply(read_variable_op, outer, **attrs))
    found: Value = known[id(handle)]
    return found
