"""`tf.dtypes`, as far as the runtime has it."""

from __future__ import annotations

from tfcheck_runtime.api.missing import lacking as _lacking
from tfcheck_runtime.ops.array.casting import (
    cast as cast,
)
from tfcheck_runtime.ops.math.clipping import (
    saturate_cast as saturate_cast,
)
from tfcheck_runtime.ops.math.complexes import complex_ as complex
from tfcheck_runtime.specs.dtypes import (
    DType as DType,
    as_dtype as as_dtype,
    bfloat16 as bfloat16,
    bool as bool,
    complex64 as complex64,
    complex128 as complex128,
    float16 as float16,
    float32 as float32,
    float64 as float64,
    int8 as int8,
    int16 as int16,
    int32 as int32,
    int64 as int64,
    resource as resource,
    string as string,
    uint8 as uint8,
    uint16 as uint16,
    uint32 as uint32,
    uint64 as uint64,
    variant as variant,
)

__getattr__ = _lacking("tf.dtypes", globals())
