"""Every defined op against its examples: kernel, lowering, shape rule and gradient agree."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pytest

import tfcheck_runtime as tf
from tfcheck_runtime import dispatch
from tfcheck_runtime.eager.interpreter import run_eagerly
from tfcheck_runtime.execute.executable import compile_graph
from tfcheck_runtime.lower.plan import make_plan
from tfcheck_runtime.op import Array, Aval, Case, Op, defined
from tfcheck_runtime.specs.dtypes import DType, as_dtype
from tfcheck_runtime.specs.shapes import is_subshape, num_elements
from tfcheck_runtime.trace.interpreter import add_input, record
from tfcheck_runtime.values.tensor import EagerTensor, FuncGraph, apply_n

WITHOUT_CASES: Final = {
    "AssignAddVariableOp": "changes a variable, which a case cannot hold",
    "AssignSubVariableOp": "changes a variable, which a case cannot hold",
    "AssignVariableOp": "changes a variable, which a case cannot hold",
    "ReadVariableOp": "reads a variable, which a case cannot hold",
    "ResourceGather": "reads a variable, which a case cannot hold",
    "ResourceGatherNd": "reads a variable, which a case cannot hold",
    "VarIsInitializedOp": "reads a variable, which a case cannot hold",
    "ResourceScatterAdd": "changes a variable, which a case cannot hold",
    "ResourceScatterSub": "changes a variable, which a case cannot hold",
    "ResourceScatterMul": "changes a variable, which a case cannot hold",
    "ResourceScatterDiv": "changes a variable, which a case cannot hold",
    "ResourceScatterMax": "changes a variable, which a case cannot hold",
    "ResourceScatterMin": "changes a variable, which a case cannot hold",
    "ResourceScatterUpdate": "changes a variable, which a case cannot hold",
    "ResourceScatterNdAdd": "changes a variable, which a case cannot hold",
    "ResourceScatterNdSub": "changes a variable, which a case cannot hold",
    "ResourceScatterNdMax": "changes a variable, which a case cannot hold",
    "ResourceScatterNdMin": "changes a variable, which a case cannot hold",
    "ResourceScatterNdUpdate": "changes a variable, which a case cannot hold",
    "ResourceStridedSliceAssign": "changes a variable, which a case cannot hold",
    "RestartStreams": "changes streams of random ops, which a case cannot hold",
    "DecodeImage": "needs Pillow; the tests of files cover it",
    "EncodeImage": "needs Pillow; the tests of files cover it",
    "LookupTableFindV2": "reads a table; the tests of tables cover it",
    "LookupTableInsertV2": "changes a table; the tests of tables cover it",
    "LookupTableRemoveV2": "changes a table; the tests of tables cover it",
    "LookupTableSizeV2": "reads a table; the tests of tables cover it",
    "MatchingFiles": "reads files; the tests of files cover it",
    "ReadFile": "reads files; the tests of files cover it",
    "WriteFile": "writes files; the tests of files cover it",
    "WriteSummary": "writes files; the tests of summaries cover it",
    "Timestamp": "reads the clock",
    "RngReadAndSkip": "changes the state of a generator, which a case cannot hold",
    "Const": "has its value as attribute; every test here makes some",
    "Placeholder": "has no value",
    "Assert": "has an effect only",
    "PrintV2": "has an effect only",
    "EagerPyFunc": "calls a Python function",
    "PyFunc": "calls a Python function",
    "PyFuncStateless": "calls a Python function",
    "IdentityN": "calls a Python function for its gradient",
    "If": "holds graphs",
    "StatelessIf": "holds graphs",
    "Case": "holds graphs",
    "StatelessCase": "holds graphs",
    "While": "holds graphs",
    "StatelessWhile": "holds graphs",
    "PartitionedCall": "holds a graph",
    "StatefulPartitionedCall": "holds a graph",
    "StringFormat": "writes messages; the tests of printing cover it",
    "AvgPool3DGrad": "is the kernel of AvgPoolGrad over three axes",
    "MaxPool3DGrad": "is the kernel of MaxPoolGrad over three axes",
    "MaxPool3DGradGrad": "is the kernel of MaxPoolGradGrad over three axes",
}
"""Ops that have no examples, each with the reason; other tests cover them."""

ONCE_DIFFERENTIABLE: Final = {
    "CTCLoss": "gives its gradient as an output, and TensorFlow refuses to go further",
}
"""Ops whose gradient has none, each with the reason."""

FLOAT_TOLERANCES: Final = {"float32": 2e-5, "float64": 1e-11, "float16": 2e-3, "bfloat16": 2e-2}


@dataclass(frozen=True)
class Example:
    """A case of an op, with a name for test reports."""

    op: Op
    case: Case
    number: int

    def __str__(self) -> str:
        return f"{self.op.type}-{self.number}"


def examples() -> Iterator[Example]:
    for op in defined():
        for number, case in enumerate(op.cases):
            assert isinstance(case, Case)
            yield Example(op, case, number)


EXAMPLES: Final = tuple(examples())
DIFFERENTIABLE: Final = tuple(
    e
    for e in EXAMPLES
    if e.op.gradient is not None
    and e.case.differentiable
    and not e.op.stateful
    and any(i.dtype.kind == "f" and i.size for i in e.case.inputs)
)


def dtype_of(array: Array) -> DType:
    return as_dtype("string") if array.dtype.kind == "O" else as_dtype(array.dtype)


def tensors(arrays: Sequence[Array]) -> list[EagerTensor]:
    return [EagerTensor(a, dtype_of(a)) for a in arrays]


def eager_results(example: Example) -> tuple[Array, ...]:
    outputs = apply_n(example.op, *tensors(example.case.inputs), **example.case.attrs)
    return tuple(o.array for o in outputs)  # type: ignore[attr-defined]  # eager tensors


def traced(example: Example, is_constant: Callable[[int, Array], bool]) -> FuncGraph:
    """A graph of the op alone; the inputs that are not constants are its parameters."""
    case = example.case
    graph = FuncGraph("example", None)
    with dispatch.building(graph):
        inputs: list[Any] = []
        for i, array in enumerate(case.inputs):
            if is_constant(i, array):
                inputs.append(tf.constant(EagerTensor(array, dtype_of(array))))
                continue
            inputs.append(add_input(graph, dtype_of(array), unknown_shape(case, i), f"x{i}"))
        graph.outputs = list(apply_n(example.op, *inputs, **case.attrs))
    return graph


def nothing(index: int, array: Array) -> bool:
    del index, array
    return False


def arguments_of_the_op(index: int, array: Array) -> bool:
    """Shapes, axes, sizes and seeds: what programs mostly write as literals."""
    return index > 0 and array.dtype.kind in "iu" and array.ndim <= 1


@pytest.fixture(autouse=True)
def _interpreters() -> None:
    dispatch.install(eager=run_eagerly, tracing=record)


def assert_close(ours: Array, expected: Array) -> None:
    assert ours.dtype == expected.dtype
    assert ours.shape == expected.shape
    tolerance = FLOAT_TOLERANCES.get(expected.dtype.name)
    if tolerance is None:
        assert ours.tolist() == expected.tolist()
        return
    wide = np.float64
    np.testing.assert_allclose(
        ours.astype(wide), expected.astype(wide), rtol=tolerance, atol=tolerance
    )


def test_every_op_has_examples_or_a_reason_for_having_none() -> None:
    without = {op.type for op in defined() if not op.cases and not of_datasets(op)}

    assert without == set(WITHOUT_CASES)


def of_datasets(op: Op) -> bool:
    """Ops on iterators, which a case cannot hold; the tests of `tf.data` cover them."""
    homes = ("tfcheck_runtime.data.", "tfcheck_runtime.ops.control.iterating")
    return type(op).__module__.startswith(homes)


@pytest.mark.parametrize("is_constant", [nothing, arguments_of_the_op])
@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_the_graph_computes_what_the_kernel_does(
    example: Example, is_constant: Callable[[int, Array], bool]
) -> None:
    expected = eager_results(example)
    graph = traced(example, is_constant)
    arguments = [a for i, a in enumerate(example.case.inputs) if not is_constant(i, a)]
    arguments += [capture.external.array for capture in graph.captures]

    executable = compile_graph(graph, make_plan(graph))
    results = executable.run(arguments)

    assert len(results) == len(expected)
    for ours, wanted in zip(results, expected, strict=True):
        if example.op.stateful:
            assert (ours.dtype, ours.shape) == (wanted.dtype, wanted.shape)
        else:
            assert_close(np.asarray(ours), wanted)


@pytest.mark.parametrize("is_constant", [nothing, arguments_of_the_op])
@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_the_shape_rule_foretells_dtype_and_shape(
    example: Example, is_constant: Callable[[int, Array], bool]
) -> None:
    real = eager_results(example)

    inferred: list[Aval] = [v.aval for v in traced(example, is_constant).outputs]

    assert [a.dtype for a in inferred] == [dtype_of(r) for r in real]
    for aval, result in zip(inferred, real, strict=True):
        assert is_subshape(result.shape, aval.shape)
        assert aval.partial is None or matches(aval.partial, result)


def matches(partial: tuple[int | None, ...], result: Array) -> bool:
    content = result.reshape(-1).tolist()
    return len(partial) == len(content) and all(
        p is None or p == c for p, c in zip(partial, content, strict=True)
    )


class Function:
    """An op as a function of its float inputs, in float64, to one number."""

    def __init__(self, example: Example) -> None:
        self.example = example
        self.inputs = [a.astype(np.float64) if a.dtype.kind == "f" else a
                       for a in example.case.inputs]  # fmt: skip
        self.places = [i for i, a in enumerate(self.inputs) if a.dtype.kind == "f"]
        self.random = np.random.default_rng(zlib.crc32(str(example).encode()))
        outputs = self._outputs(self.floats())
        counted = outputs[:1] if example.op.type in ONCE_DIFFERENTIABLE else outputs
        self.weights = [
            self.random.normal(size=o.shape) if o.dtype.kind == "f" else None for o in counted
        ]

    def floats(self) -> list[Any]:
        return [EagerTensor(self.inputs[i], dtype_of(self.inputs[i])) for i in self.places]

    def directions(self) -> list[Array]:
        return [self.random.normal(size=self.inputs[i].shape) for i in self.places]

    def moved(self, directions: Sequence[Array], step: float) -> list[Any]:
        arrays = [self.inputs[i] + step * d for i, d in zip(self.places, directions, strict=True)]
        return tensors(arrays)

    def __call__(self, floats: Sequence[Any]) -> Any:
        total = tf.constant(0.0, tf.float64)
        for output, weight in zip(self._apply(floats), self.weights, strict=False):
            if weight is not None:
                total = total + tf.reduce_sum(output * tf.constant(weight))
        return total

    def _apply(self, floats: Sequence[Any]) -> Sequence[Any]:
        values: list[Any] = tensors(self.inputs)
        for place, value in zip(self.places, floats, strict=True):
            values[place] = value
        return apply_n(self.example.op, *values, **self.example.case.attrs)

    def _outputs(self, floats: Sequence[Any]) -> list[Array]:
        return [o.array for o in self._apply(floats)]


def along(gradients: Sequence[Any], directions: Sequence[Array]) -> Any:
    """The derivative in a direction; inputs without a gradient count as constant."""
    total = tf.constant(0.0, tf.float64)
    for gradient, direction in zip(gradients, directions, strict=True):
        if gradient is not None:
            total = total + tf.reduce_sum(gradient * tf.constant(direction))
    return total


def slope(function: Callable[[Sequence[Any]], Any], of: Function, directions: Any) -> float:
    """The derivative in a direction by central differences of fourth order."""
    step = 1e-3
    near = float(function(of.moved(directions, step))) - float(
        function(of.moved(directions, -step))
    )
    far = float(function(of.moved(directions, 2 * step))) - float(
        function(of.moved(directions, -2 * step))
    )
    return (8 * near - far) / (12 * step)


@pytest.mark.parametrize("example", DIFFERENTIABLE, ids=str)
def test_the_gradient_is_the_slope_of_the_kernel(example: Example) -> None:
    function = Function(example)
    directions = function.directions()

    derivative = float(first_derivative(function, directions)(function.floats()))

    expected = slope(function, function, directions)
    assert derivative == pytest.approx(expected, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("example", DIFFERENTIABLE, ids=str)
def test_the_gradient_in_a_graph_is_the_eager_one(example: Example) -> None:
    function = Function(example)
    directions = function.directions()
    derivative = first_derivative(function, directions)
    graph = FuncGraph("derivative", None)
    with dispatch.building(graph):
        floats = [
            add_input(graph, as_dtype("float64"), unknown_shape(example.case, place), f"x{place}")
            for place in function.places
        ]
        graph.outputs = [derivative(floats)]

    executable = compile_graph(graph, make_plan(graph))
    arguments = [function.inputs[place] for place in function.places]
    captured = [c.external.array for c in graph.captures]
    (result,) = executable.run([*arguments, *captured])

    expected = float(derivative(function.floats()))
    assert float(result) == pytest.approx(expected, rel=1e-6, abs=1e-9)


def unknown_shape(case: Case, place: int) -> tuple[int | None, ...]:
    shape = case.inputs[place].shape
    return tuple(None if (place, a) in case.unknown else s for a, s in enumerate(shape))


TWICE: Final = tuple(e for e in DIFFERENTIABLE if e.op.type not in ONCE_DIFFERENTIABLE)


@pytest.mark.parametrize("example", TWICE, ids=str)
def test_the_second_gradient_is_the_slope_of_the_first(example: Example) -> None:
    function = Function(example)
    directions, onward = function.directions(), function.directions()
    first = first_derivative(function, directions)

    with tf.GradientTape() as tape:
        floats = function.floats()
        tape.watch(floats)
        derivative = first(floats)
    second = float(along(tape.gradient(derivative, floats), onward))

    assert second == pytest.approx(slope(first, function, onward), rel=1e-4, abs=1e-5)


def first_derivative(
    function: Function, directions: Sequence[Array]
) -> Callable[[Sequence[Any]], Any]:
    """The derivative of `function` in a direction, as a function of where it is taken."""

    def derivative(floats: Sequence[Any]) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(list(floats))
            value = function(floats)
        return along(tape.gradient(value, list(floats)), directions)

    return derivative


def test_examples_are_small() -> None:
    """Many tests run each of them."""
    sizes = [num_elements(i.shape) or 0 for e in EXAMPLES for i in e.case.inputs]

    assert max(sizes) <= 2000
