"""Lowers the steps of a program to ONNX nodes: ops by their own rule, bodies to If and Loop."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

import numpy as np
import onnx_ir as ir

from tfcheck_runtime.graph.effects import block_effects
from tfcheck_runtime.graph.program import Block, Slot, Step
from tfcheck_runtime.lower.scope import Scope
from tfcheck_runtime.op import Array, Term
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import DType


def lower_steps(scope: Scope, steps: Iterable[Step]) -> None:
    """Emit `steps` in order; their outputs are bound in `scope`."""
    state = scope.boundary.state
    for step in steps:
        state.origin = step.node
        _CONTROL.get(step.node.op.type, _lower_op)(scope, step)
    state.origin = None


def _lower_op(scope: Scope, step: Step) -> None:
    op, attrs = step.node.op, step.node.attrs
    if op.lower_resource is not None:
        outputs = _lower_resource(scope, step)
    else:
        assert op.lower is not None  # the plan has put every other op on the host
        outputs = op.lower(scope.emitter, *(scope.term(s) for s in step.inputs), **attrs)
    results = outputs if isinstance(outputs, tuple | list) else (outputs,)
    scope.bind(step.outputs, (scope.emitter.value(r) for r in results))


def _lower_resource(scope: Scope, step: Step) -> object:
    op, (cell, *others) = step.node.op, step.inputs
    assert op.lower_resource is not None  # asked for by the caller
    terms: list[Term] = [scope.term(s) for s in others]
    content, outputs = op.lower_resource(
        scope.emitter, scope.content_term(cell), *terms, **step.node.attrs
    )
    if content is not None:
        scope.cells[cell] = scope.emitter.value(content)
    return outputs


def _lower_branches(scope: Scope, step: Step) -> None:
    cells = _written(step.blocks)
    selector = scope.value(step.inputs[0])
    if step.inputs[0].aval.dtype.is_bool:
        on_true, on_false = step.blocks
        outputs = _if(scope, selector, [(None, on_true), (None, on_false)], cells=cells)
    else:
        kind = step.inputs[0].aval.dtype.numpy
        cases = [(np.array(i, kind), b) for i, b in enumerate(step.blocks)]
        outputs = _if(scope, selector, cases, cells=cells)
    count = len(step.outputs)
    scope.bind(step.outputs, outputs[:count])
    scope.cells.update(zip(cells, outputs[count:], strict=True))


Cases = Sequence[tuple[Array | None, Block]]


def _if(scope: Scope, selector: ir.Value, cases: Cases, *, cells: list[Slot]) -> list[ir.Value]:
    (index, block), *rest = cases
    if not rest:
        _lower_body(scope, block)
        return [*scope.values(block.outputs), *(scope.content(c) for c in cells)]
    test = selector if index is None else scope.emitter.op("Equal", selector, index)
    then, other = scope.inside("then"), scope.inside("else")
    chosen = _if(then, selector, cases[:1], cells=cells)
    otherwise = _if(other, selector, rest, cells=cells)
    return scope.emitter.op_n(
        "If",
        len(chosen),
        test,
        then_branch=then.emitter.graph((), chosen),
        else_branch=other.emitter.graph((), otherwise),
    )


def _lower_body(scope: Scope, block: Block) -> None:
    """Emit the steps of a body, then go on in the name of the step around it."""
    origin = scope.boundary.state.origin
    lower_steps(scope, block.steps)
    scope.boundary.state.origin = origin


def _lower_loop(scope: Scope, step: Step) -> None:
    cond, body = step.blocks
    cells = _written(step.blocks)
    first = scope.values(step.inputs)
    go = _test(scope, cond, first)
    before = [*first, *(scope.content(c) for c in cells)]
    inner = scope.inside("body")
    types = [*(s.aval.dtype for s in body.parameters), *_content_types(scope, cells)]
    carried = [_carried(inner, f"{step.node.name}/var", t) for t in types]
    count = len(body.parameters)
    inner.bind(body.parameters, carried[:count])
    inner.cells.update(zip(cells, carried[count:], strict=True))
    _lower_body(inner, body)
    after = inner.values(body.outputs)
    again = _test(inner, cond, after)
    results = [again, *after, *(inner.content(c) for c in cells)]
    round_ = inner.emitter.input(f"{step.node.name}/round", dtypes.int64, ())
    went = inner.emitter.input(f"{step.node.name}/went", dtypes.bool, ())
    graph = inner.emitter.graph([round_, went, *carried], results)
    limit = step.node.attrs.get("maximum_iterations")
    outputs = scope.emitter.op_n("Loop", len(before), limit, go, *before, body=graph)
    scope.bind(step.outputs, outputs[:count])
    scope.cells.update(zip(cells, outputs[count:], strict=True))


def _test(scope: Scope, cond: Block, variables: Sequence[ir.Value]) -> ir.Value:
    scope.bind(cond.parameters, variables)
    _lower_body(scope, cond)
    return scope.value(cond.outputs[0])


def _carried(scope: Scope, name: str, dtype: DType) -> ir.Value:
    # A loop variable may change its shape from round to round: only the type is declared.
    return scope.emitter.input(name, dtype, None)


def _content_types(scope: Scope, cells: Sequence[Slot]) -> list[DType]:
    return [scope.boundary.contents[c].dtype for c in cells]


def _written(blocks: Sequence[Block]) -> list[Slot]:
    writes = block_effects(*blocks).writes
    mentioned = [s for b in blocks for step in b.steps for s in step.uses() if s in writes]
    return list(dict.fromkeys(mentioned))


Lowering = Callable[[Scope, Step], None]
_CONTROL: Final[dict[str, Lowering]] = {
    "If": _lower_branches,
    "StatelessIf": _lower_branches,
    "Case": _lower_branches,
    "StatelessCase": _lower_branches,
    "While": _lower_loop,
    "StatelessWhile": _lower_loop,
}
