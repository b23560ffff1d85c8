"""`tf.while_loop` and the functions built on it; outcomes recorded from TensorFlow 2.21."""

import pytest

import tfcheck_runtime as tf
from tfcheck_runtime.ops.control.functional import foldl, foldr, map_fn, scan, vectorized_map
from tfcheck_runtime.ops.control.looping import while_loop

BOTH = pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "graph"])


@BOTH
def test_a_loop_over_several_variables(wrap):
    def run(n):
        return while_loop(lambda i, x: i < n, lambda i, x: (i + 1, x * 2), (0, 1.5))

    count, value = wrap(run)(tf.constant(4))

    assert (int(count), float(value)) == (4, 24.0)


@BOTH
def test_structures_and_tensor_arrays_are_loop_variables(wrap):
    def run(n):
        def body(i, state):
            total = state["total"] + i
            return i + 1, {"total": total, "seen": state["seen"].write(i, total)}

        start = {"total": tf.constant(0), "seen": tf.TensorArray(tf.int32, 4)}
        return while_loop(lambda i, _: i < n, body, (0, start))[1]["seen"].stack()

    assert wrap(run)(tf.constant(4)).numpy().tolist() == [0, 1, 3, 6]


@pytest.mark.parametrize("limit", [2, tf.constant(2)])
def test_maximum_iterations_stops_a_graph_loop(limit):
    @tf.function
    def run(n):
        return while_loop(lambda i: i < n, lambda i: i + 1, [0], maximum_iterations=limit)

    assert [int(run(tf.constant(n))[0]) for n in (5, 1)] == [2, 1]


def test_a_graph_loop_may_return_its_only_variable_bare():
    @tf.function
    def run(n):
        return while_loop(lambda i: [i < n], lambda i: i + 1, [0])

    assert [int(v) for v in run(tf.constant(3))] == [3]


def test_a_shape_invariant_lets_a_variable_grow():
    @tf.function
    def run(n):
        return while_loop(
            lambda i, x: i < n,
            lambda i, x: (i + 1, tf.concat([x, x], 0)),
            [0, tf.ones([1])],
            shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])],
        )[1]

    assert run(tf.constant(2)).numpy().tolist() == [1.0] * 4


@pytest.mark.parametrize(
    ("body", "kind", "part"),
    [
        (lambda i, x: (i + 1, tf.concat([x, x], 0)), ValueError, "`shape_invariants`"),
        (lambda i, x: (tf.cast(i, tf.float32), x), TypeError, "should remain constant"),
        (lambda i, x: (i + 1, x, x), ValueError, "nested structure"),
        (lambda i, x: (i + 1, None), ValueError, "None cannot be a loop variable"),
    ],
)
def test_graph_loop_variables_keep_their_type(body, kind, part):
    @tf.function
    def run(n):
        return while_loop(lambda i, x: i < n, body, [tf.constant(0), tf.ones([1])])

    with pytest.raises(kind, match=part):
        run(tf.constant(3))


def test_misuse_is_named():
    with pytest.raises(TypeError, match="'cond' must be callable"):
        while_loop(3, lambda i: i, [0])
    with pytest.raises(ValueError, match="'loop_vars' must be provided"):
        while_loop(lambda: True, lambda: None, [])


@BOTH
def test_map_fn_maps_rows_and_structures(wrap):
    def run(x, y):
        pairs = map_fn(lambda t: t[0] * t[1], (x, y), fn_output_signature=tf.int32)
        halves = map_fn(lambda t: tf.cast(t, tf.float32) / 2, x, fn_output_signature=tf.float32)
        return pairs, halves

    pairs, halves = wrap(run)(tf.constant([1, 2, 3]), tf.constant([4, 5, 6]))

    assert pairs.numpy().tolist() == [4, 10, 18]
    assert halves.numpy().tolist() == [0.5, 1.0, 1.5]


def test_map_fn_converts_control_flow():
    def size(x):
        if x > 0:
            return x
        return x * 2

    result = tf.function(lambda x: map_fn(size, x))(tf.constant([1, -1]))

    assert result.numpy().tolist() == [1, -2]


@pytest.mark.parametrize(
    ("elems", "message"),
    [
        (1, "Elements in elems must be 1+ dimensional Tensors, not scalars"),
        (
            (tf.constant([1, 2, 3]), tf.constant([4, 5])),
            "Dimensions 3 and 2 are not compatible: all tensors in elems need the same first axis",
        ),
    ],
)
def test_map_fn_refuses_what_has_no_common_first_axis(elems, message):
    with pytest.raises(ValueError, match="in") as caught:
        map_fn(lambda x: x, elems)

    assert str(caught.value) == message


@BOTH
@pytest.mark.parametrize(
    ("fold", "expected"),
    [
        (lambda x: foldl(lambda a, b: a - b, x), -4),
        (lambda x: foldl(lambda a, b: a - b, x, initializer=10), 4),
        (lambda x: foldr(lambda a, b: a - b, x), 0),
        (lambda x: foldr(lambda a, b: a - b, x, initializer=10), 4),
        (lambda x: scan(lambda a, b: a + b, x), [1, 3, 6]),
        (lambda x: scan(lambda a, b: a + b, x, reverse=True), [6, 5, 3]),
        (lambda x: scan(lambda a, b: a + b, x, initializer=tf.constant(10)), [11, 13, 16]),
        (lambda x: vectorized_map(lambda a: a * a, x), [1, 4, 9]),
        (lambda x: vectorized_map(lambda a: a[0] + a[1], (x, tf.constant([1]))), [2, 3, 4]),
    ],
)
def test_folds_scans_and_maps(fold, expected, wrap):
    assert wrap(fold)(tf.constant([1, 2, 3])).numpy().tolist() == expected


def test_gradients_flow_through_loops_and_branches():
    @tf.function
    def power(x, n):
        y = x
        for _ in tf.range(n):
            if y > 1000.0:
                y = y * 0.0
            else:
                y = y * x
        return y

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = power(x, tf.constant(3))

    assert (float(y), float(tape.gradient(y, x))) == (81.0, 108.0)


@pytest.mark.parametrize("fold", [tf.foldl, tf.foldr, tf.scan])
def test_folding_no_rows_without_a_start_fails_as_reading_an_empty_list(fold):
    def run(x):
        return fold(lambda total, row: total + row, x)

    with pytest.raises(tf.errors.OutOfRangeError, match="array size is: 0"):
        run(tf.zeros([0]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="a list with 0 elements"):
        tf.function(run)(tf.zeros([0]))
