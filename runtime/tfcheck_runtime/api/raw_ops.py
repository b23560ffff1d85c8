"""`tf.raw_ops`, as far as the runtime has it: ops that have no function of their own."""

from __future__ import annotations

from tfcheck_runtime.api.missing import lacking as _lacking
from tfcheck_runtime.ops.array.searching import (
    bucketize as Bucketize,
)
from tfcheck_runtime.ops.array.unique import (
    unique_v2 as UniqueV2,
    unique_with_counts_v2 as UniqueWithCountsV2,
)
from tfcheck_runtime.ops.image.warping import (
    image_projective_transform_v3 as ImageProjectiveTransformV3,
)

__getattr__ = _lacking("tf.raw_ops", globals())
