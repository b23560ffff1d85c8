"""Calls on arrays that hypothesis draws do what the installed TensorFlow does."""

from __future__ import annotations

import numpy as np
import op_calls
import pytest
from hypothesis import given, settings, strategies as st

import tfcheck_runtime

pytestmark = pytest.mark.tensorflow
tensorflow = pytest.importorskip("tensorflow", exc_type=ImportError)

DTYPES = ("float32", "float64", "int32", "int64", "int8", "uint8", "float16", "bool")
SHAPES = ((), (1,), (3,), (0,), (2, 3), (1, 3), (2, 1), (2, 0), (2, 1, 3))
UNARY = (
    "tf.abs(x)", "tf.square(x)", "tf.negative(x)", "tf.sign(x)", "tf.reduce_sum(x)",
    "tf.reduce_mean(x, axis=-1)", "tf.reduce_max(x, 0)", "tf.argmax(x)", "tf.cumsum(x)",
    "tf.sort(x)", "x[0]", "x[..., ::-1]", "x[1:]", "tf.reshape(x, [-1])", "tf.transpose(x)",
    "tf.expand_dims(x, -1)", "tf.squeeze(x)", "tf.tile(x[None], [2] + [1] * x.shape.rank)",
    "tf.nn.softmax(x)", "tf.where(x > 0)", "tf.cast(x, tf.float32)", "tf.cast(x, tf.int32)",
)  # fmt: skip
BINARY = (
    "x + y", "x - y", "x * y", "x / y", "x // y", "x % y", "x < y", "x == y", "tf.maximum(x, y)",
    "tf.concat([x, y], 0)", "tf.stack([x, y])", "tf.matmul(x, y)", "tf.where(x > 0, x, y)",
    "tf.math.divide_no_nan(x, y)", "tf.math.squared_difference(x, y)",
    "tf.broadcast_to(x, y.shape)",
)  # fmt: skip


@st.composite
def texts(draw: st.DrawFn) -> str:
    """An array as the tables of calls write it."""
    shape = draw(st.sampled_from(SHAPES))
    dtype = draw(st.sampled_from(DTYPES))
    count = int(np.prod(shape))
    whole = st.integers(0, 5) if dtype in ("uint8", "bool") else st.integers(-5, 5)
    numbers = draw(st.lists(whole, min_size=count, max_size=count))
    array = np.array(numbers, np.int64).astype(dtype).reshape(shape)
    return f"np.array({array.tolist()!r}, np.dtype({dtype!r})).reshape({shape!r})"


@settings(max_examples=400, deadline=None)
@given(call=st.sampled_from(UNARY), x=texts())
def test_functions_of_one_tensor_agree(call: str, x: str) -> None:
    check(op_calls.Row(call, (("x", x),)))


@settings(max_examples=400, deadline=None)
@given(call=st.sampled_from(BINARY), x=texts(), y=texts())
def test_functions_of_two_tensors_agree(call: str, x: str, y: str) -> None:
    check(op_calls.Row(call, (("x", x), ("y", y))))


@pytest.mark.parametrize("family", op_calls.families())
def test_the_record_is_what_the_installed_tensorflow_does(family: str) -> None:
    changed = [
        str(row)
        for row, record in op_calls.recorded(family)
        if not op_calls.same_outputs(op_calls.eager(tensorflow, row), record[0])
    ]

    assert changed == []


def check(row: op_calls.Row) -> None:
    """Both run and agree, or both refuse: the tables compare the kinds of exceptions."""
    ours, theirs = (op_calls.eager(tf, row) for tf in (tfcheck_runtime, tensorflow))

    if isinstance(ours, str) or isinstance(theirs, str):
        assert isinstance(ours, str) == isinstance(theirs, str), (row, ours, theirs)
    else:
        assert op_calls.same_outputs(ours, theirs), (row, ours, theirs)
