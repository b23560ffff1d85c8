"""`tf.SparseTensor`: the elements of a tensor that are not zero, and where they stand.

Follows https://www.tensorflow.org/api_docs/python/tf/sparse/SparseTensor.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import DType
from tfcheck_runtime.specs.shapes import Shape, TensorShape
from tfcheck_runtime.specs.sparse_spec import SparseTensorSpec
from tfcheck_runtime.values import operators
from tfcheck_runtime.values.composite import CompositeTensor
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import SymbolicTensor, Tensor, known_shape


class SparseTensor(CompositeTensor):
    """Elements at some indices; all others are zero.

    Args:
        indices: where the elements stand, an int64 matrix of shape [n, rank]; ops expect its rows
            in order.
        values: the elements, shape [n].
        dense_shape: the shape of the whole, an int64 vector.

    Raises:
        ValueError: ranks or sizes do not fit, or indices or shape are not int64.
    """

    # Libraries tell TensorFlow's classes by the module.
    __module__ = "tensorflow.python.framework.sparse_tensor"
    # NumPy must leave `array * sparse` to Python.
    __array_priority__ = 100

    def __init__(self, indices: object, values: object, dense_shape: object) -> None:
        self._indices = convert_to_tensor(indices, dtypes.int64)
        self._values = convert_to_tensor(values)
        self._dense_shape = convert_to_tensor(dense_shape, dtypes.int64)
        _check(self._indices.shape, self._values.shape, self._dense_shape.shape)
        self._shape = known_shape(self._dense_shape)

    @classmethod
    def from_value(cls, sparse_tensor_value: Any) -> SparseTensor:
        """A sparse tensor from one, or from a named tuple of the same three parts.

        Raises:
            TypeError: it has not these parts.
        """
        parts = [
            getattr(sparse_tensor_value, part, None)
            for part in ("indices", "values", "dense_shape")
        ]
        if any(part is None for part in parts):
            raise TypeError(
                f"{sparse_tensor_value} of type {type(sparse_tensor_value).__name__} is neither"
                " SparseTensor nor SparseTensorValue."
            )
        return cls(*parts)

    @property
    def indices(self) -> Tensor:
        """Where the elements stand, shape [n, rank]."""
        return self._indices

    @property
    def values(self) -> Tensor:
        """The elements, shape [n]."""
        return self._values

    @property
    def dense_shape(self) -> Tensor:
        """The shape of the whole, as a tensor."""
        return self._dense_shape

    @property
    def dtype(self) -> DType:
        """The element type."""
        return self._values.dtype

    @property
    def static_shape(self) -> Shape:
        """The shape of the whole as far as known."""
        return self._shape

    @property
    def shape(self) -> TensorShape:
        """The shape of the whole as far as known."""
        return TensorShape(self._shape)

    def get_shape(self) -> TensorShape:
        """The shape of the whole as far as known."""
        return self.shape

    def set_shape(self, shape: object) -> None:
        """Add what is known about the shape.

        Raises:
            ValueError: it contradicts what is known already.
        """
        self._shape = self.shape.merge_with(shape).as_tuple()

    @property
    def op(self) -> Any:
        """The node that makes the values; graphs have nodes, eager tensors have none."""
        return _symbolic(self._values, "op").op

    @property
    def graph(self) -> Any:
        """The graph of the values; eager tensors have none."""
        return _symbolic(self._values, "graph").graph

    def with_values(self, new_values: object) -> SparseTensor:
        """Other elements at the same places.

        Raises:
            ValueError: there are not as many.
        """
        return SparseTensor(self._indices, new_values, self._dense_shape)

    def consumers(self) -> list[Any]:
        """The nodes that use its parts."""
        found: list[list[Any]] = [getattr(t, "consumers", list)() for t in self.__tf_components__()]
        return [node for nodes in found for node in nodes]

    def __mul__(self, other: object) -> SparseTensor:
        """The elements times those of a dense tensor that broadcasts to this shape."""
        product: SparseTensor = operators.implementation("sparse.multiply")(self, other)
        return product

    def __truediv__(self, other: object) -> SparseTensor:
        """The elements divided by those of a dense tensor that broadcasts to this shape."""
        quotient: SparseTensor = operators.implementation("sparse.divide")(self, other)
        return quotient

    # How Functions, branches and loops see it.

    def __tf_tracing_type__(self, context: object) -> SparseTensorSpec:
        return SparseTensorSpec(self._shape, self.dtype)

    def __tf_components__(self) -> tuple[Tensor, Tensor, Tensor]:
        return self._indices, self._values, self._dense_shape

    def __tf_from_components__(self, components: Sequence[Any]) -> SparseTensor:
        return _from_spec(self._type_spec, components)

    def __tf_gradient_components__(self) -> NoReturn:
        raise ValueError(
            "Type SparseTensor is not supported as a gradient source or gradient target."
        )

    @property
    def _type_spec(self) -> SparseTensorSpec:
        return SparseTensorSpec(self._shape, self.dtype)

    def __repr__(self) -> str:
        return (
            f"SparseTensor(indices={self._indices!s}, values={self._values!s},"
            f" dense_shape={self._dense_shape!s})"
        )


def _check(indices: TensorShape, values: TensorShape, whole: TensorShape) -> None:
    count, rank = indices.with_rank(2)
    for size, other in ((count, values.with_rank(1)[0]), (rank, whole.with_rank(1)[0])):
        if None not in (size, other) and size != other:
            raise ValueError(f"Dimensions {size} and {other} are not compatible")


def _symbolic(tensor: Tensor, attribute: str) -> SymbolicTensor:
    if isinstance(tensor, SymbolicTensor):
        return tensor
    raise AttributeError(f"Tensor.{attribute} is undefined when eager execution is enabled.")


def _from_spec(spec: SparseTensorSpec, components: Sequence[Any]) -> SparseTensor:
    made = SparseTensor(*components)
    made.set_shape(spec.shape)
    return made


SparseTensorSpec.make = _from_spec
SparseTensorSpec.kind = SparseTensor
