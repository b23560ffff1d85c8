"""Which dtypes arithmetic takes, what Python and NumPy data become, and what is refused.

The outcomes were recorded from TensorFlow 2.21.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tfcheck_runtime as tf

INVALID = tf.errors.InvalidArgumentError
LIST = [1, 2]
VARIABLE = tf.Variable(2.0)


def i() -> Any:
    return tf.constant(1)


def f() -> Any:
    return tf.constant(1.0)


def u() -> Any:
    return tf.constant(3, tf.uint8)


ACCEPTED: list[tuple[str, Callable[[], Any], tuple[str, object]]] = [
    ("int + numpy float", lambda: i() + np.float64(1.5), ("int32", 2)),
    ("numpy float + int", lambda: np.float64(1.5) + i(), ("int32", 2)),
    ("int + numpy array", lambda: i() + np.array([1.5]), ("int32", [2])),
    ("numpy array + int", lambda: np.array([1]) + i(), ("int32", [2])),
    ("float + numpy double", lambda: f() + np.float64(2.0), ("float32", 3.0)),
    ("double array + float", lambda: np.array([2.0]) + f(), ("float32", [3.0])),
    ("float + int literal", lambda: f() + 1, ("float32", 2.0)),
    ("float + list", lambda: f() + LIST, ("float32", [2.0, 3.0])),
    ("list + float", lambda: LIST + f(), ("float32", [2.0, 3.0])),
    ("int + True", lambda: i() + True, ("int32", 2)),
    ("uint8 + 300 wraps", lambda: u() + 300, ("uint8", 47)),
    ("int + 2**40 wraps", lambda: i() + 2**40, ("int32", 1)),
    ("uint8 - 4 wraps", lambda: u() - 4, ("uint8", 255)),
    ("two arrays", lambda: tf.add(np.array([1.0]), np.array([1])), ("float64", [2.0])),
    ("float + variable", lambda: f() + VARIABLE, ("float32", 3.0)),
    ("variable == number", lambda: VARIABLE == 2.0, ("bool", True)),
    ("int / int", lambda: i() / 2, ("float64", 0.5)),
    ("uint8 / uint8", lambda: u() / u(), ("float32", 1.0)),
    ("int / 0", lambda: i() / 0, ("float64", np.inf)),
    ("divide of Python ints", lambda: tf.divide(3, 2), ("float64", 1.5)),
    ("floor of negative", lambda: tf.constant(-7) // 2, ("int32", -4)),
    ("sign of the divisor", lambda: tf.constant(-7) % 3, ("int32", 2)),
    ("float floor", lambda: tf.constant(-7.5) // 2, ("float32", -4.0)),
    ("float // 0", lambda: tf.constant(7.0) // 0.0, ("float32", np.inf)),
    ("int power", lambda: tf.constant(2) ** 3, ("int32", 8)),
    ("0 ** 0", lambda: tf.pow(tf.constant(0), 0), ("int32", 1)),
    ("float to the -1", lambda: tf.constant(2.0) ** -1, ("float32", 0.5)),
    ("& of integers", lambda: i() & 3, ("int32", 1)),
    ("True & bool", lambda: True & tf.constant(True), ("bool", True)),
    ("^ of bools", lambda: tf.constant(True) ^ tf.constant(True), ("bool", False)),
    ("~ of bool", lambda: ~tf.constant(True), ("bool", False)),
    ("~ of int", lambda: ~i(), ("int32", -2)),
    ("complex modulus", lambda: tf.abs(tf.constant(-3 + 4j)), ("float64", 5.0)),
    ("half to even", lambda: tf.round([0.5, 1.5, 2.5, -0.5]), ("float32", [0.0, 2.0, 2.0, -0.0])),
    ("== of a list", lambda: i() == [1, 2], ("bool", [True, False])),
    ("== of other shapes", lambda: tf.constant([1, 2]) == [1, 2, 3], ("bool", False)),
    ("!= of other shapes", lambda: tf.constant([1, 2]) != [1, 2, 3], ("bool", True)),
    ("0 / 0 made safe", lambda: tf.math.divide_no_nan(1, 0), ("float64", 0.0)),
    ("nan * 0 made safe", lambda: tf.math.multiply_no_nan(float("nan"), 0.0), ("float32", 0.0)),
    ("truncated", lambda: tf.truncatediv(-7, 2), ("int32", -3)),
    ("arithmetic shift", lambda: tf.bitwise.right_shift(-5, 1), ("int32", -3)),
]

REFUSED: list[tuple[str, Callable[[], Any], type[Exception], type[Exception]]] = [
    ("int + 1.5", lambda: i() + 1.5, INVALID, TypeError),
    ("1.5 + int", lambda: 1.5 + i(), TypeError, TypeError),
    ("int + float", lambda: i() + f(), INVALID, TypeError),
    ("int + int64", lambda: i() + tf.constant(2, tf.int64), INVALID, TypeError),
    ("int + string", lambda: i() + "a", INVALID, TypeError),
    ("string + 1", lambda: tf.constant("a") + 1, INVALID, TypeError),
    ("int + None", lambda: i() + None, ValueError, ValueError),
    ("bool + bool", lambda: tf.constant(True) + tf.constant(True), INVALID, TypeError),
    ("-bool", lambda: -tf.constant(True), INVALID, TypeError),
    ("-uint8", lambda: -u(), INVALID, TypeError),
    ("int * 1.0", lambda: i() * 1.0, TypeError, TypeError),
    ("int / 2.0", lambda: i() / 2.0, TypeError, TypeError),
    ("int ** 2.0", lambda: tf.pow(i(), 2.0), TypeError, TypeError),
    ("int == float", lambda: i() == f(), INVALID, TypeError),
    ("int == 1.5", lambda: i() == 1.5, TypeError, TypeError),
    ("bool == 1", lambda: tf.constant(True) == 1, TypeError, TypeError),
    ("equal to None", lambda: tf.equal(i(), None), ValueError, ValueError),
    ("equal of other shapes", lambda: tf.equal([1, 2], [1, 2, 3]), INVALID, ValueError),
    (
        "sum of other shapes",
        lambda: tf.constant([1, 2]) + tf.constant([1, 2, 3]),
        INVALID,
        ValueError,
    ),
    ("string < string", lambda: tf.constant("a") < "b", INVALID, TypeError),
    ("float & float", lambda: f() & f(), INVALID, TypeError),
    ("sqrt of int", lambda: tf.sqrt(4), INVALID, TypeError),
    ("floor of int", lambda: tf.floor([1]), INVALID, TypeError),
    ("logical and of 1", lambda: tf.logical_and(tf.constant(True), 1), TypeError, TypeError),
    ("int // 0", lambda: i() // 0, INVALID, INVALID),
    ("int % 0", lambda: i() % 0, INVALID, INVALID),
    ("int ** -1", lambda: tf.constant(2) ** -1, INVALID, INVALID),
    ("sum of nothing", lambda: tf.add_n([]), ValueError, ValueError),
    ("sum of shapes", lambda: tf.add_n([tf.zeros([2]), tf.zeros([3])]), INVALID, ValueError),
    ("clip to a float", lambda: tf.clip_by_value(i(), 0, 2.5), TypeError, TypeError),
]


def in_graph(expression: Callable[[], Any]) -> Any:
    return tf.function(expression, autograph=False)()


def outcome(result: Any) -> tuple[str, object]:
    return result.dtype.name, result.numpy().tolist()


@pytest.mark.parametrize("run", [lambda e: e(), in_graph], ids=["eager", "graph"])
@pytest.mark.parametrize(
    ("expression", "expected"), [a[1:] for a in ACCEPTED], ids=[a[0] for a in ACCEPTED]
)
def test_what_is_accepted(
    run: Callable[[Callable[[], Any]], Any],
    expression: Callable[[], Any],
    expected: tuple[str, object],
) -> None:
    assert outcome(run(expression)) == expected


@pytest.mark.parametrize(
    ("expression", "error"), [(r[1], r[2]) for r in REFUSED], ids=[r[0] for r in REFUSED]
)
def test_what_is_refused_eagerly(expression: Callable[[], Any], error: type[Exception]) -> None:
    with pytest.raises(error) as raised:
        expression()

    assert type(raised.value) is error


@pytest.mark.parametrize(
    ("expression", "error"), [(r[1], r[3]) for r in REFUSED], ids=[r[0] for r in REFUSED]
)
def test_what_is_refused_in_a_graph(expression: Callable[[], Any], error: type[Exception]) -> None:
    with pytest.raises(error) as raised:
        in_graph(expression)

    assert type(raised.value) is error


def test_a_mismatch_says_which_operand_has_which_dtype() -> None:
    with pytest.raises(INVALID) as eager:
        i() + f()
    with pytest.raises(TypeError) as graph:
        in_graph(lambda: i() + f())

    assert str(eager.value) == (
        "cannot compute AddV2 as input #1(zero-based) was expected to be a int32 tensor but is a"
        " float32 tensor [Op:AddV2]"
    )
    assert str(graph.value) == (
        "Input 'y' of 'AddV2' Op has type float32 that does not match type int32 of argument 'x'."
    )


def test_comparing_with_none_gives_a_python_bool() -> None:
    assert (i() == None) is False  # noqa: E711  # the operator is what is tested
    assert (i() != None) is True  # noqa: E711


def test_adding_strings_concatenates() -> None:
    assert (tf.constant(["a", "b"]) + "c").numpy().tolist() == [b"ac", b"bc"]
    assert ("c" + tf.constant("a")).numpy() == b"ca"


def test_arithmetic_on_a_shape_is_known_while_tracing() -> None:
    shapes = []

    @tf.function(input_signature=[tf.TensorSpec([None, 6])])
    def reshape(x: Any) -> Any:
        rows = tf.shape(x)[0] * 2
        columns = tf.shape(x)[1] // 2
        y = tf.reshape(x, [rows, columns])
        shapes.append(y.shape)
        return y

    reshape(tf.zeros([4, 6]))

    assert shapes == [tf.TensorShape([None, 3])]


def test_a_bias_on_an_unknown_batch_needs_no_dynamic_sum_in_its_gradient() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None, 3]), tf.TensorSpec([3])])
    def gradients(x: Any, b: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch([x, b])
            y = x + b
        return tape.gradient(y, [x, b])

    nodes = gradients.get_concrete_function().graph.as_graph_def().node

    assert "BroadcastGradientArgs" not in {n.op for n in nodes}
    dx, db = gradients(tf.ones([2, 3]), tf.ones([3]))
    assert (dx.shape, db.numpy().tolist()) == (tf.TensorShape([2, 3]), [2.0, 2.0, 2.0])


def test_a_gradient_through_unknown_broadcasting_is_summed_when_the_graph_runs() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None, None]), tf.TensorSpec([None, None])])
    def gradients(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            z = x * y
        return tape.gradient(z, [x, y])

    dx, dy = gradients(tf.ones([2, 1]), tf.ones([1, 3]))

    assert dx.numpy().tolist() == [[3.0], [3.0]]
    assert dy.numpy().tolist() == [[2.0, 2.0, 2.0]]
