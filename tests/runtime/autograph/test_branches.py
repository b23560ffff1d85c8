"""What `if` on tensors computes and refuses; outcomes recorded from TensorFlow 2.21."""

import re

import numpy as np
import pytest

import tfcheck_runtime as tf


class Box:
    """Something with attributes."""


def both_sides(x):
    if x > 0:
        y = 1
    else:
        y = 2
    return y


def local_to_one_branch(x):
    total = tf.constant(0)
    if x > 0:
        step = total + 5
        total = step * 2
    return total


def falls_through(x):
    if x > 0:
        return x * 10
    return x - 1


def nested(x):
    if x > 0:
        if x > 5:
            return 1
        if x > 3:
            return 2
        return 3
    return 4


def attribute(x):
    box = Box()
    box.total = 1
    if x > 0:
        box.total = 2
    return box.total


def new_attribute_on_both_sides(x):
    box = Box()
    if x > 0:
        box.total = 2
    else:
        box.total = 3
    return box.total


def item_of_a_dict(x):
    counts = {"a": 1}
    if x > 0:
        counts["a"] = 2
    return counts["a"]


def item_of_a_list(x):
    counts, i = [1, 2], 0
    if x > 0:
        counts[i] = 7
    return counts[0]


def swapped(x):
    x, y = x + 1, x + 2
    if x > 0:
        x, y = y, x
    return x * 10 + y


def conditional_expression(x):
    return x if x > 0 else -2 * x


def inside_with_and_try(x):
    try:
        with tf.name_scope("a"):
            if x > 0:
                y = 1
            else:
                y = 2
    finally:
        y = y * 3
    return y


def helper(x):
    if x > 0:
        return x
    return -x


def calls_a_helper(x):
    return helper(x) + helper(-x)


def inner_function(x):
    y = 1

    def set_it():
        nonlocal y
        if x > 0:
            y = 2
        else:
            y = 3

    set_it()
    return y


def deleted_name(x):
    y = 1
    if x > 0:
        del y
    return x


@pytest.mark.parametrize(
    ("function", "positive", "negative"),
    [
        (both_sides, 1, 2),
        (local_to_one_branch, 10, 0),
        (falls_through, 40, -5),
        (nested, 2, 4),
        (attribute, 2, 1),
        (new_attribute_on_both_sides, 2, 3),
        (item_of_a_dict, 2, 1),
        (item_of_a_list, 7, 1),
        (swapped, 65, -32),
        (conditional_expression, 4, 8),
        (inside_with_and_try, 3, 6),
        (calls_a_helper, 8, 8),
        (inner_function, 2, 3),
        (deleted_name, 4, -4),
    ],
)
def test_a_tensor_condition_takes_the_right_branch(function, positive, negative):
    traced = tf.function(function)

    results = int(traced(tf.constant(4))), int(traced(tf.constant(-4)))

    assert results == (positive, negative)
    assert traced.experimental_get_tracing_count() == 1


@pytest.mark.parametrize(
    ("function", "positive", "negative"),
    [(falls_through, 40, -5), (nested, 2, 4), (swapped, 65, -32), (attribute, 2, 1)],
)
def test_a_python_condition_is_python(function, positive, negative):
    traced = tf.function(function)

    results = int(traced(4)), int(traced(-4))

    assert results == (positive, negative)


def test_a_boolean_variable_is_a_condition():
    def choose(flag):
        if flag:
            return 1
        return 2

    flag = tf.Variable(True)
    traced = tf.function(choose)

    first = int(traced(flag))
    flag.assign(False)

    assert (first, int(traced(flag))) == (1, 2)


def test_branches_of_different_shape_leave_the_shape_open():
    @tf.function
    def choose(x):
        if x > 0:
            y = tf.ones([2])
        else:
            y = tf.ones([3])
        return y

    concrete = choose.get_concrete_function(tf.TensorSpec([], tf.int32))

    assert concrete.output_shapes.as_list() == [None]
    np.testing.assert_array_equal(choose(tf.constant(-1)), np.ones(3))


def only_one_branch(x):
    if x > 0:
        y = 1
    return y


def different_dtypes(x):
    if x > 0:
        y = 1
    else:
        y = 1.0
    return y


def none_on_one_side(x):
    if x > 0:
        y = 1
    else:
        y = None
    return y


