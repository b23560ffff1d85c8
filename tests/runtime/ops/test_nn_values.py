"""Values of composed functions and windows, recorded from TensorFlow 2.21.

The tests of all ops compare kernels with their lowerings; these guard what both could get wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tfcheck_runtime as tf
from tfcheck_runtime.events import Built, Event, subscribed

INVALID = tf.errors.InvalidArgumentError


def wave(*shape: int) -> Any:
    count = int(np.prod(shape))
    return tf.constant(np.sin(1 + 7 * np.arange(count)).reshape(shape).astype(np.float32))


x = wave(1, 3, 4, 2)
k = wave(2, 2, 2, 2)

RECORDED: list[tuple[Callable[[], Any], list[int], list[float]]] = [
    (
        lambda: tf.nn.conv2d(x, k, 1, "SAME"),
        [1, 3, 4, 2],
        [
            1.31146,
            -0.05975,
            3.52028,
            3.40504,
            -0.34875,
            0.99095,
            -1.9979,
            -2.11363,
            -0.64004,
            -1.84803,
            3.44062,
            2.62865,
            1.58096,
            2.56689,
            -2.62512,
            -2.28851,
            -1.08657,
            -1.29837,
            1.43495,
            0.68302,
            1.47899,
            1.48515,
            -1.37114,
            -0.85536,
        ],
    ),
    (
        lambda: tf.nn.conv2d(x, k, [1, 2, 1, 1], "VALID"),
        [1, 1, 3, 2],
        [1.31146, -0.05975, 3.52028, 3.40504, -0.34875, 0.99095],
    ),
    (
        lambda: tf.nn.conv2d(x, k, 2, "SAME", dilations=1),
        [1, 2, 2, 2],
        [1.31146, -0.05975, -0.34875, 0.99095, -1.08657, -1.29837, 1.47899, 1.48515],
    ),
    (
        lambda: tf.nn.conv2d(x, k, 1, "VALID", dilations=[2, 1]),
        [1, 1, 3, 2],
        [0.38058, -1.01217, 3.3477, 2.87497, 0.53493, 1.79841],
    ),
    (
        lambda: tf.nn.conv2d(x, k, 2, [[0, 0], [1, 0], [0, 2], [0, 0]]),
        [1, 2, 3, 2],
        [
            1.2023,
            0.78224,
            -0.82407,
            -0.28119,
            0.0,
            0.0,
            -0.64004,
            -1.84803,
            1.58096,
            2.56689,
            0.0,
            0.0,
        ],
    ),
    (
        lambda: tf.nn.conv2d(wave(1, 2, 2, 4), wave(1, 2, 2, 2), 1, "VALID"),
        [1, 2, 1, 2],
        [2.61679, 1.53722, 1.73049, 2.11816],
    ),
    (
        lambda: tf.nn.conv2d_transpose(wave(1, 2, 2, 2), k, [1, 3, 4, 2], 2, "SAME"),
        [1, 3, 4, 2],
        [
            1.6869,
            0.53844,
            -1.53965,
            -0.9595,
            0.53844,
            0.42295,
            -0.42277,
            -0.53857,
            1.27726,
            1.30879,
            -0.91933,
            -1.56021,
            0.27549,
            0.61391,
            -0.1076,
            -0.64334,
            -1.53965,
            -0.42277,
            1.42404,
            0.81221,
            -0.9595,
            -0.53857,
            0.81221,
            0.76069,
        ],
    ),
    (
        lambda: tf.nn.depthwise_conv2d(x, k, [1, 2, 2, 1], "SAME"),
        [1, 2, 2, 4],
        [
            0.2993,
            -0.15246,
            1.01215,
            0.0927,
            0.0927,
            0.78522,
            -0.44145,
            0.20573,
            -0.72725,
            -1.06078,
            -0.35933,
            -0.23758,
            0.88516,
            1.22544,
            0.59384,
            0.25972,
        ],
    ),
    (
        lambda: tf.nn.conv1d(wave(1, 4, 2), wave(3, 2, 2), 2, "SAME"),
        [1, 2, 2],
        [-0.30544, -0.93917, -0.43314, 0.24598],
    ),
    (
        lambda: tf.nn.conv3d(wave(1, 2, 2, 3, 1), wave(2, 1, 2, 1, 2), [1] * 5, "VALID"),
        [1, 1, 2, 2, 2],
        [2.12167, 1.71754, 1.06672, 1.11885, -1.84062, -1.16488, -2.26204, -1.72588],
    ),
    (
        lambda: tf.nn.max_pool2d(x, 2, 2, "SAME"),
        [1, 2, 2, 2],
        [0.95105, 0.98936, -0.17608, -0.26237, 0.97263, 0.88592, 0.36317, -0.33833],
    ),
    (
        lambda: tf.nn.avg_pool2d(x, [2, 3], 2, "SAME"),
        [1, 2, 2, 2],
        [0.33988, 0.10721, -0.66767, -0.69019, 0.41287, 0.37607, -0.25507, -0.65839],
    ),
    (
        lambda: tf.nn.max_pool2d(x, 2, 2, [[0, 0], [1, 0], [0, 1], [0, 0]]),
        [1, 2, 2, 2],
        [0.84147, 0.98936, -0.66363, -0.26237, 0.97263, 0.92003, 0.36317, -0.33833],
    ),
    (
        lambda: tf.nn.softmax(x[0], axis=0),
        [3, 4, 2],
        [
            0.48593,
            0.38499,
            0.26801,
            0.1948,
            0.18449,
            0.24046,
            0.35649,
            0.47238,
            0.324,
            0.3592,
            0.36205,
            0.32858,
            0.3004,
            0.29734,
            0.30153,
            0.29679,
            0.19007,
            0.25582,
            0.36994,
            0.47662,
            0.51511,
            0.4622,
            0.34198,
            0.23084,
        ],
    ),
    (
        lambda: tf.nn.log_softmax(x[0, 0]),
        [4, 2],
        [-0.76982, -0.62193, -0.41693, -1.07607, -0.54247, -0.87062, -1.01784, -0.44844],
    ),
    (
        lambda: tf.nn.l2_normalize(x[0, 0], 1),
        [4, 2],
        [0.64788, 0.76174, 0.99991, -0.01361, -0.55612, -0.8311, -0.95368, -0.30083],
    ),
    (
        lambda: tf.nn.local_response_normalization(x, 1, 1.5, 0.5, 0.75),
        [1, 3, 4, 2],
        [
            0.44427,
            0.52235,
            0.43459,
            -0.00592,
            -0.36588,
            -0.54679,
            -0.518,
            -0.1634,
            0.25758,
            0.54332,
            0.54825,
            0.29629,
            -0.1124,
            -0.49759,
            -0.54145,
            -0.39402,
            -0.06606,
            0.39465,
            0.50993,
            0.46448,
            0.25254,
            -0.23527,
            -0.45865,
            -0.51387,
        ],
    ),
    (
        lambda: tf.nn.gelu(x[0, 0]),
        [4, 2],
        [0.67314, 0.82983, 0.48267, -0.00439, -0.16821, -0.15933, -0.16866, -0.10404],
    ),
    (
        lambda: tf.nn.gelu(x[0, 0], approximate=True),
        [4, 2],
        [0.67304, 0.82968, 0.48263, -0.00439, -0.16825, -0.15948, -0.16875, -0.10404],
    ),
    (
        lambda: tf.nn.selu(x[0, 0]),
        [4, 2],
        [0.88413, 1.03952, 0.68326, -0.01549, -0.85272, -1.10599, -0.99284, -0.40573],
    ),
    (
        lambda: tf.nn.silu(x[0, 0], 2.0),
        [4, 2],
        [0.70961, 0.86919, 0.51108, -0.00439, -0.13911, -0.11995, -0.13249, -0.09754],
    ),
    (
        lambda: tf.nn.crelu(x[0, 0]),
        [4, 4],
        [
            0.84147,
            0.98936,
            0.0,
            0.0,
            0.65029,
            0.0,
            0.0,
            0.00885,
            0.0,
            0.0,
            0.66363,
            0.99178,
            0.0,
            0.0,
            0.83177,
            0.26237,
        ],
    ),
    (
        lambda: tf.nn.softmax_cross_entropy_with_logits(tf.abs(x[0]), x[0], axis=0),
        [4, 2],
        [1.26021, 2.67793, 2.7897, 1.24302, 1.57433, 2.62, 2.99293, 2.51452],
    ),
    (
        lambda: tf.nn.sparse_softmax_cross_entropy_with_logits([[1, 0, 1, 1]], x[:1, 0]),
        [1, 4],
        [0.62193, 0.41693, 0.87062, 0.44844],
    ),
    (
        lambda: tf.nn.sigmoid_cross_entropy_with_logits(tf.abs(x[0, 0]), 50 * x[0, 0]),
        [4, 2],
        [6.66988, 0.52642, 11.37068, 0.50007, 22.0205, 49.18127, 34.59246, 3.44203],
    ),
    (
        lambda: tf.nn.weighted_cross_entropy_with_logits(tf.abs(x[0, 0]), x[0, 0], 2.0),
        [4, 2],
        [0.79343, 0.63943, 0.92046, 0.69498, 1.57189, 2.59562, 2.04562, 0.85792],
    ),
    (
        lambda: tf.nn.log_poisson_loss(3 * tf.abs(x[0, 0]), x[0, 0], compute_full_loss=True),
        [4, 2],
        [1.39071, 1.47685, 1.25339, 0.99142, 2.47945, 5.05475, 3.67342, 0.97574],
    ),
    (
        lambda: tf.nn.batch_normalization(x[0, 0], 0.5, 2.0, 1.0, 3.0, 1e-3),
        [4, 2],
        [1.72419, 2.03783, 1.31873, -0.07917, -1.46782, -2.16375, -1.82441, -0.61684],
    ),
    (
        lambda: tf.nn.ctc_loss(
            tf.constant([[1, 2, 2], [3, 1, 0]]),
            wave(6, 2, 4),
            tf.constant([3, 2]),
            tf.constant([6, 5]),
        ),
        [2],
        [5.71824, 2.22278],
    ),
    (
        lambda: tf.nn.ctc_loss(
            tf.constant([[1, 2, 2], [0, 1, 0]]),
            wave(2, 6, 4),
            tf.constant([3, 2]),
            tf.constant([6, 5]),
            logits_time_major=False,
            blank_index=-1,
        ),
        [2],
        [5.36538, 3.08091],
    ),
    (
        lambda: tf.math.cumulative_logsumexp(x[0, 0], axis=0, exclusive=True),
        [4, 2],
        [-np.inf, -np.inf, 0.84147, 0.98936, 1.44359, 1.3031, 1.55832, 1.39911],
    ),
    (
        lambda: tf.math.lgamma(x[0, 0]),
        [4, 2],
        [0.11397, 0.00624, 0.32516, 4.73236, 1.38599, 4.80461, 1.8911, 1.5549],
    ),
    (
        lambda: tf.math.digamma(x[0, 0]),
        [4, 2],
        [-0.87328, -0.59486, -1.36943, 112.38576, -1.59481, -121.19298, -5.07224, 2.69361],
    ),
    (
        lambda: tf.math.erfinv(x[0, 0]),
        [4, 2],
        [0.99705, 1.80612, 0.66125, -0.00784, -0.67979, -1.86878, -0.97434, -0.23688],
    ),
    (
        lambda: tf.math.erfc(x[0, 0]),
        [4, 2],
        [0.23404, 0.16176, 0.35776, 1.00999, 1.65202, 1.83926, 1.76053, 1.2894],
    ),
    (
        lambda: tf.math.ndtri(tf.abs(x[0, 0])),
        [4, 2],
        [1.00052, 2.30292, 0.3861, -2.37178, 0.4224, 2.39895, 0.9612, -0.63604],
    ),
    (
        lambda: tf.math.zeta(tf.constant([2.0, 3.5]), tf.constant([1.0, 0.25])),
        [2],
        [1.64493, 128.54697],
    ),
    (
        lambda: tf.math.polygamma(tf.constant([1.0, 2.0]), tf.constant([1.0, 0.25])),
        [2],
        [1.64493, -129.32773],
    ),
    (
        lambda: tf.math.unsorted_segment_max(x[0, 0], [1, 1, -1, 0], 3),
        [3, 2],
        [-0.83177, -0.26237, 0.84147, 0.98936, -3.4028234663852886e38, -3.4028234663852886e38],
    ),
    (
        lambda: tf.math.segment_prod(x[0, 0], [0, 0, 2, 2]),
        [3, 2],
        [0.5472, -0.00876, 1.0, 1.0, 0.55199, 0.26022],
    ),
    (lambda: tf.saturate_cast(tf.constant([-1.0, 300.0, 2.7]), tf.uint8), [3], [0.0, 255.0, 2.0]),
    (
        lambda: tf.histogram_fixed_width([-1.0, 0.0, 1.5, 2.0, 5.0, 15.0], [0.0, 5.0], nbins=5),
        [5],
        [2.0, 1.0, 1.0, 0.0, 2.0],
    ),
    (lambda: tf.math.bincount([1, 1, 3], weights=[1.0, 2.0, 4.0]), [4], [0.0, 3.0, 0.0, 4.0]),
    (lambda: tf.math.confusion_matrix([0, 1, 1], [1, 1, 0]), [2, 2], [0.0, 1.0, 1.0, 1.0]),
    (
        lambda: tf.clip_by_norm(x[0, 0], 0.5, axes=1),
        [4, 2],
        [0.32394, 0.38087, 0.49995, -0.00681, -0.27806, -0.41555, -0.47684, -0.15041],
    ),
    (lambda: tf.math.in_top_k([1, 0, 1, 1], x[0, 0], 1), [4], [1.0, 1.0, 0.0, 1.0]),
]


@pytest.mark.parametrize(("expression", "shape", "values"), RECORDED)
def test_values_are_those_of_tensorflow(
    expression: Callable[[], Any], shape: list[int], values: list[float]
) -> None:
    result = expression()

    assert result.shape == shape
    flat = result.numpy().astype(float).reshape(-1).tolist()
    assert flat == pytest.approx(values, rel=2e-5, abs=2e-5)


@pytest.mark.parametrize(("expression", "shape", "values"), RECORDED)
def test_graphs_compute_them_too(
    expression: Callable[[], Any], shape: list[int], values: list[float]
) -> None:
    result = tf.function(expression, autograph=False)()

    assert result.shape == shape
    flat = result.numpy().astype(float).reshape(-1).tolist()
    assert flat == pytest.approx(values, rel=2e-5, abs=2e-5)


REFUSED: list[tuple[str, Callable[[], Any], type[Exception], type[Exception]]] = [
    ("channels", lambda: tf.nn.conv2d(x, wave(2, 2, 3, 2), 1, "SAME"), INVALID, ValueError),
    ("large filter", lambda: tf.nn.conv2d(x, wave(9, 2, 2, 2), 1, "VALID"), INVALID, ValueError),
    ("bias", lambda: tf.nn.bias_add(x, [1.0]), INVALID, ValueError),
    ("axis", lambda: tf.nn.softmax([1.0], axis=3), INVALID, INVALID),
    ("softmax of ints", lambda: tf.nn.softmax([1]), INVALID, TypeError),
    (
        "labels of another rank",
        lambda: tf.nn.sparse_softmax_cross_entropy_with_logits([[1]], [[1.0, 0.0]]),
        ValueError,
        ValueError,
    ),
    (
        "a label that is no class",
        lambda: tf.nn.sparse_softmax_cross_entropy_with_logits([7], [[1.0, 0.0]]),
        INVALID,
        INVALID,
    ),
    (
        "a negative label",
        lambda: tf.nn.sparse_softmax_cross_entropy_with_logits([-1], [[1.0, 0.0]]),
        INVALID,
        INVALID,
    ),
    (
        "labels of another shape",
        lambda: tf.nn.sigmoid_cross_entropy_with_logits([1.0], [1.0, 2.0]),
        ValueError,
        ValueError,
    ),
    ("gelu of an int", lambda: tf.nn.gelu(1), ValueError, ValueError),
    ("a row beyond the end", lambda: tf.nn.embedding_lookup(wave(3, 2), [5]), INVALID, INVALID),
    (
        "a segment beyond the last",
        lambda: tf.math.unsorted_segment_sum([1.0, 2.0], [0, 5], 3),
        INVALID,
        INVALID,
    ),
    ("falling segments", lambda: tf.math.segment_sum([1.0, 2.0], [1, 0]), INVALID, INVALID),
    (
        "bounds of a larger shape",
        lambda: tf.clip_by_value([1.0, 2.0], [[1.0], [2.0]], 3.0),
        ValueError,
        ValueError,
    ),
]


@pytest.mark.parametrize(
    ("expression", "error"), [(r[1], r[2]) for r in REFUSED], ids=[r[0] for r in REFUSED]
)
def test_what_is_refused_eagerly(expression: Callable[[], Any], error: type[Exception]) -> None:
    with pytest.raises(error) as raised:
        expression()

    assert type(raised.value) is error


@pytest.mark.parametrize(
    ("expression", "error"), [(r[1], r[3]) for r in REFUSED], ids=[r[0] for r in REFUSED]
)
def test_what_is_refused_in_a_graph(expression: Callable[[], Any], error: type[Exception]) -> None:
    with pytest.raises(error) as raised:
        tf.function(expression, autograph=False)()

    assert type(raised.value) is error


def test_a_missing_class_is_named() -> None:
    with pytest.raises(INVALID) as raised:
        tf.nn.sparse_softmax_cross_entropy_with_logits([7], [[1.0, 0.0]])

    assert str(raised.value) == (
        "Received a label value of 7 which is outside the valid range of [0, 2).  Label values: 7"
        " [Op:SparseSoftmaxCrossEntropyWithLogits]"
    )


def test_a_window_too_large_is_named() -> None:
    with pytest.raises(INVALID) as raised:
        tf.nn.max_pool2d(x, 5, 1, "VALID")

    assert str(raised.value) == (
        "Negative dimension size caused by subtracting 5 from 3: a window of (5, 5) does not fit"
        " spatial axis 0 of size 3 [Op:MaxPool]"
    )


def test_a_window_too_large_by_less_than_a_step_has_no_place() -> None:
    assert tf.nn.max_pool2d(x, 4, 1, "VALID").shape == (1, 0, 1, 2)


def test_common_layers_stay_inside_one_onnxruntime_region() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None, 8, 8, 3])])
    def network(images: Any) -> Any:
        y = tf.nn.conv2d(images, wave(3, 3, 3, 4), 1, "SAME")
        y = tf.nn.relu(tf.nn.bias_add(y, wave(4)))
        y = tf.nn.max_pool2d(y, 2, 2, "VALID")
        y = tf.nn.softmax(tf.reshape(y, [-1, 64]) @ wave(64, 5))
        with tf.GradientTape() as tape:
            tape.watch(y)
            loss = tf.reduce_mean(tf.nn.gelu(y) + tf.nn.sigmoid(y) + tf.math.log1p(y))
        return loss, tape.gradient(loss, y)

    events: list[Event] = []

    with subscribed(events.append):
        network(wave(2, 8, 8, 3))

    assert [e.host_steps for e in events if isinstance(e, Built)] == [()]
