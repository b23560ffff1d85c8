"""`tf.train.Example` and the messages it is made of.

Follows https://www.tensorflow.org/api_docs/python/tf/train/Example and, for what messages do,
https://protobuf.dev/reference/python/python-generated/; the bytes are TensorFlow's.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, Final, Self

import numpy as np

from tfcheck_runtime.ops.files import wire
from tfcheck_runtime.ops.files.repeated import Entries, Items, Tell, Values


class DecodeError(Exception):
    """Bytes that are no such message (`google.protobuf.message.DecodeError`)."""


class Message:
    """A message; its fields are given by name, or set afterwards.

    Subclasses say in `_fields` by name the number of each field and what makes its empty content.
    """

    _fields: ClassVar[Mapping[str, tuple[int, Callable[[Tell], Any]]]] = {}
    _one_of: ClassVar[str | None] = None
    """The name of the group that all fields belong to, of which one at most is set."""

    def __init__(self, *, _tell: Tell | None = None, **fields: Any) -> None:
        self._tell = _tell
        self._content: dict[str, Any] = {}
        self._set: set[str] = set()
        for name, value in fields.items():
            if name not in self._fields:
                raise ValueError(f'Protocol message {type(self).__name__} has no "{name}" field.')
            if value is not None:
                _fill(getattr(self, name), value)
                self._mark(name)

    def __getattr__(self, name: str) -> Any:  # what a field holds
        if name.startswith("_") or name not in self._fields:
            raise AttributeError(name)
        if name not in self._content:
            self._content[name] = self._fields[name][1](lambda: self._mark(name))
        return self._content[name]

    def __setattr__(self, name: str, value: object) -> None:
        if not name.startswith("_"):
            raise AttributeError(
                f"Assignment not allowed to field {name!r} in the protocol message object"
            )
        super().__setattr__(name, value)

    def _mark(self, name: str) -> None:
        if self._one_of is not None:
            for other in self._set - {name}:
                del self._content[other]
            self._set = {name}
        else:
            self._set.add(name)
        if self._tell is not None:
            self._tell()

    # What all messages of protocol buffers do, under its names.

    def HasField(self, field_name: str) -> bool:  # noqa: N802
        """Whether a field that is a message is set.

        Raises:
            ValueError: there is no such field.
        """
        if field_name == self._one_of:
            return bool(self._set)
        if not isinstance(getattr(self, field_name, None), Message):
            raise ValueError(
                f"Protocol message {type(self).__name__} has no singular {field_name!r} field."
            )
        return field_name in self._set

    def WhichOneof(self, oneof_group: str) -> str | None:  # noqa: N802
        """The field of a group that is set.

        Raises:
            ValueError: there is no such group.
        """
        if oneof_group != self._one_of:
            raise ValueError(
                f"Protocol message {type(self).__name__} has no oneof {oneof_group!r} field."
            )
        return next(iter(self._set), None)

    def Clear(self) -> None:  # noqa: N802
        """Remove all content."""
        self._content.clear()
        self._set.clear()

    def ClearField(self, field_name: str) -> None:  # noqa: N802
        """Remove the content of one field."""
        self._content.pop(field_name, None)
        self._set.discard(field_name)

    def CopyFrom(self, other: Message) -> None:  # noqa: N802
        """Become equal to another message."""
        if other is not self:
            self.Clear()
            self.MergeFrom(other)

    def MergeFrom(self, other: Message) -> None:  # noqa: N802
        """Add what another message has.

        Raises:
            TypeError: it is of another kind.
        """
        if type(other) is not type(self):
            raise TypeError(
                f"Parameter to MergeFrom() must be instance of same class: expected"
                f" {type(self).__name__} got {type(other).__name__}."
            )
        self.MergeFromString(other.SerializeToString())

    def SerializeToString(self, deterministic: bool = False) -> bytes:  # noqa: N802
        """The message in wire format; `deterministic` puts maps in order."""
        return b"".join(
            _encoded(number, self._content[name], sort=deterministic)
            for name, (number, _) in self._fields.items()
            if name in self._set
        )

    SerializePartialToString = SerializeToString

    def ByteSize(self) -> int:  # noqa: N802
        """The number of bytes of the wire format."""
        return len(self.SerializeToString())

    def ParseFromString(self, serialized: bytes) -> int:  # noqa: N802
        """Become the message of some bytes; returns their number.

        Raises:
            DecodeError: they are none.
        """
        self.Clear()
        return self.MergeFromString(serialized)

    def MergeFromString(self, serialized: bytes) -> int:  # noqa: N802
        """Add the content of the message of some bytes; returns their number.

        Raises:
            DecodeError: they are none.
        """
        names = {number: name for name, (number, _) in self._fields.items()}
        try:
            for field, kind, content in wire.fields(bytes(serialized)):
                if field in names:
                    _decode(getattr(self, names[field]), kind, content)
                    self._mark(names[field])
        except wire.WireError as error:
            raise DecodeError(f"Error parsing message: {error}") from error
        return len(serialized)

    @classmethod
    def FromString(cls, s: bytes) -> Self:  # noqa: N802
        """The message of some bytes.

        Raises:
            DecodeError: they are none.
        """
        made = cls()
        made.MergeFromString(s)
        return made

    def IsInitialized(self) -> bool:  # noqa: N802
        """Whether all required fields are set: there are none."""
        return True

    def ListFields(self) -> list[tuple[str, Any]]:  # noqa: N802
        """The names and contents of the fields that are set."""
        return [(name, self._content[name]) for name in self._fields if name in self._set]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Message) or type(other) is not type(self):
            return NotImplemented
        return self._set == other._set and all(
            self._content[name] == other._content[name] for name in self._set
        )

    __hash__ = None  # type: ignore[assignment]  # as of all that changes

    def __deepcopy__(self, memo: object) -> Self:
        return type(self).FromString(self.SerializeToString())

    def __str__(self) -> str:
        return "".join(f"{line}\n" for line in _text(self))

    __repr__ = __str__


def _fill(content: Any, value: Any) -> None:
    """Give a field the value that it has in a constructor call."""
    if isinstance(content, Entries):
        for key, item in value.items():
            _fill(content[key], item)
    elif isinstance(content, Message):
        content.MergeFrom(type(content)(**value) if isinstance(value, Mapping) else value)
    else:
        content.extend(value)


def _encoded(number: int, content: Any, *, sort: bool) -> bytes:
    if isinstance(content, Message):
        return wire.bytes_field(number, content.SerializeToString(sort))
    if isinstance(content, Values):
        return (
            content.encode(number)
            if isinstance(content, _Packed)
            else b"".join(wire.bytes_field(number, value) for value in content)
        )
    if isinstance(content, Items):
        return b"".join(_encoded(number, item, sort=sort) for item in content)
    keys = sorted(content) if sort else content
    return b"".join(
        wire.bytes_field(
            number,
            wire.bytes_field(1, key.encode()) + _encoded(2, content[key], sort=sort),
        )
        for key in keys
    )


def _decode(content: Any, kind: int, data: bytes | int) -> None:
    if isinstance(content, _Packed):
        content.decode(kind, data)
        return
    if not isinstance(data, bytes):
        raise wire.WireError(f"expected bytes, got wire type {kind}")
    if isinstance(content, Message):
        content.MergeFromString(data)
    elif isinstance(content, Values):
        content.append(data)
    elif isinstance(content, Items):
        content.add().MergeFromString(data)
    else:
        parts = {field: part for field, _, part in wire.fields(data)}
        key, value = parts.get(1, b""), parts.get(2, b"")
        if not isinstance(key, bytes) or not isinstance(value, bytes):
            raise wire.WireError("an entry of a map is no message")
        content[key.decode()].MergeFromString(value)


class _Packed(Values[Any]):
    """Numbers that lie packed."""

    def encode(self, number: int) -> bytes:
        """The field, nothing where it is empty."""
        return wire.bytes_field(number, self.pack()) if len(self) else b""

    def pack(self) -> bytes:
        """The numbers one after the other."""
        raise NotImplementedError

    def decode(self, kind: int, data: bytes | int) -> None:
        """Append the numbers of a field, packed or single."""
        raise NotImplementedError


class _Integers(_Packed):
    def pack(self) -> bytes:
        return b"".join(map(wire.varint, self))

    def decode(self, kind: int, data: bytes | int) -> None:
        if isinstance(data, int):
            self.append(wire.as_signed(data))
        else:
            self.extend(wire.packed_varints(data).tolist())


class _Floats(_Packed):
    def pack(self) -> bytes:
        return np.array(self._items, "<f4").tobytes()

    def decode(self, kind: int, data: bytes | int) -> None:
        if not isinstance(data, bytes) or len(data) % 4:
            raise wire.WireError("a list of floats is cut short")
        self.extend(np.frombuffer(data, "<f4").tolist())


_INT64: Final = 1 << 63


def _integer(value: Any) -> int:
    if isinstance(value, bool | np.bool_) or not hasattr(value, "__index__"):
        raise TypeError(f"{value!r} has type {type(value).__name__}, but expected one of: int")
    number = operator.index(value)
    if not -_INT64 <= number < _INT64:
        raise ValueError(f"Value out of range: {number}")
    return number


def _float(value: Any) -> float:
    if isinstance(value, str | bytes) or not hasattr(value, "__float__"):
        raise TypeError(
            f"{value!r} has type {type(value).__name__}, but expected one of: int, float"
        )
    number = float(value)
    with np.errstate(over="ignore"):
        return number if math.isnan(number) else float(np.float32(number))


def _bytes(value: Any) -> bytes:
    if not isinstance(value, bytes):
        raise TypeError(f"{value!r} has type {type(value).__name__}, but expected one of: bytes")
    return bytes(value)


class BytesList(Message):
    """Strings: `value`."""

    _fields: ClassVar = {"value": (1, lambda tell: Values(_bytes, tell))}


class FloatList(Message):
    """float32 numbers: `value`."""

    _fields: ClassVar = {"value": (1, lambda tell: _Floats(_float, tell))}


class Int64List(Message):
    """int64 numbers: `value`."""

    _fields: ClassVar = {"value": (1, lambda tell: _Integers(_integer, tell))}


class Feature(Message):
    """One of `bytes_list`, `float_list` and `int64_list`."""

    _one_of = "kind"
    _fields: ClassVar = {
        "bytes_list": (1, lambda tell: BytesList(_tell=tell)),
        "float_list": (2, lambda tell: FloatList(_tell=tell)),
        "int64_list": (3, lambda tell: Int64List(_tell=tell)),
    }


class Features(Message):
    """Features by name: `feature`."""

    _fields: ClassVar = {"feature": (1, lambda tell: Entries(lambda t: Feature(_tell=t), tell))}


class FeatureList(Message):
    """A sequence of features: `feature`."""

    _fields: ClassVar = {"feature": (1, lambda tell: Items(lambda t: Feature(_tell=t), tell))}


class FeatureLists(Message):
    """Sequences of features by name: `feature_list`."""

    _fields: ClassVar = {
        "feature_list": (1, lambda tell: Entries(lambda t: FeatureList(_tell=t), tell))
    }


class Example(Message):
    """One example of a data set: `features`."""

    _fields: ClassVar = {"features": (1, lambda tell: Features(_tell=tell))}


class SequenceExample(Message):
    """An example with sequences: `context` and `feature_lists`."""

    _fields: ClassVar = {
        "context": (1, lambda tell: Features(_tell=tell)),
        "feature_lists": (2, lambda tell: FeatureLists(_tell=tell)),
    }


def _text(message: Message) -> Iterator[str]:
    """The lines of protocol buffers' text format."""
    for name, content in message.ListFields():
        if isinstance(content, Values):
            yield from (f"{name}: {_literal(value)}" for value in content)
        elif isinstance(content, Entries):
            for key in sorted(content):
                inside = [f"key: {_literal(key.encode())}", *_block("value", content[key])]
                yield from (f"{name} {{", *(f"  {line}" for line in inside), "}")
        else:
            for item in content if isinstance(content, Items) else [content]:
                yield from _block(name, item)


def _block(name: str, message: Message) -> list[str]:
    return [f"{name} {{", *(f"  {line}" for line in _text(message)), "}"]


def _literal(value: object) -> str:
    if isinstance(value, bytes):
        return '"' + "".join(map(_escaped, value)) + '"'
    if isinstance(value, float):
        return f"{value:.9g}" if float(f"{value:.8g}") != value else f"{value:.8g}"
    return str(value)


_ESCAPES: Final = {9: "\\t", 10: "\\n", 13: "\\r", 34: '\\"', 39: "\\'", 92: "\\\\"}


def _escaped(byte: int) -> str:
    if byte in _ESCAPES:
        return _ESCAPES[byte]
    return chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}"
