"""What is known of dtypes and shapes: the algebra of forms, and the form of expressions."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from tfcheck.lint.form_flow import FormFlow
from tfcheck.lint.forms import Form, Shape, Sort, broadcast, clash, differ, joined, operated
from tfcheck.lint.semantics import FileModel
from tfcheck.lint.source import Source

INT = Form(Sort.NUMBER, "int32", ())
FLOAT = Form(Sort.NUMBER, "float32", ())
DOUBLES = Form(Sort.TENSOR, "float64", (2, 3))
INTS = Form(Sort.TENSOR, "int32", (3,))
NOTHING = Form(Sort.NONE)


def form_of(expression: str) -> Form | None:
    """The form of an expression in a traced function with a vector of unknown length."""
    program = f"""
        import numpy as np
        import tensorflow as tf

        ARRAY = np.zeros((4, 5), np.float32)
        SIZE = 7

        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def step(x):
            items = [1.0, 2.0]
            return {expression}
        """
    text = dedent(program)
    tree = ast.parse(text)
    model = FileModel(Source("train.py", text), tree)
    function = tree.body[-1]
    assert isinstance(function, ast.FunctionDef)
    statement = function.body[-1]
    assert isinstance(statement, ast.Return)
    assert statement.value is not None
    return FormFlow(model).of(statement.value)


@pytest.mark.parametrize(
    ("expression", "dtype", "shape"),
    [
        ("x", "float32", (None,)),
        ("x * 2.0", "float32", (None,)),
        ("x > 0.0", "bool", (None,)),
        ("tf.cast(x, tf.int64)", "int64", (None,)),
        ("tf.zeros([2, SIZE])", "float32", (2, 7)),
        ("tf.constant(items)", "float32", (2,)),
        ("tf.constant([[1, 2]], dtype='uint8')", "uint8", (1, 2)),
        ("tf.ones([2, 3])[0]", "float32", (3,)),
        ("tf.ones([2, 3])[:, 1:]", "float32", (2, 2)),
        ("tf.ones([2, 3])[None]", "float32", (1, 2, 3)),
        ("tf.expand_dims(tf.ones([3]), -1)", "float32", (3, 1)),
        ("tf.reduce_sum(tf.ones([2, 3]), axis=1)", "float32", (2,)),
        ("tf.reduce_any(x > 0.0)", "bool", ()),
        ("tf.concat([tf.zeros([2]), tf.ones([3])], 0)", "float32", (5,)),
        ("tf.stack([tf.zeros([2]), tf.ones([2])])", "float32", (2, 2)),
        ("tf.reshape(tf.zeros([2, 6]), [3, -1])", "float32", (3, 4)),
        ("tf.transpose(tf.zeros([2, 6]))", "float32", (6, 2)),
        ("tf.constant(3) / 2", "float64", ()),
        ("tf.range(4)", "int32", (4,)),
        ("ARRAY", "float32", (4, 5)),
        ("ARRAY.T", "float32", (5, 4)),
        ("np.full((2,), 1.5)", "float64", (2,)),
        ("tf.where(x > 0.0, x, -x)", "float32", (None,)),
        ("1 if x is None else 2", "int32", ()),
    ],
)
def test_form_of_an_expression(expression: str, dtype: str, shape: Shape) -> None:
    form = form_of(expression)

    assert form is not None
    assert (form.dtype, form.shape) == (dtype, shape)


@pytest.mark.parametrize("expression", ["unknown(x)", "tf.io.decode_raw(x, y)", "x.unknown"])
def test_nothing_is_made_up(expression: str) -> None:
    form = form_of(expression)

    assert form is None or (form.dtype, form.shape) in {(None, None), (None, ())}


def test_parts_that_differ_are_unknown_when_joined() -> None:
    other = Form(Sort.TENSOR, "float64", (2, 4))

    assert joined(DOUBLES, other) == Form(Sort.TENSOR, "float64", (2, None))
    assert joined(DOUBLES, INTS) == Form(Sort.TENSOR)
    assert joined(DOUBLES, NOTHING) is None


def test_what_keeps_two_values_from_one_place_in_the_graph() -> None:
    pair = Form(Sort.TUPLE, items=(INT, FLOAT))

    assert differ(INT, FLOAT) == (INT, FLOAT)
    assert differ(INTS, INT) is None
    assert differ(NOTHING, DOUBLES) == (NOTHING, DOUBLES)
    assert differ(pair, Form(Sort.TUPLE, items=(INT, INT))) == (FLOAT, INT)
    assert differ(pair, Form(Sort.TUPLE, items=(INT,))) is not None
    assert differ(DOUBLES, Form(Sort.TENSOR)) is None


def test_operators_follow_the_tensor() -> None:
    assert operated(DOUBLES, FLOAT) == DOUBLES
    assert operated(INT, INT, division=True) == FLOAT
    assert operated(INTS, INT, division=True) == Form(Sort.TENSOR, "float64", (3,))


def test_tensors_refuse_operands_that_do_not_fit() -> None:
    assert clash(INTS, FLOAT)
    assert clash(INTS, DOUBLES)
    assert not clash(DOUBLES, INT)
    assert not clash(INT, FLOAT)


def test_shapes_are_broadcast_from_the_right() -> None:
    assert broadcast((2, 1), (3,)) == (2, 3)
    assert broadcast((None, 1), (4, 5)) == (4, 5)
    assert broadcast(None, (3,)) is None
