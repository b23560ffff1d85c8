"""A graph that can be called with arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tfcheck_runtime.execute.interpret import interpret
from tfcheck_runtime.execute.steps import PlanRunner
from tfcheck_runtime.graph.ir import Graph, Node
from tfcheck_runtime.graph.plan import Body, HostBranch, HostLoop, HostStep, Plan, PlanStep, Region


def compile_graph(graph: Graph, plan: Plan) -> Executable:
    """The executable of `graph`; `plan` is what `lower.plan.make_plan` made of it.

    Opens the onnxruntime sessions, but for bodies of branches and loops driven from the host:
    they may never run.

    Raises:
        UnavailableError: the device that was asked for cannot be used.
        InternalError: onnxruntime refuses a model.
    """
    return Executable(graph, plan)


class Executable:
    """Runs a graph on onnxruntime, host steps in between."""

    __slots__ = ("_graph", "_resources", "_run", "host_steps", "nodes_after", "nodes_before",
                 "regions")  # fmt: skip

    def __init__(self, graph: Graph, plan: Plan) -> None:
        steps = list(_all_steps(plan))
        regions = [s for s in steps if isinstance(s, Region) and s.model is not None]
        self._graph = graph
        self._run = PlanRunner(plan)
        self._run.open()
        self._resources = _to_compare(graph, steps)
        self.nodes_before: int = _count(graph)
        """Nodes of the graph, those of bodies included."""
        self.nodes_after: int = sum(len(r.origins) for r in regions)
        """Nodes of the ONNX models."""
        self.regions: int = len(regions)
        """The number of onnxruntime sessions."""
        self.host_steps: tuple[str, ...] = tuple(
            s.node.op.type for s in steps if not isinstance(s, Region)
        )
        """Types of the ops that run on the host."""

    def run(self, arguments: Sequence[Any]) -> list[Any]:
        """The outputs for arrays and resources in the order of the graph's parameters.

        Raises:
            OpError: a node failed; the error names the line that made it.
        """
        resources = self._resources
        if resources and len({id(arguments[i]) for i in resources}) != len(resources):
            # Two parameters are one variable: the plan keeps their contents apart.
            return interpret(self._graph, arguments)
        return self._run(arguments)


def models_of(plan: Plan) -> Iterator[tuple[str, Node]]:
    """The names of nodes in the ONNX models of a plan, each with the node it was lowered from."""
    for step in _all_steps(plan):
        if isinstance(step, Region):
            yield from step.origins.items()


def _to_compare(graph: Graph, steps: Sequence[PlanStep]) -> tuple[int, ...]:
    # Aliases do harm only where something is written.
    if not any(isinstance(s, Region) and s.writes for s in steps):
        return ()
    found = [i for i, v in enumerate(graph.parameters) if v.aval.dtype.name == "resource"]
    return tuple(found) if len(found) > 1 else ()


def _all_steps(plan: Plan) -> Iterator[PlanStep]:
    for step in plan.steps:
        yield step
        for body in _bodies(step):
            yield from _all_steps(body.plan)


def _bodies(step: PlanStep) -> tuple[Body, ...]:
    match step:
        case HostBranch():
            return step.bodies
        case HostLoop():
            return step.cond, step.body
        case Region() | HostStep():
            return ()


def _count(graph: Graph) -> int:
    return len(graph.nodes) + sum(_count(g) for n in graph.nodes for g in n.subgraphs)
