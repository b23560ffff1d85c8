"""Errors of onnxruntime and of kernels as a TensorFlow user knows them."""

import numpy as np
import pytest

from tfcheck_runtime.errors import (
    InvalidArgumentError,
    ResourceExhaustedError,
    UnimplementedError,
)
from tfcheck_runtime.execute.failures import translate
from tfcheck_runtime.op import Aval, Op
from tfcheck_runtime.ops.math.arithmetic import add
from tfcheck_runtime.ops.math.comparison import less
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.values.tensor import apply

HERE = __file__


class _Gather(Op):
    type = "GatherV2"

    def infer(self, x, i):
        return Aval(x.dtype, i.shape)

    def lower(self, onnx, x, i):
        return onnx.op("Gather", x, i)


class _Reshape(Op):
    type = "Reshape"

    def infer(self, x):
        return Aval(x.dtype, (4,))

    def lower(self, onnx, x):
        return onnx.op("Reshape", x, np.array([4]))


def line_of(function):
    return function.__code__.co_firstlineno + 1


def test_an_index_out_of_range_names_the_line(build_graph, floats, executable):
    def pick(x, i):
        return apply(_Gather(), x, i, name="pick")

    compiled = executable(build_graph(pick, floats, (dtypes.int32, (None,))))

    with pytest.raises(InvalidArgumentError) as caught:
        compiled.run([np.zeros(3, np.float32), np.array([0, 5], np.int32)])

    assert str(caught.value) == (
        "indices element out of data bounds, idx=5 must be within the inclusive range [-3,2]\n\t"
        " [[{{node pick}}]] [Op:GatherV2]\n"
        f'  File "{HERE}", line {line_of(pick)}, in pick'
    )
    assert caught.value.op.name == "pick"


def test_a_failed_reshape_says_what_did_not_fit(build_graph, floats, executable):
    def four(x):
        return apply(_Reshape(), x)

    with pytest.raises(InvalidArgumentError) as caught:
        executable(build_graph(four, floats)).run([np.zeros(6, np.float32)])

    assert str(caught.value) == (
        "The input tensor cannot be reshaped to the requested shape. Input shape:{6}, requested"
        " shape:{4}\n\t"
        " [[{{node Reshape}}]] [Op:Reshape]\n"
        f'  File "{HERE}", line {line_of(four)}, in four'
    )


def test_a_failure_inside_a_loop_names_the_innermost_node(build_graph, executable, toy):
    def f(n, x):
        return toy.loop(
            lambda i, _: less(i, n),
            lambda i, _: (add(i, 1), apply(_Gather(), x, add(i, 1))),
            0, np.int64(0),
        )  # fmt: skip

    graph = build_graph(f, (dtypes.int32, ()), (dtypes.int64, (None,)))

    with pytest.raises(InvalidArgumentError, match=r"idx=3.*\n.*\{\{node GatherV2\}\}"):
        executable(graph).run([np.array(9, np.int32), np.arange(3)])


def test_a_failing_kernel_is_located_once(build_graph, executable, toy):
    def f(p):
        toy.cond(p, lambda: toy.check(p), lambda: toy.check(p))

    with pytest.raises(InvalidArgumentError) as caught:
        executable(build_graph(f, (dtypes.bool, ()))).run([np.array(False)])

    check = toy.check.__code__
    assert str(caught.value).splitlines() == [
        "check failed",
        "\t [[{{node Check}}]] [Op:Check]",
        f'  File "{check.co_filename}", line {check.co_firstlineno}, in <lambda>',
    ]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("[ONNXRuntimeError] : 6 : Failed to allocate memory for requested buffer of size 9", 8),
        ("[ONNXRuntimeError] : 9 : NOT_IMPLEMENTED : Could not find an implementation", 12),
        ("[ONNXRuntimeError] : 2 : INVALID_ARGUMENT : something else", 3),
    ],
)
def test_other_failures_have_their_own_types(text, kind):
    error = translate(RuntimeError(text), {})

    assert (error.error_code, str(error)) == (kind, text)
    assert type(error) in (ResourceExhaustedError, UnimplementedError, InvalidArgumentError)
