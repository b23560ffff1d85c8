"""How calls bind to signatures, and what is said when they do not."""

from __future__ import annotations

from typing import Any

import pytest

from tfcheck_runtime.api import root as tf

VECTOR = tf.TensorSpec([None], tf.float32)


def message(call: Any, *args: Any, **kwargs: Any) -> str:
    """The text of the TypeError that a call raises."""
    with pytest.raises(TypeError) as caught:
        call(*args, **kwargs)
    return str(caught.value)


@tf.function(input_signature=[VECTOR])
def scaled(x: Any, y: Any = 3) -> Any:
    return x * y


def test_python_data_is_cast_to_the_input_signature() -> None:
    results = [scaled([1.0, 2.0]), scaled([1, 2]), scaled(tf.constant([1.0]), 3)]

    assert [r.numpy().tolist() for r in results] == [[3.0, 6.0], [3.0, 6.0], [3.0]]
    assert scaled.experimental_get_tracing_count() == 1


def test_a_tensor_of_another_rank_is_refused() -> None:
    argument = tf.constant([[1.0]])

    assert message(scaled, argument) == (
        "Binding inputs to tf.function failed due to `Can not cast TensorSpec(shape=(1, 1),"
        " dtype=tf.float32, name=None) to TensorSpec(shape=(None,), dtype=tf.float32, name=None)`."
        f" Received args: ({argument!r},) and kwargs: {{}} for signature: (x:"
        " TensorSpec(shape=(None,), dtype=tf.float32, name=None), y: Literal[3] ="
        " <captured_default_value>)."
    )


def test_a_tensor_of_another_dtype_is_refused() -> None:
    text = message(scaled, tf.constant([1]))

    assert "Can not cast TensorSpec(shape=(1,), dtype=tf.int32, name=None)" in text


def test_a_default_can_only_have_its_value() -> None:
    assert "failed due to `Can not cast 4 to Literal[3]`" in message(scaled, [1.0], 4)


def test_missing_and_surplus_arguments_are_named() -> None:
    assert "`missing a required argument: 'x'`" in message(scaled)
    assert "`too many positional arguments`" in message(scaled, 1, 2, 3)


def test_the_python_signature_is_shown_without_types() -> None:
    @tf.function
    def f(x: Any, y: Any = 1, *a: Any, k: Any = 2, **kw: Any) -> Any:
        return x

    assert message(f) == (
        "Binding inputs to tf.function failed due to `missing a required argument: 'x'`. Received"
        " args: () and kwargs: {} for signature: (x, y=<captured_default_value>, *a,"
        " k=<captured_default_value>, **kw)."
    )


@pytest.mark.parametrize(
    ("signature", "text"),
    [
        ([VECTOR], "input_signature missing type constraint for y"),
        ([VECTOR] * 3, "input_signature contains 1 extra type constraints."),
        (
            [3],
            "input_signature must be a possibly nested sequence of TensorSpec objects, got invalid"
            " args [3] with types [<class 'int'>].",
        ),
        (
            VECTOR,
            "input_signature must be either a tuple or a list, got"
            " <class 'tfcheck_runtime.specs.tensor_spec.TensorSpec'>.",
        ),
    ],
)
def test_input_signatures_that_do_not_fit_are_refused(signature: Any, text: str) -> None:
    assert message(tf.function(input_signature=signature), lambda x, y: x) == text


def test_nested_specs_match_nested_arguments() -> None:
    spec = {"a": VECTOR, "b": tf.TensorSpec([], tf.int32)}

    @tf.function(input_signature=[spec])
    def f(d: Any) -> Any:
        return d["a"], d["b"]

    values, number = f({"b": 2, "a": [1.0]})

    assert (values.numpy().tolist(), int(number)) == ([1.0], 2)
    assert "has different keys with the TraceType Dict[['a'" in message(f, {"a": [1.0]})
    assert "`Can not cast [1.0, 2] to a Dict type.`" in message(f, [1.0, 2])


def test_a_signature_gives_the_same_concrete_function_for_all_specs() -> None:
    @tf.function(input_signature=[VECTOR])
    def f(x: Any) -> Any:
        return x

    whole = f.get_concrete_function()

    assert f.get_concrete_function(tf.constant([1.0])) is whole
    assert f.get_concrete_function(tf.TensorSpec([3])) is whole
    assert "Can not cast" in message(f.get_concrete_function, tf.constant(1))


class Scaler:
    """Has methods with input signatures."""

    def __init__(self, factor: float) -> None:
        self.factor = factor

    @tf.function(input_signature=[VECTOR])
    def scale(self, x: Any) -> Any:
        return x * self.factor

    @tf.function(input_signature=[])
    def get(self) -> Any:
        return tf.constant(self.factor)


def test_the_signature_of_a_method_leaves_self_out() -> None:
    double, triple = Scaler(2.0), Scaler(3.0)

    assert double.scale([1.0]).numpy().tolist() == [2.0]
    assert triple.scale([1.0, 2.0]).numpy().tolist() == [3.0, 6.0]
    assert triple.get().numpy() == 3.0
    assert double.scale.get_concrete_function().structured_input_signature == (
        (tf.TensorSpec([None], tf.float32, name="x"),),
        {},
    )
    assert "Can not cast TensorSpec(shape=()" in message(double.scale, 1.0)


def test_a_method_taken_from_its_class_gets_the_instance() -> None:
    assert Scaler.scale(Scaler(2.0), [1.0]).numpy().tolist() == [2.0]


def test_specs_say_how_many_values_a_star_takes() -> None:
    f = tf.function(lambda *values: values[0], input_signature=[tf.TensorSpec([])] * 2)

    spec = "TensorSpec(shape=(), dtype=tf.float32, name=None)"
    assert f(1.0, 2.0).numpy() == 1.0
    assert message(f, 1.0) == (
        "Binding inputs to tf.function failed due to `missing a required argument: 'values_1'`."
        f" Received args: (1.0,) and kwargs: {{}} for signature: (values_0: {spec},"
        f" values_1: {spec}, /)."
    )


def test_other_keywords_than_the_signatures_are_refused() -> None:
    f = tf.function(lambda x, **others: x, input_signature=[VECTOR])

    assert "`got an unexpected keyword argument 'y'`" in message(f, [1.0], y=2)


def test_a_list_is_not_a_tuple() -> None:
    pair = [tf.TensorSpec([])] * 2
    of_list = tf.function(lambda x: x[0], input_signature=[pair])
    of_tuple = tf.function(lambda x: x[0], input_signature=[tuple(pair)])

    assert (of_list([1.0, 2.0]).numpy(), of_tuple((1.0, 2.0)).numpy()) == (1.0, 1.0)
    assert "`Can not cast (1.0, 2.0) to list type.`" in message(of_list, (1.0, 2.0))
    assert "`Can not cast [1.0, 2.0] to tuple type.`" in message(of_tuple, [1.0, 2.0])


def test_keyword_only_parameters_of_a_trace_stand_behind_a_star() -> None:
    f = tf.function(lambda x, *, k=2: x * k)

    text = f.get_concrete_function(tf.TensorSpec([])).pretty_printed_signature(verbose=False)

    spec = "TensorSpec(shape=(), dtype=tf.float32, name=None)"
    assert text == f"(x: {spec}, *, k: Literal[2]) -> {spec}"
