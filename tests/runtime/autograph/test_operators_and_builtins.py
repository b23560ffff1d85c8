"""Boolean operators and builtins on tensors; outcomes recorded from TensorFlow 2.21."""

import pytest

import tfcheck_runtime as tf

C = tf.constant


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda x: x > 0 and x < 5, True),
        (lambda x: x > 0 or x < -5, True),
        (lambda x: not x > 0, False),
        (lambda x: 0 < x < 5, True),
        (lambda x: 0 < x < 5 < x, False),
        (lambda x: x > 5 and x // 0 > 1, False),
        (lambda x: abs(-x), 4),
        (lambda x: int(x) + int("3"), 7),
        (lambda x: float(x) / 8, 0.5),
        (lambda x: len(tf.stack([x, x, x])), 3),
        (lambda x: sorted(tf.stack([x, x - 1])), [3, 4]),
        (lambda x: sorted(tf.stack([x - 1, x]), reverse=True), [4, 3]),
        (lambda x: range(1, x), [1, 2, 3]),
        (lambda x: sum([x, x]), 8),
        (lambda x: pow(x, 2), 16),
        (lambda x: [y if y > 0 else 0 for y in [x, -x]], [4, 0]),
        (lambda x: isinstance(x, tf.Tensor) and x is not None, True),
    ],
)
def test_what_works_on_a_tensor(function, expected):
    result = tf.function(function)(C(4))

    values = [v.numpy().tolist() for v in tf.nest.flatten(result)]
    assert values == (expected if isinstance(result, list) else [expected])


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        (lambda x: bool(x > 0), TypeError),
        (lambda x: max(x, 3), TypeError),
        (lambda x: any([x > 0]), TypeError),
        (lambda x: list(tf.stack([x, x])), TypeError),
        (lambda x: {x: 1}, TypeError),
        (lambda x: x in [1], TypeError),
        (lambda x: x and 1, tf.errors.InvalidArgumentError),
        (lambda x: not x, TypeError),
        (lambda x: x > 0 and "a", TypeError),
        (lambda x: x > 0 and None, ValueError),
        (lambda x: len(x), ValueError),
    ],
)
def test_what_refuses_a_tensor(function, kind):
    with pytest.raises(kind):
        tf.function(function)(C(4))


def test_tensors_are_sorted_by_a_key():
    by_size = tf.function(lambda x: sorted(tf.stack([x, x - 9]), key=abs))

    assert by_size(C(4)).numpy().tolist() == [4, -5]


def test_the_length_of_an_open_axis_is_a_tensor():
    count = tf.function(lambda x: len(x), input_signature=[tf.TensorSpec([None])])

    assert int(count([1.0, 2.0])) == 2


def test_what_follows_an_operator_is_computed_lazily_in_the_graph():
    v = tf.Variable(0)

    @tf.function
    def check(x):
        return x > 0 and v.assign_add(1) > 0

    results = [bool(check(C(x))) for x in (1, -1)]

    assert (results, v.numpy()) == ([True, False], 1)


def test_assert_on_a_tensor_is_not_converted():
    def check(x):
        assert x > 0
        return x

    with pytest.raises(TypeError):
        tf.function(check)(C(1))
