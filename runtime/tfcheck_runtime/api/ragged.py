"""`tf.ragged`, as far as the runtime has it."""

from __future__ import annotations

from tfcheck_runtime.api.missing import lacking as _lacking
from tfcheck_runtime.ops.ragged.constants import (
    constant as constant,
)
from tfcheck_runtime.ops.ragged.elementwise import (
    map_flat_values as map_flat_values,
)
from tfcheck_runtime.ops.ragged.gathering import (
    boolean_mask as boolean_mask,
)
from tfcheck_runtime.ops.ragged.grouping import (
    cross as cross,
    cross_hashed as cross_hashed,
    stack_dynamic_partitions as stack_dynamic_partitions,
)
from tfcheck_runtime.ops.ragged.joining import ragged_stack as stack
from tfcheck_runtime.ops.ragged.ranges import (
    range_ as range,
    row_splits_to_segment_ids as row_splits_to_segment_ids,
    segment_ids_to_row_splits as segment_ids_to_row_splits,
)

__getattr__ = _lacking("tf.ragged", globals())
