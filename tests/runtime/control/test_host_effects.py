"""`tf.print`, assertions and Python functions; outcomes recorded from TensorFlow 2.21."""

import collections
import sys

import numpy as np
import pytest

import tfcheck_runtime as tf
from tfcheck_runtime.ops.control.asserting import assert_
from tfcheck_runtime.ops.control.debugging import (
    assert_equal,
    assert_greater,
    assert_integer,
    assert_near,
    assert_non_negative,
    assert_positive,
    assert_type,
)
from tfcheck_runtime.ops.control.debugging_shapes import (
    assert_rank,
    assert_rank_in,
    assert_scalar,
    assert_shapes,
)
from tfcheck_runtime.ops.control.numerics import (
    check_numerics,
    disable_check_numerics,
    enable_check_numerics,
)
from tfcheck_runtime.ops.control.printing import print_
from tfcheck_runtime.ops.control.python_function import numpy_function, py_function

C = tf.constant
Point = collections.namedtuple("Point", "x y")


@pytest.mark.parametrize("in_graph", [False, True])
@pytest.mark.parametrize(
    ("values", "options", "expected"),
    [
        (("a", 1, 2.5, True, None), {}, "a 1 2.5 True None\n"),
        ((C(1), C(2.5), C(True), C("s"), C([1, 2])), {}, '1 2.5 1 "s" [1 2]\n'),
        ((C([1.0, 0.1, 1e10, 12345678.0, 123456789.0, 1 / 3]),), {},
         "[1 0.1 1e+10 12345678 123456792 0.333333343]\n"),
        ((C([1.0, 1e10, 1 / 3], tf.float64),), {}, "[1 10000000000 0.33333333333333331]\n"),
        ((C(-0.0), C(3.4028235e38), C(100000.0), C(1e6), C(1e-5)), {},
         "-0 3.40282347e+38 100000 1e+06 1e-05\n"),
        ((tf.range(10),), {}, "[0 1 2 ... 7 8 9]\n"),
        ((tf.range(6),), {}, "[0 1 2 3 4 5]\n"),
        ((tf.range(100),), {"summarize": 2}, "[0 1 ... 98 99]\n"),
        ((tf.range(8),), {"summarize": -1}, "[0 1 2 3 4 5 6 7]\n"),
        ((tf.reshape(tf.range(8), [2, 2, 2]),), {},
         "[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]\n"),
        ((C(["a", "b c"]), C("q'\"")), {}, '["a" "b c"] "q\\\'\\""\n'),
        ((["x", 1, C(2)], ("a", C("b")), {"k": C([1]), "b": "str"}), {},
         "['x', 1, 2] ('a', \"b\") {'b': 'str', 'k': [1]}\n"),
        ((Point(C(1), "a"),), {}, "Point(x=1, y='a')\n"),
        ((np.array([1.0, 2.0]), [[], [C(1)]], b"bytes"), {},
         "array([1., 2.]) [[], [1]] b'bytes'\n"),
        (("a", "b"), {"sep": "-", "end": "!"}, "a-b!"),
        ((), {}, "\n"),
        (("%s {} {0}", C("{}")), {}, '%s {} {0} "{}"\n'),
    ],
)  # fmt: skip
def test_print_shows_values_as_tensorflow_does(values, options, expected, in_graph, tmp_path):
    path = tmp_path / "out"

    def show():
        print_(*values, output_stream=f"file://{path}", **options)
        return 1

    (tf.function(show) if in_graph else show)()

    assert path.read_text() == expected


def test_print_runs_each_time_and_in_program_order(capsys):
    v = tf.Variable(0)

    @tf.function
    def step(x):
        print_("before", v, output_stream=sys.stdout)
        v.assign_add(x)
        print_("after", v, output_stream=sys.stdout)

    step(C(1))
    step(C(2))

    assert capsys.readouterr().out == "before 0\nafter 1\nbefore 1\nafter 3\n"


def test_print_goes_to_stderr_by_default(capsys):
    print_("x", C(1))

    assert capsys.readouterr() == ("", "x 1\n")


def test_print_refuses_what_it_does_not_know():
    with pytest.raises(ValueError, match=r"Unsupported output stream, logging level, or file.nope"):
        print_("x", output_stream="nope")
    with pytest.raises(ValueError, match=r"Unrecognized keyword arguments for tf.print"):
        print_("x", colour="red")


def test_an_assertion_in_a_graph_fails_when_it_runs_and_keeps_back_what_waits_for_it():
    v = tf.Variable(0)

    @tf.function
    def step(x):
        v.assign_add(1)
        assert_(x > 0, ["must be positive", x])
        v.assign_add(10)

    step(C(1))
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        step(C(-1))

    assert "assertion failed: [must be positive] [-1]" in str(caught.value)
    assert v.numpy() == 22


