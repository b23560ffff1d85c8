"""Turns a graph into the plan that the executor runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tfcheck_runtime.graph.ir import Graph, Node
from tfcheck_runtime.graph.passes.flatten import flatten
from tfcheck_runtime.graph.passes.prune import prune
from tfcheck_runtime.graph.plan import Body, HostBranch, HostLoop, HostStep, Plan, PlanStep
from tfcheck_runtime.graph.program import Block, Slot, Step, all_steps, free_slots
from tfcheck_runtime.lower.frame import Frame
from tfcheck_runtime.lower.region import lower_region
from tfcheck_runtime.lower.schedule import Run, schedule
from tfcheck_runtime.op import Aval
from tfcheck_runtime.values.resource import Resource


def make_plan(graph: Graph) -> Plan:
    """Cut `graph` into onnxruntime regions and host steps, and lower the regions.

    The plan takes arguments in the order of `graph.parameters`.
    """
    block, _ = prune(flatten(graph))
    return _plan(block, block.parameters, contents_of(graph, block))


def contents_of(graph: Graph, block: Block) -> dict[Slot, Aval]:
    """What each resource of a program holds: dtype and shape.

    A captured resource says so itself; of one that is a parameter the ops that use it do.
    """
    contents: dict[Slot, Aval] = {}
    for step in all_steps(block):
        for cell in step.inputs:
            if cell.is_resource and (cell not in contents or step.node.op.type == "ReadVariableOp"):
                contents[cell] = _content(step)
    captured = block.parameters[len(graph.inputs) :]
    for slot, capture in zip(captured, graph.captures, strict=True):
        if isinstance(capture.external, Resource):
            contents[slot] = Aval(capture.external.dtype, capture.external.shape)
    return contents


def _content(step: Step) -> Aval:
    if step.node.op.type == "ReadVariableOp":
        return step.outputs[0].aval
    # Ops on variables take the resource first and what goes into it last.
    typed = [s.aval for s in (*step.outputs[:1], *step.inputs) if not s.is_resource]
    return Aval(typed[0 if step.outputs else -1].dtype, None)


def _plan(block: Block, parameters: Sequence[Slot], contents: Mapping[Slot, Aval]) -> Plan:
    frame = Frame(parameters)
    runs = schedule(block)
    steps: list[PlanStep] = []
    for i, run in enumerate(runs):
        if run.lowered:
            wanted = _wanted(run, runs[i + 1 :], block.outputs)
            steps.append(lower_region(run.steps, wanted, frame=frame, contents=contents))
        else:
            steps.extend(_host_step(s, frame, contents) for s in run.steps)
    outputs = frame.numbers(block.outputs)
    return Plan(
        parameters=len(parameters),
        size=frame.size,
        constants=tuple(frame.constants),
        steps=tuple(steps),
        outputs=outputs,
    )


def _wanted(run: Run, later: Iterable[Run], outputs: Iterable[Slot]) -> list[Slot]:
    made = dict.fromkeys(o for s in run.steps for o in s.outputs)
    used = {slot for r in later for s in r.steps for slot in s.uses()} | set(outputs)
    return [o for o in made if o in used and o.constant is None]


def _host_step(step: Step, frame: Frame, contents: Mapping[Slot, Aval]) -> PlanStep:
    if not step.blocks:
        return HostStep(step.node, frame.numbers(step.inputs), frame.numbers(step.outputs))
    bodies = [_body(b, frame, contents) for b in step.blocks]
    inputs, outputs = frame.numbers(step.inputs), frame.numbers(step.outputs)
    if _is_loop(step.node):
        limit = step.node.attrs.get("maximum_iterations")
        cond, body = bodies
        return HostLoop(
            step.node, variables=inputs, cond=cond, body=body, limit=limit, outputs=outputs
        )
    if step.inputs[0].aval.dtype.is_bool:
        bodies.reverse()
    return HostBranch(step.node, selector=inputs[0], bodies=tuple(bodies), outputs=outputs)


def _body(block: Block, frame: Frame, contents: Mapping[Slot, Aval]) -> Body:
    externals = free_slots(block)
    plan = _plan(block, (*block.parameters, *externals), contents)
    return Body(plan, frame.numbers(externals))


def _is_loop(node: Node) -> bool:
    return "body" in node.attrs
