"""`tf.sparse`, as far as the runtime has it."""

from __future__ import annotations

from tfcheck_runtime.api.aware import make_aware as _make_aware
from tfcheck_runtime.api.missing import lacking as _lacking
from tfcheck_runtime.ops.sparse.arithmetic import (
    add as add,
    map_values as map_values,
    maximum as maximum,
    minimum as minimum,
)
from tfcheck_runtime.ops.sparse.conversion import (
    eye as eye,
    from_dense as from_dense,
    reorder as reorder,
    reset_shape as reset_shape,
    to_dense as to_dense,
    to_indicator as to_indicator,
)
from tfcheck_runtime.ops.sparse.counting import (
    bincount as bincount,
)
from tfcheck_runtime.ops.sparse.crossing import (
    cross as cross,
    cross_hashed as cross_hashed,
)
from tfcheck_runtime.ops.sparse.joining import (
    concat as concat,
    split as split,
)
from tfcheck_runtime.ops.sparse.matmul import (
    sparse_dense_matmul as sparse_dense_matmul,
)
from tfcheck_runtime.ops.sparse.reducing import (
    reduce_max as reduce_max,
    reduce_sum as reduce_sum,
    softmax as softmax,
)
from tfcheck_runtime.ops.sparse.rows import (
    fill_empty_rows as fill_empty_rows,
    mask as mask,
    retain as retain,
)
from tfcheck_runtime.ops.sparse.segments import (
    segment_mean as segment_mean,
    segment_sqrt_n as segment_sqrt_n,
    segment_sum as segment_sum,
)
from tfcheck_runtime.ops.sparse.shaping import (
    expand_dims as expand_dims,
    reshape as reshape,
    slice_ as slice,
    transpose as transpose,
)
from tfcheck_runtime.values.sparse_tensor import (
    SparseTensor as SparseTensor,
)

_make_aware(globals())
__getattr__ = _lacking("tf.sparse", globals())
