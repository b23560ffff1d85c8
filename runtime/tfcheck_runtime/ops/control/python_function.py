"""`tf.py_function` and `tf.numpy_function`: Python code called while the graph runs.

Follows https://www.tensorflow.org/api_docs/python/tf/py_function.
"""

from __future__ import annotations

import functools
import traceback
from collections.abc import Callable, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from tfcheck_runtime import dispatch
from tfcheck_runtime.errors import (
    InvalidArgumentError,
    OpError,
    OutOfRangeError,
    ResourceExhaustedError,
    UnimplementedError,
    UnknownError,
)
from tfcheck_runtime.op import Array, Aval, Call, Op, define
from tfcheck_runtime.ops.array.filling import zeros_like
from tfcheck_runtime.specs import nest
from tfcheck_runtime.specs.dtypes import DType, as_dtype
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.python_data import to_array
from tfcheck_runtime.values.tensor import EagerTensor, Tensor, apply_n, check_has_values, performed

Kinds = tuple[DType, ...]


class _PythonFunction(Op):
    """Calls Python; subclasses say with what."""

    stateful = True

    def infer(self, *inputs: Aval, function: Callable[..., Any], kinds: Kinds) -> tuple[Aval, ...]:
        return tuple(Aval(kind, None) for kind in kinds)

    def eager(
        self, *inputs: Array, function: Callable[..., Any], kinds: Kinds
    ) -> tuple[Array, ...]:
        with dispatch.building(None):
            try:
                return self.call(inputs, function, kinds)
            except Exception as error:  # around the user's program
                raise as_op_error(error, self.type) from error

    def call(
        self, inputs: Sequence[Array], function: Callable[..., Any], kinds: Kinds
    ) -> tuple[Array, ...]:
        """The results of the Python function as arrays."""
        raise NotImplementedError


class _EagerPyFunc(_PythonFunction):
    """Calls Python with eager tensors."""

    type = "EagerPyFunc"

    def call(
        self, inputs: Sequence[Array], function: Callable[..., Any], kinds: Kinds
    ) -> tuple[Array, ...]:
        results = _as_tensors(function(*map(_eager, inputs)), kinds)
        return tuple(tensor.array for tensor in results)

    def gradient(self, call: Call[Tensor], *grads: Tensor | None) -> list[Tensor | None]:
        function: Callable[..., Any] = call.attrs["function"]
        if not isinstance(function, Differentiable):
            return [None] * len(call.inputs)
        function.keep()
        seeds = [
            zeros_like(o) if g is None else g for o, g in zip(call.outputs, grads, strict=True)
        ]
        wanted = [i for i, v in enumerate(call.inputs) if v.dtype.is_floating]
        kinds = tuple(call.inputs[i].dtype for i in wanted)
        operands = (*call.inputs, *seeds)
        found = apply_n(eager_py_func_op, *operands, function=function.backward, kinds=kinds)
        results: list[Tensor | None] = [None] * len(call.inputs)
        for i, gradient in zip(wanted, found, strict=True):
            _declare_shape(gradient, call.inputs[i])
            results[i] = gradient
        return results


@runtime_checkable
class Differentiable(Protocol):
    """A Python function that knows its gradient, as the layer that has tapes makes one."""

    def keep(self) -> None:
        """A gradient will be asked for: what the next calls do is to be kept."""

    def backward(self, *operands: Tensor) -> list[Tensor]:
        """The gradients of the floating-point arguments.

        Takes the arguments of a call, then the gradients of its results.
        """


Wrapper = Callable[[Callable[..., Any], int], Callable[..., Any]]
"""Makes a Python function of so many results `Differentiable`."""


class _Installed:
    """Set once, when the runtime is imported."""

    differentiable: Wrapper


def differentiate_python_with(wrapper: Wrapper) -> None:
    """Let `wrapper` wrap the functions that graphs call."""
    _Installed.differentiable = staticmethod(wrapper)


def _eager(array: Array) -> EagerTensor:
    return EagerTensor(np.asarray(array), as_dtype(np.asarray(array).dtype))


def _as_tensors(result: object, kinds: Kinds) -> list[EagerTensor]:
    pairs = zip(_results(result, kinds), kinds, strict=False)
    tensors = [convert_to_tensor(r, kind) for r, kind in pairs]
    return [t for t in tensors if isinstance(t, EagerTensor)]  # all: no graph is being built


class _PyFunc(_PythonFunction):
    """Calls Python with NumPy arrays."""

    def __init__(self, op_type: str, *, stateful: bool) -> None:
        self.type = op_type
        self.stateful = stateful

    def call(
        self, inputs: Sequence[Array], function: Callable[..., Any], kinds: Kinds
    ) -> tuple[Array, ...]:
        # Of rank 0 the function gets NumPy scalars.
        results = _results(function(*(np.asarray(i)[()] for i in inputs)), kinds)
        if len(results) != len(kinds):
            raise ValueError(
                f"{_name(function)} returns {len(results)} values, but expects to see {len(kinds)}"
                " values."
            )
        made = [to_array(np.asarray(r), None) for r in results]
        for i, ((_, kind), wanted) in enumerate(zip(made, kinds, strict=True)):
            if kind is not wanted:
                raise ValueError(
                    f"{i}-th value returned by {_name(function)} is {kind.name}, but expects"
                    f" {wanted.name}"
                )
        return tuple(array for array, _ in made)


