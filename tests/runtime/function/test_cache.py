"""The choice among many traces."""

import tfcheck_runtime as tf
from tfcheck_runtime.function.signature import FunctionType


def test_a_new_python_value_is_not_compared_with_every_trace(monkeypatch):
    asked = []
    is_supertype_of = FunctionType.is_supertype_of
    monkeypatch.setattr(
        FunctionType,
        "is_supertype_of",
        lambda mine, other: asked.append(1) or is_supertype_of(mine, other),
    )
    f = tf.function(lambda x, n: x * n)
    x = tf.constant([1.0, 2.0])

    results = [f(x, float(n)).numpy().tolist() for n in range(150)]

    assert results[149] == [149.0, 298.0]
    assert f.experimental_get_tracing_count() == 150
    assert len(asked) < 10


def test_the_most_specific_of_several_shapes_serves_a_call():
    f = tf.function(lambda x: x)
    exact, any_length, any_shape = (
        f.get_concrete_function(tf.TensorSpec(shape)) for shape in ([2], [None], None)
    )

    assert f.experimental_get_tracing_count() == 3
    assert f.get_concrete_function(tf.ones([2])) is exact
    assert f.get_concrete_function(tf.ones([3])) is any_length
    assert f.get_concrete_function(tf.ones([2, 2])) is any_shape
