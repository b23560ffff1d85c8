from __future__ import annotations

import tfcheck_runtime as tf
from tfcheck_runtime.function.op_times import op_times


def test_the_ops_of_a_trace_are_timed_with_their_lines() -> None:
    weights = tf.ones([64, 32])

    @tf.function
    def layer(x):
        return tf.reduce_sum(tf.exp(x @ weights))

    x = tf.ones([16, 64])
    before = layer(x)
    concrete = layer.get_concrete_function(x)

    times = op_times(concrete, lambda: concrete(x), runs=3)

    line = layer.python_function.__code__.co_firstlineno + 2
    assert {each.op: each.count for each in times} == {"MatMul": 3, "Exp": 3, "Sum": 3}
    assert {each.site.line for each in times if each.site} == {line}
    assert all(each.seconds >= 0.0 for each in times)
    assert layer(x).numpy() == before.numpy()


def test_sessions_opened_later_record_nothing() -> None:
    double = tf.function(lambda x: x * 2)
    concrete = double.get_concrete_function(tf.constant(1.0))
    op_times(concrete, lambda: concrete(tf.constant(1.0)), runs=1)

    other = tf.function(lambda x: x * 3)

    assert other(tf.constant(2.0)).numpy() == 6.0
