"""Lists, dicts and tuples in attributes of modules: they tell checkpoints what they hold.

An attribute that is set to a list reads as a `ListWrapper`, which is a list, shares its elements
with the one that was given, and wraps the containers inside. Checkpoints find elements by their
positions and keys, so that a list which was changed other than by appending cannot be saved.
Follows https://www.tensorflow.org/guide/checkpoint#lists_and_dictionary_tracking.
"""

from __future__ import annotations

import copy
import functools
from collections import OrderedDict
from collections.abc import Iterable, Iterator, MutableMapping
from typing import Any, ClassVar, Final, Self, SupportsIndex, TypeVar, overload

from tfcheck_runtime.values.trackable import Trackable, is_state, wrap_containers_with

Key = TypeVar("Key")
Part = TypeVar("Part")

_IF_UNWANTED: Final = (
    "\n\nIf you don't need this {} checkpointed, wrap it in a non-trackable object; it will be"
    " subsequently ignored."
)


def wrapped(value: Any) -> Any:
    """What an attribute holds that is set to `value`."""
    kind = type(value)
    if kind is list:
        return ListWrapper(value)
    if kind in (dict, OrderedDict):
        return _DictWrapper(value)
    if isinstance(value, tuple) and not isinstance(value, Trackable):
        return _wrapped_tuple(value)
    return value


class ListWrapper(Trackable, list[Any]):
    """A list whose elements are saved by position; shares its storage with the list given."""

    # What the base class `list` stores itself stays empty: everything goes through these methods.

    def __tf_wrapped_class__(self) -> type:
        return list

    def __init__(self, wrapped_list: Iterable[Any] = ()) -> None:
        is_list = type(wrapped_list) is list
        self._storage: list[Any] = wrapped_list if is_list else list(wrapped_list)  # type: ignore[assignment]
        self._moved = False
        """Whether an element with state was replaced, deleted or moved."""
        for i, value in enumerate(self._storage):
            self._storage[i] = self._held(value, i)
        self._seen: list[Any] | None = list(self._storage)
        """The elements after the last change; None once the list was changed by others."""

    def _held(self, value: Any, index: int) -> Any:
        made = wrapped(value)
        if is_state(made):
            self._track_trackable(made, str(index), overwrite=True)
        return made

    def _look(self) -> None:
        """Notice changes that others made."""
        if self._seen is not None and not _are_same(self._seen, self._storage):
            self._seen = None

    def _done(self) -> None:
        if self._seen is not None:
            self._seen = list(self._storage)

    @property
    def _has_state(self) -> bool:
        return any(map(is_state, self._storage))

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        self._look()
        if self._moved:
            raise ValueError(
                f"Unable to save the object {self!r} (a list wrapper constructed to track trackable"
                " TensorFlow objects). A list element was replaced (__setitem__, __setslice__),"
                " deleted (__delitem__, __delslice__), or moved (sort). In order to support"
                " restoration on object creation, tracking is exclusively for append-only data"
                f" structures.{_IF_UNWANTED.format('list')}"
            )
        if self._seen is None:
            raise ValueError(
                f"Unable to save the object {self!r} (a list wrapper constructed to track trackable"
                " TensorFlow objects). The wrapped list was modified outside the wrapper, which"
                f" breaks restoration on object creation.{_IF_UNWANTED.format('list')}"
            )
        return {str(i): v for i, v in enumerate(self._storage) if is_state(v)}

    @overload
    def __getitem__(self, index: SupportsIndex) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...
    def __getitem__(self, index: Any) -> Any:
        return self._storage[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        self._look()
        before = list(self._storage)
        self._storage[index] = value
        for i, new in enumerate(self._storage):
            old = before[i] if i < len(before) else None
            if new is not old:
                self._moved = self._moved or is_state(old)
                self._storage[i] = self._held(new, i)
        self._moved = self._moved or any(map(is_state, before[len(self._storage) :]))
        self._done()

    def __delitem__(self, index: Any) -> None:
        self._look()
        self._moved = self._moved or self._has_state
        del self._storage[index]
        self._done()

    def insert(self, index: SupportsIndex, value: Any) -> None:
        """Put a value before the element at `index`."""
        self._look()
        made = wrapped(value)
        self._moved = self._moved or self._has_state or is_state(made)
        self._storage.insert(index, made)
        self._done()

    def append(self, value: Any) -> None:
        """Put a value at the end."""
        self._look()
        self._storage.append(self._held(value, len(self._storage)))
        self._done()

    def extend(self, values: Iterable[Any]) -> None:
        """Put values at the end."""
        for value in list(values):
            self.append(value)

    def pop(self, index: SupportsIndex = -1) -> Any:
        """Delete the element at `index` and return it."""
        value = self._storage[index]
        del self[index]
        return value

    def remove(self, value: Any) -> None:
        """Delete the first element that is equal to a value."""
        del self[self._storage.index(value)]

    def clear(self) -> None:
        """Delete all elements."""
        del self[:]

    def sort(self, *, key: Any = None, reverse: bool = False) -> None:
        """Sort the elements."""
        self._look()
        self._moved = self._moved or self._has_state
        self._storage.sort(key=key, reverse=reverse)
        self._done()

    def reverse(self) -> None:
        """Turn the order around."""
        self[:] = self._storage[::-1]

    def copy(self) -> ListWrapper:
        """A list of the same elements."""
        return copy.copy(self)

    def __len__(self) -> int:
        return len(self._storage)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._storage)

    def __contains__(self, value: object) -> bool:
        return value in self._storage

    def __reversed__(self) -> Iterator[Any]:
        backwards: Iterator[Any] = reversed(self._storage)
        return backwards

    def index(self, value: Any, *bounds: Any) -> int:
        """The position of a value."""
        return self._storage.index(value, *bounds)

    def count(self, value: Any) -> int:
        """How often a value is there."""
        return self._storage.count(value)

    def __iadd__(self, values: Iterable[Any]) -> Self:  # type: ignore[misc]  # as `list` has it
        self.extend(values)
        return self

    def __imul__(self, times: SupportsIndex) -> Self:
        if int(times) <= 0:
            self.clear()
        else:
            self.extend(self._storage * (int(times) - 1))
        return self

    def __add__(self, other: Any) -> list[Any]:
        joined: list[Any] = self._storage + _plain(other)
        return joined

    def __radd__(self, other: Any) -> list[Any]:
        return list(other) + self._storage

    def __mul__(self, times: SupportsIndex) -> list[Any]:
        return self._storage * times

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        return bool(self._storage == _plain(other))

    def __ne__(self, other: object) -> bool:
        return bool(self._storage != _plain(other))

    def __lt__(self, other: list[Any]) -> bool:
        return bool(self._storage < _plain(other))

    def __le__(self, other: list[Any]) -> bool:
        return bool(self._storage <= _plain(other))

    def __gt__(self, other: list[Any]) -> bool:
        return bool(self._storage > _plain(other))

    def __ge__(self, other: list[Any]) -> bool:
        return bool(self._storage >= _plain(other))

    __hash__ = None

    def __copy__(self) -> ListWrapper:
        return ListWrapper(list(self._storage))

    def __deepcopy__(self, memo: dict[int, Any]) -> ListWrapper:
        return ListWrapper(copy.deepcopy(self._storage, memo))

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        return ListWrapper, (list(self._storage),)

    def __repr__(self) -> str:
        return f"ListWrapper({self._storage!r})"


