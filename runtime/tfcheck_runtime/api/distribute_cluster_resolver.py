"""`tf.distribute.cluster_resolver`, as far as the runtime has it."""

from __future__ import annotations

from tfcheck_runtime.api.missing import lacking as _lacking
from tfcheck_runtime.distribute.cluster import (
    ClusterResolver as ClusterResolver,
    SimpleClusterResolver as SimpleClusterResolver,
    TFConfigClusterResolver as TFConfigClusterResolver,
    TPUClusterResolver as TPUClusterResolver,
)

__getattr__ = _lacking("tf.distribute.cluster_resolver", globals())
