"""Serialised `tf.train.Example` messages as tensors.

Follows https://www.tensorflow.org/api_docs/python/tf/io/parse_example.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import prod
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Aval, Op, case, define
from tfcheck_runtime.ops.array.agreement import check_dtype
from tfcheck_runtime.ops.array.examples import i64
from tfcheck_runtime.ops.files import wire
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import DType
from tfcheck_runtime.specs.shapes import Shape

FIXED: Final = "fixed"
SEQUENCE: Final = "sequence"
SPARSE: Final = "sparse"
RAGGED: Final = "ragged"

_KINDS: Final = {1: dtypes.string, 2: dtypes.float32, 3: dtypes.int64}
"""The types of the lists in a feature, by their field numbers."""


class Wanted(NamedTuple):
    """A feature to look for, and the form that its values take.

    An attribute of nodes, where it is a plain tuple.
    """

    key: str
    form: str
    dtype: DType
    shape: tuple[int, ...] = ()
    """Of one part, where the form has parts."""
    source: str = ""
    """The feature that holds it, if that has another name."""
    required: bool = False
    """Whether a sequence must be there."""

    @property
    def width(self) -> int:
        """Number of tensors that hold it."""
        return {SPARSE: 3, RAGGED: 2}.get(self.form, 1)


Codes: TypeAlias = tuple[tuple[Any, ...], ...]
"""Features to look for as an attribute of a node."""


def codes(wanted: Iterable[Wanted]) -> Codes:
    """Features to look for in a plain form."""
    return tuple(map(tuple, wanted))


Feature = tuple[DType, bytes]
"""A type, and the list of values in wire format."""


def features_in(features: bytes) -> dict[str, Feature]:
    """The features of a `Features` message by name; those that are empty are left out.

    Raises:
        WireError: the bytes are none.
    """
    found: dict[str, Feature] = {}
    for entry in wire.messages(features, 1):
        parts = {field: part for field, _, part in wire.fields(entry)}
        key, value = parts.get(1, b""), parts.get(2, b"")
        if not isinstance(key, bytes) or not isinstance(value, bytes):
            raise wire.WireError("an entry of a map is no message")
        feature = feature_of(value)
        name = key.decode("utf-8", "surrogateescape")
        found.pop(name, None)
        if feature is not None:
            found[name] = feature
    return found


def feature_of(message: bytes) -> Feature | None:
    """The list of values of a `Feature` message, or None if it has none."""
    found = None
    for field, _, part in wire.fields(message):
        if field in _KINDS and isinstance(part, bytes):
            found = _KINDS[field], part
    return found


def values_of(feature: Feature) -> Array:
    """The values of a feature as a vector.

    Raises:
        WireError: they are no list.
    """
    dtype, content = feature
    parts = [(kind, part) for field, kind, part in wire.fields(content) if field == 1]
    if dtype is dtypes.string:
        strings = np.empty(len(parts), object)
        strings[:] = [part for _, part in parts]
        return strings
    if dtype is dtypes.float32:
        floats = [np.frombuffer(p, "<f4") for _, p in parts if isinstance(p, bytes)]
        return np.concatenate([np.zeros(0, np.float32), *floats])
    integers = [
        np.array([wire.as_signed(p)]) if isinstance(p, int) else wire.packed_varints(p)
        for _, p in parts
    ]
    return np.concatenate([np.zeros(0, np.int64), *integers])


def checked_values(feature: Feature | None, wanted: Wanted) -> Array | None:
    """The values of a feature, or None if it is missing.

    Raises:
        InvalidArgumentError: they are of another type.
    """
    if feature is None:
        return None
    if feature[0] is not wanted.dtype:
        raise invalid_argument(
            f"Key: {wanted.key}.  Data types don't match. Data type: {feature[0].name} but expected"
            f" type: {wanted.dtype.name}"
        )
    return values_of(feature)


def parsed(serialized: bytes, read: Callable[[bytes], Any]) -> Any:
    """What `read` makes of a message.

    Raises:
        InvalidArgumentError: the bytes are none.
    """
    try:
        return read(serialized)
    except wire.WireError as error:
        raise invalid_argument(
            f"Could not parse example input, value: {serialized[:64]!r} ({error})"
        ) from error


def _features_of_example(serialized: bytes) -> dict[str, Feature]:
    # A message that comes twice is merged.
    return features_in(b"".join(wire.messages(serialized, 1)))


def _entry(key: bytes, content: bytes) -> bytes:
    return wire.bytes_field(1, wire.bytes_field(1, key) + wire.bytes_field(2, content))


def _integers(*numbers: int) -> bytes:
    packed = b"".join(map(wire.varint, numbers))
    return wire.bytes_field(3, wire.bytes_field(1, packed))


_EXAMPLE: Final = wire.bytes_field(1, _entry(b"a", _integers(3)) + _entry(b"b", _integers(1, 2)))
_SEQUENCE_EXAMPLE: Final = wire.bytes_field(
    2, _entry(b"s", b"".join(wire.bytes_field(1, _integers(n)) for n in (5, 6)))
)


class _ParseExample(Op):
    """The features of one example, or of a vector of them; defaults as in TensorFlow."""

    type = "ParseExampleV2"
    cases = (
        case(np.array([_EXAMPLE, b""], object), i64([7]),
             wanted=codes((Wanted("b", SPARSE, dtypes.int64), Wanted("a", FIXED, dtypes.int64),
                     Wanted("b", RAGGED, dtypes.int64)))),
    )  # fmt: skip

    def infer(self, serialized: Aval, *defaults: Aval, wanted: Codes) -> tuple[Aval, ...]:
        check_dtype(self.type, serialized, dtypes.string, "serialized")
        found: list[Aval] = []
        for feature in itertools.starmap(Wanted, wanted):
            found += _avals(feature, serialized.shape)
        return tuple(found)

    def eager(self, serialized: Array, *defaults: Array, wanted: Codes) -> Any:
        examples = [parsed(s, _features_of_example) for s in serialized.reshape(-1).tolist()]
        given = iter(defaults)
        found: list[Array] = []
        for feature in itertools.starmap(Wanted, wanted):
            columns = [
                checked_values(e.get(feature.source or feature.key), feature) for e in examples
            ]
            default = next(given) if feature.form in (FIXED, SEQUENCE) else None
            found += _JOIN[feature.form](columns, feature, default, serialized.ndim == 0)
        return tuple(found)


def _avals(feature: Wanted, batch: Shape) -> list[Aval]:
    rank = None if batch is None else len(batch)
    if feature.form in (FIXED, SEQUENCE):
        many = () if feature.form == FIXED else (None,)
        whole = None if batch is None else (*batch, *many, *feature.shape)
        return [Aval(feature.dtype, whole)]
    values = Aval(feature.dtype, (None,))
    if feature.form == RAGGED:
        splits = None if not batch or batch[0] is None else batch[0] + 1
        return [values, Aval(dtypes.int32, (splits,))]
    inside = None if rank is None else rank + 1
    return [Aval(dtypes.int64, (None, inside)), values, Aval(dtypes.int64, (inside,))]


Columns = Sequence["Array | None"]


def _join_fixed(
    columns: Columns, feature: Wanted, default: Array | None, single: bool
) -> list[Array]:
    rows = [_fixed(values, feature, default) for values in columns]
    empty = np.zeros((0, *feature.shape), feature.dtype.numpy)
    stacked = np.stack(rows) if rows else empty
    return [stacked[0] if single else stacked]


def _fixed(values: Array | None, feature: Wanted, default: Array | None) -> Array:
    size = prod(feature.shape)
    if values is None:
        if default is None or default.size != size:
            raise invalid_argument(
                f"Feature: {feature.key} (data type: {feature.dtype.name}) is required but could"
                " not be found."
            )
        return default.reshape(feature.shape)
    if len(values) != size:
        raise invalid_argument(
            f"Key: {feature.key}.  Number of {feature.dtype.name} values != expected.  values size:"
            f" {len(values)} but output shape: {list(feature.shape)}"
        )
    return values.reshape(feature.shape)


def _join_sequences(
    columns: Columns, feature: Wanted, default: Array | None, single: bool
) -> list[Array]:
    rows = [_parts(values, feature) for values in columns]
    if single:
        return rows
    longest = max(map(len, rows), default=0)
    filler = default if default is not None and default.size else _nothing(feature.dtype)
    whole = np.full((len(rows), longest, *feature.shape), filler.reshape(()), feature.dtype.numpy)
    for i, row in enumerate(rows):
        whole[i, : len(row)] = row
    return [whole]


def _nothing(dtype: DType) -> Array:
    return np.array(b"", object) if dtype is dtypes.string else np.zeros((), dtype.numpy)


def _parts(values: Array | None, feature: Wanted) -> Array:
    size = prod(feature.shape)
    if values is None:
        values = np.zeros(0, feature.dtype.numpy)
    if len(values) % size:
        raise invalid_argument(
            f"Key: {feature.key}.  Number of {feature.dtype.name} values is not a multiple of"
            f" stride length. Saw {len(values)} values but output shape is: {list(feature.shape)}"
        )
    return values.reshape(-1, *feature.shape)


def _join_sparse(
    columns: Columns, feature: Wanted, default: Array | None, single: bool
) -> list[Array]:
    rows = [np.zeros(0, feature.dtype.numpy) if v is None else v for v in columns]
    sizes = [len(row) for row in rows]
    values = np.concatenate([np.zeros(0, feature.dtype.numpy), *rows])
    inside = np.concatenate([np.zeros(0, np.int64), *map(np.arange, sizes)])
    if single:
        return [inside[:, None], values, np.array(sizes, np.int64)]
    outside = np.repeat(np.arange(len(rows)), sizes)
    whole = np.array([len(rows), max(sizes, default=0)], np.int64)
    return [np.stack([outside, inside], axis=1).astype(np.int64), values, whole]


def _join_ragged(
    columns: Columns, feature: Wanted, default: Array | None, single: bool
) -> list[Array]:
    rows = [np.zeros(0, feature.dtype.numpy) if v is None else v for v in columns]
    splits = np.cumsum([0, *map(len, rows)], dtype=np.int32)
    return [np.concatenate([np.zeros(0, feature.dtype.numpy), *rows]), splits]


_JOIN: Final[Mapping[str, Callable[[Columns, Wanted, Array | None, bool], list[Array]]]] = {
    FIXED: _join_fixed,
    SEQUENCE: _join_sequences,
    SPARSE: _join_sparse,
    RAGGED: _join_ragged,
}


class _ParseSequenceExample(Op):
    """The sequences of one `SequenceExample`: a part for each step."""

    type = "ParseSingleSequenceExample"
    cases = (
        case(np.array(_SEQUENCE_EXAMPLE, object),
             wanted=codes((Wanted("s", SEQUENCE, dtypes.int64),
                           Wanted("s", SPARSE, dtypes.int64)))),
    )  # fmt: skip

    def infer(self, serialized: Aval, *, wanted: Codes) -> tuple[Aval, ...]:
        check_dtype(self.type, serialized, dtypes.string, "serialized")
        found: list[Aval] = []
        for feature in itertools.starmap(Wanted, wanted):
            # A step is what an example is elsewhere.
            found += _avals(_of_step(feature), (None,))
        return tuple(found)

    def eager(self, serialized: Array, *, wanted: Codes) -> Any:
        lists = parsed(serialized.item(), _feature_lists)
        found: list[Array] = []
        for feature in itertools.starmap(Wanted, wanted):
            source = feature.source or feature.key
            if feature.required and source not in lists:
                raise invalid_argument(
                    f"Name: <unknown>, Feature list '{source}' is required but could not be found."
                    "  Did you mean to include it in feature_list_dense_missing_assumed_empty or"
                    " feature_list_dense_defaults?"
                )
            steps = lists.get(source, [])
            columns = [checked_values(step, feature) for step in steps]
            step = _of_step(feature)
            found += _JOIN[step.form](columns, step, None, False)
        return tuple(found)


def _of_step(feature: Wanted) -> Wanted:
    if feature.form != SEQUENCE:
        return feature
    return feature._replace(form=FIXED)


def _feature_lists(serialized: bytes) -> dict[str, list[Feature | None]]:
    found: dict[str, list[Feature | None]] = {}
    for lists in wire.messages(serialized, 2):
        for entry in wire.messages(lists, 1):
            key = b"".join(wire.messages(entry, 1)).decode("utf-8", "surrogateescape")
            steps = [s for value in wire.messages(entry, 2) for s in wire.messages(value, 1)]
            found[key] = [feature_of(step) for step in steps]
    return found


parse_example_op = define(_ParseExample())
parse_sequence_op = define(_ParseSequenceExample())
