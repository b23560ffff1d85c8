"""Ops that a graph computes in a cheaper form where the inputs allow it."""

import numpy as np
import pytest

import tfcheck_runtime as tf


@pytest.mark.parametrize(
    ("exponent", "types"), [(2.0, ["Mul"]), (1.0, ["Identity"]), (3.0, ["Pow"]), (0.5, ["Pow"])]
)
def test_squares_are_products(exponent, types):
    x = np.array([-2.0, -0.0, 0.5, np.inf, np.nan], np.float32)
    f = tf.function(lambda x: x**exponent)

    model = f.get_concrete_function(tf.TensorSpec([None])).to_onnx()

    assert [node.op_type for node in model.graph.node] == types
    np.testing.assert_array_equal(f(tf.constant(x)).numpy(), (tf.constant(x) ** exponent).numpy())


@pytest.mark.parametrize("graph", [False, True])
def test_the_gradient_of_relu_multiplies_as_tensorflow_does(graph):
    def gradient(x, dy):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.nn.relu(x)
        return tape.gradient(y, x, output_gradients=dy)

    run = tf.function(gradient) if graph else gradient
    x = tf.constant([-1.0, 1.0, 0.0])

    assert str(run(x, tf.constant([-2.0] * 3)).numpy().tolist()) == "[-0.0, -2.0, -0.0]"
    assert np.isnan(run(x, tf.constant([np.inf] * 3)).numpy()).tolist() == [True, False, True]
