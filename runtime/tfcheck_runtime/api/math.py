"""`tf.math`, as far as the runtime has it."""

from __future__ import annotations

from tfcheck_runtime.api import math_special as special
from tfcheck_runtime.api.aware import make_aware as _make_aware
from tfcheck_runtime.api.missing import lacking as _lacking
from tfcheck_runtime.ops.array.accumulating import (
    cumprod as cumprod,
    cumsum as cumsum,
)
from tfcheck_runtime.ops.array.extremes import (
    reduce_max as reduce_max,
    reduce_min as reduce_min,
)
from tfcheck_runtime.ops.array.permuting import (
    invert_permutation as invert_permutation,
)
from tfcheck_runtime.ops.array.products import (
    reduce_prod as reduce_prod,
)
from tfcheck_runtime.ops.array.quantifiers import (
    reduce_all as reduce_all,
    reduce_any as reduce_any,
)
from tfcheck_runtime.ops.array.reduction import (
    reduce_mean as reduce_mean,
    reduce_sum as reduce_sum,
)
from tfcheck_runtime.ops.array.searching import (
    argmax as argmax,
    argmin as argmin,
)
from tfcheck_runtime.ops.array.sorting import (
    top_k as top_k,
)
from tfcheck_runtime.ops.linalg.moments import (
    reduce_euclidean_norm as reduce_euclidean_norm,
    reduce_logsumexp as reduce_logsumexp,
    reduce_std as reduce_std,
    reduce_variance as reduce_variance,
)
from tfcheck_runtime.ops.math.arithmetic import (
    abs as abs,
    accumulate_n as accumulate_n,
    add as add,
    add_n as add_n,
    maximum as maximum,
    minimum as minimum,
    multiply as multiply,
    negative as negative,
    scalar_mul as scalar_mul,
    sign as sign,
    square as square,
    squared_difference as squared_difference,
    subtract as subtract,
)
from tfcheck_runtime.ops.math.bessel import (
    bessel_i0 as bessel_i0,
    bessel_i0e as bessel_i0e,
    bessel_i1 as bessel_i1,
    bessel_i1e as bessel_i1e,
)
from tfcheck_runtime.ops.math.comparison import (
    equal as equal,
    greater as greater,
    greater_equal as greater_equal,
    less as less,
    less_equal as less_equal,
    not_equal as not_equal,
)
from tfcheck_runtime.ops.math.complexes import (
    angle as angle,
    conj as conj,
    imag as imag,
    real as real,
)
from tfcheck_runtime.ops.math.counting import (
    bincount as bincount,
    confusion_matrix as confusion_matrix,
    count_nonzero as count_nonzero,
)
from tfcheck_runtime.ops.math.cumulative import (
    cumulative_logsumexp as cumulative_logsumexp,
)
from tfcheck_runtime.ops.math.division import (
    divide as divide,
    divide_no_nan as divide_no_nan,
    floordiv as floordiv,
    floormod as floormod,
    mod as mod,
    multiply_no_nan as multiply_no_nan,
    reciprocal_no_nan as reciprocal_no_nan,
    truediv as truediv,
)
from tfcheck_runtime.ops.math.exponential import (
    exp as exp,
    expm1 as expm1,
    log as log,
    log1p as log1p,
    log_sigmoid as log_sigmoid,
    pow as pow,
    reciprocal as reciprocal,
    rsqrt as rsqrt,
    sigmoid as sigmoid,
    softplus as softplus,
    sqrt as sqrt,
    tanh as tanh,
    xdivy as xdivy,
    xlog1py as xlog1py,
    xlogy as xlogy,
)
from tfcheck_runtime.ops.math.integrals import (
    betainc as betainc,
    igamma as igamma,
    igammac as igammac,
)
from tfcheck_runtime.ops.math.logic import (
    logical_and as logical_and,
    logical_not as logical_not,
    logical_or as logical_or,
    logical_xor as logical_xor,
)
from tfcheck_runtime.ops.math.monotonic import (
    is_non_decreasing as is_non_decreasing,
    is_strictly_increasing as is_strictly_increasing,
)
from tfcheck_runtime.ops.math.rounding import (
    ceil as ceil,
    floor as floor,
    is_finite as is_finite,
    is_inf as is_inf,
    is_nan as is_nan,
    nextafter as nextafter,
    rint as rint,
    round as round,
)
from tfcheck_runtime.ops.math.segments import (
    segment_max as segment_max,
    segment_mean as segment_mean,
    segment_min as segment_min,
    segment_prod as segment_prod,
    segment_sum as segment_sum,
    unsorted_segment_max as unsorted_segment_max,
    unsorted_segment_mean as unsorted_segment_mean,
    unsorted_segment_min as unsorted_segment_min,
    unsorted_segment_prod as unsorted_segment_prod,
    unsorted_segment_sqrt_n as unsorted_segment_sqrt_n,
    unsorted_segment_sum as unsorted_segment_sum,
)
from tfcheck_runtime.ops.math.special import (
    digamma as digamma,
    erf as erf,
    erfc as erfc,
    erfcinv as erfcinv,
    erfinv as erfinv,
    lbeta as lbeta,
    lgamma as lgamma,
    ndtri as ndtri,
    polygamma as polygamma,
    polyval as polyval,
    zeta as zeta,
)
from tfcheck_runtime.ops.math.trigonometric import (
    acos as acos,
    acosh as acosh,
    asin as asin,
    asinh as asinh,
    atan as atan,
    atan2 as atan2,
    atanh as atanh,
    cos as cos,
    cosh as cosh,
    sin as sin,
    sinh as sinh,
    tan as tan,
)
from tfcheck_runtime.ops.nn.activations import (
    softsign as softsign,
)
from tfcheck_runtime.ops.nn.layers import (
    in_top_k as in_top_k,
)
from tfcheck_runtime.ops.nn.losses import (
    zero_fraction as zero_fraction,
)
from tfcheck_runtime.ops.nn.normalization import (
    l2_normalize as l2_normalize,
)
from tfcheck_runtime.ops.nn.softmax import (
    log_softmax as log_softmax,
    softmax as softmax,
)

_make_aware(globals())
__getattr__ = _lacking("tf.math", globals())
