"""`tf.TensorArray`: a list of tensors written element by element.

Follows https://www.tensorflow.org/api_docs/python/tf/TensorArray. In eager code it is a Python
list; in graphs a value that each write replaces (see `tensor_list`).
"""

from __future__ import annotations

from collections.abc import Sequence

from tfcheck_runtime import dispatch
from tfcheck_runtime.graph.operation import Operation
from tfcheck_runtime.ops.control.eager_list import EagerList
from tfcheck_runtime.ops.control.graph_list import GraphList
from tfcheck_runtime.specs.dtypes import DType, as_dtype
from tfcheck_runtime.specs.shapes import TensorShape, as_shape
from tfcheck_runtime.values.tensor import Tensor, nothing_to_do


class TensorArray:
    """A list of tensors of one dtype.

    Every write returns the new array, which must be used instead of the old one.

    Args:
        dtype: of the elements.
        size: number of elements, an int or scalar tensor.
        dynamic_size: whether writes past the end make it grow.
        clear_after_read: in eager code, an element may be read once only (the default).
        tensor_array_name: accepted, without effect.
        handle: not supported.
        flow: the value of a TensorArray of a graph.
        infer_shape: whether all elements must have one shape.
        element_shape: the shape of the elements, perhaps partial.
        colocate_with_first_write_call: accepted, without effect.
        name: accepted, without effect.

    Raises:
        ValueError: `size` is missing.
        NotImplementedError: `handle` is given.
    """

    def __init__(
        self,
        dtype: object,
        size: object = None,
        dynamic_size: bool | None = None,
        clear_after_read: bool | None = None,
        tensor_array_name: str | None = None,
        handle: object = None,
        flow: Tensor | None = None,
        infer_shape: bool = True,
        element_shape: object = None,
        colocate_with_first_write_call: bool = True,
        name: str | None = None,
    ) -> None:
        if handle is not None:
            raise NotImplementedError("tf.TensorArray(handle=…) is not supported; use `flow`")
        kind, shape = as_dtype(dtype), as_shape(element_shape)
        if dispatch.current_graph() is None and flow is None:
            self._list: EagerList | GraphList = EagerList.new(
                kind,
                size,
                dynamic=bool(dynamic_size),
                clear=clear_after_read is not False,
                infer_shape=infer_shape,
                element_shape=shape,
            )
        else:
            self._list = GraphList.new(
                kind,
                size,
                flow,
                dynamic=bool(dynamic_size),
                infer_shape=infer_shape,
                element_shape=shape,
            )

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self._list.dtype

    @property
    def element_shape(self) -> TensorShape:
        """What is known of the shape of the elements."""
        return TensorShape(self._list.element_shape)

    @property
    def dynamic_size(self) -> bool:
        """Whether writes past the end make it grow."""
        return self._list.dynamic

    @property
    def flow(self) -> Tensor | None:
        """The value that stands for the array in a graph; None in eager code."""
        return self._list.flow if isinstance(self._list, GraphList) else None

    @property
    def handle(self) -> None:
        """There is none."""
        return None

    def identity(self) -> TensorArray:
        """The array itself."""
        return self

    def read(self, index: object, name: str | None = None) -> Tensor:
        """The element at `index`."""
        return self._list.read(index)

    def write(self, index: object, value: object, name: str | None = None) -> TensorArray:
        """The array with `value` at `index`."""
        return self._around(self._list.write(index, value))

    def stack(self, name: str | None = None) -> Tensor:
        """All elements as one tensor of shape `[size, *element_shape]`."""
        return self._list.stack()

    def gather(self, indices: object, name: str | None = None) -> Tensor:
        """The elements at `indices` as one tensor."""
        return self._list.gather(indices)

    def concat(self, name: str | None = None) -> Tensor:
        """All elements joined along their first axis."""
        return self._list.concat()

    def unstack(self, value: object, name: str | None = None) -> TensorArray:
        """The array filled with the rows of `value`."""
        return self._around(self._list.unstack(value))

    def scatter(self, indices: object, value: object, name: str | None = None) -> TensorArray:
        """The array with the rows of `value` at `indices`."""
        return self._around(self._list.scatter(indices, value))

    def split(
        self, value: object, lengths: Sequence[int] | Tensor, name: str | None = None
    ) -> TensorArray:
        """The array filled with pieces of `value` of the given lengths."""
        return self._around(self._list.split(value, lengths))

    def size(self, name: str | None = None) -> Tensor:
        """The number of elements, an int32 scalar."""
        return self._list.size()

    def close(self, name: str | None = None) -> Operation | None:
        """Does nothing: nothing needs closing."""
        return nothing_to_do(name or "TensorArrayClose")

    def learn_elements(self, other: TensorArray) -> None:
        """Take over what another array of a graph knows of the shape of its elements."""
        mine, theirs = self._list, other._list
        if not (isinstance(mine, GraphList) and isinstance(theirs, GraphList)):
            return
        if theirs.element.seen:
            mine.element.learn(theirs.element.shape)

    def _around(self, contents: EagerList | GraphList) -> TensorArray:
        if isinstance(contents, EagerList):
            return self  # eager arrays change in place
        made = TensorArray.__new__(TensorArray)
        made._list = contents
        return made

    @property
    def __tf_by_identity__(self) -> bool:
        """As an argument of a Function, an array of eager code is the Python object it is."""
        return isinstance(self._list, EagerList)

    def __tf_components__(self) -> list[Tensor]:
        return self._list.components()

    def __tf_from_components__(self, components: Sequence[Tensor]) -> TensorArray:
        return self._around(self._list.with_components(components))
