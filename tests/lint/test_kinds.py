"""What the lattice says of expressions, as code flows."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from tfcheck.lint.kinds import MANY, Kind, Value
from tfcheck.lint.semantics import FileModel
from tfcheck.lint.source import Source

HEAD = """
import collections, math, random, time
import numpy as np
import tensorflow as tf
from tensorflow import keras

"""


def value_of(body: str, name: str = "result") -> Value:
    """The value of the last expression assigned to `name`."""
    text = HEAD + dedent(body)
    model = FileModel(Source("code.py", text), ast.parse(text))
    values = [
        node.value
        for node in ast.walk(model.tree)
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and node.targets[0].id == name
    ]
    return model.value(max(values, key=lambda node: node.lineno))


KINDS = {
    "1": Kind.LITERAL,
    "-1.5": Kind.LITERAL,
    "None": Kind.LITERAL,
    "1 + 2": Kind.LITERAL,
    "f'{x}'": Kind.SCALAR,
    "len([1])": Kind.SCALAR,
    "int('3')": Kind.SCALAR,
    "math.sqrt(2)": Kind.SCALAR,
    "math.pi": Kind.SCALAR,
    "time.time()": Kind.SCALAR,
    "random.random() * 2": Kind.SCALAR,
    "[1, 2]": Kind.CONTAINER,
    "{'a': 1}": Kind.CONTAINER,
    "[i for i in range(3)]": Kind.CONTAINER,
    "collections.Counter()": Kind.CONTAINER,
    "lambda: 1": Kind.OBJECT,
    "tf.float32": Kind.OBJECT,
    "tf.TensorSpec([])": Kind.OBJECT,
    "np.zeros(3)": Kind.NUMPY,
    "np.zeros(3)[0] + 1": Kind.NUMPY,
    "np.float32(1)": Kind.NUMPY,
    "np.zeros(3).sum()": Kind.NUMPY,
    "np.zeros(3).item()": Kind.SCALAR,
    "np.zeros(3).shape": Kind.CONTAINER,
    "tf.constant(1)": Kind.TENSOR,
    "tf.constant(1).numpy()": Kind.NUMPY,
    "tf.constant(1).numpy().item()": Kind.SCALAR,
    "1 - tf.nn.relu(x)": Kind.TENSOR,
    "tf.constant(1) > 0": Kind.TENSOR,
    "tf.constant(1) is None": Kind.SCALAR,
    "tf.constant([1])[0]": Kind.TENSOR,
    "float(tf.constant(1))": Kind.SCALAR,
    "tf.split(x, 2)": Kind.CONTAINER,
    "tf.split(x, 2)[0]": Kind.TENSOR,
    "keras.losses.mse(a, b)": Kind.TENSOR,
    "tf.Variable(1.0)": Kind.VARIABLE,
    "tf.Variable(1.0).assign_add(1.0)": Kind.TENSOR,
    "tf.Variable(1.0) * 2": Kind.TENSOR,
    "tf.data.Dataset.range(3)": Kind.DATASET,
    "tf.data.Dataset.range(3).map(f).batch(2)": Kind.DATASET,
    "keras.layers.Dense(3)": Kind.KERAS,
    "keras.layers.Dense(3)(x)": Kind.TENSOR,
    "tf.keras.optimizers.Adam()": Kind.KERAS,
    "unknown": Kind.UNKNOWN,
    "unknown.attribute": Kind.UNKNOWN,
    "unknown(1)": Kind.UNKNOWN,
    "tf.cond(p, f, g)": Kind.UNKNOWN,
    "keras.Input([3])": Kind.UNKNOWN,
}


@pytest.mark.parametrize(("expression", "kind"), KINDS.items(), ids=KINDS)
def test_kind_of_an_expression(expression: str, kind: Kind) -> None:
    assert value_of(f"result = {expression}").kind is kind


def test_branches_join() -> None:
    same = value_of("a = tf.zeros(2)\nif x:\n    a = tf.ones(2)\nresult = a")
    other = value_of("a = tf.zeros(2)\nif x:\n    a = None\nresult = a")

    assert same == Value(Kind.TENSOR)
    assert other == Value(Kind.UNKNOWN)


def test_a_branch_that_leaves_does_not_join() -> None:
    value = value_of(
        """
        def f(x):
            a = None
            if x:
                a = tf.zeros(2)
            else:
                return None
            result = a
        """
    )

    assert value.kind is Kind.TENSOR


def test_later_statements_win() -> None:
    assert value_of("a = 1\na = tf.constant(a)\nresult = a").kind is Kind.TENSOR


def test_loop_targets_vary_as_often_as_the_loop_runs() -> None:
    known = value_of("for i in range(6):\n    result = i")
    unknown = value_of("for i in range(n):\n    result = i")
    listed = value_of("for rate in (0.1, 0.2):\n    result = rate")
    counted = value_of("for i, x in enumerate(data):\n    result = i")
    tensors = value_of("for i in tf.range(6):\n    result = i")

    assert (known.kind, known.varies) == (Kind.SCALAR, 6)
    assert (unknown.kind, unknown.varies) == (Kind.SCALAR, MANY)
    assert (listed.kind, listed.literals) == (Kind.LITERAL, (0.1, 0.2))
    assert (counted.kind, counted.varies) == (Kind.SCALAR, MANY)
    assert tensors.kind is Kind.TENSOR


def test_a_number_that_a_loop_changes_varies_without_bound() -> None:
    counter = value_of("i = 0\nwhile i < n:\n    result = i\n    i += 1")
    decayed = value_of("rate = 0.1\nfor x in data:\n    result = rate\n    rate = rate * 0.9")
    constant = value_of("rate = 0.1\nfor x in data:\n    result = rate")

    assert (counter.kind, counter.varies) == (Kind.SCALAR, MANY)
    assert (decayed.kind, decayed.varies) == (Kind.SCALAR, MANY)
    assert (constant.kind, constant.literals) == (Kind.LITERAL, (0.1,))


def test_conversions_in_a_loop_vary_with_what_the_loop_binds() -> None:
    changing = value_of("for x in data:\n    result = float(x)")
    fixed = value_of("y = read()\nfor x in data:\n    result = float(y)")

    assert changing.varies == MANY
    assert fixed.varies == 1


def test_datasets_give_tensors() -> None:
    value = value_of(
        """
        data = tf.data.Dataset.from_tensor_slices((np.zeros(3), [1, 2, 3])).batch(2)
        for x, y in data:
            result = y
        """
    )

    assert value == Value(Kind.TENSOR)


def test_parameters_take_what_calls_give() -> None:
    code = """
    @tf.function
    def f(x, n=2, flag=True):
        {}

    f(tf.constant(1.0))
    f(tf.zeros(3), 3)
    """

    tensor = value_of(code.format("result = x"))
    number = value_of(code.format("result = n"))
    default = value_of(code.format("result = flag"))

    assert tensor == Value(Kind.TENSOR, graph=True)
    assert number.literals == (3, 2)
    assert default.literals == (True,)


def test_parameters_without_a_visible_call_are_unknown() -> None:
    value = value_of("@tf.function\ndef f(x):\n    result = x")

    assert value == Value(Kind.UNKNOWN)


def test_signatures_and_annotations_tell_parameters() -> None:
    signature = value_of(
        """
        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def f(x):
            result = x
        """
    )
    annotated = value_of("@tf.function\ndef f(x: tf.Tensor):\n    result = x")

    assert signature == Value(Kind.TENSOR, graph=True)
    assert annotated == Value(Kind.TENSOR, graph=True)


def test_conversions_are_casts_in_traced_code() -> None:
    value = value_of("@tf.function\ndef f(x: tf.Tensor):\n    result = int(x)")

    assert value == Value(Kind.TENSOR, graph=True)


def test_captured_tensors_are_eager() -> None:
    value = value_of("c = tf.constant(1)\n\n@tf.function\ndef f():\n    result = c\n\nf()")

    assert value == Value(Kind.TENSOR)


def test_attributes_take_all_that_is_stored_in_them() -> None:
    code = """
    class Loss:
        scale = 1.0

        def __init__(self):
            self.weight = tf.Variable(1.0)
            self.rate = 0.1

        def f(self):
            result = self.{}

    loss = Loss()
    loss.rate = 0.2
    """

    assert value_of(code.format("weight")).kind is Kind.VARIABLE
    assert value_of(code.format("rate")).literals == (0.1, 0.2)
    assert value_of(code.format("scale")).literals == (1.0,)
    assert value_of(code.format("other")).kind is Kind.UNKNOWN


def test_functions_of_the_file_give_what_they_return() -> None:
    plain = value_of("def f():\n    return tf.zeros(2)\nresult = f()")
    wrapped = value_of("@tf.function\ndef f():\n    return 1\nresult = f()")
    recursive = value_of("def f(n):\n    return f(n - 1)\nresult = f(3)")

    assert plain.kind is Kind.TENSOR
    assert wrapped.kind is Kind.TENSOR
    assert recursive.kind is Kind.UNKNOWN


def test_gradients_have_the_structure_of_their_sources() -> None:
    code = """
    v = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = v * v
    result = tape.gradient(y, {})
    """

    assert value_of(code.format("v")).kind is Kind.TENSOR
    assert value_of(code.format("[v]")).items == (Value(Kind.TENSOR),)
