"""What counts as a tensor for users: tensors, variables, and values made of tensors."""

from __future__ import annotations

from tfcheck_runtime.values.tensor import is_tensor


class CompositeTensor:
    """Base of ragged and sparse tensors and slices: values of several tensors that act as one."""

    __slots__ = ()


def counts_as_tensor(value: object) -> bool:
    """Whether `value` is a tensor, a variable, a ragged or sparse tensor or slices of one.

    See https://www.tensorflow.org/api_docs/python/tf/is_tensor.
    """
    return isinstance(value, CompositeTensor) or is_tensor(value)
