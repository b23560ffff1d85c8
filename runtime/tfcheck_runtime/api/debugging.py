"""`tf.debugging`, as far as the runtime has it."""

from __future__ import annotations

from tfcheck_runtime.api.missing import lacking as _lacking
from tfcheck_runtime.ops.control.asserting import assert_ as Assert
from tfcheck_runtime.ops.control.debugging import (
    assert_equal as assert_equal,
    assert_greater as assert_greater,
    assert_greater_equal as assert_greater_equal,
    assert_integer as assert_integer,
    assert_less as assert_less,
    assert_less_equal as assert_less_equal,
    assert_near as assert_near,
    assert_negative as assert_negative,
    assert_non_negative as assert_non_negative,
    assert_non_positive as assert_non_positive,
    assert_none_equal as assert_none_equal,
    assert_positive as assert_positive,
    assert_type as assert_type,
    is_numeric_tensor as is_numeric_tensor,
)
from tfcheck_runtime.ops.control.debugging_shapes import (
    assert_proper_iterable as assert_proper_iterable,
    assert_rank as assert_rank,
    assert_rank_at_least as assert_rank_at_least,
    assert_rank_in as assert_rank_in,
    assert_same_float_dtype as assert_same_float_dtype,
    assert_scalar as assert_scalar,
    assert_shapes as assert_shapes,
)
from tfcheck_runtime.ops.control.numerics import (
    assert_all_finite as assert_all_finite,
    check_numerics as check_numerics,
    disable_check_numerics as disable_check_numerics,
    enable_check_numerics as enable_check_numerics,
)

__getattr__ = _lacking("tf.debugging", globals())
