"""`tf.Variable` and the ops that read and assign it.

Follows https://www.tensorflow.org/api_docs/python/tf/Variable.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Iterator
from typing import Any, NoReturn, Protocol, Self, SupportsIndex, cast

import numpy as np

from tfcheck_runtime import dispatch
from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Op
from tfcheck_runtime.specs.dtypes import DType, as_dtype
from tfcheck_runtime.specs.shapes import Shape, TensorShape, are_compatible, as_shape
from tfcheck_runtime.values import operators
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.naming import scoped
from tfcheck_runtime.values.resource import Resource
from tfcheck_runtime.values.sparse_updates import SparseUpdates
from tfcheck_runtime.values.tensor import (
    CoreTensor,
    EagerTensor,
    Reference,
    SymbolicTensor,
    Tensor,
    apply,
    performed,
)
from tfcheck_runtime.values.trackable import Trackable
from tfcheck_runtime.values.variable_modes import (
    Unset,
    VariableAggregation,
    VariableSynchronization,
    aggregation_of,
)
from tfcheck_runtime.values.variable_ops import (
    assign_add_op,
    assign_op,
    assign_sub_op,
    is_initialized_op,
    read_variable_op as read_variable_op,
)


class VariableCreator(Protocol):
    """Decides how a variable is made while a function is traced."""

    def __call__(self, graph: object, make_value: Callable[[], Tensor]) -> EagerTensor:
        """The initial value of a variable created inside `graph`."""


class _Creation:
    """Who makes variables inside graphs; set by the function layer."""

    in_graph: VariableCreator | None = None
    lifted: Callable[[], None] = staticmethod(lambda: None)


def on_creation_in_graph(creator: VariableCreator, lifted: Callable[[], None]) -> None:
    """Let `creator` compute the initial value of variables created inside graphs.

    `lifted` is called for all others: a function may be under trace outside of which they are.
    """
    _Creation.in_graph = staticmethod(creator)
    _Creation.lifted = staticmethod(lifted)


def _in_place(sign: str, method: str | None = None) -> Callable[[Any, Any], Any]:
    """What `variable += value` and its kin do: say what to write instead."""
    instead = f"assign(variable {sign} value)" if method is None else f"{method}(value)"

    def refuse(self: Variable, value: object) -> NoReturn:
        raise RuntimeError(
            f"`variable {sign}= value` with `tf.Variable`s is not supported. Use"
            f" `variable.{instead}` to modify the variable, or `out = variable {sign} value` if you"
            " need to get a new output Tensor. [variable-rebinding]"
        )

    return refuse


class Variable(SparseUpdates, CoreTensor, Trackable):
    """A tensor that can be assigned to.

    Args:
        initial_value: tensor, Python or NumPy data, or a callable that returns one.
        trainable: whether tapes watch it by themselves; True by default.
        validate_shape: accepted, without effect.
        name: shown in its repr; need not be unique.
        dtype: element type; by default that of `initial_value`.
        constraint: kept for optimizers, which project the value with it.
        synchronization: kept, without effect.
        aggregation: kept, without effect.
        shape: what the value must always have; by default that of `initial_value`.

    Raises:
        ValueError: there is no initial value, it does not fit `shape`, or another argument is none
            of its kind.
    """

    def __new__(cls, *args: object, **kwargs: object) -> Self:
        """An instance; `tf.Variable(…)` makes one of a class whose name programs print."""
        kind: Any = ResourceVariable if cls is Variable else cls
        made: Self = super().__new__(kind)
        return made

    def __init__(
        self,
        initial_value: object = None,
        trainable: bool | None = None,
        validate_shape: bool = True,
        caching_device: object = None,
        name: str | None = None,
        variable_def: object = None,
        dtype: object = None,
        import_scope: object = None,
        constraint: Callable[[Tensor], Tensor] | None = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation | Unset = Unset.NONE,
        shape: object = None,
    ) -> None:
        if constraint is not None and not callable(constraint):
            raise ValueError(
                "Argument `constraint` must be None or a callable. Got a"
                f" {type(constraint)}: {constraint}"
            )
        if initial_value is None:
            raise ValueError(
                "The `initial_value` arg to `tf.Variable` must be specified except when you are not"
                " providing a `variable_def`. You provided neither."
            )
        value = _initial_value(initial_value, dtype)
        declared = as_shape(shape) if shape is not None else value.static_shape
        if not are_compatible(value.static_shape, declared):
            raise ValueError(
                f"In this `tf.Variable` creation, the initial value's shape ({value.shape}) is not"
                f" compatible with the explicitly supplied `shape` argument ({shape})."
            )
        self.constraint = constraint
        self.synchronization = VariableSynchronization(synchronization)
        self.aggregation = aggregation_of(aggregation)
        if trainable is None:
            # What each device keeps for itself until it is read is no parameter.
            trainable = self.synchronization is not VariableSynchronization.ON_READ
        self.handle: Resource | SymbolicTensor = Resource(
            value.array,
            dtype=value.dtype,
            shape=declared,
            name=scoped("Variable" if name is None else name),
            trainable=bool(trainable),
        )
        self.handle.owner = weakref.ref(self)
        self._dtype, self._shape = value.dtype, declared
        self._trainable = bool(trainable)
        self._name = self.handle.name
        # Libraries key their state by it; names need not be unique.
        self._unique_id = f"{self._name}_{self.handle.number}"

    @classmethod
    def around(cls, handle: Resource) -> Variable:
        """The variable that existing storage belongs to from now on."""
        variable = cls.from_handle(
            handle, dtype=handle.dtype, shape=handle.shape, trainable=handle.trainable
        )
        variable._name, variable._unique_id = handle.name, f"{handle.name}_{handle.number}"
        handle.owner = weakref.ref(variable)
        return variable

    @classmethod
    def from_handle(
        cls, handle: Resource | SymbolicTensor, *, dtype: DType, shape: Shape, trainable: bool,
        namesake: Variable | None = None,
    ) -> Variable:  # fmt: skip
        """A variable around existing storage, or around a resource parameter of a graph.

        It has the name and the id of `namesake`, if that is given.
        """
        variable = cls.__new__(cls)
        variable.constraint = None
        variable.synchronization = VariableSynchronization.AUTO
        variable.aggregation = Unset.NONE
        variable.handle = handle
        variable._dtype, variable._shape, variable._trainable = dtype, shape, trainable
        variable._name, variable._unique_id = (
            ("Variable", f"Variable_{id(handle)}")
            if namesake is None
            else (namesake._name, namesake._unique_id)
        )
        return variable

    @property
    def name(self) -> str:
        """The name with output index, as TensorFlow spells it."""
        return f"{self._name}:0"

    @property
    def _shared_name(self) -> str:
        return self._name

    @property
    def dtype(self) -> DType:
        """The element type."""
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        """What is known of the shape."""
        return TensorShape(self._shape)

    @property
    def static_shape(self) -> Shape:
        """The shape as the runtime holds it."""
        return self._shape

    @property
    def trainable(self) -> bool:
        """Whether tapes watch it by themselves."""
        return self._trainable

    @property
    def device(self) -> str:
        """Where the value lives."""
        return "/job:localhost/replica:0/task:0/device:CPU:0"

    @property
    def ndim(self) -> int | None:
        """The number of axes."""
        return self.shape.rank

    def get_shape(self) -> TensorShape:
        """What is known of the shape."""
        return self.shape

    def value(self) -> Tensor:
        """The current value."""
        return self._read(None)

    def _read(self, name: str | None) -> Tensor:
        self._watch()
        return apply(read_variable_op, self.handle, dtype=self._dtype, shape=self._shape, name=name)

    def read_value(self) -> Tensor:
        """The current value."""
        value = self._read("Read/ReadVariableOp")
        if dispatch.current_graph() is None:
            return value
        named: Tensor = operators.implementation("identity")(value)
        return named

    def _watch(self) -> None:
        if self._trainable:
            for tape in dispatch.watching_tapes():
                tape.watch_variable(self)

    def is_initialized(self, name: str | None = None) -> Tensor:
        """Whether it has a value; a bool scalar."""
        return apply(is_initialized_op, self.handle, name=name)

    @property
    def initializer(self) -> None:
        """Nothing: variables are initialized when they are made."""

    @property
    def initial_value(self) -> NoReturn:
        """Not kept.

        Raises:
            RuntimeError: always.
        """
        raise RuntimeError("This property is not supported when eager execution is enabled.")

    def numpy(self) -> Any:
        """The current value as a NumPy array, or scalar when of rank 0.

        Raises:
            NotImplementedError: inside a graph, where there is no value.
        """
        if dispatch.current_graph() is not None or not isinstance(self.handle, Resource):
            raise NotImplementedError(
                "numpy() is only available when eager execution is enabled: inside a tf.function a"
                " variable has no value while it is traced [tensor-to-python]"
            )
        return EagerTensor(self.handle.content, self._dtype).numpy()

    def assign(
        self, value: object, use_locking: bool = False, name: str | None = None,
        read_value: bool = True,
    ) -> Any:  # fmt: skip
        """Replace the value; returns the variable, or if not wanted nothing (in graphs: the op).

        Raises:
            ValueError: shape or dtype do not fit.
        """
        return self._update(assign_op, value, name=name, read_value=read_value)

    def assign_add(
        self, delta: object, use_locking: bool = False, name: str | None = None,
        read_value: bool = True,
    ) -> Any:  # fmt: skip
        """Add `delta`; returns what `assign` returns."""
        return self._update(assign_add_op, delta, name=name, read_value=read_value)

    def assign_sub(
        self, delta: object, use_locking: bool = False, name: str | None = None,
        read_value: bool = True,
    ) -> Any:  # fmt: skip
        """Subtract `delta`; returns what `assign` returns."""
        return self._update(assign_sub_op, delta, name=name, read_value=read_value)

    def _update(self, op: Op, value: object, *, name: str | None, read_value: bool) -> Any:
        tensor = convert_to_tensor(value, self._dtype)
        self._check_update(op, tensor)
        dispatch.run(op, (self.handle, tensor), {}, name)
        if not read_value:
            return performed()
        return self._unread()

    def _check_update(self, op: Op, tensor: Tensor) -> None:
        if op is not assign_op and self._dtype.name in ("bool", "string"):
            raise invalid_argument(
                f"No OpKernel was registered to support Op '{op.type}' for variables of type"
                f" {self._dtype.name}: assign another value"
            )
        if are_compatible(tensor.static_shape, self._shape):
            return
        if op is assign_op:
            raise ValueError(
                f"Cannot assign value to variable '{self.name}': Shape mismatch. The variable shape"
                f" {self.shape}, and the assigned value shape {tensor.shape} are incompatible."
            )
        if dispatch.current_graph() is not None:
            raise ValueError(
                f"Cannot update variable '{self.name}' of shape {self.shape} with a tensor of shape"
                f" {tensor.shape} by {op.type}: shapes must be equal"
            )

    def _unread(self) -> Variable:
        """The variable again, under the name TensorFlow gives it when it was just assigned."""
        again = _UnreadVariable.from_handle(
            self.handle,
            dtype=self._dtype,
            shape=self._shape,
            trainable=self._trainable,
            namesake=self,
        )
        again.constraint = self.constraint
        return again

    def ref(self) -> Reference:
        """A hashable handle compared by identity."""
        return Reference(self)

    def set_shape(self, shape: object) -> None:
        """Check that `shape` agrees with the variable's own."""
        self.shape.assert_is_compatible_with(shape)

    def __tf_tensor__(self, dtype: DType | None = None, name: str | None = None) -> Tensor:
        if dtype is not None and dtype is not self._dtype:
            raise ValueError(
                f"Incompatible type conversion requested to type {dtype.name} for `tf.Variable of"
                f" type {self._dtype.name}. (Variable: {self!r})"
            )
        return self.value()

    def __array__(self, dtype: np.dtype[Any] | None = None, copy: bool | None = None) -> Array:
        return np.asarray(self.numpy(), dtype=dtype)

    __array_priority__ = 100

    def __bool__(self) -> bool:
        return bool(self.value())

    def __int__(self) -> int:
        return int(cast("EagerTensor", self.value()))

    def __float__(self) -> float:
        return float(cast("EagerTensor", self.value()))

    def __complex__(self) -> complex:
        return complex(self.numpy())

    def __iter__(self) -> Iterator[Tensor]:
        return iter(cast("EagerTensor", self.value()))

    def __getitem__(self, index: Any) -> Any:
        part = operators.implementation("getitem")(self, index)
        part.assign = functools.partial(self._assign_slice, index)
        return part

    def _assign_slice(self, index: Any, value: object, name: str | None = None) -> Any:
        """Replace the elements that an index picks; returns the variable."""
        op, bounds, masks = operators.implementation("variable_slice_assign")(index)
        tensor = convert_to_tensor(value, self._dtype)
        attrs = {"dtype": self._dtype, "shape": self._shape, **masks}
        dispatch.run(op, (self.handle, *bounds, tensor), attrs, name)
        return self._unread()

    def __hash__(self) -> int:
        raise TypeError(
            f"Variable is unhashable. Instead, use variable.ref() as the key. (Variable: {self!r})"
        )

    def __copy__(self) -> Variable:
        return self

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        make = functools.partial(
            Variable,
            trainable=self._trainable,
            name=self._name,
            dtype=self._dtype,
            constraint=self.constraint,
        )
        return make, (self.numpy(),)

    def __deepcopy__(self, memo: dict[int, object]) -> Variable:
        if dispatch.current_graph() is not None:
            raise NotImplementedError(
                "__deepcopy__() is only available when eager execution is enabled."
            )
        made = Variable(
            self.numpy(),
            trainable=self._trainable,
            name=self._name,
            dtype=self._dtype,
            constraint=self.constraint,
            shape=self.shape,
        )
        memo[id(self)] = made
        return made

    __iadd__, __isub__ = _in_place("+", "assign_add"), _in_place("-", "assign_sub")
    __imul__, __itruediv__, __ipow__ = _in_place("*"), _in_place("/"), _in_place("**")

    def __repr__(self) -> str:
        start = f"<tf.Variable '{self.name}' shape={self.shape} dtype={self._dtype.name}"
        if isinstance(self.handle, Resource) and dispatch.current_graph() is None:
            value = repr(EagerTensor(self.handle.content, self._dtype))
            return f"{start}, numpy={value.partition('numpy=')[2]}"
        return f"{start}>"


def is_resource_variable(value: object) -> bool:
    """Whether `value` is a variable, or a library's class around one that has its `handle`."""
    return isinstance(value, Variable) or hasattr(type(value), "_should_act_as_resource_variable")


class ResourceVariable(Variable):
    """What `tf.Variable(…)` makes."""


class _UnreadVariable(Variable):
    """A variable that was just assigned, as the assignment returns it."""

    @property
    def name(self) -> str:
        """The name that TensorFlow gives to all of them."""
        return "UnreadVariable"


def _initial_value(value: object, dtype: object) -> EagerTensor:
    wanted = None if dtype is None else as_dtype(dtype)

    def make() -> Tensor:
        content = value() if callable(value) else value
        return convert_to_tensor(content, wanted)

    graph = dispatch.current_graph()
    if graph is None:
        _Creation.lifted()
        tensor = make()
        if not isinstance(tensor, EagerTensor):
            raise ValueError(
                f"Argument `initial_value` ({tensor}) could not be lifted out of a `tf.function`:"
                " it is a tensor of a graph and has no value [tensor-leak]"
            )
        return tensor
    if _Creation.in_graph is None:
        raise RuntimeError("variables cannot be created in graphs: no function layer is installed")
    return _Creation.in_graph(graph, make)
