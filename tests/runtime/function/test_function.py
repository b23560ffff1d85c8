"""Which calls of a Function trace, and which trace serves them."""

from __future__ import annotations

import collections
import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tfcheck_runtime.api import root as tf
from tfcheck_runtime.function.function import run_functions_eagerly

Point = collections.namedtuple("Point", "x y")


def traced(**options: Any) -> tuple[Callable[..., Any], list[Any]]:
    """A Function that notes the arguments it is traced with, and returns a constant."""
    log: list[Any] = []

    @tf.function(**options)
    def f(*args: Any, **kwargs: Any) -> Any:
        log.append((args, kwargs))
        return tf.constant(0)

    return f, log


def count(calls: list[tuple[Any, ...]], **options: Any) -> int:
    """How many traces a sequence of calls makes."""
    f, log = traced(**options)
    for args in calls:
        f(*args)
    return len(log)


class Equal:
    """Instances with the same key are equal."""

    def __init__(self, key: int) -> None:
        self.key = key

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Equal) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


def test_tensors_of_the_same_dtype_and_shape_share_a_trace() -> None:
    assert count([(tf.constant([1.0]),), (tf.constant([2.0]),), (tf.constant([3]),)]) == 2


def test_python_values_trace_once_per_value() -> None:
    assert count([(3,), (4,), (3,), (4,)]) == 2


def test_one_and_one_point_zero_and_true_share_a_trace() -> None:
    assert count([(1,), (1.0,), (True,)]) == 1


def test_nan_is_equal_to_nan() -> None:
    assert count([(float("nan"),), (float("nan"),)]) == 1


def test_numpy_arrays_and_scalars_count_as_tensors() -> None:
    calls = [(np.zeros(2),), (np.ones(2),), (tf.zeros(2, tf.float64),), (np.float32(1),)]

    assert count(calls) == 2


def test_the_order_of_dict_keys_does_not_matter() -> None:
    assert count([({"a": 1, "b": 2},), ({"b": 2, "a": 1},)]) == 1


def test_lists_and_tuples_and_named_tuples_differ() -> None:
    assert count([([1, 2],), ((1, 2),), (Point(1, 2),), (Point(1, 2),)]) == 3


def test_the_same_object_and_an_equal_one_share_a_trace() -> None:
    kept = Equal(1)

    assert count([(kept,), (kept,), (Equal(1),)]) == 1


def test_an_object_that_is_gone_traces_again() -> None:
    f = tf.function(lambda _: tf.constant(0))
    for _ in range(3):
        f(Equal(1))
        gc.collect()

    assert f.experimental_get_tracing_count() == 3


def test_another_variable_in_the_same_place_reuses_the_trace() -> None:
    a, b, c = (tf.Variable(float(i)) for i in range(3))

    assert count([(a, b), (b, c), (a, a), (c, c)]) == 2


def test_keyword_arguments_are_matched_by_parameter() -> None:
    log: list[Any] = []

    @tf.function
    def f(x: Any, y: Any = 2, *, z: Any = None) -> Any:
        log.append((x, y, z))
        return y

    results = [f(1), f(x=1), f(1, 2), f(y=2, x=1), f(1, z=None)]

    assert [int(r) for r in results] == [2, 2, 2, 2, 2]
    assert len(log) == 1


def test_tensors_passed_by_keyword_reach_their_parameter_again_and_again() -> None:
    @tf.function
    def f(x: Any, y: Any) -> Any:
        return x - y

    results = [float(f(y=tf.constant(1.0), x=tf.constant(i))) for i in (5.0, 6.0, 7.0)]

    assert results == [4.0, 5.0, 6.0]


def test_the_most_specific_trace_serves_a_call() -> None:
    log: list[Any] = []

    @tf.function
    def f(x: Any) -> Any:
        log.append(x.shape.as_list())
        return x

    narrow = f.get_concrete_function(tf.TensorSpec([1, None]))
    wide = f.get_concrete_function(tf.TensorSpec([None, None]))

    assert f.get_concrete_function(tf.zeros([1, 2])) is narrow
    assert f.get_concrete_function(tf.zeros([3, 2])) is wide
    assert log == [[1, None], [None, None]]


@pytest.mark.parametrize(
    ("shapes", "expected"),
    [
        ([[1], [2], [3], [4]], [[1], [None]]),
        ([[1, 5], [2, 5], [2, 6], [9, 9]], [[1, 5], [None, 5], [None, None]]),
        ([[1, 2], [1, 1, 1], [4]], [[1, 2], None]),
    ],
)
def test_reduce_retracing_widens_what_varies(shapes: list[list[int]], expected: object) -> None:
    f, log = traced(reduce_retracing=True)
    for shape in shapes:
        f(tf.zeros(shape))

    found = [args[0].shape for args, _ in log]
    assert [None if s.rank is None else s.as_list() for s in found] == expected


def test_reduce_retracing_leaves_python_values_alone() -> None:
    calls = [(i, tf.zeros([i])) for i in (1, 2, 3)]

    assert count(calls, reduce_retracing=True) == 3


def test_nested_functions_are_traced_once_and_become_calls() -> None:
    log: list[str] = []

    @tf.function
    def inner(x: Any) -> Any:
        log.append("inner")
        return x * 2.0

    @tf.function
    def outer(x: Any) -> Any:
        log.append("outer")
        return inner(x) + inner(x + 1.0)

    result = outer(tf.constant(1.0))
    graph = outer.get_concrete_function(tf.constant(1.0)).graph

    assert float(result) == 6.0
    assert log == ["outer", "inner"]
    assert [n.op for n in graph.as_graph_def().node] == [
        "Placeholder", "PartitionedCall", "Const", "AddV2", "PartitionedCall", "AddV2", "Identity",
    ]  # fmt: skip


