"""`tf.experimental.Optional`: an element that may be missing.

Follows https://www.tensorflow.org/api_docs/python/tf/experimental/Optional.
"""

from __future__ import annotations

from tfcheck_runtime.data.elements import Element, Layout, Spec, as_element, spec_of, tensors_of
from tfcheck_runtime.data.spec import OptionalSpec
from tfcheck_runtime.ops.control.iterating import (
    optional_get_value_op,
    optional_has_value_op,
    optional_of_op,
)
from tfcheck_runtime.values.tensor import Tensor, apply, apply_n


class Optional:
    """An element, or nothing.

    Args:
        variant: the tensor that holds it.
        element_spec: the type of the element; None while it is not known.
    """

    def __init__(self, variant: Tensor, element_spec: Spec) -> None:
        self._variant = variant
        # Libraries set it when they learn the type of what a loop or branch gives.
        self._element_spec = element_spec
        self._known: Layout | None = None

    @staticmethod
    def from_value(value: object) -> Optional:
        """An optional that holds a value."""
        element = as_element(value)
        return Optional(apply(optional_of_op, *tensors_of(element)), spec_of(element))

    @staticmethod
    def empty(element_spec: Spec) -> Optional:
        """An optional that holds nothing."""
        return Optional(apply(optional_of_op), element_spec)

    @property
    def element_spec(self) -> Spec:
        """The type of the element; None while it is not known."""
        return self._element_spec

    @property
    def _layout(self) -> Layout:
        if self._known is None or self._known.spec is not self._element_spec:
            self._known = Layout(self._element_spec)
        return self._known

    def has_value(self, name: str | None = None) -> Tensor:
        """Whether there is an element; a bool scalar."""
        return apply(optional_has_value_op, self._variant, name=name)

    def get_value(self, name: str | None = None) -> Element:
        """The element.

        Raises:
            InvalidArgumentError: there is none; in a graph, when the graph runs.
            ValueError: its type is not known.
        """
        if self._element_spec is None:
            raise ValueError(
                "this Optional was made by tf.experimental.Optional.empty(None): the type of its"
                " value is not known; pass an element_spec"
            )
        kinds = self._layout.kinds
        return self._layout.pack(
            apply_n(optional_get_value_op, self._variant, kinds=kinds, name=name)
        )

    # How Functions, branches and loops see it.

    def __tf_tracing_type__(self, context: object) -> OptionalSpec:
        return OptionalSpec(self._element_spec)

    def __tf_components__(self) -> Tensor:
        return self._variant

    def __tf_from_components__(self, components: Tensor) -> Optional:
        return Optional(components, self._element_spec)


OptionalSpec.make = staticmethod(Optional)
