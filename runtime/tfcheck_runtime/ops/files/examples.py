"""`tf.io.parse_example` and its kin."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from tfcheck_runtime import dispatch
from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.ops.array.shaping import reshape
from tfcheck_runtime.ops.files.example_parsing import (
    FIXED,
    RAGGED,
    SEQUENCE,
    SPARSE,
    Wanted,
    codes,
    parse_example_op,
    parse_sequence_op,
)
from tfcheck_runtime.ops.files.features import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    SparseFeature,
    VarLenFeature,
)
from tfcheck_runtime.ops.ragged.tensor import RaggedTensor
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import DType, as_dtype
from tfcheck_runtime.specs.shapes import TensorShape
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.sparse_tensor import SparseTensor
from tfcheck_runtime.values.tensor import Tensor, apply_n

_DTYPES: Final = (dtypes.float32, dtypes.int64, dtypes.string)
_ORDER: Final = (SPARSE, FIXED, SEQUENCE, RAGGED)


def parse_example(
    serialized: object,
    features: Mapping[str, Any],
    example_names: object = None,
    name: str | None = None,
) -> dict[str, Any]:
    """The features of a vector of serialised `tf.train.Example` messages, by name.

    https://www.tensorflow.org/api_docs/python/tf/io/parse_example

    Args:
        serialized: a vector of strings; a scalar gives the features of one example.
        features: what to look for: a `FixedLenFeature`, `FixedLenSequenceFeature`,
            `VarLenFeature` or `RaggedFeature` for each name.
        example_names: accepted, without effect.
        name: of the node.

    Returns:
        Tensors, sparse tensors for `VarLenFeature`, ragged ones for `RaggedFeature`.

    Raises:
        ValueError: nothing is to be found, or a shape is not known.
        InvalidArgumentError: a feature is missing, or of another type or size than said.
        NotImplementedError: a `SparseFeature`, or a `RaggedFeature` with partitions.
    """
    if not features:
        raise ValueError(f"Missing: `features` was {features!r}.")
    wanted = _all_wanted(features)
    for feature in wanted:
        if feature.form == SEQUENCE and feature.required:
            raise ValueError(
                "Unsupported: FixedLenSequenceFeature requires allow_missing to be True, got"
                f" {features[feature.key]} for {feature.key!r}."
            )
    defaults = [_default(features[w.key], w) for w in wanted if w.form in (FIXED, SEQUENCE)]
    inputs = convert_to_tensor(serialized, dtypes.string), *defaults
    outputs = apply_n(parse_example_op, *inputs, wanted=codes(wanted), name=name or "ParseExample")
    return _named(wanted, outputs, single=inputs[0].static_shape == ())


def parse_single_example(
    serialized: object,
    features: Mapping[str, Any],
    example_names: object = None,
    name: str | None = None,
) -> dict[str, Any]:
    """The features of one serialised `tf.train.Example` message, by name.

    https://www.tensorflow.org/api_docs/python/tf/io/parse_single_example

    Raises:
        ValueError: `serialized` is no scalar; or as `parse_example`.
    """
    tensor = convert_to_tensor(serialized, dtypes.string)
    if tensor.static_shape not in ((), None):
        raise ValueError(f"Input serialized must be a scalar, got shape {tensor.shape}")
    return parse_example(reshape(tensor, []), features, example_names, name)


def parse_single_sequence_example(
    serialized: object,
    context_features: Mapping[str, Any] | None = None,
    sequence_features: Mapping[str, Any] | None = None,
    example_name: object = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The context and the sequences of one serialised `tf.train.SequenceExample` message.

    https://www.tensorflow.org/api_docs/python/tf/io/parse_single_sequence_example

    Args:
        serialized: a scalar string.
        context_features: what to look for in the context, as for `parse_example`.
        sequence_features: what to look for in the sequences: a `FixedLenSequenceFeature`,
            `VarLenFeature` or `RaggedFeature` for each name.
        example_name: accepted, without effect.
        name: of the node.

    Raises:
        ValueError: nothing is to be found.
    """
    if not context_features and not sequence_features:
        raise ValueError("Both `context_features` and `sequence_features` argument are None")
    tensor = convert_to_tensor(serialized, dtypes.string)
    context: dict[str, Any] = {}
    if context_features:
        context = parse_example(reshape(tensor, []), context_features)
    wanted = _all_wanted(sequence_features or {})
    if not wanted:
        return context, {}
    outputs = apply_n(
        parse_sequence_op, tensor, wanted=codes(wanted), name=name or "ParseSingleSequenceExample"
    )
    return context, _named(wanted, outputs, single=False)


