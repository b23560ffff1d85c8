"""A call made ready: arrays in, results out, nothing else to decide."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfcheck_runtime.function.concrete import ConcreteFunction
from tfcheck_runtime.function.running import executable_of
from tfcheck_runtime.specs.dtypes import as_dtype
from tfcheck_runtime.values.resource import Resource
from tfcheck_runtime.values.tensor import EagerTensor, Tensor


class Prepared:
    """Runs one concrete function on the leaves of a flat call."""

    __slots__ = ("call", "trace")

    def __init__(self, call: Callable[[list[Any]], Any], trace: int) -> None:
        self.call = call
        """Takes arrays and resources in the order of the graph's inputs."""
        self.trace = trace


def prepare(
    concrete: ConcreteFunction, inputs: Sequence[Any], leaves: Sequence[Any]
) -> Prepared | None:
    """The prepared call, or None when the leaves are not just what the graph takes.

    Args:
        concrete: what serves the call.
        inputs: what its graph received for this call.
        leaves: what the flat call found.
    """
    if len(inputs) != len(leaves) or not all(map(_is_same, inputs, leaves)):
        return None
    captured = [_content(external) for external in concrete.externals]
    if any(content is None for content in captured):
        return None
    return Prepared(_caller(concrete, captured), concrete.trace)


def _caller(concrete: ConcreteFunction, captured: list[Any]) -> Callable[[list[Any]], Any]:
    run = executable_of(concrete.graph).run
    dtypes = [value.aval.dtype for value in concrete.graph.outputs]
    pack = concrete.pack
    if isinstance(concrete.structured_outputs, Tensor):
        (dtype,) = dtypes
        return lambda arguments: EagerTensor(run(arguments + captured)[0], dtype)
    return lambda arguments: pack(list(map(EagerTensor, run(arguments + captured), dtypes)))


def _is_same(given: Any, leaf: Any) -> bool:
    if given is leaf:
        return True
    if not isinstance(given, EagerTensor) or not isinstance(leaf, np.ndarray):
        return False
    if given.array is leaf:
        return True
    # A NumPy argument was converted: the flat call has its own copy of the same type.
    return given.static_shape == leaf.shape and given.dtype is as_dtype(leaf.dtype)


def _content(external: Any) -> Any:
    if isinstance(external, EagerTensor):
        return external.array
    return external if isinstance(external, Resource) else None
