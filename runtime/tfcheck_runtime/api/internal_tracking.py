"""`tf.__internal__.tracking`, as far as libraries use it."""

from __future__ import annotations

from tfcheck_runtime.api.missing import lacking as _lacking
from tfcheck_runtime.values.trackable import (
    AutoTrackable as AutoTrackable,
    Trackable as Trackable,
    no_automatic_dependency_tracking as no_automatic_dependency_tracking,
)

__getattr__ = _lacking("tf.__internal__.tracking", globals())