def test_each_instance_has_its_own_traces_of_a_method() -> None:
    class Model:
        def __init__(self, scale: float) -> None:
            self.scale = scale

        @tf.function
        def apply(self, x: Any) -> Any:
            return x * self.scale

    one, two = Model(1.0), Model(2.0)
    results = [float(m.apply(tf.constant(3.0))) for m in (one, two, one)]

    assert results == [3.0, 6.0, 3.0]
    assert one.apply is one.apply
    assert [m.apply.experimental_get_tracing_count() for m in (one, two)] == [1, 1]


def test_a_method_does_not_keep_its_instance_alive() -> None:
    class Model:
        @tf.function
        def apply(self, x: Any) -> Any:
            return x

    model = Model()
    model.apply(tf.constant(1.0))
    reference = weakref.ref(model)
    del model
    gc.collect()

    assert reference() is None


def test_recursion_over_a_python_number_ends() -> None:
    @tf.function(autograph=False)
    def f(n: Any) -> Any:
        return f(n - 1) if n > 0 else tf.constant(1)

    assert int(f(3)) == 1
    assert f.experimental_get_tracing_count() == 4


def test_endless_recursion_is_noticed_at_once() -> None:
    @tf.function(autograph=False)
    def f(n: Any) -> Any:
        return f(n)

    with pytest.raises(
        RecursionError, match=r"`f` calls itself while it is traced .*\[recursion\]"
    ):
        f(tf.constant(5))


def test_functions_can_run_as_plain_python() -> None:
    f, log = traced()
    run_functions_eagerly(True)
    try:
        f(1)
        f(1)
    finally:
        run_functions_eagerly(False)

    assert len(log) == 2
    assert f.experimental_get_tracing_count() == 0


@pytest.mark.parametrize(
    "decorate", [tf.function, tf.function(), tf.function(autograph=True, reduce_retracing=True)]
)
def test_all_spellings_of_the_decorator_work(decorate: Callable[..., Any]) -> None:
    @decorate
    def f(x: Any) -> Any:
        """Adds one."""
        return x + 1

    assert int(f(tf.constant(1))) == 2
    assert (f.__name__, f.__doc__) == ("f", "Adds one.")


def test_what_is_not_callable_is_refused() -> None:
    with pytest.raises(TypeError, match=r"^3 is not a callable object$"):
        tf.function(3)


def test_deprecated_arguments_warn_and_work(caplog: pytest.LogCaptureFixture) -> None:
    f, log = traced(experimental_relax_shapes=True)
    for size in (1, 2, 3):
        f(tf.zeros([size]))

    assert len(log) == 2
    assert [r.getMessage() for r in caplog.records] == [
        "tf.function: the argument experimental_relax_shapes is deprecated: use reduce_retracing"
        " instead"
    ]


def test_outputs_keep_their_structure() -> None:
    @tf.function
    def f(x: Any) -> Any:
        return {"b": x, "a": (x + 1, None, [3, "s"])}, Point(1.5, None)

    first, second = f(tf.constant(1))

    assert (int(first["b"]), int(first["a"][0]), first["a"][1]) == (1, 2, None)
    assert [t.numpy() for t in first["a"][2]] == [3, b"s"]
    assert (float(second.x), second.y) == (1.5, None)


def test_a_return_value_that_is_no_tensor_is_refused() -> None:
    @tf.function
    def f() -> Any:
        return object()

    with pytest.raises(
        TypeError, match=r"found return value of type object, which is not a Tensor"
    ):
        f()


def test_an_array_changed_later_does_not_change_the_result() -> None:
    @tf.function
    def f(x: Any) -> Any:
        return x

    array = np.array([1.0, 2.0])
    results = []
    for _ in range(2):
        results.append(f(array))
        array[0] += 1.0

    assert [r.numpy().tolist() for r in results] == [[1.0, 2.0], [2.0, 2.0]]
    assert array.tolist() == [3.0, 2.0]


def test_a_closure_over_a_graph_tensor_cannot_be_called_from_outside() -> None:
    kept: list[Any] = []

    @tf.function
    def outer(x: Any) -> Any:
        @tf.function
        def inner(y: Any) -> Any:
            return x + y

        kept.append(inner)
        return inner(x)

    assert int(outer(tf.constant(2))) == 4
    with pytest.raises(TypeError, match=r"out of scope.*\[tensor-leak\]"):
        kept[0](tf.constant(1))


def test_state_is_seen_by_later_calls() -> None:
    v = tf.Variable(1.0)

    @tf.function
    def f(x: Any) -> Any:
        v.assign_add(x)
        return v.read_value()

    assert [float(f(tf.constant(2.0))) for _ in range(3)] == [3.0, 5.0, 7.0]
    assert float(v.numpy()) == 7.0


def test_a_variable_argument_is_changed_in_place() -> None:
    @tf.function
    def f(v: Any, w: Any) -> Any:
        v.assign_add(1.0)
        return v + w

    v, w = tf.Variable(1.0), tf.Variable(10.0)

    assert [float(f(v, w)), float(f(v, v)), float(f(v, w))] == [12.0, 6.0, 14.0]


def test_named_tuples_of_one_name_and_fields_share_a_trace() -> None:
    again = collections.namedtuple("Point", "x y")
    other = collections.namedtuple("Other", "x y")

    @tf.function
    def total(p):
        return p.x + p.y

    results = [total(kind(1, 2)).numpy() for kind in (Point, again, other)]

    assert (results, total.experimental_get_tracing_count()) == ([3, 3, 3], 2)
