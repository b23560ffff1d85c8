"""`tf.nn`, as far as the runtime has it."""

from __future__ import annotations

from tfcheck_runtime.api import nn_experimental as experimental
from tfcheck_runtime.api.aware import make_aware as _make_aware
from tfcheck_runtime.api.missing import lacking as _lacking
from tfcheck_runtime.ops.array.blocks import (
    depth_to_space as depth_to_space,
    space_to_batch as space_to_batch,
    space_to_depth as space_to_depth,
)
from tfcheck_runtime.ops.array.sorting import (
    top_k as top_k,
)
from tfcheck_runtime.ops.math.exponential import (
    sigmoid as sigmoid,
    softplus as softplus,
    tanh as tanh,
)
from tfcheck_runtime.ops.math.norms import (
    l2_loss as l2_loss,
)
from tfcheck_runtime.ops.nn.activations import (
    crelu as crelu,
    elu as elu,
    gelu as gelu,
    leaky_relu as leaky_relu,
    relu as relu,
    relu6 as relu6,
    selu as selu,
    silu as silu,
    softsign as softsign,
    swish as swish,
)
from tfcheck_runtime.ops.nn.convolving import (
    atrous_conv2d as atrous_conv2d,
    conv1d as conv1d,
    conv1d_transpose as conv1d_transpose,
    conv2d as conv2d,
    conv2d_transpose as conv2d_transpose,
    conv3d as conv3d,
    conv3d_transpose as conv3d_transpose,
    conv_transpose as conv_transpose,
    convolution as convolution,
    depthwise_conv2d as depthwise_conv2d,
    depthwise_conv2d_backprop_filter as depthwise_conv2d_backprop_filter,
    depthwise_conv2d_backprop_input as depthwise_conv2d_backprop_input,
    separable_conv2d as separable_conv2d,
)
from tfcheck_runtime.ops.nn.cross_entropy import (
    sigmoid_cross_entropy_with_logits as sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits as softmax_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits as sparse_softmax_cross_entropy_with_logits,
    weighted_cross_entropy_with_logits as weighted_cross_entropy_with_logits,
)
from tfcheck_runtime.ops.nn.ctc import (
    ctc_loss as ctc_loss,
)
from tfcheck_runtime.ops.nn.layers import (
    bias_add as bias_add,
    embedding_lookup as embedding_lookup,
    in_top_k as in_top_k,
)
from tfcheck_runtime.ops.nn.losses import (
    compute_average_loss as compute_average_loss,
    log_poisson_loss as log_poisson_loss,
    scale_regularization_loss as scale_regularization_loss,
    zero_fraction as zero_fraction,
)
from tfcheck_runtime.ops.nn.normalization import (
    batch_normalization as batch_normalization,
    l2_normalize as l2_normalize,
    local_response_normalization as local_response_normalization,
    lrn as lrn,
    moments as moments,
    normalize_moments as normalize_moments,
    sufficient_statistics as sufficient_statistics,
    weighted_moments as weighted_moments,
)
from tfcheck_runtime.ops.nn.pooling_functions import (
    avg_pool as avg_pool,
    avg_pool1d as avg_pool1d,
    avg_pool2d as avg_pool2d,
    avg_pool3d as avg_pool3d,
    max_pool as max_pool,
    max_pool1d as max_pool1d,
    max_pool2d as max_pool2d,
    max_pool3d as max_pool3d,
    pool as pool,
)
from tfcheck_runtime.ops.nn.softmax import (
    log_softmax as log_softmax,
    softmax as softmax,
)
from tfcheck_runtime.ops.random.dropout import (
    dropout as dropout,
)
from tfcheck_runtime.ops.sparse.embedding import (
    embedding_lookup_sparse as embedding_lookup_sparse,
    safe_embedding_lookup_sparse as safe_embedding_lookup_sparse,
)

_make_aware(globals())
__getattr__ = _lacking("tf.nn", globals())
