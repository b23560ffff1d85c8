"""Tensors: eager ones hold an array, symbolic ones stand for a value of a graph.

Follows https://www.tensorflow.org/api_docs/python/tf/Tensor.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn, cast

import numpy as np

from tfcheck_runtime import dispatch
from tfcheck_runtime.errors import OperatorNotAllowedInGraphError
from tfcheck_runtime.graph.ir import Graph, Value
from tfcheck_runtime.graph.operation import Operation, no_op
from tfcheck_runtime.op import Array, Op
from tfcheck_runtime.site import user_site
from tfcheck_runtime.specs.dtypes import DType
from tfcheck_runtime.specs.shapes import Shape, TensorShape, shape_text
from tfcheck_runtime.values import operators
from tfcheck_runtime.values.printing import array_repr, array_str


class CoreTensor:
    """What counts as a tensor in TensorFlow's types: tensors, and variables of libraries too."""

    __slots__ = ()


class Tensor(CoreTensor, operators.OverloadedOperators):
    """A multi-dimensional array of one data type, eager or symbolic."""

    __slots__ = ()
    # Libraries tell TensorFlow's classes by the module.
    __module__ = "tensorflow.python.framework.tensor"

    @property
    def dtype(self) -> DType:
        """The element type."""
        raise NotImplementedError

    @property
    def static_shape(self) -> Shape:
        """The shape as the runtime holds it."""
        raise NotImplementedError

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        return TensorShape(self.static_shape)

    @property
    def ndim(self) -> int | None:
        """The number of axes, None if unknown."""
        shape = self.static_shape
        return None if shape is None else len(shape)

    def get_shape(self) -> TensorShape:
        """The static shape."""
        return self.shape

    def ref(self) -> Reference:
        """A hashable handle compared by identity; `deref()` gives the tensor back."""
        return Reference(self)

    def __hash__(self) -> int:
        raise TypeError("Tensor is unhashable. Instead, use tensor.ref() as the key.")

    def __round__(self, digits: int | None = None) -> Any:
        # As in TensorFlow, where it fails for want of a method of NumPy arrays.
        raise AttributeError(
            f"{type(self).__name__} object has no attribute 'astype', which `round` needs; use"
            " tf.round"
        )

    # NumPy must leave `array + tensor` to the tensor.
    __array_priority__ = 100


class Reference:
    """A tensor or variable as a dictionary key, compared by identity."""

    __slots__ = ("_target",)

    def __init__(self, target: object) -> None:
        self._target = target

    def deref(self) -> Any:  # the referent, whatever it is
        """What this refers to."""
        return self._target

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference) and self._target is other._target

    def __hash__(self) -> int:
        return id(self._target)

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._target!r}>"


class EagerTensor(Tensor):
    """A tensor with a value; the array is never changed once it is inside."""

    # The dictionary is for what programs attach; slices of variables have `assign` there.
    __slots__ = ("__dict__", "__weakref__", "_array", "_dtype")

    def __init__(self, array: Array, dtype: DType) -> None:
        self._array = array
        self._dtype = dtype

    @property
    def dtype(self) -> DType:
        """The element type."""
        return self._dtype

    @property
    def array(self) -> Array:
        """The value itself, not a copy: do not change it."""
        return self._array

    @property
    def static_shape(self) -> Shape:
        """The shape as the runtime holds it."""
        return self._array.shape

    @property
    def device(self) -> str:
        """Where the value lives."""
        return "/job:localhost/replica:0/task:0/device:CPU:0"

    @property
    def backing_device(self) -> str:
        """Where the memory of the value lives."""
        return self.device

    def cpu(self) -> EagerTensor:
        """The tensor on the CPU."""
        return self

    def consumers(self) -> NoReturn:
        """Graph tensors know what uses them.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError("not supported for Eager Tensors")

    def eval(self, feed_dict: object = None, session: object = None) -> NoReturn:
        """Values of TensorFlow 1 came from sessions.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError(
            "eval is not supported when eager execution is enabled, is .numpy() what you're looking"
            " for?"
        )

    def set_shape(self, shape: object) -> None:
        """Check that `shape` agrees with the tensor's own.

        Raises:
            ValueError: it does not.
        """
        if not self.shape.is_compatible_with(shape):
            raise ValueError(f"Tensor's shape {self.shape} is not compatible with {shape}")

    def numpy(self) -> Any:  # an array, or a scalar for rank 0, as NumPy does
        """The value as a NumPy array (a NumPy scalar, or bytes, when of rank 0)."""
        return self._array[()] if self._array.ndim == 0 else self._array.copy()

    def __array__(self, dtype: np.dtype[Any] | None = None, copy: bool | None = None) -> Array:
        array = self._array if dtype is None else self._array.astype(dtype)
        return array.copy() if copy else array

    def __bool__(self) -> bool:
        if self._array.size == 0:
            return False
        if self._array.size != 1:
            raise ValueError(
                f"The truth value of a tensor of shape {self.shape} is ambiguous; use"
                " tf.reduce_any or tf.reduce_all"
            )
        return bool(self._array.reshape(-1)[0])

    def __int__(self) -> int:
        return int(self._array)

    def __float__(self) -> float:
        return float(self._array)

    def __complex__(self) -> complex:
        return complex(self._array)

    def __index__(self) -> int:
        if not self._dtype.is_integer:
            raise TypeError(f"only integer scalar tensors can be an index, got {self!r}")
        return self._array.__index__()

    def __format__(self, spec: str) -> str:
        return format(self.numpy(), spec)

    def __len__(self) -> int:
        if self._array.ndim == 0:
            raise TypeError("Scalar tensor has no `len()`")
        return len(self._array)

    def __iter__(self) -> Iterator[Tensor]:
        if self._array.ndim == 0:
            raise TypeError("Cannot iterate over a scalar tensor.")
        return (cast("Tensor", self[i]) for i in range(self._array.shape[0]))

    def __repr__(self) -> str:
        value = array_repr(self._array)
        return f"<tf.Tensor: shape={self.shape}, dtype={self._dtype.name}, numpy={value}>"

    def __str__(self) -> str:
        value = array_str(self._array)
        return f"tf.Tensor({value}, shape={self.shape}, dtype={self._dtype.name})"

    def __copy__(self) -> EagerTensor:
        return self

    def __deepcopy__(self, memo: object) -> EagerTensor:
        return EagerTensor(self._array.copy(), self._dtype)

    def __reduce__(self) -> tuple[object, tuple[Array, DType]]:
        return restored, (self._array, self._dtype)


