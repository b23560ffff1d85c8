"""`tf.cond`, `tf.case` and `tf.switch_case`; outcomes recorded from TensorFlow 2.21."""

import pytest

import tfcheck_runtime as tf
from tfcheck_runtime.ops.control.branching import case, cond, switch_case


def test_eager_cond_calls_one_branch_and_returns_what_it_returns():
    called = []

    result = cond(tf.constant(True), lambda: called.append("yes") or (1, [2]), lambda: 3)

    assert (result, called) == ((1, [2]), ["yes"])


def test_graph_cond_traces_both_branches_once():
    traced = []

    @tf.function
    def choose(x):
        return cond(
            x > 0,
            lambda: traced.append("yes") or {"a": x * 2},
            lambda: traced.append("no") or {"a": -x},
        )

    results = [int(choose(tf.constant(x))["a"]) for x in (3, -3)]

    assert (results, traced) == ([6, 3], ["yes", "no"])


def test_branches_assign_variables_only_when_taken():
    v = tf.Variable(0)

    @tf.function
    def bump(x):
        cond(x > 0, lambda: v.assign_add(1), lambda: v.assign_add(10))
        return v.read_value()

    assert [int(bump(tf.constant(x))) for x in (1, -1)] == [1, 11]


@pytest.mark.parametrize(
    ("true_fn", "false_fn", "kind"),
    [
        (lambda: 1, lambda: 1.0, TypeError),
        (lambda: 1, lambda: None, ValueError),
        (lambda: (1, 2), lambda: [1, 2], TypeError),
        (lambda: {"a": 1}, lambda: {"b": 1}, TypeError),
        (lambda: object(), lambda: 1, TypeError),
        (1, lambda: 2, TypeError),
    ],
)
def test_graph_branches_must_return_alike(true_fn, false_fn, kind):
    @tf.function
    def choose(x):
        return cond(x > 0, true_fn, false_fn)

    with pytest.raises(kind):
        choose(tf.constant(1))


def test_both_branches_may_return_none():
    @tf.function
    def choose(x):
        return cond(x > 0, lambda: None, lambda: None)

    assert choose(tf.constant(1)) is None


def test_a_graph_predicate_is_a_boolean_tensor():
    with pytest.raises(TypeError, match="pred must not be a Python bool"):
        tf.function(lambda: cond(True, lambda: 1, lambda: 2))()
    with pytest.raises(tf.errors.InvalidArgumentError, match="passed int32 expected bool"):
        tf.function(lambda x: cond(x, lambda: 1, lambda: 2))(tf.constant(1))


@pytest.mark.parametrize(("index", "expected"), [(0, 10), (1, 11), (5, 12), (-1, 12)])
@pytest.mark.parametrize("wrap", [lambda f: f, tf.function])
def test_switch_case_takes_the_default_out_of_range(index, expected, wrap):
    def pick(i):
        return switch_case(i, {1: lambda: 11, 0: lambda: 10}, default=lambda: 12)

    assert int(wrap(pick)(tf.constant(index))) == expected


def test_switch_case_without_default_takes_the_last():
    assert switch_case(tf.constant(9), [lambda: 1, lambda: 2]) == 2


@pytest.mark.parametrize(
    ("branches", "message"),
    [
        ([], "Must provide at least one item in 'branch_fns'"),
        (
            {1: lambda: 1, 5: lambda: 2},
            "branch indices (keys) must form contiguous range of [0 to 2) but found {1,5}",
        ),
    ],
)
def test_switch_case_refuses_gaps(branches, message):
    with pytest.raises(ValueError, match="branch") as caught:
        switch_case(tf.constant(1), branches)

    assert str(caught.value) == message


@pytest.mark.parametrize(("value", "expected"), [(12, 100), (7, 50), (1, 1)])
@pytest.mark.parametrize("wrap", [lambda f: f, tf.function])
def test_case_takes_the_first_that_holds(value, expected, wrap):
    def size(x):
        return case([(x > 10, lambda: 100), (x > 5, lambda: 50)], default=lambda: 1)

    assert int(wrap(size)(tf.constant(value))) == expected


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function])
def test_case_without_default_needs_one_that_holds(wrap):
    def size(x):
        return case([(x > 10, lambda: 100), (x > 5, lambda: 50)])

    assert int(wrap(size)(tf.constant(7))) == 50
    with pytest.raises(tf.errors.InvalidArgumentError, match="None of conditions evaluated"):
        wrap(size)(tf.constant(1))
