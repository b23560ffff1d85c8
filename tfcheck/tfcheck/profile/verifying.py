"""Checks that a Function means the same in Python, in its graph and in the exported model."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType

import numpy as np

from tfcheck.errors import InputError
from tfcheck.profile.choosing import Chosen, ConcreteFunction
from tfcheck.profile.collect import Collected
from tfcheck.profile.replay import Array, eagerly, muted
from tfcheck_runtime.lower.model import ExportError
from tfcheck_runtime.verify.compare import Comparer, Comparison, Culprit, Result
from tfcheck_runtime.verify.inputs import Inputs, Wanted, generate

PYTHON = "python"
"""The Function run without a graph, beside the engines that run the model."""


@dataclass(frozen=True, slots=True)
class Verified:
    """What one set of inputs showed."""

    inputs: Inputs
    results: Mapping[str, Result]
    """How far each way to run the Function is from the graph's own kernels; empty on `failure`."""
    failure: str | None = None
    """What the graph raises on these inputs: nothing is left to compare."""
    culprits: Mapping[str, Culprit] = field(default_factory=dict)
    """By engine the first step that it computes otherwise."""

    @property
    def agrees(self) -> bool:
        """Whether all ways give the same, or the graph fails by itself."""
        return all(result.ok for result in self.results.values())


class Verifier:
    """Compares the ways to run one Function of a program that has run.

    Raises:
        InputError: there is no such Function, nothing says what inputs it takes, it takes variables
            as arguments, or ONNX has no form for some of its ops.
    """

    def __init__(self, collected: Collected, name: str, *, factor: float) -> None:
        chosen = Chosen(collected, name)
        self._function = chosen.function
        self._trace = chosen.trace()
        # Loaded by the program, as a Function of it was found.
        self._tf = sys.modules["tensorflow"]
        self._call = _Call(chosen, self._trace, self._tf.nest)
        try:
            self._comparer = Comparer(self._trace.graph, factor=factor)
        except ExportError as error:
            raise InputError(str(error)) from error

    def verify(self, *, seed: int) -> list[Verified]:
        """Compare on inputs of every kind that `generate` makes."""
        return [self._verify(inputs) for inputs in generate(self._call.wanted, seed=seed)]

    def _verify(self, inputs: Inputs) -> Verified:
        comparison = self._comparer.compare(inputs.arrays)
        if comparison.failure is not None:
            return Verified(inputs, {}, failure=_brief(comparison.failure))
        results = {PYTHON: self._in_python(inputs, comparison), **comparison.results}
        wrong = [k for k, each in comparison.results.items() if not each.ok and each.error is None]
        found = {engine: self._comparer.culprit(inputs.arrays, engine) for engine in wrong}
        return Verified(inputs, results, culprits={k: v for k, v in found.items() if v is not None})

    def _in_python(self, inputs: Inputs, comparison: Comparison) -> Result:
        written = self._comparer.written
        before = [cell.content for cell in written]
        args, kwargs = self._call.made_of([self._tf.constant(array) for array in inputs.arrays])
        try:
            with muted(), eagerly(self._tf.config), np.errstate(all="ignore"):
                returned = self._function(*args, **kwargs)
            leaves = self._tf.nest.flatten(returned, expand_composites=True)
            outputs = [np.asarray(leaf) for leaf in leaves if leaf is not None]
            outputs += [cell.content for cell in written]
        # What the program's own Python raises where its graph does not is a difference to report.
        except Exception as error:
            return Result(float("inf"), ok=False, error=_brief(error))
        finally:
            for cell, content in zip(written, before, strict=True):
                cell.replace(content)
        return self._comparer.apart(comparison.outputs, outputs)


class _Call:
    """The recorded call, or one with the signature's specs, with other tensors put in."""

    def __init__(self, chosen: Chosen, trace: ConcreteFunction, nest: ModuleType) -> None:
        self._nest = nest
        sample = chosen.sample
        specs = trace.structured_input_signature
        self._template = (sample.args, dict(sample.kwargs)) if sample is not None else specs
        self._leaves = nest.flatten(self._template, expand_composites=True)
        self._places = [i for i, leaf in enumerate(self._leaves) if _is_tensor(leaf)]
        inputs = trace.graph.inputs
        if any(each.dtype.name == "resource" for each in inputs) or len(self._places) != len(
            inputs
        ):
            raise InputError(
                f"{chosen.name} takes something else than tensors and Python values; verify a"
                " function that captures it instead"
            )
        seen = self._seen(chosen) if sample is not None else [None] * len(inputs)
        self.wanted = [
            Wanted(each.dtype, each.aval.shape, array)
            for each, array in zip(inputs, seen, strict=True)
        ]
        """What each input of the graph must be."""

    def made_of(self, tensors: Sequence[object]) -> tuple[tuple[object, ...], dict[str, object]]:
        """The arguments with tensors in the order of the graph's inputs."""
        leaves = list(self._leaves)
        for place, tensor in zip(self._places, tensors, strict=True):
            leaves[place] = tensor
        made: tuple[tuple[object, ...], dict[str, object]] = self._nest.pack_sequence_as(
            self._template, leaves, expand_composites=True
        )
        return made

    def _seen(self, chosen: Chosen) -> list[Array]:
        """The arrays of the recorded call; puts the places into the order of the inputs."""
        convert = sys.modules["tensorflow"].convert_to_tensor
        tensors = [convert(self._leaves[place]) for place in self._places]
        args, kwargs = self.made_of(tensors)
        taken = chosen.function.inputs_of_call(*args, **kwargs)
        order = {id(tensor): place for tensor, place in zip(tensors, self._places, strict=True)}
        # A tensor that was cast to the signature is another one; there is no other order then.
        if all(id(tensor) in order for tensor in taken):
            self._places = [order[id(tensor)] for tensor in taken]
        return [np.asarray(tensor.numpy()) for tensor in taken]  # scalars are no arrays


def _is_tensor(leaf: object) -> bool:
    return hasattr(leaf, "dtype") and hasattr(leaf, "shape")


def _brief(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
