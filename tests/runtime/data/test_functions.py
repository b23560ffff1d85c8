"""Datasets and iterators inside Functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tfcheck_runtime as tf

Dataset = tf.data.Dataset
Values = Callable[[Any], list[Any]]


def zero() -> Any:
    return tf.constant(0, tf.int64)


def test_a_loop_over_a_dataset_traces_its_body_once() -> None:
    shapes = []

    @tf.function
    def total(dataset: Any) -> Any:
        result = zero()
        for x in dataset:
            shapes.append(x.shape.as_list())
            result += tf.reduce_sum(x)
        return result

    assert int(total(Dataset.range(10).batch(4))) == 45
    assert shapes == [[None]]


def test_there_is_one_trace_for_each_type_of_elements() -> None:
    @tf.function
    def total(dataset: Any) -> Any:
        return dataset.reduce(zero(), lambda a, x: a + tf.reduce_sum(x))

    totals = [
        int(total(d)) for d in (Dataset.range(3), Dataset.range(4), Dataset.range(4).batch(2))
    ]

    assert (totals, total.experimental_get_tracing_count()) == ([3, 6, 6], 2)


def test_reduce_retracing_generalizes_the_type_of_elements() -> None:
    @tf.function(reduce_retracing=True)
    def total(dataset: Any) -> Any:
        return dataset.reduce(zero(), lambda a, x: a + tf.reduce_sum(x))

    for size in (2, 3, 4, 5):
        total(Dataset.range(size).batch(size, drop_remainder=True))

    assert total.experimental_get_tracing_count() == 2


def test_break_and_continue_work_in_loops_over_datasets() -> None:
    @tf.function
    def total(dataset: Any) -> Any:
        result = zero()
        for x in dataset:
            if x == 1:
                continue
            if x == 4:
                break
            result += x
        return result

    assert int(total(Dataset.range(10))) == 5


def test_a_variable_of_the_loop_may_change_its_shape() -> None:
    @tf.function
    def collected(dataset: Any) -> Any:
        result = tf.zeros([0], tf.int64)
        for x in dataset:
            result = tf.concat([result, [x]], 0)
        return result

    assert collected(Dataset.range(4)).numpy().tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("start", "error", "message"),
    [
        (None, ValueError, "'result' is not allowed to be None before the loop"),
        (0, TypeError, "'result' has dtype int32 before the loop, but dtype int64 after one"),
    ],
)
def test_a_variable_of_the_loop_keeps_its_type(
    start: object, error: type[Exception], message: str
) -> None:
    @tf.function
    def last(dataset: Any) -> Any:
        result = start
        for x in dataset:
            result = x
        return result

    with pytest.raises(error, match=message):
        last(Dataset.range(3))


def test_a_variable_of_the_loop_needs_a_value_before_it() -> None:
    @tf.function
    def last(dataset: Any) -> Any:
        for x in dataset:
            result = x
        return result

    with pytest.raises(ValueError, match="'result' must be defined before the loop"):
        last(Dataset.range(3))


def test_a_loop_over_a_dataset_cannot_return() -> None:
    @tf.function
    def first(dataset: Any) -> Any:
        for x in dataset:
            return x
        return zero()

    with pytest.raises(NotImplementedError, match="return-in-tensor-loop"):
        first(Dataset.range(3))


def test_python_builtins_know_datasets() -> None:
    @tf.function
    def builtins(dataset: Any) -> Any:
        weighted = zero()
        for i, (a, b) in enumerate(zip(dataset, dataset.skip(1), strict=False), 10):
            weighted += i * a * b
        large = map(lambda x: x > 3, dataset)  # noqa: C417  # the builtin is what is tested
        return weighted, len(dataset), any(large), all(large)

    assert [t.numpy().item() for t in builtins(Dataset.range(5))] == [250, 5, True, False]


def test_an_iterator_goes_on_where_the_last_call_stopped() -> None:
    @tf.function
    def two(iterator: Any) -> Any:
        return next(iterator) * 10 + iterator.get_next()

    iterator = iter(Dataset.range(5))

    assert [int(two(iterator)), int(two(iterator)), int(next(iterator))] == [1, 23, 4]
    assert two.experimental_get_tracing_count() == 1
    with pytest.raises(tf.errors.OutOfRangeError, match=r"^End of sequence"):
        two(iterator)


def test_a_loop_over_an_iterator_takes_no_element_too_many() -> None:
    @tf.function
    def until_two(iterator: Any) -> Any:
        result = zero()
        for x in iterator:
            result += x
            if x >= 2:
                break
        return result

    iterator = iter(Dataset.range(5))

    assert [int(until_two(iterator)), int(next(iterator)), int(until_two(iterator))] == [3, 3, 4]


def test_datasets_can_be_made_of_tensors_of_the_graph(values: Values) -> None:
    @tf.function
    def multiples(n: Any) -> Any:
        return Dataset.range(5).map(lambda x: x * n).filter(lambda x: x > n).batch(2)

    made = multiples(tf.constant(3, tf.int64))

    assert values(made) == [[6, 9], [12]]
    assert made.element_spec == tf.TensorSpec([None], tf.int64)


def test_branches_may_choose_a_dataset() -> None:
    @tf.function
    def total(dataset: Any, some: Any) -> Any:
        if some:
            part = dataset.take(2)
        else:
            part = dataset.skip(2)
        return part.reduce(zero(), lambda a, x: a + x)

    assert [int(total(Dataset.range(4), tf.constant(flag))) for flag in (True, False)] == [1, 5]


def test_effects_of_pipeline_and_loop_alternate() -> None:
    counter = tf.Variable(0, dtype=tf.int64)

    def counted(x: Any) -> Any:
        counter.assign_add(1)
        return x + counter

    dataset = Dataset.range(3).map(counted)

    @tf.function
    def total() -> Any:
        result = zero()
        for x in dataset:
            counter.assign_add(100)
            result += x
        return result

    assert (int(total()), int(counter)) == (0 + 1 + 1 + 102 + 2 + 203, 303)


def test_an_input_signature_names_the_elements_of_a_dataset() -> None:
    spec = tf.data.DatasetSpec(tf.TensorSpec([], tf.int64))

    @tf.function(input_signature=[spec])
    def total(dataset: Any) -> Any:
        return dataset.reduce(zero(), lambda a, x: a + x)

    assert int(total(Dataset.range(4))) == 6
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match=r"Incompatible shapes at component 0: expected \[\] but got \[2\]",
    ):
        total(Dataset.range(2).batch(2))


def test_functions_of_the_user_inside_a_pipeline_are_traced_once(values: Values) -> None:
    @tf.function
    def next_number(x: Any) -> Any:
        return x + 1

    assert values(Dataset.range(3).map(next_number)) == [1, 2, 3]
    assert next_number.experimental_get_tracing_count() == 1


def test_a_python_loop_that_autograph_does_not_see_is_refused() -> None:
    @tf.function(autograph=False)
    def total(dataset: Any) -> Any:
        return sum(dataset)

    with pytest.raises(TypeError, match="a Python loop over a dataset never ends"):
        total(Dataset.range(3))


def test_an_iterator_of_a_graph_does_not_leave_it() -> None:
    kept = []

    @tf.function
    def keeping() -> Any:
        kept.append(iter(Dataset.range(3)))
        return next(kept[0])

    keeping()

    with pytest.raises(TypeError, match="was made while a function was traced"):
        next(kept[0])


def test_optional_elements_may_be_missing() -> None:
    iterator = iter(Dataset.range(1))

    @tf.function
    def following(iterator: Any) -> Any:
        element = iterator.get_next_as_optional()
        return element.get_value() if element.has_value() else tf.constant(-1, tf.int64)

    assert [int(following(iterator)), int(following(iterator))] == [0, -1]


def test_an_optional_of_unknown_type_learns_it_later() -> None:
    def made(present: bool) -> Any:
        optional = tf.experimental.Optional.empty(None)
        filled = tf.experimental.Optional.from_value((tf.constant(1), {"a": tf.constant(2.0)}))
        optional._element_spec = filled.element_spec
        return tf.cond(tf.constant(present), lambda: filled, lambda: optional)

    @tf.function
    def value() -> Any:
        return made(True).get_value()

    number, named = value()
    missing = tf.function(made)(False)

    assert (number.numpy(), named["a"].numpy()) == (1, 2.0)
    assert not missing.has_value()
    with pytest.raises(ValueError, match="the type of its value is not known"):
        tf.experimental.Optional.empty(None).get_value()


def test_optionals_are_told_apart_by_the_type_of_their_value() -> None:
    traces: list[str] = []

    @tf.function
    def has(optional: Any) -> Any:
        traces.append(repr(optional.element_spec))
        return optional.has_value()

    one = tf.experimental.Optional.from_value(1)
    answers = [has(one), has(tf.experimental.Optional.empty(None)), has(one)]

    assert [bool(answer) for answer in answers] == [True, False, True]
    assert traces == ["TensorSpec(shape=(), dtype=tf.int32, name=None)", "None"]
    assert tf.OptionalSpec(tf.TensorSpec([], tf.int32)).is_compatible_with(one)
    assert repr(tf.OptionalSpec(None)) == "OptionalSpec(None,)"


def test_a_generator_may_yield_optionals_and_ragged_tensors() -> None:
    nothing = tf.experimental.Optional.empty(None)
    rows = tf.ragged.constant([[1], [2, 3]])
    signature = (tf.OptionalSpec(None), tf.RaggedTensorSpec([2, None], tf.int32))

    dataset = tf.data.Dataset.from_generator(lambda: [(nothing, rows)], output_signature=signature)

    [(optional, ragged)] = dataset
    assert not optional.has_value()
    assert ragged.to_list() == [[1], [2, 3]]
    wrong = tf.data.Dataset.from_generator(lambda: [(rows, rows)], output_signature=signature)
    with pytest.raises(tf.errors.InvalidArgumentError, match="element of type OptionalSpec"):
        list(wrong)
