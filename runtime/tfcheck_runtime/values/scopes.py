"""Contexts that change where ops go: outside all graphs, or onto a device by name.

Follows https://www.tensorflow.org/api_docs/python/tf/init_scope and tf.device.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from tfcheck_runtime import dispatch

_DEVICE: Final = re.compile(
    r"^(/job:\w+)?(/replica:\d+)?(/task:\d+)?(/?(device:)?(?P<kind>cpu|gpu|tpu)(:(?P<index>\d+|\*))?)?$",
    re.IGNORECASE,
)


@contextmanager
def init_scope() -> Iterator[None]:
    """Leave all graphs: ops inside run at once, outside any tape."""
    with dispatch.building(None):
        yield


def executing_eagerly() -> bool:
    """Whether ops run at once here, rather than go to a graph."""
    return dispatch.current_graph() is None


def inside_function() -> bool:
    """Whether a graph is being built here."""
    return dispatch.current_graph() is not None


@contextmanager
def device(device_name: str | None) -> Iterator[None]:
    """Name a device for the ops inside.

    Placement is the runtime's own (`TFCHECK_DEVICE`), as with TensorFlow's soft placement.

    Raises:
        ValueError: `device_name` is not the name of a device.
    """
    if device_name is not None and not _DEVICE.match(str(device_name)):
        raise ValueError(
            f"Malformed device specification {device_name!r}; write `/CPU:0` or `/GPU:0`, say"
        )
    yield
