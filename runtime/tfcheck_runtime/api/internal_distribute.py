"""`tf.__internal__.distribute`, as far as libraries use it."""

from __future__ import annotations

from tfcheck_runtime.api import internal_distribute_interim as interim
from tfcheck_runtime.api.missing import lacking as _lacking
from tfcheck_runtime.distribute.strategy import (
    strategy_supports_no_merge_call as strategy_supports_no_merge_call,
)

__getattr__ = _lacking("tf.__internal__.distribute", globals())
