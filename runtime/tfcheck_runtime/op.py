"""The Op record: shape rule, eager kernel, ONNX lowering and gradient of one op, in one place."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, Protocol, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from tfcheck_runtime.specs.dtypes import DType
from tfcheck_runtime.specs.shapes import Shape, num_elements

Array: TypeAlias = npt.NDArray[Any]  # the element type is a run-time property here
Attributes: TypeAlias = Mapping[str, Any]  # each op documents its own


class Aval:
    """What is known of a value before it exists: dtype, shape and perhaps content.

    `partial` holds the content of an integer scalar or vector of which some elements are known,
    as when a shape is computed from a shape; elements not known are None.
    """

    __slots__ = ("_constant", "_fold", "dtype", "partial", "shape")

    def __init__(
        self,
        dtype: DType,
        shape: Shape,
        *,
        constant: Array | None = None,
        partial: tuple[int | None, ...] | None = None,
    ) -> None:
        self.dtype = dtype
        self.shape = shape
        self.partial = partial
        self._constant = constant
        self._fold: Callable[[], Array | None] | None = None

    def set_fold(self, fold: Callable[[], Array | None]) -> None:
        """Compute the content with `fold` when it is first asked for."""
        self._fold = fold

    def constant(self) -> Array | None:
        """The content, where it follows from constants; else None."""
        if self._constant is None and self._fold is not None:
            fold, self._fold = self._fold, None
            self._constant = fold()
        return self._constant

    def as_shape(self) -> Shape:
        """The content read as a shape: -1 and unknown elements are None; None if all is unknown."""
        content = self.constant()
        if content is not None:
            return tuple(None if d < 0 else int(d) for d in content.reshape(-1).tolist())
        if self.partial is not None:
            return tuple(None if d is not None and d < 0 else d for d in self.partial)
        if self.shape is not None and len(self.shape) == 1 and self.shape[0] is not None:
            return (None,) * self.shape[0]
        return None

    def __repr__(self) -> str:
        return f"Aval({self.dtype.name}, {self.shape})"


class Term:
    """A value while lowering: the ONNX value with what is known of it."""

    __slots__ = ("aval", "onnx")

    def __init__(self, onnx: object, aval: Aval) -> None:
        self.onnx = onnx
        self.aval = aval

    @property
    def dtype(self) -> DType:
        """The TensorFlow data type."""
        return self.aval.dtype

    @property
    def shape(self) -> Shape:
        """The static shape."""
        return self.aval.shape

    def constant(self) -> Array | None:
        """The content if it is known while lowering."""
        return self.aval.constant()


Operand: TypeAlias = "Term | object"


class Emitter(Protocol):
    """Adds ONNX nodes to the model being lowered.

    Inputs may be Terms, values returned by an earlier call, NumPy arrays and Python numbers (both
    become shared initialisers; a Python int becomes int64, a float float32), or None for an
    optional input left out.
    """

    def op(self, op_type: str, *inputs: object, **attributes: object) -> Any:
        """One node with one output; returns its value."""

    def op_n(self, op_type: str, count: int, *inputs: object, **attributes: object) -> list[Any]:
        """One node with `count` outputs."""

    def cast(self, value: object, dtype: DType) -> Any:
        """`value` as `dtype`."""

    def constant(self, value: object, dtype: DType | None = None) -> Any:
        """An initialiser."""


Avals: TypeAlias = "Aval | tuple[Aval, ...]"


class Op:
    """Base of all op definitions; subclasses fill in the four sides.

    A subclass sets `type` (TensorFlow's op type) and defines

    - `infer(*inputs: Aval, **attrs) -> Aval | tuple[Aval, ...]`: dtype and shape of the outputs;
      raises ValueError where the inputs cannot fit;
    - `eager(*inputs: ndarray, **attrs) -> ndarray | tuple[ndarray, ...]`: the NumPy kernel;
    - `lower(onnx: Emitter, *inputs: Term, **attrs) -> value | tuple`: the ONNX nodes; None when
      ONNX has nothing for it, then a graph runs `eager` on the host;
    - `gradient(call: Call, *grads) -> Sequence[Tensor | None]`: one per input; None when the op
      has no gradient by its nature.

    Inputs that are resources (variables) reach `eager` as the resource object; such an op defines
    `lower_resource(onnx, current: Term, *others: Term, **attrs) -> (new_content | None, outputs)`
    instead of `lower`, so that state is threaded through the graph as a value.
    """

    type: str
    infer: Callable[..., Avals]
    eager: Callable[..., Any]
    lower: Callable[..., Any] | None = None
    lower_resource: Callable[..., Any] | None = None
    gradient: Callable[..., Sequence[Any]] | None = None
    stateful: bool = False
    """Has an effect or draws randomness: never dropped, folded or reordered."""
    any_types: bool = False
    """Takes a list of inputs of any types, among which TensorFlow looks for values differently."""
    foldable: bool = True
    """Whether a pure call on constants may be computed while tracing; loops may take for ever."""
    kernelless: Collection[str] = ()
    """Data types of the first input that the op takes, but TensorFlow has no CPU kernel for."""
    cases: Sequence[object] = ()
    """Examples the generic tests run; see `Case`."""

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        """Whether onnxruntime can run this call; else the eager kernel runs on the host.

        onnxruntime's CPU kernels lack small integers, strings and complex numbers for most ops.
        """
        del attrs
        if self.lower is None and self.lower_resource is None:
            return False
        return all(a.dtype.name in ONNX_DTYPES for a in (*inputs, *outputs))

    def __repr__(self) -> str:
        return f"<op {self.type}>"


ONNX_DTYPES: Final = frozenset({"bool", "int32", "int64", "float32", "float64", "resource"})
"""Data types for which onnxruntime's CPU provider has kernels for practically every op."""


def no_kernel(op: Op, dtype: DType) -> str:
    """What is said of an op that is declared for a data type and cannot run on it."""
    return f"Could not find device for node: {op.type} has no CPU kernel for T={dtype.name}"


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """One application of an op, as gradients see it."""

    op: Op
    inputs: tuple[T, ...]
    outputs: tuple[T, ...]
    attrs: Attributes


@dataclass(frozen=True, slots=True)
class Case:
    """One example of an op: input arrays and attributes.

    `unknown` names axes (input index, axis) whose size the graph must not know; `differentiable`
    False skips the gradient check, for instance at kinks.
    """

    inputs: tuple[Array, ...]
    attrs: Attributes
    unknown: tuple[tuple[int, int], ...] = ()
    differentiable: bool = True


def case(
    *inputs: npt.ArrayLike,
    unknown: tuple[tuple[int, int], ...] = (),
    differentiable: bool = True,
    **attrs: object,
) -> Case:
    """An example from array-likes and attributes."""
    arrays = tuple(np.asarray(i) for i in inputs)
    return Case(arrays, attrs, unknown=unknown, differentiable=differentiable)


_BY_TYPE: Final[dict[str, Op]] = {}


DefinedOp = TypeVar("DefinedOp", bound=Op)


def define(op: DefinedOp) -> DefinedOp:
    """Enter an op definition in the table of ops and return it.

    Raises:
        ValueError: the type is defined already.
    """
    if op.type in _BY_TYPE:
        raise ValueError(f"op {op.type!r} is defined twice")
    _BY_TYPE[op.type] = op
    return op


def defined() -> tuple[Op, ...]:
    """All ops, sorted by type."""
    return tuple(_BY_TYPE[name] for name in sorted(_BY_TYPE))


def folds(op: Op, inputs: Sequence[Aval], outputs: Sequence[Aval]) -> bool:
    """Whether a call is pure and small enough to compute while tracing, for shape inference."""
    if op.stateful or not op.foldable:
        return False
    if any(a.dtype.name in ("resource", "variant") for a in inputs):
        return False
    sizes = [num_elements(o.shape) for o in outputs]
    return all(size is not None and size <= _FOLD_LIMIT for size in sizes)


_FOLD_LIMIT: Final = 1024
