"""What datasets become outside of pipelines: one state, one element, one number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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
from tfcheck_runtime.ops.math.logic import logical_and, logical_or
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.tensor_spec import TensorSpec
from tfcheck_runtime.values.convert import constant
from tfcheck_runtime.values.tensor import Tensor, apply, apply_n


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