def _plain(value: Any) -> Any:
    """What a wrapper wraps; any other value as it is."""
    return value._storage if type(value) in (ListWrapper, _DictWrapper) else value


def _are_same(a: list[Any], b: list[Any]) -> bool:
    return len(a) == len(b) and all(x is y for x, y in zip(a, b, strict=True))


class _DictWrapper(Trackable, MutableMapping[Any, Any]):
    """A dict whose values are saved by key; shares its storage with the dict given.

    Passes for an instance of the class of what it wraps, without being one: C code that takes
    a `dict` by its class would find it empty.
    """

    def __init__(self, wrapped_dict: dict[Any, Any] | None = None) -> None:
        storage = {} if wrapped_dict is None else wrapped_dict
        self._storage: dict[Any, Any] = storage
        for key, value in storage.items():
            storage[key] = self._held(value, key)
        self._seen: dict[Any, Any] | None = dict(storage)

    @property  # type: ignore[misc]  # so that isinstance() says what it says of the dict
    def __class__(self) -> type:
        return type(self._storage)

    def __tf_wrapped_class__(self) -> type:
        return type(self._storage)

    def _held(self, value: Any, key: Any) -> Any:
        made = wrapped(value)
        if is_state(made) and isinstance(key, str):
            self._track_trackable(made, key, overwrite=True)
        return made

    def _look(self) -> None:
        """Notice changes that others made."""
        if self._seen is None:
            return
        same_keys = list(self._seen) == list(self._storage)
        if not same_keys or not _are_same([*self._seen.values()], [*self._storage.values()]):
            self._seen = None

    def _done(self) -> None:
        if self._seen is not None:
            self._seen = dict(self._storage)

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        self._look()
        what = (
            f"Unable to save the object {self._storage} (a dictionary wrapper constructed"
            " automatically on attribute assignment). The wrapped dictionary"
        )
        if any(is_state(v) and not isinstance(k, str) for k, v in self._storage.items()):
            raise ValueError(
                f"{what} contains a non-string key which maps to a trackable object or mutable data"
                f" structure.{_IF_UNWANTED.format('dictionary')}"
            )
        if self._seen is None:
            raise ValueError(
                f"{what} was modified outside the wrapper, which breaks restoration on object"
                f" creation.{_IF_UNWANTED.format('dictionary')}"
            )
        # As in TensorFlow, what was deleted is saved all the same.
        return super()._trackable_children(save_type, **kwargs)

    def __getitem__(self, key: Any) -> Any:
        return self._storage[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._look()
        self._storage[key] = self._held(value, key)
        self._done()

    def __delitem__(self, key: Any) -> None:
        self._look()
        del self._storage[key]
        self._done()

    def __iter__(self) -> Iterator[Any]:
        return iter(self._storage)

    def __len__(self) -> int:
        return len(self._storage)

    def __contains__(self, key: object) -> bool:
        return key in self._storage

    def __reversed__(self) -> Iterator[Any]:
        backwards: Iterator[Any] = reversed(self._storage)
        return backwards

    def __eq__(self, other: object) -> bool:
        return bool(self._storage == _plain(other))

    def __ne__(self, other: object) -> bool:
        return bool(self._storage != _plain(other))

    # As in TensorFlow, these act on the dict itself, and count as changes made by others.

    def pop(self, key: Any, *default: Any) -> Any:
        """Delete a key and return its value."""
        return self._storage.pop(key, *default)

    def popitem(self) -> tuple[Any, Any]:
        """Delete the last key and return it with its value."""
        return self._storage.popitem()

    def setdefault(self, key: Any, default: Any = None) -> Any:
        """The value of a key, set to `default` if there is none."""
        return self._storage.setdefault(key, default)

    def clear(self) -> None:
        """Delete all keys."""
        self._storage.clear()

    def __or__(self, other: Any) -> dict[Any, Any]:
        joined: dict[Any, Any] = self._storage | _plain(other)
        return joined

    def __ror__(self, other: Any) -> dict[Any, Any]:
        joined: dict[Any, Any] = other | self._storage
        return joined

    def __ior__(self, other: Any) -> Self:
        self.update(other)
        return self

    def __hash__(self) -> int:
        raise TypeError("unhashable type: 'DictWrapper'")

    def copy(self) -> Any:
        """A dict of the same keys and values."""
        return copy.copy(self)

    def __copy__(self) -> Any:
        return _DictWrapper(self._storage.copy())

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return _DictWrapper(copy.deepcopy(self._storage, memo))

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        return _DictWrapper, (self._storage,)

    def __repr__(self) -> str:
        return f"DictWrapper({self._storage!r})"

    def __str__(self) -> str:
        return str(self._storage)


class _TupleParts(Trackable):
    """Base of the classes of wrapped tuples."""

    _plain_class: ClassVar[type]

    def __tf_wrapped_class__(self) -> type:
        return self._plain_class

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        parts: Any = self
        return {str(i): part for i, part in enumerate(parts) if is_state(part)}

    def _unwrapped(self) -> Any:
        parts: Any = self
        return tuple.__new__(self._plain_class, parts)

    def __repr__(self) -> str:
        return f"_TupleWrapper({self._unwrapped()!r})"

    def __str__(self) -> str:
        return str(self._unwrapped())


def _wrapped_tuple(value: tuple[Any, ...]) -> Any:
    """A tuple that holds state, trackable; any other as it is."""
    parts = [wrapped(part) for part in value]
    if not any(map(is_state, parts)):
        return value
    return tuple.__new__(_tuple_class(type(value)), parts)


@functools.cache
def _tuple_class(kind: type) -> type:
    return type("_TupleWrapper", (_TupleParts, kind), {"_plain_class": kind})


wrap_containers_with(wrapped)
