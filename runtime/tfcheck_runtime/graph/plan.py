"""What lowering hands to execution: onnxruntime regions and host steps over numbered slots."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from tfcheck_runtime.graph.ir import Node
from tfcheck_runtime.graph.program import Slot, Step
from tfcheck_runtime.op import Array


@dataclass(frozen=True, slots=True)
class Region:
    """One onnxruntime session: contents are read, the model runs, variables are written.

    A region that only moves values has no model.
    """

    reads: tuple[tuple[int, int], ...]
    """Slot that receives the content of a resource, slot of the resource."""
    model: bytes | None
    feeds: tuple[tuple[str, int], ...]
    """Name of an input of the model, slot of its value."""
    fetches: tuple[tuple[str, int], ...]
    """Name of an output of the model, slot that receives it."""
    writes: tuple[tuple[int, int], ...]
    """Slot of a resource, slot of its new content."""
    origins: Mapping[str, Node]
    """The graph's node behind each node of the model, by the latter's name."""
    parallel: bool
    """Whether tensors may be big enough for several threads to pay."""
    steps: tuple[Step, ...]
    """What the model does, for runs in which a part of it fails."""
    places: tuple[tuple[Slot, int], ...]
    """The slots of the program that the steps use or make, and which slot of the plan each is."""


@dataclass(frozen=True, slots=True)
class HostStep:
    """An op whose eager kernel runs between regions."""

    node: Node
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Body:
    """The plan of a branch or loop body, and the slots outside that it needs."""

    plan: Plan
    arguments: tuple[int, ...]
    """Slots that follow the loop variables among the parameters."""


@dataclass(frozen=True, slots=True)
class HostBranch:
    """A branch that contains host steps."""

    node: Node
    selector: int
    bodies: tuple[Body, ...]
    """In the order of the selector's values: False before True for a bool."""
    outputs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class HostLoop:
    """A loop that contains host steps."""

    node: Node
    variables: tuple[int, ...]
    cond: Body
    body: Body
    limit: int | None
    outputs: tuple[int, ...]


PlanStep: TypeAlias = Region | HostStep | HostBranch | HostLoop


@dataclass(frozen=True, slots=True)
class Plan:
    """How to run a graph; its parameters are the first slots."""

    parameters: int
    size: int
    """The number of slots."""
    constants: tuple[tuple[int, Array], ...]
    steps: tuple[PlanStep, ...]
    outputs: tuple[int, ...]
