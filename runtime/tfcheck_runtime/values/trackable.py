"""Objects that take part in checkpoints: each knows what it holds, and under which names.

Follows https://www.tensorflow.org/guide/checkpoint: values are saved and restored by the names
that lead from one object to another. An object that is given a name later takes the value that
waits for it since a checkpoint was restored.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final, TypeVar

TRACKED: Final = "_self_tracked_children"
"""The attribute with what an object holds by name."""
_WAITING: Final = "_self_deferred_restorations"
_TRACKING: Final = "_self_setattr_tracking"

Method = TypeVar("Method", bound=Callable[..., Any])
Restore = Callable[[object], None]


class Trackable:
    """An object that takes part in checkpoints.

    Libraries that keep their own attributes tell it what it holds by `_track_trackable`.
    """

    def _track_trackable(self, trackable: object, name: str, overwrite: bool = False) -> object:
        """Hold `trackable` under `name`; a value that waits for the name is restored to it.

        Raises:
            ValueError: another object has the name, and must keep it.
        """
        tracked: dict[str, object] = self.__dict__.setdefault(TRACKED, {})
        if not overwrite and tracked.get(name, trackable) is not trackable:
            raise ValueError(
                f"Called Trackable._track_trackable() with name='{name}', but a Trackable with this"
                " name is already declared as a dependency. Names must be unique (or overwrite=True"
                ")."
            )
        tracked[name] = trackable
        waiting: dict[str, list[Restore]] = self.__dict__.get(_WAITING, {})
        for restore in waiting.pop(name, ()):
            restore(trackable)
        return trackable

    def _untrack(self, name: str) -> None:
        """Hold nothing under `name` any more."""
        self.__dict__.get(TRACKED, {}).pop(name, None)

    def _restore_when_tracked(self, name: str, restore: Restore) -> None:
        """Call `restore` with the object that will have `name`; the last to be asked is last."""
        self.__dict__.setdefault(_WAITING, {}).setdefault(name, []).append(restore)

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        """What it holds, by name."""
        return dict(self.__dict__.get(TRACKED, {}))


def is_state(value: object) -> bool:
    """Whether checkpoints look into a value."""
    return isinstance(value, Trackable)


class _Wrapping:
    """What makes containers trackable; set by their module."""

    wrapped: Callable[[Any], Any] = staticmethod(lambda value: value)


def wrap_containers_with(wrapped: Callable[[Any], Any]) -> None:
    """Let attributes hold `wrapped(value)` in place of lists, dicts and tuples."""
    _Wrapping.wrapped = staticmethod(wrapped)


class AutoTrackable(Trackable):
    """Base of modules and checkpoints: holds whatever its attributes are set to."""

    def __setattr__(self, name: str, value: Any) -> None:
        if self.__dict__.get(_TRACKING, True):
            value = _Wrapping.wrapped(value)
            if isinstance(value, Trackable):
                self._track_trackable(value, name, overwrite=True)
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        self._untrack(name)
        super().__delattr__(name)


def no_automatic_dependency_tracking(method: Method) -> Method:
    """Let a method set attributes that are no part of the object's state."""

    @functools.wraps(method)
    def untracked(self: Any, *args: Any, **kwargs: Any) -> Any:
        before = getattr(self, _TRACKING, True)
        self.__dict__[_TRACKING] = False
        try:
            return method(self, *args, **kwargs)
        finally:
            self.__dict__[_TRACKING] = before

    return untracked  # type: ignore[return-value]  # same signature, by functools.wraps
