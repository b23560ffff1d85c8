"""What every dataset is: a tensor with the type of its elements; and iterating over it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, Self

import numpy as np

from tfcheck_runtime import dispatch
from tfcheck_runtime.autograph.tensor_loop import UserCode
from tfcheck_runtime.data.elements import Element, Spec
from tfcheck_runtime.data.iterator import OwnedIterator
from tfcheck_runtime.data.loops import loop_over_dataset
from tfcheck_runtime.data.options import Options
from tfcheck_runtime.data.parts import Parts
from tfcheck_runtime.data.spec import DatasetSpec
from tfcheck_runtime.ops.control.iterating import INFINITE, UNKNOWN, cardinality_op, pipeline_of
from tfcheck_runtime.specs import nest
from tfcheck_runtime.values.tensor import EagerTensor, Tensor, apply

_BUILTINS: Final[dict[str, Callable[..., Any]]] = {}


def on_builtins(functions: Mapping[str, Callable[..., Any]]) -> None:
    """Say what Python's builtins do with datasets in converted code."""
    _BUILTINS.update(functions)


class BaseDataset:
    """A dataset without its transformations.

    Args:
        variant: the tensor that stands for it.
        element_spec: the type of its elements.
        kind: how it was made, for its repr.
    """

    def __init__(self, variant: Tensor, element_spec: Spec, kind: str = "Variant") -> None:
        self._variant = variant
        self._spec = element_spec
        self._kind = kind
        self._options = Options()

    @classmethod
    def of(cls, parts: Parts) -> Self:
        """The dataset of some parts."""
        return cls(parts.variant, parts.spec, parts.kind)

    def _then(self, parts: Parts, *others: BaseDataset) -> Self:
        """A dataset made of this one and perhaps of others, with the options of all."""
        made = type(self).of(parts)
        made._options = merged([self, *others])
        return made

    @property
    def variant(self) -> Tensor:
        """The tensor that stands for the dataset."""
        return self._variant

    @property
    def element_spec(self) -> Spec:
        """The type of the elements: TensorSpecs in the elements' structure."""
        return self._spec

    def options(self) -> Options:
        """The options set for it and for what it is made of."""
        return self._options

    def cardinality(self) -> Tensor:
        """The number of elements, -1 if infinite, -2 if unknown; int64."""
        return apply(cardinality_op, self._variant)

    def __len__(self) -> int:
        if not isinstance(self._variant, EagerTensor) or dispatch.current_graph() is not None:
            raise TypeError(
                "`tf.data.Dataset` only supports `len` in eager mode. Use"
                " `tf.data.Dataset.cardinality()` instead."
            )
        size = pipeline_of(self._variant.array).cardinality()
        if size == INFINITE:
            raise TypeError("The dataset is infinite.")
        if size == UNKNOWN:
            raise TypeError("The dataset length is unknown.")
        return size

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> OwnedIterator:
        return OwnedIterator.over(self._variant, self._spec)

    def as_numpy_iterator(self) -> NumpyIterator:
        """The elements as NumPy arrays and scalars.

        Raises:
            RuntimeError: a function is being traced.
            TypeError: the elements hold something else than tensors.
        """
        if dispatch.current_graph() is not None:
            raise RuntimeError(
                "as_numpy_iterator() is only supported in eager mode: inside a tf.function, iterate"
                " over the dataset itself"
            )
        return NumpyIterator(iter(self))

    def __repr__(self) -> str:
        return f"<_{self._kind}Dataset element_spec={self._spec!r}>"

    def __getitem__(self, key: object) -> object:
        raise TypeError(f"'_{self._kind}Dataset' object is not subscriptable")

    # How Functions, branches and loops see it.

    def __tf_tracing_type__(self, context: object) -> DatasetSpec:
        return DatasetSpec(self._spec)

    def __tf_components__(self) -> Tensor:
        return self._variant

    def __tf_from_components__(self, components: Tensor) -> Self:
        return type(self).of(Parts(components, self._spec, "Variant"))

    def __tf_for_loop__(
        self, extra_test: Callable[[], Any] | None, body: Callable[[Any], None], code: UserCode,
        options: Mapping[str, Any],
    ) -> None:  # fmt: skip
        loop_over_dataset(iter(self), extra_test, body, code)

    def __tf_builtin__(
        self, builtin: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any]
    ) -> Any:  # what each of them gives
        return _BUILTINS[builtin.__name__](*args, **named)


def merged(datasets: Iterable[BaseDataset]) -> Options:
    """The options of several datasets, those of the later ones first."""
    options = Options()
    for dataset in datasets:
        options = options.merge(dataset.options())
    return options


class NumpyIterator:
    """Hands out the elements of a dataset as NumPy data."""

    def __init__(self, iterator: OwnedIterator) -> None:
        self._iterator = iterator

    def __iter__(self) -> Iterator[Element]:
        return self

    def __next__(self) -> Element:
        return nest.map_structure(_as_numpy, next(self._iterator))


def _as_numpy(leaf: Any) -> Any:
    if isinstance(leaf, BaseDataset):
        return leaf.as_numpy_iterator()
    if leaf is None:
        return None
    value = leaf.numpy()
    if isinstance(value, np.ndarray):
        value.setflags(write=False)
    return value
