"""Types of elements as JSON, for saved datasets."""

from __future__ import annotations

from typing import Any

from tfcheck_runtime.data.elements import Spec
from tfcheck_runtime.data.spec import NoneTensorSpec
from tfcheck_runtime.ops.ragged.spec import RaggedTensorSpec
from tfcheck_runtime.specs.sparse_spec import SparseTensorSpec
from tfcheck_runtime.specs.tensor_spec import TensorSpec

_KINDS = {"tensor": TensorSpec, "sparse": SparseTensorSpec}


def as_json(spec: Spec) -> Any:
    """A type as data that `from_json` reads.

    Raises:
        NotImplementedError: it holds something else than tuples, dicts and tensors.
    """
    if isinstance(spec, dict):
        return {"dict": [[key, as_json(part)] for key, part in spec.items()]}
    if type(spec) is tuple:
        return {"tuple": [as_json(part) for part in spec]}
    if isinstance(spec, NoneTensorSpec):
        return {"none": None}
    for name, kind in _KINDS.items():
        if type(spec) is kind:
            return {name: [_sizes(spec), spec.dtype.name]}
    if isinstance(spec, RaggedTensorSpec):
        splits = spec.row_splits_dtype.name
        return {"ragged": [_sizes(spec), spec.dtype.name, spec.ragged_rank, splits]}
    raise NotImplementedError(
        f"saving elements of type {spec!r} is not in the embedded runtime; save tuples and dicts of"
        " tensors"
    )


def _sizes(spec: Any) -> list[int | None] | None:
    shape = spec.static_shape
    return None if shape is None else list(shape)


def from_json(data: Any) -> Spec:
    """The type that `as_json` wrote."""
    ((name, content),) = data.items()
    if name == "dict":
        return {key: from_json(part) for key, part in content}
    if name == "tuple":
        return tuple(from_json(part) for part in content)
    if name == "none":
        return NoneTensorSpec()
    if name == "ragged":
        return RaggedTensorSpec(*content)
    return _KINDS[name](*content)
