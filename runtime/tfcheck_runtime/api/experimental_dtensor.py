"""`tf.experimental.dtensor`: the name alone, no tensor is split over devices here."""

from __future__ import annotations

from tfcheck_runtime.api.missing import lacking as _lacking

__getattr__ = _lacking("tf.experimental.dtensor", globals())
