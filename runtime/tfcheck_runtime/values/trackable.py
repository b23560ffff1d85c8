"""Objects whose attributes are saved and restored by name."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final, TypeVar

DEFERRED: Final = "_deferred_restoration"
"""The attribute under which a restored checkpoint waits for attributes that do not exist yet."""
_TRACKED: Final = "_self_tracked_children"
_TRACKING: Final = "_self_setattr_tracking"

Method = TypeVar("Method", bound=Callable[..., Any])


class Trackable:
    """An object that takes part in checkpoints with its attributes.

    Libraries that keep their own attributes tell it what it holds by `_track_trackable`.
    """

    def _track_trackable(self, trackable: object, name: str, overwrite: bool = False) -> object:
        """Hold `trackable` under `name`.

        Raises:
            ValueError: another object has the name, and must keep it.
        """
        tracked: dict[str, object] = self.__dict__.setdefault(_TRACKED, {})
        if not overwrite and tracked.get(name, trackable) is not trackable:
            raise ValueError(
                f"Called Trackable._track_trackable() with name='{name}', but a Trackable with this"
                " name is already declared as a dependency. Names must be unique (or overwrite=True"
                ")."
            )
        tracked[name] = trackable
        return trackable

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        """What it holds, by name; whoever asks leaves out what is no state."""
        own = {name: part for name, part in vars(self).items() if name != _TRACKED}
        return {**own, **self.__dict__.get(_TRACKED, {})}


class AutoTrackable(Trackable):
    """Base of modules and checkpoints: an attribute set after a restore takes its value from it."""

    def __setattr__(self, name: str, value: object) -> None:
        super().__setattr__(name, value)
        # A checkpoint that was restored before this attribute existed has a value for it.
        restore: Callable[[str, object], None] | None = self.__dict__.get(DEFERRED)
        if restore is not None and name != DEFERRED:
            restore(name, value)


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
