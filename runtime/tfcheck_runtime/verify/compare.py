"""Runs a graph on the same inputs in several ways and finds the first step that differs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from tfcheck_runtime.errors import OpError
from tfcheck_runtime.execute.models import ModelError, run_onnxruntime, run_reference
from tfcheck_runtime.graph.effects import block_effects
from tfcheck_runtime.graph.ir import Graph, Node
from tfcheck_runtime.graph.program import Block, Slot
from tfcheck_runtime.lower.model import Export, export_graph, probe_graph
from tfcheck_runtime.op import Array
from tfcheck_runtime.values.resource import Resource
from tfcheck_runtime.values.tensor import EagerTensor
from tfcheck_runtime.verify.difference import difference, tolerance
from tfcheck_runtime.verify.program import evaluate

Engine = Callable[[Any, Mapping[str, Array]], list[Array]]
"""Takes an ONNX model, which only `lower` and `execute` name, and its inputs."""

ENGINES: Final[Mapping[str, Engine]] = {
    "onnxruntime": run_onnxruntime,
    "reference": run_reference,
}
"""What runs an exported model: onnxruntime, and ONNX's reference evaluator."""


@dataclass(frozen=True, slots=True)
class Result:
    """How far one engine is from the eager kernels."""

    difference: float
    """See `verify.difference`; infinite where it could not run."""
    ok: bool
    error: str | None = None
    """Why it could not run."""


@dataclass(frozen=True, slots=True)
class Culprit:
    """The first step whose result differs though its inputs agree."""

    node: Node
    difference: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """What came of one set of inputs."""

    results: Mapping[str, Result]
    """By engine; empty when the graph itself fails on these inputs."""
    outputs: tuple[Array, ...] = ()
    """Of the eager kernels: those of the graph, then the new contents of variables."""
    failure: OpError | ValueError | None = None
    """What the graph raises on these inputs."""


class Comparer:
    """Compares the ways to run one graph.

    Raises:
        ExportError: some of its ops have no ONNX form.
    """

    def __init__(self, graph: Graph, *, factor: float = 1.0) -> None:
        self._graph = graph
        self._factor = factor
        self._export = export_graph(graph)

    @property
    def written(self) -> list[Resource]:
        """The captured variables that the graph writes, in the order of their outputs."""
        externals = [*self._graph.inputs, *(each.external for each in self._graph.captures)]
        slots = self._export.block.parameters
        found = dict(zip(slots, externals, strict=True))
        return [found[slot] for slot in _written(self._export.block)]

    def compare(self, inputs: Sequence[Any]) -> Comparison:
        """Run the graph on arrays and resources in the order of its inputs.

        Nothing is written: variables are copied.
        """
        with np.errstate(all="ignore"):  # NaN and overflow are what is tried
            try:
                expected = _eagerly(self._export.block, self._arguments(inputs))
            except (OpError, ValueError) as error:  # shapes that do not fit are NumPy's to refuse
                return Comparison({}, failure=error)
            feeds = _feeds(self._export, self._arguments(inputs))
            results = {name: self._result(run, feeds, expected) for name, run in ENGINES.items()}
        return Comparison(results, tuple(expected))

    def culprit(self, inputs: Sequence[Any], engine: str) -> Culprit | None:
        """The first step that an engine computes otherwise than the eager kernels.

        None if all agree when each result is asked for: then the fusion of steps differs. A step
        is one outside branches and loops, or a whole branch or loop.
        """
        probe = probe_graph(self._graph)
        feeds = _feeds(probe, self._arguments(inputs))
        with np.errstate(all="ignore"):
            known = evaluate(probe.block, self._arguments(inputs))
            outputs = ENGINES[engine](probe.model, feeds)
        # The new contents of variables come after the outputs of the program.
        found = dict(zip(probe.block.outputs, outputs, strict=False))
        for step in probe.block.steps:
            apart = _worst(self._apart(known[s], found[s]) for s in step.outputs if s in found)
            if not apart.ok:
                return Culprit(step.node, apart.difference)
        return None

    def _arguments(self, inputs: Sequence[Any]) -> list[Any]:
        given = [*inputs, *(capture.external for capture in self._graph.captures)]
        return [_argument(each) for each in given]

    def _result(self, run: Engine, feeds: Mapping[str, Array], expected: list[Array]) -> Result:
        try:
            found = run(self._export.model, feeds)
        except ModelError as error:
            return Result(float("inf"), ok=False, error=str(error))
        return self.apart(expected, found)

    def apart(self, expected: Sequence[Array], found: Sequence[Array]) -> Result:
        """How far the outputs of one way to run the graph are from those of the eager kernels."""
        if len(expected) != len(found):
            error = f"gives {len(found)} values, the graph {len(expected)}"
            return Result(float("inf"), ok=False, error=error)
        return _worst(map(self._apart, expected, found))

    def _apart(self, expected: Array, found: Array) -> Result:
        apart = difference(expected, np.asarray(found))
        return Result(apart, ok=apart <= tolerance(expected.dtype, self._factor))


def _worst(results: Iterable[Result]) -> Result:
    return max(results, default=Result(0.0, ok=True), key=lambda r: (not r.ok, r.difference))


def _argument(external: Any) -> Any:
    if isinstance(external, Resource):
        return Resource(
            external.content, dtype=external.dtype, shape=external.shape, name=external.name
        )
    return external.array if isinstance(external, EagerTensor) else external


def _eagerly(block: Block, arguments: Sequence[Any]) -> list[Array]:
    known = evaluate(block, arguments)
    outputs = [known[s] if s.constant is None else s.constant for s in block.outputs]
    return [*outputs, *(known[cell].content for cell in _written(block))]


def _written(block: Block) -> list[Slot]:
    writes = block_effects(block).writes
    return [slot for slot in block.parameters if slot in writes]


def _feeds(export: Export, arguments: Sequence[Any]) -> dict[str, Array]:
    return {
        name: argument.content if isinstance(argument, Resource) else argument
        for name, argument in zip(export.feeds, arguments, strict=True)
        if name is not None
    }