def different_structures(x):
    if x > 0:
        y = (1, 2)
    else:
        y = (1, 2, 3)
    return y


def returns_on_one_side(x):
    if x > 0:
        return 1


def returns_none_on_one_side(x):
    if x > 0:
        return 1
    return None


def returns_in_a_python_loop(x):
    for i in range(3):
        if x > i:
            return i
    return -1


def new_attribute_on_one_side(x):
    box = Box()
    if x > 0:
        box.total = 2
    return 1


def object_on_both_sides(x):
    box = Box()
    if x > 0:
        y = box
    else:
        y = box
    return y is box


def annotated_only(x):
    y: tf.Tensor
    if x > 0:
        y = x
    else:
        y = -x
    return y


def no_boolean(x):
    if x:
        return 1
    return 2


def conditional_expression_of_two_types(x):
    return x if x > 0 else 1.5


@pytest.mark.parametrize(
    ("function", "kind", "message"),
    [
        (only_one_branch, ValueError,
         "'y' must also be initialized in the else branch (LINE) [undefined-in-branch]"),
        (different_dtypes, TypeError,
         "'y' has dtype int32 in the main branch, but dtype float32 in the else branch (LINE)"
         " [branch-type-mismatch]"),
        (none_on_one_side, ValueError,
         "'y' is None at the end of the else branch (LINE) [branch-type-mismatch]"),
        (returns_on_one_side, ValueError,
         "A value must also be returned from the else branch: the else branch must also have a"
         " return statement (LINE) [missing-else-return]"),
        (returns_none_on_one_side, ValueError,
         "'retval_' is None at the end of the else branch (LINE) [branch-type-mismatch]"),
        (returns_in_a_python_loop, ValueError,
         "A value must also be returned from the else branch: the else branch must also have a"
         " return statement (LINE) [missing-else-return]"),
        (new_attribute_on_one_side, ValueError,
         "'box.total' must also be initialized in the else branch (LINE) [undefined-in-branch]"),
        (conditional_expression_of_two_types, TypeError,
         "'x > 0' has dtype int32 in the main branch, but dtype float32 in the else branch (LINE)"
         " [branch-type-mismatch]"),
    ],
)  # fmt: skip
def test_what_a_tensor_branch_refuses_says_what_and_where(function, kind, message):
    with pytest.raises(kind) as caught:
        tf.function(function)(tf.constant(1))

    shown = re.sub(r"test_branches\.py:\d+", "LINE", str(caught.value))
    assert shown == message


@pytest.mark.parametrize(
    ("function", "kind", "part"),
    [
        (
            different_structures,
            TypeError,
            "must have the same nested structure in the main and else",
        ),
        (object_on_both_sides, TypeError, "found a value of type Box"),
        (annotated_only, NameError, "[unconverted-control-flow]"),
        (no_boolean, ValueError, "expected to be `tf.bool` scalar"),
    ],
)
def test_other_refusals_name_the_cause(function, kind, part):
    with pytest.raises(kind, match=re.escape(part)):
        tf.function(function)(tf.constant(1))


def test_the_message_points_at_the_line_of_the_if():
    line = only_one_branch.__code__.co_firstlineno + 1

    with pytest.raises(ValueError, match=rf"test_branches\.py:{line}\)"):
        tf.function(only_one_branch)(tf.constant(1))


def test_an_unbound_variable_is_an_unbound_local_error_as_in_python():
    with pytest.raises(UnboundLocalError) as caught:
        tf.function(only_one_branch)(-1)

    assert str(caught.value) == "'y' is used before assignment [undefined-in-branch]"


def test_raise_under_a_tensor_condition_fires_while_tracing():
    def check(x):
        if x > 100:
            raise KeyError("too large")
        return x

    with pytest.raises(KeyError, match="too large"):
        tf.function(check)(tf.constant(1))


@pytest.mark.parametrize(("value", "expected"), [([True], 1), ([[False]], 2)])
def test_a_condition_of_one_element_may_have_axes(value, expected):
    @tf.function
    def f(c):
        if c:
            return 1
        return 2

    assert f(tf.constant(value)).numpy() == expected


def test_a_condition_of_several_elements_is_refused():
    @tf.function
    def f(c):
        if c:
            return 1
        return 2

    with pytest.raises(ValueError, match=re.escape("expected to be `tf.bool` scalar")):
        f(tf.constant([True, False]))
