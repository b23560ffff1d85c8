"""`tf.TensorArray`, eager and in graphs; outcomes recorded from TensorFlow 2.21."""

import pytest

import tfcheck_runtime as tf

TA = tf.TensorArray
BOTH = pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "graph"])


@BOTH
@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda: TA(tf.float32, 3).write(0, 1.0).write(2, 5.0).stack(), [1.0, 0.0, 5.0]),
        (lambda: TA(tf.float32, 0, dynamic_size=True).write(2, 1.0).stack(), [0.0, 0.0, 1.0]),
        (lambda: TA(tf.float32, 3, element_shape=[2]).read(0), [0.0, 0.0]),
        (lambda: TA(tf.float32, 2).unstack([1.0, 2.0]).read(1), 2.0),
        (lambda: TA(tf.float32, 2).write(0, 1.0).write(0, 2.0).stack(), [2.0, 0.0]),
        (lambda: TA(tf.float32, 2).write(0, 1).stack(), [1.0, 0.0]),
        (lambda: TA(tf.float32, 3).unstack([1.0, 2.0, 3.0]).gather([2, 0]), [3.0, 1.0]),
        (lambda: TA(tf.float32, 3).scatter([2, 0], [5.0, 6.0]).stack(), [6.0, 0.0, 5.0]),
        (lambda: TA(tf.float32, 3).size(), 3),
        (lambda: TA(tf.float32, 0, dynamic_size=True).write(4, 1.0).size(), 5),
        (lambda: TA(tf.int32, 2).unstack([[1, 2], [3, 4]]).concat(), [1, 2, 3, 4]),
        (lambda: TA(tf.int32, 2).split([1, 2, 3, 4], [2, 2]).stack(), [[1, 2], [3, 4]]),
        (lambda: TA(tf.float32, 2, element_shape=[]).stack(), [0.0, 0.0]),
        (lambda: TA(tf.float32, 0, element_shape=[3]).stack(), []),
    ],
)
def test_writes_reads_and_stacks(make, expected, wrap):
    assert wrap(make)().numpy().tolist() == expected


@pytest.mark.parametrize(
    ("use", "kind", "message"),
    [
        (lambda: TA(tf.float32, 3).write(5, 1.0), tf.errors.OutOfRangeError,
         "Tried to write to index 5 but array is not resizeable and size is: 3"),
        (lambda: TA(tf.float32, 2).write(-1, 1.0), tf.errors.OutOfRangeError,
         "Writing to negative indices (index -1) is not allowed."),
        (lambda: TA(tf.float32, 2).unstack([1.0, 2.0]).read(7), tf.errors.OutOfRangeError,
         "Tried to read from index 7 but array size is: 2"),
        (lambda: TA(tf.float32, 2).write(0, [1.0, 2.0]).write(1, [1.0]), ValueError,
         "Incompatible shape for value ((1,)), expected ((2,))"),
        (lambda: TA(tf.float32), ValueError,
         "Size must be declared for TensorArrays when eager execution is enabled."),
    ],
)  # fmt: skip
def test_eager_misuse(use, kind, message):
    with pytest.raises(kind) as caught:
        use()

    assert str(caught.value) == message


def test_an_eager_element_is_cleared_when_it_is_read():
    array = TA(tf.float32, 2).unstack([1.0, 2.0])
    array.read(0)

    with pytest.raises(tf.errors.InvalidArgumentError, match="Could not read index 0 twice"):
        array.read(0)
    kept = TA(tf.float32, 2, clear_after_read=False).unstack([1.0, 2.0])
    assert [float(kept.read(0)), float(kept.read(0))] == [1.0, 1.0]


@pytest.mark.parametrize(
    ("use", "kind"),
    [
        (lambda: TA(tf.float32, 3).write(5, 1.0).stack(), tf.errors.InvalidArgumentError),
        (lambda: TA(tf.float32, 3).read(0), tf.errors.InvalidArgumentError),
        (lambda: TA(tf.float32, 2).write(0, [1.0, 2.0]).write(1, [1.0]).stack(), ValueError),
        (lambda: TA(tf.float32, 2).stack(), tf.errors.InvalidArgumentError),
        (lambda: TA(tf.float32).stack(), ValueError),
    ],
)
def test_graph_misuse(use, kind):
    with pytest.raises(kind):
        tf.function(use)()


def test_an_array_filled_in_a_loop_is_traced_once_and_knows_its_element_shape():
    shapes = []

    @tf.function(input_signature=[tf.TensorSpec([None, 2]), tf.TensorSpec([], tf.int32)])
    def repeat(x, n):
        array = TA(tf.float32, n)
        for i in tf.range(n):
            array = array.write(i, x * tf.cast(i, tf.float32))
            shapes.append(array.element_shape.as_list())
        return array.stack()

    result = repeat(tf.ones([3, 2]), tf.constant(2))

    assert shapes == [[None, 2]]
    assert result.numpy().tolist() == [[[0.0, 0.0]] * 3, [[1.0, 1.0]] * 3]


def test_an_array_written_in_one_branch_only():
    @tf.function
    def fill(x):
        array = TA(tf.float32, 2)
        if x > 0:
            array = array.write(0, 5.0)
        return array.stack()

    results = [fill(tf.constant(x)).numpy().tolist() for x in (1, -1)]

    assert results == [[5.0, 0.0], [0.0, 0.0]]


def test_an_array_grows_inside_a_graph_loop():
    @tf.function
    def collect(n):
        array = TA(tf.int32, 0, dynamic_size=True)
        i = 0
        while i * i < n:
            array = array.write(i, i * i)
            i += 1
        return array.stack()

    assert collect(tf.constant(20)).numpy().tolist() == [0, 1, 4, 9, 16]


def test_a_dropped_write_changes_nothing_in_a_graph():
    @tf.function
    def drop():
        array = TA(tf.float32, 2, element_shape=[])
        array.write(0, 5.0)
        return array.stack()

    assert drop().numpy().tolist() == [0.0, 0.0]
