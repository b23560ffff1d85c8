"""Nodes, constants and attributes as lowerings ask for them."""

import numpy as np
import onnx_ir as ir
import pytest

from tfcheck_runtime.lower.emitter import GraphEmitter, ModelState
from tfcheck_runtime.op import Aval, Term
from tfcheck_runtime.specs import dtypes


@pytest.fixture
def emitter():
    return GraphEmitter(ModelState(), "test")


def test_equal_constants_share_an_initializer(emitter):
    assert emitter.constant(1) is emitter.constant(np.int64(1))
    assert emitter.constant(1) is not emitter.constant(np.int32(1))
    assert emitter.constant(1.0) is not emitter.constant([1.0])


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (3, np.array(3, np.int64)),
        (0.5, np.array(0.5, np.float32)),
        (True, np.array(True)),
        ([1, 2], np.array([1, 2], np.int64)),
        ([], np.array([], np.int64)),
        (np.float64(1), np.array(1.0)),
    ],
)
def test_python_and_numpy_data_become_typed_constants(emitter, value, expected):
    array = emitter.state.arrays[emitter.constant(value)]

    assert array.dtype == expected.dtype
    assert array.tolist() == expected.tolist()


def test_a_constant_takes_the_type_asked_for(emitter):
    assert emitter.constant(1, dtypes.float64).type == ir.TensorType(ir.DataType.DOUBLE)


def test_inputs_may_be_terms_values_data_or_left_out(emitter):
    made = emitter.op(
        "Abs", Term(emitter.input("x", dtypes.float32, (None,)), Aval(dtypes.float32, ()))
    )
    clipped = emitter.op("Clip", made, None, 2.0)

    node = clipped.producer()
    assert [None if v is None else v.name for v in node.inputs] == ["Abs", None, "const"]


def test_attributes_take_onnx_types(emitter):
    value = emitter.op(
        "Fake", a=1, b=0.5, c="s", d=[1, 2], e=[0.5], f=dtypes.int32, g=True, h=None, i=["x"],
        j=np.zeros(1),
    )  # fmt: skip

    kinds = {k: a.type.name for k, a in value.producer().attributes.items()}
    assert kinds == {
        "a": "INT", "b": "FLOAT", "c": "STRING", "d": "INTS", "e": "FLOATS", "f": "INT",
        "g": "INT", "i": "STRINGS", "j": "TENSOR",
    }  # fmt: skip


def test_an_attribute_of_no_onnx_type_is_refused(emitter):
    with pytest.raises(TypeError) as caught:
        emitter.op("Fake", a={1})

    assert str(caught.value) == "a={1} cannot be an attribute of an ONNX node"


def test_a_type_onnx_lacks_is_refused(emitter):
    with pytest.raises(TypeError, match=r"^ONNX has no data type resource; it has bool, int8"):
        emitter.cast(1, dtypes.resource)


def test_names_are_unique_across_nested_graphs(emitter):
    inner = emitter.child("body")

    assert [emitter.op("Abs", 1).name, inner.op("Abs", 1).name] == ["Abs", "Abs_1"]


def test_outputs_of_a_graph_are_made_inside_and_differ(emitter):
    inner = emitter.child("body")
    x = inner.input("x", dtypes.float32, ())
    y = inner.op("Abs", x)

    graph = inner.graph([x], [y, y, x])

    assert [o.producer().op_type for o in graph.outputs] == ["Abs", "Identity", "Identity"]