def _all_wanted(features: Mapping[str, Any]) -> tuple[Wanted, ...]:
    found = [_wanted(key, features[key]) for key in sorted(features)]
    return tuple(sorted(found, key=lambda w: _ORDER.index(w.form)))


def _wanted(key: str, feature: Any) -> Wanted:
    if isinstance(feature, FixedLenFeature):
        return Wanted(key, FIXED, _dtype(feature.dtype), _shape(key, feature.shape))
    if isinstance(feature, FixedLenSequenceFeature):
        return Wanted(
            key, SEQUENCE, _dtype(feature.dtype), _shape(key, feature.shape),
            required=not feature.allow_missing,
        )  # fmt: skip
    if isinstance(feature, VarLenFeature):
        return Wanted(key, SPARSE, _dtype(feature.dtype))
    if isinstance(feature, RaggedFeature) and not feature.partitions:
        return Wanted(key, RAGGED, _dtype(feature.dtype), source=feature.value_key or "")
    if isinstance(feature, SparseFeature | RaggedFeature):
        raise NotImplementedError(
            f"{feature!r} of {key!r} is not in the embedded runtime; read its parts as"
            " VarLenFeature and RaggedFeature"
        )
    raise ValueError(f"Unsupported {type(feature).__name__}: {feature!r} for {key!r}.")


def _dtype(dtype: Any) -> DType:
    kind = as_dtype(dtype)
    if kind in _DTYPES:
        return kind
    allowed = ", ".join(d.name for d in _DTYPES)
    message = f"{kind.name} is not in the list of allowed values: {allowed}"
    if dispatch.current_graph() is None:
        raise invalid_argument(f"Value for attr 'Tdense' of {message}")
    raise TypeError(f"DataType for attr 'Tdense': {message}")


def _shape(key: str, given: Any) -> tuple[int, ...]:
    sizes = TensorShape(given).as_list()
    if None in sizes:
        raise ValueError(
            f"First dimension of shape for feature {key} unknown. Consider using"
            " FixedLenSequenceFeature."
            if sizes[0] is None
            else f"All dimensions of shape for feature {key} need to be known but received"
            f" {TensorShape(sizes)}."
        )
    return tuple(size for size in sizes if size is not None)


def _default(feature: Any, wanted: Wanted) -> Tensor:
    """The value of a missing feature; an empty tensor where there must be one."""
    if feature.default_value is None:
        empty: Any = np.zeros(0, wanted.dtype.numpy)
        return convert_to_tensor(empty, wanted.dtype)
    given = convert_to_tensor(feature.default_value, wanted.dtype)
    return reshape(given, wanted.shape if wanted.form == FIXED else [])


def _named(wanted: tuple[Wanted, ...], outputs: Any, *, single: bool) -> dict[str, Any]:
    """The features by name, each in one piece."""
    found: dict[str, Any] = {}
    flat = iter(outputs)
    for feature in wanted:
        parts = [next(flat) for _ in range(feature.width)]
        if feature.form == SPARSE:
            found[feature.key] = SparseTensor(*parts)
        elif feature.form == RAGGED and not single:
            found[feature.key] = RaggedTensor.from_row_splits(parts[0], parts[1], validate=False)
        else:
            found[feature.key] = parts[0]
    return found
