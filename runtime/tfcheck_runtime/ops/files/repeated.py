"""Lists and maps inside protocol buffer messages: they check what goes in and tell their owner."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, MutableSequence
from typing import Any, Generic, Protocol, Self, TypeVar, overload

Value = TypeVar("Value")
Check = Callable[[Any], Any]
Tell = Callable[[], None]


class Mergeable(Protocol):
    """A message."""

    def CopyFrom(self, other: Self) -> None:  # noqa: N802  # protobuf's name
        """Become equal to another message."""

    def MergeFrom(self, other: Self) -> None:  # noqa: N802
        """Add what another message has."""


Item = TypeVar("Item", bound=Mergeable)


class Values(MutableSequence[Value], Generic[Value]):
    """Numbers or bytes.

    Args:
        check: gives the value as it is stored, or raises TypeError or ValueError.
        tell: called when the list changes.
    """

    def __init__(self, check: Check, tell: Tell) -> None:
        self._check, self._tell = check, tell
        self._items: list[Value] = []

    def __len__(self) -> int:
        return len(self._items)

    @overload
    def __getitem__(self, index: int) -> Value: ...
    @overload
    def __getitem__(self, index: slice) -> list[Value]: ...
    def __getitem__(self, index: int | slice) -> Value | list[Value]:
        return self._items[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        many = isinstance(index, slice)
        self._items[index] = [self._check(v) for v in value] if many else self._check(value)
        self._tell()

    def __delitem__(self, index: Any) -> None:
        del self._items[index]
        self._tell()

    def insert(self, index: int, value: Any) -> None:
        """Put a value before `index`."""
        self._items.insert(index, self._check(value))
        self._tell()

    def extend(self, values: Iterable[Any]) -> None:
        """Append several values."""
        self._items.extend([self._check(v) for v in values])
        self._tell()

    def sort(self, **options: Any) -> None:
        """Put the values in order."""
        self._items.sort(**options)

    def __eq__(self, other: object) -> bool:
        return self._items == (other._items if isinstance(other, Values) else other)

    __hash__ = None  # type: ignore[assignment]  # as of any list

    def __repr__(self) -> str:
        return repr(self._items)


class Items(Generic[Item]):
    """A list of messages.

    Args:
        make: makes an empty message that tells when it changes.
        tell: called when the list changes.
    """

    def __init__(self, make: Callable[[Tell], Item], tell: Tell) -> None:
        self._make, self._tell = make, tell
        self._items: list[Item] = []

    def add(self, **fields: Any) -> Item:
        """Append a new message, with these fields, and return it."""
        item = self._make(self._tell)
        self._items.append(item)
        item.MergeFrom(type(item)(**fields))
        self._tell()
        return item

    def append(self, value: Item) -> None:
        """Append a copy of a message."""
        self.add().CopyFrom(value)

    def extend(self, values: Iterable[Item]) -> None:
        """Append copies of messages."""
        for value in values:
            self.append(value)

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Item]:
        return iter(self._items)

    def __getitem__(self, index: Any) -> Any:
        return self._items[index]

    def __delitem__(self, index: Any) -> None:
        del self._items[index]
        self._tell()

    def __eq__(self, other: object) -> bool:
        return self._items == (other._items if isinstance(other, Items) else other)

    __hash__ = None  # type: ignore[assignment]  # as of any list

    def __repr__(self) -> str:
        return repr(self._items)


class Entries(Mapping[str, Item], Generic[Item]):
    """A map from strings to messages; what is looked up is made.

    Args:
        make: makes an empty message that tells when it changes.
        tell: called when the map changes.
    """

    def __init__(self, make: Callable[[Tell], Item], tell: Tell) -> None:
        self._make, self._tell = make, tell
        self._items: dict[str, Item] = {}

    def __getitem__(self, key: str) -> Item:
        key = _as_key(key)
        if key not in self._items:
            self._items[key] = self._make(self._tell)
            self._tell()
        return self._items[key]

    def get_or_create(self, key: str) -> Item:
        """The message of a key, made if there is none."""
        return self[key]

    def get(self, key: str, default: Any = None) -> Any:
        """The message of a key; `default` if there is none."""
        return self._items.get(_as_key(key), default)

    def __contains__(self, key: object) -> bool:
        return key in self._items

    def __setitem__(self, key: str, value: object) -> None:
        raise ValueError("May not set values directly, call my_map[key].foo = 5")

    def __delitem__(self, key: str) -> None:
        del self._items[key]
        self._tell()

    def clear(self) -> None:
        """Remove all entries."""
        self._items.clear()
        self._tell()

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return repr(self._items)


def _as_key(key: object) -> str:
    if isinstance(key, bytes):
        return key.decode()
    if not isinstance(key, str):
        raise TypeError(f"{key!r} has type {type(key).__name__}, but expected one of: bytes, str")
    return key
