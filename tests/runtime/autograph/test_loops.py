"""What `for` and `while` on tensors compute and refuse; recorded from TensorFlow 2.21."""

import re

import pytest

import tfcheck_runtime as tf
from tfcheck_runtime.autograph.options import set_loop_options
from tfcheck_runtime.errors import InaccessibleTensorError


def first_bound_in_the_loop(n):
    for i in tf.range(n):
        x = i
    return x


def index_after_the_loop(n):
    for i in tf.range(n):  # its value after the loop is the point
        pass
    return i


def none_before_the_loop(n):
    x = None
    for i in tf.range(n):
        x = i
    return x


def break_and_continue(n):
    y = 0
    for i in tf.range(n):
        if i == 1:
            continue
        if i == 3:
            break
        y += i
    return y * 10 + i


def nested_loops(n):
    total = 0
    i = 0
    while i < n:
        i += 1
        if i % 2 == 0:
            continue
        for j in tf.range(i):
            if j == 3:
                break
            total += j
    return total


def rows(n):
    total = 0
    for row in tf.reshape(tf.range(n * 2), [n, 2]):
        for x in row:
            total += x
    return total


def python_range_of_a_tensor(n):
    total = 0
    for i in range(1, n, 2):
        total += i
    return total


def attributes_and_items(n):
    state = {"total": tf.constant(0)}
    steps = [1, 2]
    for i in tf.range(n):
        state["total"] += i
        steps[0] += 1
    return state["total"] * 10 + steps[0]


def returns_at_once(n):
    for i in tf.range(n):
        return i + 100


def boolean_operators(n):
    i = 0
    while (i < n and not i == 5) or i < 1:
        i += 1
    return i


def python_loop_of_tensor_branches(n):
    y = 0
    for i in range(3):
        if i == 1:
            continue
        if n > 0:
            y += i
    return y


def counting_down(n):
    total = 0
    for i in tf.range(n, 0, -1):
        total = total * 10 + i
    return total


def capped(n):
    i = 0
    while i < n:
        set_loop_options(maximum_iterations=2)
        i += 1
    return i


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (first_bound_in_the_loop, 3),
        (index_after_the_loop, 3),
        (none_before_the_loop, 3),
        (break_and_continue, 23),
        (nested_loops, 3),
        (rows, 28),
        (python_range_of_a_tensor, 4),
        (attributes_and_items, 65),
        (returns_at_once, 100),
        (boolean_operators, 4),
        (python_loop_of_tensor_branches, 2),
        (counting_down, 4321),
        (capped, 2),
    ],
)
def test_a_tensor_loop_computes(function, expected):
    assert int(tf.function(function)(tf.constant(4))) == expected


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (break_and_continue, 23),
        (nested_loops, 3),
        (python_range_of_a_tensor, 4),
        (attributes_and_items, 65),
        (boolean_operators, 4),
        (python_loop_of_tensor_branches, 2),
    ],
)
def test_the_same_code_on_a_python_number_gives_the_same(function, expected):
    assert int(tf.function(function)(4)) == expected


def test_the_index_of_an_empty_loop_is_zero():
    assert int(tf.function(index_after_the_loop)(tf.constant(0))) == 0


@pytest.mark.parametrize("function", [first_bound_in_the_loop, none_before_the_loop])
def test_a_variable_of_the_body_needs_one_round(function):
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        tf.function(function)(tf.constant(0))

    assert "loop must iterate at least once to initialize x" in str(caught.value)


def test_the_body_is_traced_once():
    traced = []

    @tf.function
    def double(n):
        x = 1
        for _ in tf.range(n):
            traced.append(1)
            x = x * 2
        return x

    results = [int(double(tf.constant(n))) for n in (3, 5)]

    assert (results, traced) == ([8, 32], [1])


def test_a_shape_invariant_lets_a_variable_grow():
    @tf.function
    def grow(n):
        x = tf.constant([0])
        for i in tf.range(n):
            set_loop_options(shape_invariants=[(x, tf.TensorShape([None]))])
            x = tf.concat([x, [i]], axis=0)
        return x

    assert grow(tf.constant(3)).numpy().tolist() == [0, 0, 1, 2]
    assert grow.get_concrete_function(tf.constant(1)).output_shapes.as_list() == [None]


