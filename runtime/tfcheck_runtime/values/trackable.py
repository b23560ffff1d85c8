"""Objects whose attributes are saved and restored by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

DEFERRED: Final = "_deferred_restoration"
"""The attribute under which a restored checkpoint waits for attributes that do not exist yet."""


class AutoTrackable:
    """Base of modules and checkpoints: takes part in checkpoints with its attributes."""

    def __setattr__(self, name: str, value: object) -> None:
        super().__setattr__(name, value)
        # A checkpoint that was restored before this attribute existed has a value for it.
        restore: Callable[[str, object], None] | None = self.__dict__.get(DEFERRED)
        if restore is not None and name != DEFERRED:
            restore(name, value)
