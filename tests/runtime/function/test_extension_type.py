"""Extension types: typed immutable objects as arguments, results and loop variables."""

import typing
from typing import Any

import pytest

import tfcheck_runtime as tf


class Masked(tf.experimental.ExtensionType):  # type: ignore[misc]  # looked up when used
    """Values of which some do not count."""

    values: tf.Tensor
    mask: tf.Tensor

    def __validate__(self) -> None:
        self.values.shape.assert_is_compatible_with(self.mask.shape)


class Scaled(tf.experimental.ExtensionType):  # type: ignore[misc]
    """A tensor with Python data beside it."""

    x: tf.Tensor
    factor: float = 2.0
    label: typing.Optional[str] = None  # noqa: UP045  # as users write it
    sizes: tuple[int, ...] = (1, 2)
    more: typing.Mapping[str, tf.Tensor] = {}


class Counted(tf.experimental.ExtensionType):  # type: ignore[misc]
    """Has a constructor of its own."""

    items: tf.Tensor
    count: int

    def __init__(self, count: int) -> None:
        self.items = tf.range(count)
        self.count = count


def masked() -> Any:
    return Masked([1.0, 2.0], [True, False])


def test_fields_are_converted_and_shown() -> None:
    made = Scaled([1.0], label="a", sizes=[3], more={"k": [2]})

    assert (made.x.dtype, made.factor, made.label, made.sizes) == (tf.float32, 2.0, "a", (3,))
    assert repr(made) == (
        f"Scaled(x={made.x!r}, factor=2.0, label='a', sizes=(3,),"
        f" more=ImmutableDict({{'k': {made.more['k']!r}}}))"
    )
    assert Counted(2).items.numpy().tolist() == [0, 1]


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Masked([1.0]), "missing a required argument: 'mask'"),
        (lambda: Scaled([1.0], factor="a"), "factor: expected 'float', got 'str'"),
        (lambda: Scaled([1.0], label=3), "label: expected 'str' or 'NoneType', got 'int'"),
        (lambda: Scaled(object()), "x: expected a Tensor, got 'object'"),
        (lambda: Scaled([1.0], sizes=["a"]), "sizes: expected 'int', got 'str'"),
        (lambda: Scaled([1.0], more=3), "more: expected 'Mapping', got 'int'"),
    ],
)
def test_values_that_do_not_fit_are_refused(make: Any, text: str) -> None:
    with pytest.raises(TypeError) as caught:
        make()

    assert str(caught.value) == text


def test_the_class_may_check_its_fields() -> None:
    with pytest.raises(ValueError, match=r"Shapes \(2,\) and \(1,\) are incompatible"):
        Masked([1.0, 2.0], [True])


def test_nothing_can_be_changed() -> None:
    with pytest.raises(AttributeError, match="Cannot mutate attribute `values` outside"):
        masked().values = 3
    with pytest.raises(AttributeError, match="Cannot mutate attribute `values` outside"):
        del masked().values
    with pytest.raises(TypeError, match="cannot be changed"):
        Scaled([1.0], more={"k": [2]}).more["k"] = 1


def test_equal_means_equal_fields() -> None:
    assert bool(masked() == masked())
    assert not bool(masked() == Masked([1.0, 3.0], [True, False]))
    assert bool(masked() != Masked([1.0], [True]))
    assert (masked() == 3) is False


def test_annotations_that_no_field_can_have_are_refused() -> None:
    with pytest.raises(TypeError, match="In field 'x': Unsupported type annotation 'list'"):
        type("Bad", (tf.experimental.ExtensionType,), {"__annotations__": {"x": list}})


def test_its_spec_names_the_fields() -> None:
    values = "TensorSpec(shape=(2,), dtype=tf.float32, name=None)"
    mask = "TensorSpec(shape=(2,), dtype=tf.bool, name=None)"

    assert repr(tf.type_spec_from_value(masked())) == f"Masked.Spec(values={values}, mask={mask})"
    assert tf.type_spec_from_value(masked()).is_compatible_with(masked())


def test_a_trace_serves_other_tensors_and_no_other_python_data() -> None:
    f = tf.function(lambda v: v)

    for argument in (masked(), Masked([5.0, 6.0], [False, False])):
        assert bool(f(argument) == argument)
    assert f.experimental_get_tracing_count() == 1
    f(Masked([5.0], [False]))
    for argument in (Scaled([1.0]), Scaled([2.0]), Scaled([2.0], 3.0), Counted(2), Counted(2)):
        f(argument)
    assert f.experimental_get_tracing_count() == 5


def test_branches_loops_and_gradients_see_its_tensors() -> None:
    @tf.function
    def f(v: Any, n: Any) -> Any:
        if n > 1:
            v = Masked(v.values * 2.0, v.mask)
        for _ in tf.range(n):
            v = Masked(v.values + 1.0, tf.logical_not(v.mask))
        return v

    argument = masked()
    with tf.GradientTape() as tape:
        tape.watch(argument.values)
        result = f(argument, tf.constant(3))

    assert result.values.numpy().tolist() == [5.0, 7.0]
    assert result.mask.numpy().tolist() == [False, True]
    assert tape.gradient(result.values, argument.values).numpy().tolist() == [2.0, 2.0]
