"""Makes namespaces aware of what their functions do with ragged and sparse tensors and slices."""

from __future__ import annotations

from tfcheck_runtime.ops.ragged import versions as _ragged  # enters its versions
from tfcheck_runtime.ops.sparse import versions as _sparse  # enters its versions
from tfcheck_runtime.ops.strings import versions as _strings  # enters its versions
from tfcheck_runtime.values.versions import make_aware as make_aware
