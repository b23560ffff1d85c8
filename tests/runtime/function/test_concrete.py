"""Concrete functions: calls, signatures, printing, graphs."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import onnxruntime
import pytest

from tfcheck_runtime.api import root as tf


@tf.function
def scale(a: Any, b: Any = 2) -> Any:
    return a * b


PAIR = scale.get_concrete_function(tf.TensorSpec([2], tf.int32))
BOTH = tf.constant([1, 2])


def test_it_prints_its_signature() -> None:
    assert str(PAIR) == (
        "ConcreteFunction Input Parameters:\n"
        "  a (POSITIONAL_OR_KEYWORD): TensorSpec(shape=(2,), dtype=tf.int32, name=None)\n"
        "  b (POSITIONAL_OR_KEYWORD): Literal[2]\n"
        "Output Type:\n"
        "  TensorSpec(shape=(2,), dtype=tf.int32, name=None)\n"
        "Captures:\n"
        "  None"
    )


def test_it_can_be_called_with_all_arguments_or_with_its_tensors() -> None:
    results = [PAIR(BOTH), PAIR(BOTH, 2), PAIR(a=BOTH), PAIR(a=BOTH, b=2)]

    assert [r.numpy().tolist() for r in results] == [[2, 4]] * 4


def test_another_python_value_is_refused_with_both_reasons() -> None:
    with pytest.raises(TypeError) as caught:
        PAIR(BOTH, b=3)

    assert str(caught.value) == (
        "Binding inputs to tf.function failed due to `Can not cast 3 to Literal[2]`. Received args:"
        " (<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>,) and kwargs:"
        " {'b': 3} for signature: (a: TensorSpec(shape=(2,), dtype=tf.int32, name=None), b:"
        " Literal[2]) -> TensorSpec(shape=(2,), dtype=tf.int32, name=None).\n"
        "Fallback to flat signature also failed due to: scale(a) got unexpected keyword arguments:"
        " b."
    )


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        ((), "scale(a) missing required arguments: a."),
        ((BOTH, 2, 3), "scale(a) takes 1 positional arguments, got 3."),
        (
            ([1, 2],),
            "scale(a): expected argument #0(zero-based) to be a Tensor; got list ([1, 2]).",
        ),
    ],
)
def test_calls_that_fit_no_signature_are_refused(args: tuple[Any, ...], reason: str) -> None:
    with pytest.raises(TypeError) as caught:
        PAIR(*args)

    assert str(caught.value).endswith(reason)


def test_a_tensor_of_another_dtype_is_an_invalid_argument() -> None:
    pattern = (
        r"^cannot compute (__inference_scale_\d+) as input #0\(zero-based\) was expected to be a"
        r" int32 tensor but is a float tensor \[Op:\1\]$"
    )

    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        PAIR(tf.constant([1.0, 2.0]))

    assert re.match(pattern, str(caught.value))


def test_the_structured_signature_names_the_leaves() -> None:
    @tf.function
    def f(x: Any, batch: Any, **rest: Any) -> Any:
        return x

    concrete = f.get_concrete_function(
        tf.constant(1), {"u": tf.constant(1), "v": [tf.constant(2.0), 7]}, k=None
    )

    spec = tf.TensorSpec
    assert concrete.structured_input_signature == (
        (
            spec([], tf.int32, "x"),
            {"u": spec([], tf.int32, "batch_u"), "v": [spec([], tf.float32, "batch_v_0"), 7]},
        ),
        {"k": None},
    )
    assert [t.name for t in concrete.inputs] == ["x:0", "batch:0", "batch_1:0"]


def test_a_spec_names_its_parameter() -> None:
    concrete = scale.get_concrete_function(tf.TensorSpec([None], name="inp"))

    assert [t.name for t in concrete.inputs] == ["inp:0"]
    assert concrete(inp=tf.constant([1.0])).numpy().tolist() == [2.0]


def test_captures_are_variables_and_large_tensors() -> None:
    v, large = tf.Variable(3.0), tf.ones([200])

    @tf.function
    def f(x: Any) -> Any:
        return x + v, tf.reduce_sum(large) + x

    concrete = f.get_concrete_function(tf.constant(1.0))

    assert concrete.variables[0] is v
    assert len(concrete.captured_inputs) == 2
    assert concrete.captured_inputs[1] is large
    assert [float(t) for t in concrete(tf.constant(1.0))] == [4.0, 201.0]


def test_the_graph_has_placeholders_ops_and_one_identity_per_output() -> None:
    @tf.function
    def f(word: Any) -> Any:
        return word * word, word

    graph = f.get_concrete_function(tf.constant(2.0)).graph

    assert isinstance(graph, tf.Graph)
    assert [(n.name, n.op, n.input) for n in graph.as_graph_def().node] == [
        ("word", "Placeholder", []),
        ("mul", "Mul", ["word", "word"]),
        ("Identity", "Identity", ["mul"]),
        ("Identity_1", "Identity", ["word"]),
    ]
    assert [o.type for o in graph.get_operations()] == [
        "Placeholder",
        "Mul",
        "Identity",
        "Identity",
    ]
    assert graph.get_tensor_by_name("mul:0").name == "mul:0"


def test_the_onnx_model_computes_the_same() -> None:
    @tf.function
    def f(x: Any) -> Any:
        return x * 2.0 + 1.0

    model = f.get_concrete_function(tf.TensorSpec([None])).to_onnx()
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )

    (result,) = session.run(None, {"x": np.array([1.0, 2.0], np.float32)})
    assert result.tolist() == [3.0, 5.0]


def test_its_tensors_alone_may_have_other_shapes() -> None:
    @tf.function
    def summed(x: Any) -> Any:
        return tf.reduce_sum(x * 2.0, axis=0)

    concrete = summed.get_concrete_function(tf.TensorSpec([2], tf.float32))

    results = [concrete(tf.constant([1.0, 2.0, 3.0])), concrete(x=tf.constant([[1.0], [2.0]]))]

    assert [r.numpy().tolist() for r in results] == [12.0, [6.0]]
