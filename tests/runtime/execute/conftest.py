"""Ops that act on the host and control flow, small enough to see through in a test."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.execute.executable import Executable, compile_graph
from tfcheck_runtime.execute.interpret import interpret
from tfcheck_runtime.lower.plan import make_plan
from tfcheck_runtime.op import Array, Aval, Op
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import EagerTensor, FuncGraph, apply, apply_n


class _Negative(Op):
    type = "HostNegative"

    def infer(self, x: Aval) -> Aval:
        return Aval(x.dtype, x.shape)

    def eager(self, x: Array) -> Array:
        return -x


class _Note(Op):
    type = "Note"
    stateful = True

    def __init__(self) -> None:
        self.notes: list[Any] = []

    def infer(self, x: Aval) -> tuple[Aval, ...]:
        return ()

    def eager(self, x: Array) -> tuple[Array, ...]:
        self.notes.append(x.tolist())
        return ()


class _Check(Op):
    type = "Check"
    stateful = True

    def infer(self, x: Aval) -> tuple[Aval, ...]:
        return ()

    def eager(self, x: Array) -> tuple[Array, ...]:
        if not x:
            raise invalid_argument("check failed", self.type)
        return ()


class _Control(Op):
    stateful = True

    def __init__(self, op_type: str) -> None:
        self.type = op_type

    def infer(self, *inputs: Aval, **attrs: Any) -> tuple[Aval, ...]:
        if "cond" in attrs:
            values = attrs["body"].inputs
        else:
            graph = attrs.get("then_branch") or attrs.get("function") or attrs["branches"][0]
            values = graph.outputs
        return tuple(Aval(v.aval.dtype, v.aval.shape) for v in values)


def _externals(*graphs: FuncGraph) -> list[object]:
    return [c.external for g in graphs for c in g.captures]


@pytest.fixture
def toy(build_graph: Callable[..., FuncGraph]) -> SimpleNamespace:
    """Host ops `negative`, `note`, `check`, what was noted, and `cond`, `case`, `loop`, `call`."""
    note, host, check = _Note(), _Negative(), _Check()

    def cond(pred: object, then: object, other: object) -> object:
        branches = build_graph(then, name="then"), build_graph(other, name="else")
        attrs = dict(zip(("then_branch", "else_branch"), branches, strict=True))
        return apply_n(_Control("If"), pred, *_externals(*branches), **attrs)

    def case(index: object, *functions: object) -> object:
        branches = tuple(build_graph(f, name=f"branch{i}") for i, f in enumerate(functions))
        return apply_n(_Control("Case"), index, *_externals(*branches), branches=branches)

    def loop(
        cond: object, body: object, *start: object, limit: int | None = None, shapes: Any = None
    ) -> object:
        first = [convert_to_tensor(s) for s in start]
        specs = [
            (v.dtype, s)
            for v, s in zip(first, shapes or [v.static_shape for v in first], strict=True)
        ]
        graphs = build_graph(cond, *specs, name="cond"), build_graph(body, *specs, name="body")
        return apply_n(
            _Control("While"), *first, *_externals(*graphs), cond=graphs[0], body=graphs[1],
            count=len(first), maximum_iterations=limit,
        )  # fmt: skip

    def call(function: object, *arguments: object) -> object:
        values = [convert_to_tensor(a) for a in arguments]
        graph = build_graph(function, *[(v.dtype, v.static_shape) for v in values], name="callee")
        return apply_n(_Control("PartitionedCall"), *values, *_externals(graph), function=graph)

    return SimpleNamespace(
        cond=cond, case=case, loop=loop, call=call, notes=note.notes,
        negative=lambda x: apply(host, convert_to_tensor(x)),
        note=lambda x: apply_n(note, convert_to_tensor(x)),
        check=lambda x: apply_n(check, convert_to_tensor(x)),
    )  # fmt: skip


@pytest.fixture
def executable() -> Callable[[FuncGraph], Executable]:
    """Lowers and compiles a graph."""
    return lambda graph: compile_graph(graph, make_plan(graph))


@pytest.fixture
def arguments() -> Callable[..., list[Any]]:
    """The arguments of a graph: arrays, then what it captured."""

    def gather(graph: FuncGraph, *arrays: Any) -> list[Any]:
        externals = [c.external for c in graph.captures]
        held = [e.array if isinstance(e, EagerTensor) else e for e in externals]
        return [*(np.asarray(a) for a in arrays), *held]

    return gather


@pytest.fixture
def run_three_ways(
    executable: Callable[[FuncGraph], Executable], arguments: Callable[..., list[Any]]
) -> Callable[..., list[Any]]:
    """Runs a graph node by node, then on onnxruntime twice; all must agree, variables included.

    Returns the outputs as lists, and leaves the variables as after the last run.
    """

    def run(graph: FuncGraph, *arrays: Any, variables: Any = ()) -> list[Any]:
        compiled = executable(graph)
        given = arguments(graph, *arrays)
        start = [v.handle.content for v in variables]
        seen = []
        for execute in (lambda a: interpret(graph, a), compiled.run, compiled.run):
            for variable, content in zip(variables, start, strict=True):
                variable.handle.replace(content)
            outputs = execute(given)
            seen.append(
                (
                    [(o.dtype, o.shape, o.tolist()) for o in outputs],
                    [v.handle.content.tolist() for v in variables],
                )
            )
        assert seen[1] == seen[0]
        assert seen[2] == seen[0]
        return [o[2] for o in seen[0][0]]

    return run
