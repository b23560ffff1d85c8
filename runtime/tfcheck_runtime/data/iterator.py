"""Iterators over datasets, in eager code and in graphs.

Follows https://www.tensorflow.org/api_docs/python/tf/data/Iterator.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Self

from tfcheck_runtime import dispatch
from tfcheck_runtime.autograph.tensor_loop import UserCode
from tfcheck_runtime.data.elements import Element, Layout, Spec
from tfcheck_runtime.data.loops import loop_over_iterator
from tfcheck_runtime.data.optional import Optional
from tfcheck_runtime.data.spec import IteratorSpec
from tfcheck_runtime.errors import OperatorNotAllowedInGraphError, OutOfRangeError
from tfcheck_runtime.ops.control.iterating import (
    anonymous_iterator_op,
    get_next_as_optional_op,
    get_next_op,
    make_iterator_op,
    pipeline_of,
)
from tfcheck_runtime.values.resource import IteratorResource, Place
from tfcheck_runtime.values.tensor import EagerTensor, Tensor, apply, apply_n
from tfcheck_runtime.values.trackable import Trackable

_TRACED_LIMIT: Final = 10_000
"""Elements that one iterator gives to one piece of traced code before it counts as endless."""


class OwnedIterator(Trackable):
    """Hands out the elements of a dataset once.

    Args:
        handle: the position in the dataset, or a tensor that stands for it in a graph.
        element_spec: the type of the elements.
    """

    def __init__(self, handle: IteratorResource | Tensor, element_spec: Spec) -> None:
        self._handle = handle
        self._traced = 0
        self._layout = Layout(element_spec)

    @classmethod
    def over(cls, variant: Tensor, element_spec: Spec) -> Self:
        """An iterator at the start of a dataset."""
        if isinstance(variant, EagerTensor) and dispatch.current_graph() is None:
            return cls(IteratorResource(pipeline_of(variant.array)), element_spec)
        handle = apply(anonymous_iterator_op)
        apply_n(make_iterator_op, variant, handle)
        return cls(handle, element_spec)

    @property
    def element_spec(self) -> Spec:
        """The type of the elements."""
        return self._layout.spec

    @property
    def handle(self) -> IteratorResource | Tensor:
        """What stands for the iterator in graphs."""
        return self._handle

    def get_next(self) -> Element:
        """The next element.

        Raises:
            OutOfRangeError: there is none; in a graph, when the graph runs.
        """
        if dispatch.current_graph() is not None:
            return self._layout.pack(self._in_graph())
        row = self._resource.next_row()
        if row is None:
            raise OutOfRangeError(None, None, "End of sequence [Op:IteratorGetNext]")
        return self._layout.element(row)

    @property
    def place(self) -> Place:
        """How far it got, for a checkpoint.

        Raises:
            FailedPreconditionError: a function of the dataset has a state.
        """
        return self._resource.place

    def go_to(self, place: Place) -> None:
        """Start again and skip elements, as when a checkpoint is restored."""
        self._resource.go_to(place)

    def get_next_as_optional(self) -> Optional:
        """The next element, or nothing."""
        variant = apply(get_next_as_optional_op, self._handle)
        return Optional(variant, self._layout.spec)

    def __iter__(self) -> OwnedIterator:
        return self

    def __next__(self) -> Element:
        if dispatch.current_graph() is not None:
            return self._layout.pack(self._in_graph())
        row = self._resource.next_row()
        if row is None:
            raise StopIteration
        return self._layout.element(row)

    next = __next__

    def _in_graph(self) -> tuple[Tensor, ...]:
        self._traced += 1
        if self._traced > _TRACED_LIMIT:
            raise OperatorNotAllowedInGraphError(
                "a Python loop over a dataset never ends while a function is traced: AutoGraph did"
                " not convert it. Write it as a `for` statement in code that AutoGraph converts, or"
                " use Dataset.map and Dataset.reduce [unconverted-control-flow]"
            )
        return apply_n(get_next_op, self._handle, kinds=self._layout.kinds)

    @property
    def _resource(self) -> IteratorResource:
        if not isinstance(self._handle, IteratorResource):
            raise TypeError(
                f"{self!r} was made while a function was traced and cannot be used outside of it;"
                " iterate over the dataset where the elements are needed [tensor-leak]"
            )
        return self._handle

    def __tf_tracing_type__(self, context: object) -> IteratorSpec:
        return IteratorSpec(self._layout.spec)

    def __tf_for_loop__(
        self, extra_test: Callable[[], Any] | None, body: Callable[[Any], None], code: UserCode,
        options: Mapping[str, Any],
    ) -> None:  # fmt: skip
        loop_over_iterator(self, extra_test, body, code, options=options)


IteratorSpec.make = staticmethod(OwnedIterator)
