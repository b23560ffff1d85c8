"""What datasets become outside of pipelines: one state, one element, a choice among several."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from tfcheck_runtime.data import elements
from tfcheck_runtime.data.elements import Element, Layout
from tfcheck_runtime.data.elementwise import stable
from tfcheck_runtime.data.parts import Source
from tfcheck_runtime.ops.control.asserting import assert_
from tfcheck_runtime.ops.control.iterating import (
    cardinality_op,
    reduce_op,
    single_element_op,
)
from tfcheck_runtime.ops.math.comparison import greater_equal
from tfcheck_runtime.ops.math.exponential import log
from tfcheck_runtime.ops.math.logic import logical_and, logical_or
from tfcheck_runtime.ops.random.stateless import stateless_categorical
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.tensor_spec import TensorSpec
from tfcheck_runtime.values.convert import constant, convert_to_tensor
from tfcheck_runtime.values.tensor import EagerTensor, Tensor, apply, apply_n

SomeSource = TypeVar("SomeSource", bound=Source)


def reduce(source: Source, initial_state: object, function: Callable[..., Any]) -> Element:
    """Fold the elements into a state.

    Raises:
        TypeError: the function returns another structure or dtype than the state has.
    """
    start = elements.as_element(initial_state)
    made, state = stable(
        function, elements.spec_of(start), source.element_spec, what="Dataset.reduce()",
        label="ReduceDataset", new_state=lambda spec: spec,
    )  # fmt: skip
    layout = Layout(state)
    outputs = apply_n(
        reduce_op, source.variant, *elements.tensors_of(start), *made.externals,
        fold=made.bind, kinds=layout.kinds, row_kinds=elements.kinds_of(source.element_spec),
    )  # fmt: skip
    return layout.pack(outputs)


def all_(source: Source) -> Tensor:
    """Whether all elements of a dataset of bools are true."""
    _check_bools(source, "all")
    found: Tensor = reduce(source, True, logical_and)
    return found


def any_(source: Source) -> Tensor:
    """Whether some element of a dataset of bools is true."""
    _check_bools(source, "any")
    found: Tensor = reduce(source, False, logical_or)
    return found


def _check_bools(source: Source, name: str) -> None:
    spec = source.element_spec
    if not isinstance(spec, TensorSpec) or not spec.dtype.is_bool:
        raise ValueError(
            f'in graph mode, the "{name}" builtin expects datasets that return bool scalars; got'
            f" dataset of type {spec}"
        )


def length(source: Source) -> Tensor:
    """The number of elements; it is checked to be known when the graph runs."""
    size = apply(cardinality_op, source.variant)
    assert_(
        greater_equal(size, constant(0, dtypes.int64)),
        ["len requires dataset with definitive cardinality, got", size],
    )
    return size


def single_element(source: Source) -> Element:
    """The only element.

    Raises:
        InvalidArgumentError: there is none, or more than one.
    """
    layout = Layout(source.element_spec)
    return layout.pack(apply_n(single_element_op, source.variant, kinds=layout.kinds))


def drawing(
    datasets: Sequence[SomeSource], weights: object
) -> tuple[Callable[[Tensor], Tensor], list[SomeSource]]:
    """A function from two random words to the number of a dataset, and the datasets with weight.

    Raises:
        ValueError: there are no datasets, or not one weight for each.
        NotImplementedError: the weights are a dataset.
    """
    if not datasets:
        raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
    kept = list(datasets)
    if weights is None:
        logits = constant([[1.0] * len(kept)])
    else:
        logits, kept = _weighted(kept, weights)

    def draw(seed: Tensor) -> Tensor:
        drawn: Tensor = stateless_categorical(logits, 1, seed=seed)[0][0]
        return drawn

    return draw, kept


def _weighted(datasets: list[SomeSource], weights: object) -> tuple[Tensor, list[SomeSource]]:
    if hasattr(weights, "element_spec"):
        raise NotImplementedError(
            "sample_from_datasets with weights from a dataset is not in the embedded runtime; give"
            " them as a list"
        )
    given = convert_to_tensor(weights)
    if given.dtype not in (dtypes.float32, dtypes.float64):
        raise TypeError(
            "Invalid `weights`. `weights` type must be either `tf.float32` or `tf.float64` but is"
            f" {given.dtype}."
        )
    if given.static_shape != (len(datasets),):
        raise ValueError(
            "Invalid `weights`. The shape of `weights` should be compatible with"
            f" `[len(datasets)]` = [{len(datasets)}] but is {given.shape}."
        )
    if isinstance(given, EagerTensor):
        keep = np.flatnonzero(given.array)
        given = EagerTensor(given.array[keep], given.dtype)
        datasets = [datasets[i] for i in keep]
    return log(given)[None, :], datasets
