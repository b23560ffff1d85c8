"""What an exported model looks like."""

import numpy as np
import onnx
import pytest

from tfcheck_runtime.lower.model import ExportError, to_model
from tfcheck_runtime.op import Aval, Op
from tfcheck_runtime.ops.math.arithmetic import add, multiply
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.values.convert import constant
from tfcheck_runtime.values.tensor import apply
from tfcheck_runtime.values.variable import Variable


class _OnHost(Op):
    def __init__(self, op_type):
        self.type = op_type

    def infer(self, x):
        return Aval(x.dtype, x.shape)


def described(values):
    return [onnx.helper.printable_value_info(v) for v in values]


def contents(model):
    return {t.name: onnx.numpy_helper.to_array(t).tolist() for t in model.graph.initializer}


def test_inputs_have_the_parameters_names_and_symbolic_sizes(build_graph):
    specs = (dtypes.float32, (None, 3)), (dtypes.float32, (3,)), (dtypes.float32, None)
    graph = build_graph(lambda x, y, z: (add(x, y), z), *specs, name="step")

    model = to_model(graph)

    assert model.graph.name == "step"
    assert described(model.graph.input) == ["%x[FLOAT, x_dim_0x3]", "%y[FLOAT, 3]", "%z[FLOAT]"]
    assert described(model.graph.output)[0] == "%Identity[FLOAT, x_dim_0x3]"
    assert [o.name for o in model.graph.output] == ["Identity", "Identity_1"]


def test_outputs_may_be_named(build_graph, floats):
    model = to_model(build_graph(lambda x: (x, add(x, 1.0)), floats), output_names=["a", "b"])

    assert [o.name for o in model.graph.output] == ["a", "b"]


def test_variables_and_tensors_from_outside_become_initializers(build_graph, floats):
    v = Variable(np.array([1.0, 2.0], np.float32), name="weights")
    big = constant(np.zeros(200, np.float32))

    model = to_model(build_graph(lambda x: (multiply(x, v), add(big, 1.0)), floats))

    assert described(model.graph.input) == ["%x[FLOAT, x_dim_0]"]
    assert contents(model)["weights"] == [1.0, 2.0]
    assert contents(model)["capture"] == [0.0] * 200


def test_a_written_variable_is_an_input_and_an_output(build_graph, floats):
    v = Variable(np.array([1.0], np.float32), name="total")

    def f(x):
        v.assign_add(x)

    model = to_model(build_graph(f, floats))

    assert described(model.graph.input) == ["%x[FLOAT, x_dim_0]", "%total[FLOAT, 1]"]
    assert described(model.graph.output) == ["%total_new[FLOAT, 1]"]


def test_nodes_name_their_line_of_python(build_graph, floats):
    def step(x):
        return add(x, 1.0, name="more")

    (node,) = to_model(build_graph(step, floats)).graph.node

    line = step.__code__.co_firstlineno + 1
    assert node.name == "more"
    assert {p.key: p.value for p in node.metadata_props} == {
        "file": __file__, "line": str(line), "function": "step",
    }  # fmt: skip


def test_all_blockers_are_told_at_once(build_graph, floats):
    def step(x):
        y = apply(_OnHost("StringJoin"), x, name="join")
        return apply(_OnHost("Bincount"), y)

    with pytest.raises(ExportError) as caught:
        to_model(build_graph(step, floats, name="step"))

    line = step.__code__.co_firstlineno
    assert str(caught.value) == (
        "`step` cannot be exported to ONNX: 2 ops have no ONNX form\n"
        f"  StringJoin `join` at {__file__}:{line + 1} in step\n"
        f"  Bincount `Bincount` at {__file__}:{line + 2} in step\n"
        "Move them out of the function, or export a function without them"
    )
    assert [n.op.type for n in caught.value.blockers] == ["StringJoin", "Bincount"]
