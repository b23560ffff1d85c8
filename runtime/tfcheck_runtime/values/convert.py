"""Python and NumPy values to tensors, by TensorFlow's rules.

Follows https://www.tensorflow.org/api_docs/python/tf/convert_to_tensor: Python ints become int32
(int64 when they do not fit), floats float32; NumPy values keep their type; a value never changes
its dtype silently once it has one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from tfcheck_runtime import dispatch
from tfcheck_runtime.op import Array, Aval, Emitter, Op, define
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import DType, as_dtype
from tfcheck_runtime.specs.shapes import TensorShape
from tfcheck_runtime.values import operators
from tfcheck_runtime.values.python_data import to_array
from tfcheck_runtime.values.tensor import EagerTensor, SymbolicTensor, Tensor, apply


class _Const(Op):
    """A constant of the graph."""

    type = "Const"

    def infer(self, *, value: Array, dtype: DType) -> Aval:
        return Aval(dtype, value.shape, constant=value)

    def eager(self, *, value: Array, dtype: DType) -> Array:
        return value

    def lower(self, onnx: Emitter, *, value: Array, dtype: DType) -> object:
        return onnx.constant(value, dtype)


const_op = define(_Const())


def constant(
    value: object, dtype: object = None, shape: object = None, name: str = "Const"
) -> Tensor:
    """A constant tensor (https://www.tensorflow.org/api_docs/python/tf/constant).

    Args:
        value: number, string, nested list or array.
        dtype: element type; by default follows from `value`.
        shape: if given, the value is reshaped to it, or repeated when it is one number.
        name: of the node in a graph.

    Raises:
        TypeError: `value` does not convert to `dtype`, or is a tensor of the graph being built.
        NotImplementedError: it is a graph tensor that escaped its function.
        ValueError: `value` is ragged, or does not fit `shape`.
    """
    wanted = None if dtype is None else as_dtype(dtype)
    if isinstance(value, Tensor):
        return _already(value, wanted)
    array, kind = _array(value.as_list() if isinstance(value, TensorShape) else value, wanted)
    if shape is not None:
        array = _fit(array, TensorShape(shape), value)
    return _wrap(array, kind, name)


def _already(tensor: Tensor, dtype: DType | None) -> Tensor:
    if isinstance(tensor, SymbolicTensor):
        if dispatch.current_graph() is None:
            tensor.__array__()  # raises: it has no value
        raise TypeError(
            f"Expected any non-tensor type, but got a tensor instead: {tensor!r}; use it as it is,"
            " or tf.identity [tensor-to-python]"
        )
    if dtype is not None and tensor.dtype is not dtype:
        raise TypeError(
            f"Expected tensor {tensor} with dtype {dtype!r}, but got dtype {tensor.dtype!r}."
        )
    return tensor


def _fit(array: Array, shape: TensorShape, value: object) -> Array:
    dims = [d or 0 for d in shape.as_list()]
    if array.size == 1:
        return np.broadcast_to(array.reshape(()), dims)
    if array.size != np.prod(dims, dtype=np.int64):
        raise TypeError(
            f"Eager execution of tf.constant with unsupported shape. Tensor {array} (converted from"
            f" {value!r}) has {array.size} elements, but got `shape` {shape} with"
            f" {shape.num_elements()} elements"
        )
    return array.reshape(dims)


def _wrap(array: Array, dtype: DType, name: str | None) -> Tensor:
    if dispatch.current_graph() is None:
        return EagerTensor(array, dtype)
    return apply(const_op, value=array, dtype=dtype, name=name)


def _array(value: object, dtype: DType | None) -> tuple[Array, DType]:
    try:
        return to_array(value, dtype)
    except ValueError as error:
        # What eagerly is a wrong value is a wrong type in graphs, but for a ragged list or None.
        eager = dispatch.current_graph() is None
        if eager or value is None or "non-rectangular" in str(error):
            raise
        raise TypeError(f"Failed to convert elements of {value} to Tensor: {error}") from error


def _own_form(value: object) -> Callable[..., Tensor] | None:
    """How a value that has a tensor form of its own, such as a variable, gives it."""
    form: Callable[..., Tensor] | None = getattr(type(value), "__tf_tensor__", None)
    return form


def convert_to_tensor(
    value: object, dtype: object = None, dtype_hint: object = None, name: str | None = None
) -> Tensor:
    """`value` as a tensor (https://www.tensorflow.org/api_docs/python/tf/convert_to_tensor).

    Args:
        value: a tensor, variable, number, string, array, nested list of these, or any object
            whose class defines `__tf_tensor__(dtype, name)`.
        dtype: the element type it must have.
        dtype_hint: the element type to prefer when `value` is Python data that can take it.
        name: of the node when a constant is made in a graph; by default after its use.

    Raises:
        ValueError: a tensor has another dtype, or the value has no tensor form.
        TypeError: Python data does not fit `dtype`.
    """
    wanted = None if dtype is None else as_dtype(dtype)
    if isinstance(value, Tensor):
        return _checked(value, wanted)
    own = _own_form(value)
    if own is not None:
        return own(value, wanted, name)
    if isinstance(value, TensorShape):
        if not value.is_fully_defined():
            raise ValueError(f"Cannot convert a partially known TensorShape {value} to a Tensor.")
        value = value.as_list()
        wanted = wanted or dtypes.int32
    if isinstance(value, list | tuple) and _holds_tensor(value):
        packed: Tensor = operators.implementation("stack")(
            [_stackable(v, value, wanted) for v in value]
        )
        return packed
    if wanted is None and dtype_hint is not None:
        return _hinted(value, as_dtype(dtype_hint), name)
    array, kind_ = _array(value, wanted)
    return _wrap(array, kind_, name)


def _checked(tensor: Tensor, dtype: DType | None) -> Tensor:
    if dtype is not None and tensor.dtype is not dtype:
        raise ValueError(
            f"Tensor conversion requested dtype {dtype.name} for Tensor with dtype"
            f" {tensor.dtype.name}: {tensor!r}"
        )
    return tensor


def _hinted(value: object, hint: DType, name: str | None) -> Tensor:
    if isinstance(value, np.ndarray | np.generic):
        array, kind = _array(value, None)
        return _wrap(array, kind, name)
    try:
        array, kind = _array(value, hint)
    except (TypeError, ValueError):
        array, kind = _array(value, None)
    return _wrap(array, kind, name)


def _holds_tensor(value: Sequence[object]) -> bool:
    return any(
        isinstance(v, Tensor)
        or _own_form(v) is not None
        or (isinstance(v, list | tuple) and _holds_tensor(v))
        for v in value
    )


def _stackable(element: object, siblings: Sequence[object], dtype: DType | None) -> Tensor:
    if is_typed(element) or (isinstance(element, list | tuple) and _holds_tensor(element)):
        return convert_to_tensor(element, dtype)
    return convert_to_tensor(element, dtype or _sibling_dtype(siblings))


def _sibling_dtype(siblings: Sequence[object]) -> DType | None:
    """The dtype of the first tensor or variable among `siblings`."""
    typed = (s for s in siblings if hasattr(s, "dtype") and not isinstance(s, np.generic))
    return next((as_dtype(s.dtype) for s in typed), None)


def convert_pair(left: object, right: object) -> tuple[Tensor, Tensor]:
    """The operands of a binary op: Python and NumPy data takes the other side's dtype.

    Raises:
        TypeError: Python data cannot take the other side's dtype.
        ValueError: the tensors differ in dtype; the caller's op says so.
    """
    if is_tensor_like(left) or not is_tensor_like(right):
        first = convert_to_tensor(left)
        return first, fitted(right, first.dtype)
    second = convert_to_tensor(right)
    return fitted(left, second.dtype), second


def fitted(value: object, dtype: DType) -> Tensor:
    """A tensor of the value's own type if it has one, else of `dtype`.

    Raises:
        TypeError: Python data cannot take the dtype.
    """
    if is_tensor_like(value):
        return convert_to_tensor(value)
    return convert_to_tensor(value, dtype)


def is_tensor_like(value: object) -> bool:
    """Whether a value has a dtype that never changes: a tensor or variable, not NumPy data."""
    return is_typed(value) and not isinstance(value, np.ndarray | np.generic)


def is_typed(value: object) -> bool:
    """Whether a value has a dtype of its own: tensors, variables, NumPy data."""
    return isinstance(value, Tensor | np.ndarray | np.generic) or _own_form(value) is not None
