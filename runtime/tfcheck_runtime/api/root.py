"""`tf`, as far as the runtime has it."""

from __future__ import annotations

from typing import Any as _Any, Final as _Final

from tfcheck_runtime.api import (
    audio as audio,
    autodiff as autodiff,
    autograph as autograph,
    bitwise as bitwise,
    compat as compat,
    config as config,
    data as data,
    debugging as debugging,
    distribute as distribute,
    dtypes as dtypes,
    errors as errors,
    experimental as experimental,
    image as image,
    io as io,
    linalg as linalg,
    lookup as lookup,
    math as math,
    nest as nest,
    nn as nn,
    profiler as profiler,
    ragged as ragged,
    random as random,
    raw_ops as raw_ops,
    saved_model as saved_model,
    signal as signal,
    sparse as sparse,
    strings as strings,
    summary as summary,
    test as test,
    tpu as tpu,
    train as train,
    types as types,
    version as version,
)
from tfcheck_runtime.api.aware import make_aware as _make_aware
from tfcheck_runtime.api.later import (
    LATER as _LATER,
    load as _load,
)
from tfcheck_runtime.api.missing import lacking as _lacking
from tfcheck_runtime.data.spec import (
    OptionalSpec as OptionalSpec,
)
from tfcheck_runtime.function.decorator import (
    function as function,
)
from tfcheck_runtime.function.graph import (
    FunctionGraph as Graph,
)
from tfcheck_runtime.function.key import (
    type_spec_from_value as type_spec_from_value,
)
from tfcheck_runtime.function.log import (
    get_logger as get_logger,
)
from tfcheck_runtime.function.wiring import connect as _connect
from tfcheck_runtime.graph.operation import (
    Operation as Operation,
)
from tfcheck_runtime.ops.array.accumulating import (
    cumsum as cumsum,
)
from tfcheck_runtime.ops.array.blocks import (
    batch_to_space as batch_to_space,
    space_to_batch as space_to_batch,
)
from tfcheck_runtime.ops.array.broadcast_args import (
    broadcast_dynamic_shape as broadcast_dynamic_shape,
)
from tfcheck_runtime.ops.array.broadcasting import (
    broadcast_static_shape as broadcast_static_shape,
    broadcast_to as broadcast_to,
    tile as tile,
)
from tfcheck_runtime.ops.array.casting import (
    bitcast as bitcast,
    cast as cast,
)
from tfcheck_runtime.ops.array.clock import (
    timestamp as timestamp,
)
from tfcheck_runtime.ops.array.extremes import (
    reduce_max as reduce_max,
    reduce_min as reduce_min,
)
from tfcheck_runtime.ops.array.filling import (
    fill as fill,
    ones as ones,
    ones_like as ones_like,
    zeros as zeros,
    zeros_like as zeros_like,
)
from tfcheck_runtime.ops.array.gathering import (
    gather as gather,
)
from tfcheck_runtime.ops.array.gathering_nd import (
    gather_nd as gather_nd,
)
from tfcheck_runtime.ops.array.hot import (
    eye as eye,
    one_hot as one_hot,
)
from tfcheck_runtime.ops.array.identity import (
    ensure_shape as ensure_shape,
    identity as identity,
    identity_n as identity_n,
    stop_gradient as stop_gradient,
)
from tfcheck_runtime.ops.array.initial_values import (
    ConstantInitializer as constant_initializer,
    OnesInitializer as ones_initializer,
    ZerosInitializer as zeros_initializer,
)
from tfcheck_runtime.ops.array.joining import (
    concat as concat,
)
from tfcheck_runtime.ops.array.known import (
    get_static_value as get_static_value,
)
from tfcheck_runtime.ops.array.masking import (
    boolean_mask as boolean_mask,
    sequence_mask as sequence_mask,
)
from tfcheck_runtime.ops.array.packing import (
    stack as stack,
    unstack as unstack,
)
from tfcheck_runtime.ops.array.padding import (
    pad as pad,
)
from tfcheck_runtime.ops.array.part import slice_ as slice
from tfcheck_runtime.ops.array.permuting import (
    transpose as transpose,
)
from tfcheck_runtime.ops.array.products import (
    reduce_prod as reduce_prod,
)
from tfcheck_runtime.ops.array.quantifiers import (
    reduce_all as reduce_all,
    reduce_any as reduce_any,
)
from tfcheck_runtime.ops.array.ranges import range_ as range
from tfcheck_runtime.ops.array.reduction import (
    reduce_mean as reduce_mean,
    reduce_sum as reduce_sum,
)
from tfcheck_runtime.ops.array.repeating import (
    repeat as repeat,
)
from tfcheck_runtime.ops.array.reversing import (
    reverse as reverse,
    reverse_sequence as reverse_sequence,
    roll as roll,
)
from tfcheck_runtime.ops.array.scattering import (
    scatter_nd as scatter_nd,
    tensor_scatter_nd_add as tensor_scatter_nd_add,
    tensor_scatter_nd_max as tensor_scatter_nd_max,
    tensor_scatter_nd_min as tensor_scatter_nd_min,
    tensor_scatter_nd_sub as tensor_scatter_nd_sub,
    tensor_scatter_nd_update as tensor_scatter_nd_update,
)
from tfcheck_runtime.ops.array.searching import (
    argmax as argmax,
    argmin as argmin,
    searchsorted as searchsorted,
)
from tfcheck_runtime.ops.array.selection import (
    where as where,
)
from tfcheck_runtime.ops.array.shaping import (
    rank as rank,
    reshape as reshape,
    shape as shape,
    shape_n as shape_n,
    size as size,
)
from tfcheck_runtime.ops.array.slicing import (
    strided_slice as strided_slice,
)
from tfcheck_runtime.ops.array.sorting import (
    argsort as argsort,
    sort as sort,
)
from tfcheck_runtime.ops.array.spacing import (
    linspace as linspace,
    meshgrid as meshgrid,
)
from tfcheck_runtime.ops.array.splitting import (
    split as split,
)
from tfcheck_runtime.ops.array.squeezing import (
    expand_dims as expand_dims,
    squeeze as squeeze,
)
from tfcheck_runtime.ops.array.stitching import (
    dynamic_partition as dynamic_partition,
    dynamic_stitch as dynamic_stitch,
)
from tfcheck_runtime.ops.array.unique import (
    unique as unique,
    unique_with_counts as unique_with_counts,
)
from tfcheck_runtime.ops.control.asserting import assert_ as Assert
from tfcheck_runtime.ops.control.branching import (
    case as case,
    cond as cond,
    switch_case as switch_case,
)
from tfcheck_runtime.ops.control.debugging import (
    assert_equal as assert_equal,
    assert_greater as assert_greater,
    assert_less as assert_less,
)
from tfcheck_runtime.ops.control.debugging_shapes import (
    assert_rank as assert_rank,
)
from tfcheck_runtime.ops.control.functional import (
    foldl as foldl,
    foldr as foldr,
    map_fn as map_fn,
    scan as scan,
    vectorized_map as vectorized_map,
)
from tfcheck_runtime.ops.control.grouping import (
    control_dependencies as control_dependencies,
    group as group,
    no_op as no_op,
    tuple_ as tuple,
)
from tfcheck_runtime.ops.control.looping import (
    while_loop as while_loop,
)
from tfcheck_runtime.ops.control.printing import print_ as print
from tfcheck_runtime.ops.control.python_function import (
    numpy_function as numpy_function,
    py_function as py_function,
)
from tfcheck_runtime.ops.control.tensor_array import (
    TensorArray as TensorArray,
)
from tfcheck_runtime.ops.linalg.einsum import (
    einsum as einsum,
)
from tfcheck_runtime.ops.linalg.matmul import (
    matmul as matmul,
)
from tfcheck_runtime.ops.linalg.moments import (
    reduce_logsumexp as reduce_logsumexp,
)
from tfcheck_runtime.ops.linalg.norms import (
    norm as norm,
)
from tfcheck_runtime.ops.linalg.products import (
    tensordot as tensordot,
)
from tfcheck_runtime.ops.math.arithmetic import (
    abs as abs,
    add as add,
    add_n as add_n,
    maximum as maximum,
    minimum as minimum,
    multiply as multiply,
    negative as negative,
    scalar_mul as scalar_mul,
    sign as sign,
    square as square,
    subtract as subtract,
)
from tfcheck_runtime.ops.math.clipping import (
    clip_by_global_norm as clip_by_global_norm,
    clip_by_norm as clip_by_norm,
    clip_by_value as clip_by_value,
    saturate_cast as saturate_cast,
)
from tfcheck_runtime.ops.math.comparison import (
    equal as equal,
    greater as greater,
    greater_equal as greater_equal,
    less as less,
    less_equal as less_equal,
    not_equal as not_equal,
)
from tfcheck_runtime.ops.math.complexes import complex_ as complex
from tfcheck_runtime.ops.math.counting import (
    histogram_fixed_width as histogram_fixed_width,
    histogram_fixed_width_bins as histogram_fixed_width_bins,
)
from tfcheck_runtime.ops.math.division import (
    divide as divide,
    realdiv as realdiv,
    truediv as truediv,
    truncatediv as truncatediv,
    truncatemod as truncatemod,
)
from tfcheck_runtime.ops.math.exponential import (
    exp as exp,
    pow as pow,
    sigmoid as sigmoid,
    sqrt as sqrt,
    tanh as tanh,
)
from tfcheck_runtime.ops.math.logic import (
    logical_and as logical_and,
    logical_not as logical_not,
    logical_or as logical_or,
)
from tfcheck_runtime.ops.math.rounding import (
    floor as floor,
    round as round,
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
from tfcheck_runtime.ops.ragged.spec import (
    RaggedTensorSpec as RaggedTensorSpec,
)
from tfcheck_runtime.ops.ragged.tensor import (
    RaggedTensor as RaggedTensor,
)
from tfcheck_runtime.ops.random.initial_values import (
    RandomNormalInitializer as random_normal_initializer,
    RandomUniformInitializer as random_uniform_initializer,
)
from tfcheck_runtime.ops.strings.numbers import (
    as_string as as_string,
)
from tfcheck_runtime.specs.dtypes import (
    DType as DType,
    as_dtype as as_dtype,
    bfloat16 as bfloat16,
    bool as bool,
    complex64 as complex64,
    complex128 as complex128,
    float16 as float16,
    float16 as half,
    float32 as float32,
    float64 as double,
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
from tfcheck_runtime.specs.shapes import (
    TensorShape as TensorShape,
)
from tfcheck_runtime.specs.slices_spec import (
    IndexedSlicesSpec as IndexedSlicesSpec,
)
from tfcheck_runtime.specs.sparse_spec import (
    SparseTensorSpec as SparseTensorSpec,
)
from tfcheck_runtime.specs.tensor_spec import (
    TensorSpec as TensorSpec,
    TypeSpec as TypeSpec,
)
from tfcheck_runtime.tape.custom_gradient import (
    custom_gradient as custom_gradient,
)
from tfcheck_runtime.tape.derivatives import (
    UnconnectedGradients as UnconnectedGradients,
    gradients as gradients,
)
from tfcheck_runtime.tape.gradient_tape import (
    GradientTape as GradientTape,
)
from tfcheck_runtime.tape.hessians import (
    AggregationMethod as AggregationMethod,
    hessians as hessians,
)
from tfcheck_runtime.tape.recompute import (
    grad_pass_through as grad_pass_through,
    recompute_grad as recompute_grad,
)
from tfcheck_runtime.values.composite import counts_as_tensor as is_tensor
from tfcheck_runtime.values.convert import (
    constant as constant,
    convert_to_tensor as convert_to_tensor,
)
from tfcheck_runtime.values.indexed_slices import (
    IndexedSlices as IndexedSlices,
)
from tfcheck_runtime.values.module import (
    Module as Module,
)
from tfcheck_runtime.values.naming import (
    name_scope as name_scope,
)
from tfcheck_runtime.values.scopes import (
    device as device,
    executing_eagerly as executing_eagerly,
    init_scope as init_scope,
    inside_function as inside_function,
)
from tfcheck_runtime.values.sparse_tensor import (
    SparseTensor as SparseTensor,
)
from tfcheck_runtime.values.tensor import (
    Tensor as Tensor,
    is_symbolic_tensor as is_symbolic_tensor,
)
from tfcheck_runtime.values.tensor_proto import (
    make_ndarray as make_ndarray,
    make_tensor_proto as make_tensor_proto,
)
from tfcheck_runtime.values.variable import (
    Variable as Variable,
)
from tfcheck_runtime.values.variable_modes import (
    VariableAggregation as VariableAggregation,
    VariableSynchronization as VariableSynchronization,
)

_connect()
_make_aware(globals())

newaxis: _Final = None
__version__: _Final = "2.21.0"
"""The TensorFlow release whose behaviour this runtime follows."""

_refuse = _lacking("tf", globals())


def __getattr__(name: str) -> _Any:
    return _load(name) if name in _LATER else _refuse(name)
