"""`tf.compat`, as far as the runtime has it; `tf.compat.v2` is all of `tf`."""

from __future__ import annotations

import sys as _sys
from typing import Any as _Any

from tfcheck_runtime.api import compat_v1 as v1
from tfcheck_runtime.api.missing import lacking as _lacking
from tfcheck_runtime.values.compatibility import (
    as_bytes as as_bytes,
    as_str as as_str,
    as_str_any as as_str_any,
    as_text as as_text,
    bytes_or_text_types as bytes_or_text_types,
    complex_types as complex_types,
    dimension_at_index as dimension_at_index,
    dimension_value as dimension_value,
    forward_compatible as forward_compatible,
    integral_types as integral_types,
    path_to_str as path_to_str,
    real_types as real_types,
)

_refuse = _lacking("tf.compat", globals())


def __getattr__(name: str) -> _Any:
    # Looked up late: the namespace of all names holds this one.
    return _sys.modules["tfcheck_runtime"] if name == "v2" else _refuse(name)
