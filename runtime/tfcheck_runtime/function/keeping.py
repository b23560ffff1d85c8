"""Lets branches and loops of a forward graph keep what their gradients need.

The node of a branch or loop gets more outputs. They change nothing for who does not use them, and
are added once however often a gradient is built.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final
from weakref import WeakKeyDictionary, WeakValueDictionary

from tfcheck_runtime import dispatch
from tfcheck_runtime.graph.effects import READ_ONLY
from tfcheck_runtime.graph.ir import Graph, Node, Value
from tfcheck_runtime.op import Aval
from tfcheck_runtime.ops.array.filling import zeros
from tfcheck_runtime.ops.array.joining import concat
from tfcheck_runtime.ops.array.part import slice_
from tfcheck_runtime.ops.array.products import reduce_prod
from tfcheck_runtime.ops.array.shaping import reshape, shape
from tfcheck_runtime.ops.control.tensor_list import (
    ElementShape,
    get_item_op,
    reserve_op,
    set_item_op,
)
from tfcheck_runtime.ops.math.arithmetic import add
from tfcheck_runtime.ops.math.division import floordiv
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.shapes import is_fully_defined
from tfcheck_runtime.trace.interpreter import capture
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.parameters import add_input
from tfcheck_runtime.values.tensor import FuncGraph, SymbolicTensor, Tensor, apply
from tfcheck_runtime.values.variable import read_variable_op

_kept: Final[WeakKeyDictionary[Graph, dict[int, int]]] = WeakKeyDictionary()
"""Per body: the output of the node around it that keeps a value, by the value's id."""

_reads: Final[WeakKeyDictionary[Graph, WeakValueDictionary[int, Value]]] = WeakKeyDictionary()
"""Per body: what was read ahead of its loop, by the id of the handle in the body."""


@dataclass(frozen=True, slots=True)
class History:
    """A value of a loop's body step by step, in outputs of the loop.

    Values of one known shape make a list. Others stand flat in one vector, with a table that has
    the start and the shape of each.
    """

    value: Value
    data: int
    table: int | None

    def at(self, node: Node, index: Tensor, source: Tensor | None = None) -> Tensor:
        """The value in one step, or that part of a gradient `source` of what is kept."""
        kept = node.outputs[self.data] if source is None else source
        if self.table is None:
            element = ElementShape(self.value.aval.shape)
            return apply(get_item_op, kept, index, element=element)
        start, sizes = self._row(node, index)
        part = slice_(kept, start, reshape(reduce_prod(sizes), [1]))
        made = reshape(part, sizes)
        made.set_shape(self.value.aval.shape)  # type: ignore[attr-defined]  # symbolic
        return made

    def _row(self, node: Node, index: Tensor) -> tuple[Tensor, Tensor]:
        assert self.table is not None  # only values without a known shape have rows
        table, rank = node.outputs[self.table], self.value.aval.shape
        counter = _histories_of(node).steps
        assert counter is not None  # what is kept of steps comes with their number
        steps = node.outputs[counter]
        width = floordiv(shape(table)[0], steps) if rank is None else 1 + len(rank)
        row = slice_(table, reshape(index * width, [1]), reshape(width, [1]))
        if rank is not None:
            row.set_shape((1 + len(rank),))  # type: ignore[attr-defined]  # symbolic
        return row[:1], row[1:]


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


def keep_in_loop(node: Node, values: Sequence[Value]) -> tuple[Value, dict[int, History]]:
    """The number of steps of a loop, and `values` of its body step by step, by ids."""
    known = _histories_of(node)
    if known.steps is None:
        known.steps = _count_steps(node)
    for value in values:
        if id(value) not in known.by_value:
            known.by_value[id(value)] = _collect(node, value, steps=known.steps)
    return node.outputs[known.steps], {id(v): known.by_value[id(v)] for v in values}


def own_variables(node: Node) -> int:
    """How many variables a loop has by itself."""
    known = _histories_of(node)
    kept = sum(1 if h.table is None else 2 for h in known.by_value.values())
    count: int = node.attrs["count"]
    return count - kept - (known.steps is not None)


def histories(node: Node) -> Sequence[History]:
    """All that a loop keeps of its steps."""
    return tuple(_histories_of(node).by_value.values())


@dataclass(slots=True)
class _Histories:
    """What a loop keeps: the output that counts its steps, and histories by the value's id."""

    steps: int | None = None
    by_value: dict[int, History] = field(default_factory=dict)


_histories: Final[WeakKeyDictionary[Graph, _Histories]] = WeakKeyDictionary()
"""Per body of a loop: what is kept of it."""


def _histories_of(node: Node) -> _Histories:
    return _histories.setdefault(node.attrs["body"], _Histories())


def _count_steps(node: Node) -> int:
    body: FuncGraph = node.attrs["body"]
    start = before(node, lambda: convert_to_tensor(0, dtypes.int32))
    counter = _add_variable(node, start, ())
    with dispatch.building(body):
        body.outputs.append(capture(body, add(counter, 1)))
    return _add_output(node, dtypes.int32, ())


def _collect(node: Node, value: Value, *, steps: int) -> History:
    if is_fully_defined(value.aval.shape):
        return History(value, _collect_equal(node, value, steps=steps), None)
    dtype, vector = value.aval.dtype, (None,)
    data, table = (
        _add_variable(node, before(node, partial(zeros, [0], kind)), vector)
        for kind in (dtype, dtypes.int32)
    )
    body: FuncGraph = node.attrs["body"]
    with dispatch.building(body):
        longer = concat([data, reshape(value, [-1])], 0)
        rows = concat([table, shape(data), shape(value)], 0)
        body.outputs += [capture(body, longer), capture(body, rows)]
    return History(value, _add_output(node, dtype, vector), _add_output(node, dtypes.int32, vector))


def _collect_equal(node: Node, value: Value, *, steps: int) -> int:
    """The output that keeps a value of one shape as a list."""
    body: FuncGraph = node.attrs["body"]
    element, dtype = ElementShape(value.aval.shape), value.aval.dtype
    start = before(node, lambda: apply(reserve_op, _zero(), dtype=dtype, element=element))
    stacked = (None, *(value.aval.shape or ()))
    so_far = _add_variable(node, start, stacked)
    with dispatch.building(body):
        longer = apply(
            set_item_op, so_far, body.inputs[steps], value, element=element, dynamic=True
        )
        body.outputs.append(capture(body, longer))
    return _add_output(node, dtype, stacked)


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