def _name(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", repr(function))


def _results(result: object, kinds: Kinds) -> Sequence[object]:
    if not kinds:
        return ()
    results = result if isinstance(result, list | tuple) else [result]
    if len(results) < len(kinds):
        raise ValueError(
            f"the function returned {len(results)} values, but {len(kinds)} are declared"
        )
    return results


_ERRORS: tuple[tuple[type[Exception], type[OpError]], ...] = (
    (StopIteration, OutOfRangeError),
    (NotImplementedError, UnimplementedError),
    (TypeError, InvalidArgumentError),
    (ValueError, InvalidArgumentError),
    (MemoryError, ResourceExhaustedError),
)
"""TensorFlow's error for each Python error; all others are unknown."""


def as_op_error(error: Exception, op_type: str) -> OpError:
    """The error of an op that runs Python code which raised `error`."""
    kind = next((op for python, op in _ERRORS if isinstance(error, python)), UnknownError)
    shown = "".join(traceback.format_exception(error))
    return kind(None, None, f"{type(error).__name__}: {error}\n{shown} [Op:{op_type}]")


eager_py_func_op = define(_EagerPyFunc())
py_func_op = define(_PyFunc("PyFunc", stateful=True))
stateless_py_func_op = define(_PyFunc("PyFuncStateless", stateful=False))


def py_function(
    func: Callable[..., Any] | None = None,
    inp: Sequence[object] | None = None,
    Tout: object = None,  # noqa: N803  # TensorFlow's name
    name: str | None = None,
) -> Any:
    """Call Python with eager tensors when the graph runs.

    See https://www.tensorflow.org/api_docs/python/tf/py_function.

    Args:
        func: takes eager tensors, returns values of the dtypes `Tout`; None to get a decorator.
        inp: its arguments.
        Tout: a dtype or TensorSpec, or a list of them.
        name: of the node.

    Returns:
        A tensor of unknown shape per dtype; one alone if `Tout` is no list.

    Raises:
        InvalidArgumentError: a result has another dtype; also in place of TypeError and ValueError.
        UnknownError: the function raised another error.
    """
    if func is None:
        return _decorator(py_function, Tout, name=name)
    inp = inp or ()
    if dispatch.current_graph() is None:
        return _called(func, inp, Tout)
    count = len(Tout) if isinstance(Tout, list | tuple) else 1
    function = _Installed.differentiable(func, count)
    return _apply(eager_py_func_op, function, inp, Tout, name or "EagerPyFunc")


def _called(func: Callable[..., Any], inp: Sequence[object], declared: object) -> Any:
    """What `func` returns, called at once under the tapes that are open."""
    specs: Sequence[Any] = declared if isinstance(declared, list | tuple) else [declared]
    kinds = tuple(as_dtype(getattr(s, "dtype", s)) for s in specs)
    inputs = [convert_to_tensor(i) for i in inp]
    check_has_values(inputs)
    try:
        results = _as_tensors(func(*inputs), kinds)
    except Exception as error:  # around the user's program
        raise as_op_error(error, eager_py_func_op.type) from error
    return results if isinstance(declared, list | tuple) else results[0]


def _decorator(call: Callable[..., Any], declared: object, **options: object) -> Callable[..., Any]:
    """Turns a Python function into one that is called through `call`, with tensors by position."""
    if declared is None:
        raise TypeError("Missing required argument: 'Tout'")

    def decorate(func: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(func)
        def wrapped(*args: object) -> Any:
            return call(func, args, declared, **options)

        return wrapped

    return decorate


def numpy_function(
    func: Callable[..., Any] | None = None,
    inp: Sequence[object] | None = None,
    Tout: object = None,  # noqa: N803  # TensorFlow's name
    stateful: bool = True,
    name: str | None = None,
) -> Any:
    """Call Python with NumPy arrays when the graph runs; see `py_function`.

    See https://www.tensorflow.org/api_docs/python/tf/numpy_function.

    In eager code the function is simply called, and its errors come through as they are.
    """
    if func is None:
        return _decorator(numpy_function, Tout, stateful=stateful, name=name)
    inp = inp or ()
    if dispatch.current_graph() is None:
        arrays = [np.asarray(convert_to_tensor(i)) for i in inp]
        result = func(*arrays)
        return _eager_results(result)
    op = py_func_op if stateful else stateless_py_func_op
    return _apply(op, func, inp, Tout, name or "PyFunc")


def _eager_results(result: object) -> object:
    """What the function returned, whatever was declared; one value stands alone."""
    made = [None if r is None else convert_to_tensor(r) for r in nest.flatten(result)]
    return made[0] if len(made) == 1 else made


def _apply(
    op: Op, func: Callable[..., Any], inp: Sequence[object], declared: object, name: str
) -> Any:
    several = isinstance(declared, list | tuple)
    specs: Sequence[Any] = declared if isinstance(declared, list | tuple) else [declared]
    kinds = tuple(as_dtype(getattr(s, "dtype", s)) for s in specs)
    inputs = [convert_to_tensor(i) for i in inp]
    outputs = list(apply_n(op, *inputs, function=func, kinds=kinds, name=name))
    if not specs:
        return performed()
    for spec, output in zip(specs, outputs, strict=True):
        _declare_shape(output, spec)
    return outputs if several else outputs[0]


def _declare_shape(output: Tensor, spec: Any) -> None:
    shape = getattr(spec, "shape", None)
    if shape is not None and not isinstance(output, EagerTensor):
        output.set_shape(shape)  # type: ignore[attr-defined]  # graph tensors have it