@pytest.mark.parametrize(
    ("check", "kind", "message"),
    [
        (lambda: assert_equal(C([1, 2]), [1, 3]), tf.errors.InvalidArgumentError,
         "Condition x == y did not hold.\nIndices of first 1 different values:\n[[1]]\n"
         "Corresponding x values:\n[2]\nCorresponding y values:\n[3]\nFirst 2 elements of x:\n"
         "[1 2]\nFirst 2 elements of y:\n[1 3]"),
        (lambda: assert_greater(C([2.0, 5.0]), 2.0, message="m"), tf.errors.InvalidArgumentError,
         "m\nCondition x > y did not hold.\nFirst 2 elements of x:\n[2. 5.]\n"
         "First 1 elements of y:\n[2.]"),
        (lambda: assert_positive(C([-1, 2]), message="m"), tf.errors.InvalidArgumentError,
         "m.  \nCondition x > 0 did not hold element-wise:\nx (shape=(2,) dtype=int32) = \n"
         "['-1', '2']"),
        (lambda: assert_rank(C([1.0]), 2, message="m"), ValueError,
         "m.  Tensor  must have rank 2.  Received rank 1, shape (1,)"),
        (lambda: assert_rank_in(C([1.0]), [0, 2]), ValueError,
         "Tensor  must have rank in (0, 2).  Received rank 1, shape (1,)"),
        (lambda: assert_scalar(C([1.0])), ValueError, "Expected scalar shape, saw shape: (1,)."),
        (lambda: assert_type(C([1.0]), tf.int32), TypeError,
         "tensor must be of type tf.int32; got tf.float32"),
        (lambda: assert_shapes([(C([1.0, 2.0]), ("N",)), (C([[1.0]]), ("N", "M"))]), ValueError,
         "Specified by tensor shape=(2,) dtype=float32 dimension 0.  Tensor shape=(1, 1)"
         " dtype=float32 dimension 0 must have size 2.  Received size 1, shape (1, 1)"),
    ],
)  # fmt: skip
def test_eager_assertions(check, kind, message):
    with pytest.raises(kind) as caught:
        check()

    assert str(caught.value) == message


def test_assertions_that_hold_say_nothing():
    assert_equal(C([1, 2]), [1, 2])
    assert_near(C([1.0, 2.0]), C([1.0, 2.00001]), rtol=1e-3)
    assert_non_negative(C([0.0]))
    assert_integer(C(1))
    assert_shapes([(C([1.0, 2.0]), ("N",)), (C([[1.0], [2.0]]), ("N", None))])


def test_an_assertion_on_values_known_while_tracing_fails_there():
    traced = []

    @tf.function
    def check():
        assert_equal(C(1), 2, message="static")
        traced.append(1)

    with pytest.raises(tf.errors.InvalidArgumentError, match="static\nCondition x == y"):
        check()
    assert traced == []


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "graph"])
def test_python_functions_get_tensors_and_numpy_functions_get_arrays(wrap):
    def double(a):
        return a.numpy() * 2

    def name(a):
        return a, type(a).__name__

    def run(x):
        return (
            py_function(double, [x], tf.float32),
            numpy_function(name, [x], [tf.float32, tf.string]),
        )

    doubled, (same, kind) = wrap(run)(C([1.0, 2.0]))

    assert doubled.numpy().tolist() == [2.0, 4.0]
    assert (same.numpy().tolist(), kind.numpy()) == ([1.0, 2.0], b"ndarray")


def test_errors_of_python_functions_become_op_errors_in_graphs():
    def fails(a):
        return {}["k"]

    def wrong(a):
        return "x"

    with pytest.raises(tf.errors.UnknownError, match="KeyError"):
        tf.function(lambda x: py_function(fails, [x], tf.float32))(C(1.0))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot convert 'x'"):
        tf.function(lambda x: py_function(wrong, [x], tf.float32))(C(1.0))
    with pytest.raises(KeyError):
        numpy_function(fails, [C(1.0)], tf.float32)


def test_the_shape_of_a_python_function_is_unknown():
    @tf.function
    def run(x):
        return py_function(lambda a: a, [x], tf.float32)

    assert run.get_concrete_function(C([1.0])).output_shapes.rank is None


def test_check_numerics_names_what_it_found():
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        check_numerics(C([1.0, float("nan"), float("inf")]), "found it")

    assert str(caught.value) == "found it : Tensor had Inf and NaN values"
    assert check_numerics(C([1.0]), "fine").numpy().tolist() == [1.0]


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "graph"])
def test_every_op_is_checked_while_the_switch_is_on(wrap):
    def divide(x):
        return x / 0.0

    enable_check_numerics()
    try:
        with pytest.raises(tf.errors.InvalidArgumentError, match="Infinity or NaN in output 0"):
            wrap(divide)(C(1.0))
    finally:
        disable_check_numerics()

    assert np.isinf(divide(C(1.0)).numpy())