def restored(array: Array, dtype: DType) -> EagerTensor:
    """A tensor from its parts, as pickles refer to it: its class bears TensorFlow's module name."""
    return EagerTensor(array, dtype)


class SymbolicTensor(Value, Tensor):
    """A tensor of a graph being built: it has a type, and no value yet."""

    __slots__ = ("__dict__",)

    @property
    def dtype(self) -> DType:
        """The element type."""
        return self.aval.dtype

    @property
    def static_shape(self) -> Shape:
        """The shape as the runtime holds it."""
        return self.aval.shape

    @property
    def name(self) -> str:
        """`node:index`."""
        return self.value_name

    @property
    def op(self) -> Operation:
        """The node that makes this tensor."""
        return Operation(self.node)

    @property
    def device(self) -> str:
        """Where the value will live: not decided while tracing."""
        return ""

    def consumers(self) -> list[Operation]:
        """The nodes that use this tensor, so far."""
        return [Operation(n) for n in self.graph.nodes if any(v is self for v in n.inputs)]

    @property
    def value_index(self) -> int:
        """Which output of the node this is."""
        return self.index

    def set_shape(self, shape: object) -> None:
        """Add what is known about the shape.

        Raises:
            ValueError: it contradicts what is known already.
        """
        self.aval.shape = self.shape.merge_with(shape).as_tuple()

    def eval(self, feed_dict: object = None, session: object = None) -> NoReturn:
        """Values of TensorFlow 1 came from sessions.

        Raises:
            ValueError: always.
        """
        raise ValueError(
            "Cannot evaluate tensor using `eval()`: No default session is registered. Return it"
            f" from the function instead: {self!r} has no value while the function is traced"
            " [tensor-to-python]"
        )

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError(
            f"cannot pickle 'SymbolicTensor' object: {self!r} belongs to a graph [tensor-leak]"
        )

    def __copy__(self) -> SymbolicTensor:
        return self

    def __getattr__(self, name: str) -> NoReturn:
        # The wording matters: people search for it, and it names the cause.
        raise AttributeError(
            f"'SymbolicTensor' object has no attribute '{name}'"
            if not name.startswith("_")
            else name
        )

    def __bool__(self) -> bool:
        self._refuse("a Python `bool`")

    def __int__(self) -> int:
        raise TypeError(self._no_number("int() argument must be a real number"))

    def __float__(self) -> float:
        raise TypeError(self._no_number("must be real number"))

    def __index__(self) -> int:
        raise TypeError(self._no_number("indices must be integers or slices"))

    def __complex__(self) -> complex:
        raise TypeError(self._no_number("complex() argument must be a number"))

    def __len__(self) -> int:
        raise TypeError(
            f"len is not well defined for a symbolic Tensor ({self.name}). Use `x.shape[0]`, or"
            " `tf.shape(x)[0]` where it is not known [tensor-to-python]"
        )

    def _no_number(self, wanted: str) -> str:
        return (
            f"{wanted}, not SymbolicTensor: `{self.name}` has no value while the function is"
            " traced; use a tf function [tensor-to-python]"
        )

    def __array__(self, dtype: np.dtype[Any] | None = None, copy: bool | None = None) -> Array:
        raise NotImplementedError(
            f"Cannot convert a symbolic tf.Tensor ({self.name}) to a numpy array. It has no value"
            " while the function is traced: use a tf function instead of the NumPy one"
            " [numpy-in-trace]"
        )

    def __iter__(self) -> Iterator[Tensor]:
        if dispatch.current_graph() is None:
            if self.static_shape == ():
                raise TypeError("Cannot iterate over a scalar tensor.")
            check_eager(self)
        raise OperatorNotAllowedInGraphError(
            f"Iterating over a symbolic `tf.Tensor` (`{self.name}`) is not allowed. AutoGraph"
            " converts `for` loops over it; to take it apart, use tf.unstack"
            " [unconverted-control-flow]"
        )

    def __repr__(self) -> str:
        shape = shape_text(self.static_shape)
        return f"<tf.Tensor '{self.name}' shape={shape} dtype={self.dtype.name}>"

    def __str__(self) -> str:
        shape = self.static_shape
        known = "" if shape is None else f"shape={shape_text(shape)}, "
        return f'Tensor("{self.name}", {known}dtype={self.dtype.name})'

    def _refuse(self, use: str) -> NoReturn:
        raise OperatorNotAllowedInGraphError(
            f"Using a symbolic `tf.Tensor` as {use} is not allowed. `{self.name}` has no value"
            " while the function is traced; AutoGraph may not have converted this code (it"
            " converts if, while, for, and, or, not in functions whose source it can read)"
            " [tensor-to-python]"
        )


