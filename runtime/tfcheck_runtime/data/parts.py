"""What transformations take and give: the tensor of a dataset and the type of its elements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from tfcheck_runtime.data.elements import Spec
from tfcheck_runtime.ops.array.known import static_ints
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import EagerTensor, Tensor


class Source(Protocol):
    """A dataset, as a transformation sees it."""

    @property
    def variant(self) -> Tensor:
        """The tensor that stands for it."""

    @property
    def element_spec(self) -> Spec:
        """The type of its elements."""


@dataclass(frozen=True, slots=True)
class Parts:
    """A new dataset: its tensor, the type of its elements, and what it is called in its repr."""

    variant: Tensor
    spec: Spec
    kind: str

    @property
    def element_spec(self) -> Spec:
        """The type of the elements: parts can be transformed further."""
        return self.spec


def count(value: object, name: str) -> Tensor:
    """A number of elements as an int64 scalar.

    Raises:
        TypeError, ValueError: it is none.
    """
    try:
        return convert_to_tensor(value, dtypes.int64)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error


def flag(value: object) -> Tensor:
    """A bool scalar."""
    return convert_to_tensor(value, dtypes.bool)


def known_int(value: Tensor) -> int | None:
    """The content of an integer scalar, where it is known now."""
    found = static_ints(value)
    return found[0] if found else None


def known_flag(value: Tensor) -> bool:
    """Whether a bool scalar is known to be true."""
    if isinstance(value, EagerTensor):
        return bool(value.array)
    constant = value.aval.constant()  # type: ignore[attr-defined]  # symbolic
    return bool(np.any(constant)) if constant is not None else False
