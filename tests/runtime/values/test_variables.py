"""Variables: assignment, sparse updates, slices, conversions."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tfcheck_runtime as tf


def slices(indices: list[int], values: list[Any]) -> Any:
    return tf.IndexedSlices(tf.constant(values), tf.constant(indices))


def run_eagerly(step: Callable[[], Any]) -> None:
    step()


def run_in_a_graph(step: Callable[[], Any]) -> None:
    tf.function(step)()


EITHER = pytest.mark.parametrize("run", [run_eagerly, run_in_a_graph])


@EITHER
@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ("add", [41.0, 2.0, 23.0, 4.0]),
        ("sub", [-39.0, 2.0, -17.0, 4.0]),
        ("mul", [300.0, 2.0, 60.0, 4.0]),
        ("div", [1 / 300, 2.0, 3 / 20, 4.0]),
        ("max", [30.0, 2.0, 20.0, 4.0]),
        ("min", [1.0, 2.0, 3.0, 4.0]),
        ("update", [30.0, 2.0, 20.0, 4.0]),
    ],
)
def test_slices_update_rows(how: str, expected: list[float], run: Callable[..., None]) -> None:
    variable = tf.Variable([1.0, 2.0, 3.0, 4.0])

    run(lambda: getattr(variable, f"scatter_{how}")(slices([0, 2, 0], [10.0, 20.0, 30.0])))

    np.testing.assert_allclose(variable.numpy(), expected, rtol=1e-6)


@EITHER
@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ("add", [2.0, 2.0, 8.0]),
        ("sub", [0.0, 2.0, -2.0]),
        ("max", [1.0, 2.0, 5.0]),
        ("min", [1.0, 2.0, 3.0]),
        ("update", [1.0, 2.0, 5.0]),
    ],
)
def test_coordinates_update_elements(
    how: str, expected: list[float], run: Callable[..., None]
) -> None:
    variable = tf.Variable([1.0, 2.0, 3.0])

    run(lambda: getattr(variable, f"scatter_nd_{how}")([[0], [2]], [1.0, 5.0]))

    assert variable.numpy().tolist() == expected


@EITHER
def test_batched_updates_pair_the_leading_axes(run: Callable[..., None]) -> None:
    variable = tf.Variable([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])
    delta = tf.IndexedSlices([[10.0, 20.0], [30.0, 40.0]], [[0, 1], [1, 2]])

    run(lambda: variable.batch_scatter_update(delta))

    assert variable.numpy().tolist() == [[10.0, 20.0, 2.0], [3.0, 30.0, 40.0]]


@EITHER
@pytest.mark.parametrize(
    ("index", "value", "expected"),
    [
        ((0, 1), 9.0, [[0, 9, 2], [3, 4, 5]]),
        (1, [7.0, 8.0, 9.0], [[0, 1, 2], [7, 8, 9]]),
        ((slice(None), 0), [7.0, 8.0], [[7, 1, 2], [8, 4, 5]]),
        ((slice(None, None, -1), -1), [7.0, 8.0], [[0, 1, 8], [3, 4, 7]]),
        ((slice(None), slice(1, None)), 6.0, [[0, 6, 6], [3, 6, 6]]),
        ((..., 0), 4, [[4, 1, 2], [4, 4, 5]]),
    ],
)
def test_slices_can_be_assigned_to(
    index: Any, value: Any, expected: list[list[float]], run: Callable[..., None]
) -> None:
    variable = tf.Variable([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])

    run(lambda: variable[index].assign(value))

    assert variable.numpy().tolist() == expected


def test_a_slice_at_a_tensor_can_be_assigned_to_in_a_graph() -> None:
    variable = tf.Variable([1.0, 2.0, 3.0])

    @tf.function
    def put(i: Any) -> Any:
        variable[i].assign(100.0)
        return variable

    assert put(tf.constant(2)).numpy().tolist() == [1.0, 2.0, 100.0]


def test_slices_of_tensors_cannot_be_assigned_to() -> None:
    assert not hasattr(tf.constant([1.0, 2.0])[0], "assign")


@pytest.mark.parametrize(
    ("update", "message"),
    [
        (lambda v: v.scatter_add(slices([4], [1.0])), r"indices\[0\] = 4 is not in \[0, 4\)"),
        (lambda v: v.scatter_nd_add([[9]], [1.0]), r"does not index into shape \[4\]"),
        (
            lambda v: v.sparse_read([5]),
            r"indices\[0\] = 5 is not in \[0, 4\) \[Op:ResourceGather\]",
        ),
        (
            lambda v: v.gather_nd([[7]]),
            r"does not index into param shape .*\[Op:ResourceGatherNd\]",
        ),
        (
            lambda v: v[1:].assign([1.0, 2.0]),
            r"Cannot broadcast input shape \[2\] into final .*\[3\]",
        ),
        (lambda v: v.assign_add(1.0), r"variable with shape \[4\] using a Tensor with shape \[\]"),
    ],
)
def test_updates_that_do_not_fit_change_nothing(update: Callable[[Any], Any], message: str) -> None:
    variable = tf.Variable([1.0, 2.0, 3.0, 4.0])

    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        update(variable)

    assert variable.numpy().tolist() == [1.0, 2.0, 3.0, 4.0]


def test_updates_by_slices_take_slices_only() -> None:
    with pytest.raises(TypeError, match=r"^Argument `sparse_delta` must be a `tf\.IndexedSlices`"):
        tf.Variable([1.0]).scatter_add(tf.constant([1.0]))


def test_sparse_reads_have_gradients() -> None:
    variable = tf.Variable([1.0, 2.0, 3.0])

    with tf.GradientTape(persistent=True) as tape:
        rows = variable.sparse_read([1, 1])
        elements = variable.gather_nd([[2]])

    read = [tf.convert_to_tensor(tape.gradient(y, variable)).numpy().tolist()
            for y in (rows, elements)]  # fmt: skip
    assert read == [[0.0, 2.0, 0.0], [0.0, 0.0, 1.0]]


def test_an_unknown_shape_lets_the_value_change_its_shape() -> None:
    free = tf.Variable([1.0, 2.0], shape=tf.TensorShape(None))
    long = tf.Variable([1.0, 2.0], shape=[None])

    free.assign([[1.0, 2.0, 3.0]])
    long.assign([1.0, 2.0, 3.0])

    assert repr(free) == (
        "<tf.Variable 'Variable:0' shape=<unknown> dtype=float32,"
        " numpy=array([[1., 2., 3.]], dtype=float32)>"
    )
    assert long.shape.as_list() == [None]
    with pytest.raises(ValueError, match="Shape mismatch"):
        long.assign([[1.0]])


def test_the_declared_shape_must_fit_the_value() -> None:
    with pytest.raises(
        ValueError,
        match=r"the initial value's shape \(\(2,\)\) is not compatible with the explicitly supplied"
        r" `shape` argument \(\[3\]\)",
    ):
        tf.Variable([1.0, 2.0], shape=[3])


@pytest.mark.parametrize("sign", ["+", "-", "*", "/", "**"])
def test_in_place_operators_say_what_to_write_instead(sign: str) -> None:
    scope = {"v": tf.Variable(1.0)}

    with pytest.raises(RuntimeError, match=r"^`variable .*= value` with `tf\.Variable`s is not"):
        exec(f"v {sign}= 2.0", scope)


def test_a_variable_has_no_length_and_is_no_index() -> None:
    with pytest.raises(TypeError, match="has no len"):
        len(tf.Variable([1.0]))
    with pytest.raises(TypeError, match="list indices must be integers"):
        [1, 2][tf.Variable(1)]


def test_copies_share_and_deep_copies_do_not() -> None:
    variable = tf.Variable([1.0], name="w")
    deep = copy.deepcopy(variable)
    deep.assign([2.0])

    assert copy.copy(variable) is variable
    assert (variable.numpy().tolist(), deep.numpy().tolist(), deep.name) == ([1.0], [2.0], "w:0")


def test_conversion_keeps_the_dtype() -> None:
    with pytest.raises(ValueError, match=r"Incompatible type conversion requested to type int32"):
        tf.convert_to_tensor(tf.Variable(1.0), tf.int32)


def test_names_in_a_graph_are_tensorflows() -> None:
    found = []
    captured = tf.Variable([1.0])

    @tf.function
    def look(given: Any) -> None:
        found.append((repr(given), repr(captured.assign([2.0]))))
        found.append((captured.value().name, captured.read_value().name))
        found.append(
            (captured.is_initialized().name, captured.assign([3.0], read_value=False).name)
        )

    look(tf.Variable([1.0]))

    assert found == [
        (
            "<tf.Variable 'Variable:0' shape=(1,) dtype=float32>",
            "<tf.Variable 'UnreadVariable' shape=(1,) dtype=float32>",
        ),
        ("ReadVariableOp:0", "Identity:0"),
        ("VarIsInitializedOp:0", "AssignVariableOp_1"),
    ]


def test_modes_are_kept() -> None:
    variable = tf.Variable(1.0, aggregation=tf.VariableAggregation.MEAN)

    assert str(variable.aggregation) == "VariableAggregationV2.MEAN"
    assert str(variable.synchronization) == "VariableSynchronization.AUTO"
    assert tf.Variable(1.0).aggregation == tf.VariableAggregation.NONE


def test_a_variable_keeps_its_name_and_id_as_an_argument() -> None:
    first, second = tf.Variable(1.0), tf.Variable(2.0, name="second")
    seen: list[tuple[str, bool]] = []

    @tf.function
    def read(a: Any, rest: Any, *, b: Any) -> Any:
        given = {"a": first, "rest": second, "b": first}
        for name, inside in (("a", a), ("rest", rest["x"]), ("b", b)):
            seen.append((inside.name, inside._unique_id == given[name]._unique_id))
        return a + rest["x"] + b

    assert read(first, {"x": second}, b=first).numpy() == 4.0
    assert seen == [("Variable:0", True), ("second:0", True), ("Variable:0", True)]


def test_what_an_assignment_returns_is_the_variable_unread() -> None:
    variable = tf.Variable(1.0, name="counter")

    again = variable.assign_add(1.0)

    assert (again.name, again._unique_id) == ("UnreadVariable", variable._unique_id)
