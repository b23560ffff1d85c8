"""The contents of a `tf.TensorArray` in graphs: a value that each write replaces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.gathering import gather
from tfcheck_runtime.ops.array.joining import concat
from tfcheck_runtime.ops.array.known import static_ints
from tfcheck_runtime.ops.array.packing import unstack
from tfcheck_runtime.ops.array.shaping import reshape, shape
from tfcheck_runtime.ops.control import tensor_list
from tfcheck_runtime.ops.control.tensor_list import ElementShape
from tfcheck_runtime.specs.dtypes import DType, int32
from tfcheck_runtime.specs.shapes import Shape, are_compatible, shape_text
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply


@dataclass(frozen=True)
class GraphList:
    """The current value of a list, with the element shape all its versions share."""

    dtype: DType
    flow: Tensor
    element: ElementShape
    dynamic: bool
    infer_shape: bool
    static_size: int | None

    @classmethod
    def new(
        cls,
        dtype: DType,
        size: object,
        flow: Tensor | None,
        *,
        dynamic: bool,
        infer_shape: bool,
        element_shape: Shape,
    ) -> GraphList:
        """An empty list, or one around an existing value.

        Raises:
            ValueError: there is neither a size nor a value.
        """
        element = ElementShape(element_shape)
        if flow is not None:
            return cls(dtype, flow, element, dynamic, infer_shape, None)
        if size is None:
            raise ValueError("Argument `size` must be provided if argument `flow` is not provided.")
        count = cast(convert_to_tensor(size), int32)
        known = static_ints(count)
        made = apply(
            tensor_list.reserve_op, count, dtype=dtype, element=element, name="TensorArrayV2"
        )
        static = None if dynamic or known is None else known[0]
        return cls(dtype, made, element, dynamic, infer_shape, static)

    @property
    def element_shape(self) -> Shape:
        """What is known of the shape of the elements."""
        return self.element.shape

    def read(self, index: object) -> Tensor:
        """One element."""
        self._check_known("read an uninitialized tensor")
        return apply(
            tensor_list.get_item_op,
            self.flow,
            _index(index),
            element=self.element,
            name="TensorArrayV2Read/TensorListGetItem",
        )

    def _check_known(self, what: str) -> None:
        if not self.element.seen and not self.element.is_fully_defined:
            raise invalid_argument(
                f"Trying to {what} but element_shape is not fully defined:"
                f" {shape_text(self.element_shape)} and no list element is set; write to the"
                " TensorArray first, or give it an element_shape"
            )

    def write(self, index: object, value: object) -> GraphList:
        """The list with one element replaced.

        Raises:
            ValueError: the value's shape or dtype differs from the others'.
        """
        tensor = self._checked(value)
        flow = apply(
            tensor_list.set_item_op,
            self.flow,
            _index(index),
            tensor,
            element=self.element,
            dynamic=self.dynamic,
            name="TensorArrayV2Write/TensorListSetItem",
        )
        return self._with(flow)

    def _checked(self, value: object) -> Tensor:
        tensor = convert_to_tensor(value, dtype_hint=self.dtype)
        if tensor.dtype is not self.dtype:
            raise invalid_argument(
                f"Invalid data types; op elements {tensor.dtype.name} but list elements"
                f" {self.dtype.name}"
            )
        self._learn(tensor.static_shape)
        return tensor

    def _learn(self, shape: Shape) -> None:
        if are_compatible(shape, self.element.shape):
            self.element.learn(shape)
        elif self.infer_shape:
            raise ValueError(
                f"Inconsistent shapes: saw {shape_text(shape)} but expected"
                f" {shape_text(self.element.shape)}"
            )
        else:
            raise NotImplementedError(
                "a TensorArray in a tf.function whose elements differ in shape is not supported:"
                f" saw {shape_text(shape)} and {shape_text(self.element.shape)}; pad them to one"
                " shape"
            )

    def _with(self, flow: Tensor) -> GraphList:
        return replace(self, flow=flow)

    def stack(self) -> Tensor:
        """All elements as one tensor."""
        self._check_known("stack a list which only contains uninitialized tensors")
        made = apply(
            tensor_list.stack_op,
            self.flow,
            element=self.element,
            name="TensorArrayV2Stack/TensorListStack",
        )
        if self.static_size is not None and self.element_shape is not None:
            made.set_shape((self.static_size, *self.element_shape))  # type: ignore[attr-defined]
        return made

    def gather(self, indices: object) -> Tensor:
        """Some elements as one tensor."""
        return gather(self.stack(), indices)

    def concat(self) -> Tensor:
        """All elements joined along their first axis.

        Raises:
            ValueError: the elements are scalars.
        """
        stacked = self.stack()
        if self.element_shape == ():
            raise ValueError("concat needs elements with at least one axis, got scalars")
        return reshape(stacked, concat([[-1], shape(stacked)[2:]], 0))

    def unstack(self, value: object) -> GraphList:
        """The list of the rows of `value`."""
        tensor = convert_to_tensor(value, dtype_hint=self.dtype)
        self._learn(None if tensor.static_shape is None else tensor.static_shape[1:])
        flow = apply(
            tensor_list.from_tensor_op,
            tensor,
            element=self.element,
            name="TensorArrayUnstack/TensorListFromTensor",
        )
        return self._with(flow)

    def scatter(self, indices: object, value: object) -> GraphList:
        """The list with the rows of `value` at `indices`."""
        current = self
        places = unstack(convert_to_tensor(indices))
        for place, row in zip(places, unstack(convert_to_tensor(value)), strict=True):
            current = current.write(place, row)
        return current

    def split(self, value: object, lengths: Sequence[int] | Tensor) -> GraphList:
        """The list of pieces of `value`.

        Raises:
            NotImplementedError: the pieces differ in length.
        """
        sizes = static_ints(convert_to_tensor(lengths))
        if sizes is None or len(set(sizes)) != 1:
            raise NotImplementedError(
                "TensorArray.split in a tf.function needs equal lengths that are known while"
                f" tracing, got {lengths!r}"
            )
        tensor = convert_to_tensor(value, dtype_hint=self.dtype)
        rows = reshape(tensor, concat([[len(sizes), sizes[0]], shape(tensor)[1:]], 0))
        return self.unstack(rows)

    def size(self) -> Tensor:
        """The number of elements."""
        if self.static_size is not None:
            return convert_to_tensor(self.static_size)
        return apply(tensor_list.length_op, self.flow)

    def components(self) -> list[Tensor]:
        """The value that stands for the list."""
        return [self.flow]

    def with_components(self, components: Sequence[Tensor]) -> GraphList:
        """The same list with another value."""
        return replace(self, flow=components[0])


def _index(index: object) -> Tensor:
    tensor = cast(convert_to_tensor(index), int32)
    known = static_ints(tensor)
    if known is not None and known[0] < 0:
        raise invalid_argument(f"Trying to use element {known[0]} of a list: indices start at 0")
    return tensor
