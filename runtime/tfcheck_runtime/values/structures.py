"""Lists and dicts that take part in checkpoints, as TensorFlow wraps them.

Follows `tensorflow.python.trackable.data_structures`, which libraries register with their own
notions of nested structures.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from typing import Any

from tfcheck_runtime.values.trackable import Trackable


class NoDependency:
    """An attribute value that is no part of its owner's state."""

    def __init__(self, value: Any) -> None:
        self.value = value


class ListWrapper(Trackable, list[Any]):
    """A list whose elements are part of its owner's state."""

    def __init__(self, wrapped_list: Iterable[Any] = ()) -> None:
        super().__init__(map(wrap_or_unwrap, wrapped_list))

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        return {str(i): part for i, part in enumerate(self)}

    def __repr__(self) -> str:
        return f"ListWrapper({super().__repr__()})"


class DictWrapper(Trackable, dict[Any, Any]):
    """A dict whose values are part of its owner's state."""

    def __init__(self, wrapped_dict: Any = ()) -> None:
        super().__init__((key, wrap_or_unwrap(part)) for key, part in dict(wrapped_dict).items())

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        return {key: part for key, part in self.items() if isinstance(key, str)}

    def __repr__(self) -> str:
        return f"DictWrapper({super().__repr__()})"


def wrap_or_unwrap(value: Any) -> Any:
    """What an attribute holds when `value` is assigned: plain lists and dicts are wrapped."""
    if isinstance(value, NoDependency):
        return value.value
    if type(value) is list:
        return ListWrapper(value)
    if type(value) in (dict, OrderedDict):
        return DictWrapper(value)
    return value
