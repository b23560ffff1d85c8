"""Gradients and jacobians of structures, from the records of a tape or the nodes of a graph."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, Self, cast

import numpy as np

from tfcheck_runtime import dispatch
from tfcheck_runtime.graph.ir import Graph
from tfcheck_runtime.ops.array.filling import ones_like, zeros_like
from tfcheck_runtime.ops.array.packing import stack
from tfcheck_runtime.ops.array.shaping import reshape
from tfcheck_runtime.ops.math.arithmetic import multiply
from tfcheck_runtime.specs import nest
from tfcheck_runtime.specs.dtypes import as_dtype
from tfcheck_runtime.tape.backprop import Record, backpropagate
from tfcheck_runtime.tape.composites import opened
from tfcheck_runtime.tape.slices import Gradient, dense
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, is_tensor
from tfcheck_runtime.values.variable import is_resource_variable


class UnconnectedGradients(Enum):
    """What stands for the gradient of a source that the target does not depend on."""

    NONE = "none"
    ZERO = "zero"

    @classmethod
    def checked(cls, value: Self | str) -> Self:
        """The mode called `value`.

        Raises:
            ValueError: there is no such mode.
        """
        try:
            return cls(value)
        except ValueError:
            raise ValueError(f"Unknown value for unconnected_gradients: {value!r}") from None


@dataclass(frozen=True, slots=True)
class Recorded:
    """Applied ops and the ids of the values that gradients may be asked for (None: of all)."""

    records: Sequence[Record]
    watched: Collection[int] | None = None

    def handle(self, source: Any) -> Any:
        """What stands for a source among the values; nothing does if it is not watched.

        Raises:
            AttributeError: it is no tensor.
        """
        if not is_tensor(source):
            raise AttributeError(
                f"{type(source).__name__!r} object has no attribute 'dtype': the sources of a"
                f" gradient must be tensors or variables, got {source!r}"
            )
        handle = handle_of(source)
        return handle if self.watched is None or id(handle) in self.watched else _UNWATCHED


_UNWATCHED: Final = object()


def gradients_of(
    recorded: Recorded,
    target: Any,
    sources: Any,
    *,
    output_gradients: Any = None,
    unconnected: UnconnectedGradients,
) -> list[Gradient | None]:
    """The gradients of `target`, summed, per leaf of `sources`.

    Raises:
        TypeError: there is no target.
    """
    seeds = _seeds(target, output_gradients)
    flat = nest.flatten(opened(sources), expand_composites=True)
    return _row(recorded, seeds, sources=flat, unconnected=unconnected)


def _row(
    recorded: Recorded,
    seeds: list[tuple[Any, Tensor]],
    *,
    sources: list[Any],
    unconnected: UnconnectedGradients,
) -> list[Gradient | None]:
    # A target is its own source, watched or not.
    targets = {id(value) for value, _ in seeds}
    handles = [handle_of(s) if id(handle_of(s)) in targets else recorded.handle(s) for s in sources]
    found = backpropagate(recorded.records, seeds, handles)
    row: list[Gradient | None] = []
    for source, handle in zip(sources, handles, strict=True):
        gradient = found.of(handle)
        if gradient is None and unconnected is UnconnectedGradients.ZERO:
            gradient = zeros_like(source)
        row.append(gradient)
    return row


def handle_of(value: Any) -> Any:
    """What records know a tensor or variable by."""
    return value.handle if is_resource_variable(value) else value


def _seeds(target: Any, output_gradients: Any) -> list[tuple[Any, Tensor]]:
    if target is None:
        raise TypeError(
            "Argument `target` should be a list or nested structure of Tensors, Variables or"
            " CompositeTensors to be differentiated, but received None."
        )
    flat = nest.flatten(opened(target), expand_composites=True)
    if output_gradients is None:
        return [(handle_of(t), ones_like(t)) for t in flat if _has_gradient(t)]
    given = nest.flatten(opened(output_gradients), expand_composites=True)
    seeds: list[tuple[Any, Tensor]] = []
    for t, gradient in zip(flat, given, strict=False):
        if _has_gradient(t):
            start = convert_to_tensor(gradient, t.dtype)
            seeds.append((handle_of(t), start))
    return seeds


def _has_gradient(target: Any) -> bool:
    if not is_tensor(target):
        return False
    dtype = as_dtype(target.dtype)
    return dtype.is_floating or dtype.is_complex


def jacobian(
    recorded: Recorded, target: Any, sources: Any, *, unconnected: UnconnectedGradients
) -> list[Gradient | None]:
    """Per leaf of `sources` the derivative of each element of `target`.

    Raises:
        ValueError: the shape of `target` is not known in a graph.
    """
    tensor = convert_to_tensor(target)
    flat = nest.flatten(sources, expand_composites=True)
    rows = [
        _row(recorded, [(tensor, seed)], sources=flat, unconnected=unconnected)
        for seed in _one_hots(tensor)
    ]
    shape = _known_shape(tensor)
    return [
        _assemble([row[i] for row in rows], shape, convert_to_tensor(source), axis=0)
        for i, source in enumerate(flat)
    ]


def _one_hots(tensor: Tensor) -> Iterator[Tensor]:
    shape = _known_shape(tensor)
    for index in np.ndindex(*shape):
        seed = np.zeros(shape, tensor.dtype.numpy)
        seed[index] = 1
        yield convert_to_tensor(seed)


def _known_shape(tensor: Tensor) -> tuple[int, ...]:
    shape = tensor.static_shape
    if shape is None or None in shape:
        raise ValueError(
            f"jacobian: the target must have a static shape, got {tensor!r}; use"
            " tf.ensure_shape, or pass a tensor of known shape"
        )
    return cast("tuple[int, ...]", shape)


def _assemble(
    rows: list[Gradient | None], shape: tuple[int, ...], source: Tensor, *, axis: int
) -> Tensor | None:
    if all(row is None for row in rows):
        return None
    whole = [zeros_like(source) if row is None else dense(row) for row in rows]
    inner = [-1 if d is None else d for d in source.static_shape or ()]
    batch, inner = inner[:axis], inner[axis:]
    return reshape(stack(whole, axis=axis), [*batch, *shape, *inner])


def batch_jacobian(
    recorded: Recorded, target: Any, source: Any, *, unconnected: UnconnectedGradients
) -> Tensor | None:
    """The jacobian of each example of a batch, examples along the first axis.

    Raises:
        ValueError: the first dimensions differ, or the shape of an example is not known.
    """
    tensor, wanted = convert_to_tensor(target), convert_to_tensor(source)
    example = _example_shape(tensor, wanted)
    rows: list[Gradient | None] = []
    for index in np.ndindex(*example):
        mask = np.zeros(example, tensor.dtype.numpy)
        mask[index] = 1
        seed = multiply(ones_like(tensor), mask)
        rows.extend(_row(recorded, [(tensor, seed)], sources=[source], unconnected=unconnected))
    return _assemble(rows, example, wanted, axis=1)


def _example_shape(tensor: Tensor, source: Tensor) -> tuple[int, ...]:
    shape, other = tensor.static_shape, source.static_shape
    if not shape or not other or None in shape[1:]:
        raise ValueError(
            "batch_jacobian: target and source need a batch axis and examples of known shape, got"
            f" {tensor.shape} and {source.shape}"
        )
    if None not in (shape[0], other[0]) and shape[0] != other[0]:
        raise ValueError(
            f"Need first dimension of target shape ({tensor.shape}) and source shape"
            f" ({source.shape}) to match."
        )
    return cast("tuple[int, ...]", shape[1:])


def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    gate_gradients: bool = False,
    aggregation_method: object = None,
    stop_gradients: Any = None,
    unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
) -> list[Gradient | None]:
    """The gradients of `ys`, summed, with respect to each of `xs`, inside a function.

    https://www.tensorflow.org/api_docs/python/tf/gradients; `gate_gradients` and
    `aggregation_method` say how TensorFlow runs it and change nothing here.

    Raises:
        RuntimeError: there is no graph.
    """
    graph = dispatch.current_graph()
    if graph is None:
        raise RuntimeError(
            "tf.gradients is not supported when eager execution is enabled. Use tf.GradientTape"
            " instead."
        )
    cut = {id(t) for t in nest.flatten(stop_gradients) if t is not None}
    records = [
        Record(node.op, node.inputs, node.outputs, node.attrs)
        for node in graph.nodes
        if cut.isdisjoint(map(id, node.outputs))
    ]
    sources = xs if isinstance(xs, list | tuple) else [xs]
    return gradients_of(
        Recorded(records),
        ys,
        [_in_graph(graph, x) for x in sources],
        output_gradients=grad_ys,
        unconnected=UnconnectedGradients.checked(unconnected_gradients),
    )


def _in_graph(graph: Graph, source: Any) -> Any:
    """What stands for a source in `graph`: a capture, or itself."""
    known = graph.known_capture(handle_of(source))
    return source if known is None else known
