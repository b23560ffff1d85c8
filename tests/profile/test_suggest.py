from __future__ import annotations

import numpy as np
import pytest

from tfcheck.profile.call_keys import CallKey, read_key
from tfcheck.profile.suggest import suggest_signature


def function(x: object = None, y: object = None, z: object = None, *, key: object = None) -> None:
    """Takes what the tests give it."""


def call(*args: object, **kwargs: object) -> CallKey:
    return read_key(function, args, kwargs)


def zeros(*shape: int, dtype: str = "float32") -> object:
    return np.zeros(shape, dtype=dtype)


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ([call(zeros(32, 4))], "input_signature=[tf.TensorSpec([32, 4], tf.float32)]"),
        ([call(x=zeros(4))], "input_signature=[tf.TensorSpec([4], tf.float32)]"),
        (
            [call(zeros(32, 4), 1), call(zeros(17, 4), 2)],
            "input_signature=[tf.TensorSpec([None, 4], tf.float32), tf.TensorSpec([], tf.int32)]",
        ),
        (
            [call(zeros(4)), call(zeros(4, 4))],
            "input_signature=[tf.TensorSpec(None, tf.float32)]",
        ),
        (
            [call(True, 0.5, "a")],
            "input_signature=[tf.TensorSpec([], tf.bool), tf.TensorSpec([], tf.float32),"
            " tf.TensorSpec([], tf.string)]",
        ),
    ],
)
def test_what_varies_is_left_open(keys: list[CallKey], expected: str) -> None:
    assert suggest_signature(keys) == expected


@pytest.mark.parametrize(
    "keys",
    [
        [],
        [call()],
        [call(zeros(4)), call(zeros(4, dtype="float64"))],
        [call([zeros(4)])],
        [call(object())],
        [call(None)],
        [call(zeros(4)), call(zeros(4), 1)],
        [call(key=zeros(4))],
    ],
    ids=["no call", "no argument", "dtypes", "container", "object", "none", "arity", "keyword"],
)
def test_what_no_signature_of_tensors_takes_has_none(keys: list[CallKey]) -> None:
    assert suggest_signature(keys) is None