def test_a_variable_counts_up_inside_the_loop():
    counter = tf.Variable(0)

    @tf.function
    def count(n):
        for i in tf.range(n):
            counter.assign_add(i)
        return counter.read_value()

    assert [int(count(tf.constant(4))), int(count(tf.constant(3)))] == [6, 9]


def dtype_changes(n):
    x = 0
    for _ in tf.range(n):
        x = 2.5
    return x


def shape_changes(n):
    x = tf.zeros([1])
    for _ in tf.range(n):
        x = tf.concat([x, x], 0)
    return x


def becomes_none(n):
    x = 1
    for _ in tf.range(n):
        x = None
    return x


def structure_changes(n):
    x = (1, 2)
    for _ in tf.range(n):
        x = (1, 2, 3)
    return x


def returns_inside(n):
    for i in tf.range(n):
        if i > 1:
            return i
    return -1


def bound_in_a_branch_of_the_body(n):
    while n > 0:
        n -= 1
        if n == 1:
            y = n
    return y


def starts_as_python(n):
    x = 0
    while True:
        x += 1
        if x > n:
            break
    return x


def breaks_a_python_loop(n):
    y = tf.constant(1)
    for j in [1, 2, 3]:
        if n > 100:
            break
        y += j
    return y


@pytest.mark.parametrize(
    ("function", "kind", "message"),
    [
        (dtype_changes, TypeError,
         "'x' has dtype int32 before the loop, but dtype float32 after one iteration (LINE)"
         " [loop-var-type-change]"),
        (shape_changes, ValueError,
         "'x' has shape (1,) before the loop, but shape (2,) after one iteration. Use"
         " tf.autograph.experimental.set_loop_options to set shape invariants (LINE)"
         " [loop-var-type-change]"),
        (becomes_none, ValueError,
         "'x' is None at the end of the iteration (LINE) [loop-var-type-change]"),
        (returns_inside, NotImplementedError,
         "a return statement cannot be placed inside this TensorFlow loop: keep the result in a"
         " variable, `break`, and return after the loop (LINE) [return-in-tensor-loop]"),
        (bound_in_a_branch_of_the_body, ValueError,
         "'y' must be defined before the loop (LINE); AutoGraph tried to define it automatically,"
         " but ran into a ValueError: 'y' must also be initialized in the else branch (LINE)"
         " [undefined-in-branch] [undefined-in-branch]"),
        (starts_as_python, NotImplementedError,
         "The condition of while loop started as non-Tensor, then changed to Tensor. This may"
         " happen either because variables changed type, or when a break or return statement"
         " inside the loop depends on a Tensor condition: start with `tf.constant(True)` to make"
         " it a graph loop (LINE) [unconverted-control-flow]"),
        (breaks_a_python_loop, NotImplementedError,
         "break and return statements which depend on a TF condition are not supported in Python"
         " for loops. Iterate over a tensor, for example with tf.range, to make it a graph loop"
         " (LINE) [unconverted-control-flow]"),
    ],
)  # fmt: skip
def test_what_a_tensor_loop_refuses_says_what_and_where(function, kind, message):
    with pytest.raises(kind) as caught:
        tf.function(function)(tf.constant(3))

    shown = re.sub(r"test_loops\.py:\d+", "LINE", str(caught.value))
    assert shown == message


def test_a_loop_variable_that_changes_its_structure_is_a_type_error():
    with pytest.raises(TypeError, match="does not have the same nested structure"):
        tf.function(structure_changes)(tf.constant(3))


def test_a_tensor_that_leaks_out_of_a_loop_body_is_out_of_scope():
    kept = []

    @tf.function
    def leak(n):
        for i in tf.range(n):
            kept.append(i)
        return tf.stack(kept)

    with pytest.raises(InaccessibleTensorError):
        leak(tf.constant(3))
