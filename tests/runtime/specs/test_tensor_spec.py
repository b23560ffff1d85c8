"""`tf.TensorSpec`."""

from __future__ import annotations

import pytest

from tfcheck_runtime.api import root as tf

Spec = tf.TensorSpec


def test_it_prints_like_tensorflow_s() -> None:
    assert repr(Spec([1, None], tf.int32, "q")) == (
        "TensorSpec(shape=(1, None), dtype=tf.int32, name='q')"
    )
    assert repr(Spec(None)) == "TensorSpec(shape=<unknown>, dtype=tf.float32, name=None)"


def test_it_is_made_from_tensors_and_specs() -> None:
    assert Spec.from_tensor(tf.zeros([2])) == Spec([2])
    assert Spec.from_spec(Spec([1], name="r")) == Spec([1], name="r")
    assert Spec.from_spec(Spec([1], name="r"), name="z") == Spec([1], name="z")


def test_the_name_is_part_of_equality() -> None:
    assert Spec([1]) != Spec([1], name="x")


@pytest.mark.parametrize(
    ("mine", "theirs", "expected"),
    [
        (Spec([1]), Spec([1], name="x"), True),
        (Spec([1], name="x"), Spec([1]), False),
        (Spec([1, 2]), Spec([None, 2]), True),
        (Spec([None, 2]), Spec([1, 2]), False),
        (Spec([1]), Spec(None), True),
        (Spec([1]), Spec([1], tf.int32), False),
    ],
)
def test_subtypes_know_at_least_as_much(
    mine: tf.TensorSpec, theirs: tf.TensorSpec, expected: bool
) -> None:
    assert mine.is_subtype_of(theirs) is expected


def test_compatibility_is_about_tensors_not_python_data() -> None:
    assert Spec([None, 2]).is_compatible_with(tf.zeros([1, 2]))
    assert Spec([None, 2]).is_compatible_with(Spec([1, None]))
    assert not Spec([1]).is_compatible_with([1.0])
    assert not Spec([1]).is_compatible_with(tf.zeros([1], tf.int32))


def test_the_common_supertype_keeps_what_agrees() -> None:
    assert Spec([1, 2]).most_specific_common_supertype([Spec([3, 2])]) == Spec([None, 2])
    assert Spec([1]).most_specific_common_supertype([Spec([1], tf.int32)]) is None
    with pytest.raises(ValueError, match=r"^No TypeSpec is compatible with both"):
        Spec([1]).most_specific_compatible_type(Spec([1], tf.int32))