class FuncGraph(Graph):
    """A graph whose values are tensors."""

    value_type = SymbolicTensor

    def __init__(self, name: str, outer: Graph | None = None) -> None:
        super().__init__(name, outer)

    @contextmanager
    def as_default(self) -> Iterator[FuncGraph]:
        """Let ops go to this graph while the context is open."""
        with dispatch.building(self):
            yield self


def apply(op: Op, *inputs: object, name: str | None = None, **attrs: object) -> Tensor:
    """Apply an op of one output to tensors and resources."""
    return cast("Tensor", dispatch.run(op, inputs, attrs, name)[0])


def apply_n(
    op: Op, *inputs: object, name: str | None = None, **attrs: object
) -> tuple[Tensor, ...]:
    """Apply an op; all its outputs."""
    return dispatch.run(op, inputs, attrs, name)


def performed() -> Operation | None:
    """What an op without outputs returns once it is applied: its node in a graph, or None."""
    graph = dispatch.current_graph()
    return Operation(graph.nodes[-1]) if graph else None


def nothing_to_do(name: str) -> Operation | None:
    """What stands for an op that has nothing to do: a node outside the graph, or None."""
    return Operation(no_op(name, user_site())) if dispatch.current_graph() else None


def check_eager(value: object) -> None:
    """Check that a value may be used outside any graph.

    Raises:
        TypeError: it is a graph tensor that escaped its function.
    """
    if not isinstance(value, SymbolicTensor):
        return
    site = value.node.site
    raise TypeError(
        f"{value!r} is out of scope and cannot be used here: it was made while tracing"
        f" `{value.graph.name}`. Return it from the function instead [tensor-leak]\nIt was made"
        f' here:\n    File "{site.file}", line {site.line}, in {site.function}'
    )


def known_shape(vector: Tensor) -> Shape:
    """What is known of the shape that an integer vector holds."""
    if isinstance(vector, EagerTensor):
        return tuple(None if size < 0 else size for size in vector.array.tolist())
    return vector.aval.as_shape() if isinstance(vector, SymbolicTensor) else None


def check_in_reach(value: object) -> None:
    """`check_eager` for what is answered from the static shape, where there is no graph."""
    if dispatch.current_graph() is None:
        check_eager(value)


def check_has_values(inputs: Iterable[object]) -> None:
    """`check_eager`, for an op that takes inputs of any types.

    Raises:
        AttributeError: one is a graph tensor that escaped its function; TensorFlow asks it for
            what only eager tensors have.
    """
    for value in inputs:
        try:
            check_eager(value)
        except TypeError as error:
            raise AttributeError(
                f"'SymbolicTensor' object has no attribute '_datatype_enum': {error}"
            ) from None


def is_symbolic_tensor(tensor: object) -> bool:
    """Whether `tensor` is a tensor of a graph, without a value yet.

    See https://www.tensorflow.org/api_docs/python/tf/is_symbolic_tensor.
    """
    return isinstance(tensor, SymbolicTensor)


def is_tensor(value: object) -> bool:
    """Whether `value` is a dense tensor, a variable, or a library's class around one."""
    return isinstance(value, CoreTensor)
