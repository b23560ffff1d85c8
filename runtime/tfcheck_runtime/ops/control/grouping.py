"""`tf.group` and `tf.control_dependencies`: program order is the order of effects already."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext

from tfcheck_runtime import dispatch
from tfcheck_runtime.graph.operation import Operation
from tfcheck_runtime.ops.array.identity import identity
from tfcheck_runtime.values.tensor import Tensor, nothing_to_do


def group(*inputs: object, **kwargs: object) -> Operation | None:
    """An operation that is done when all inputs are; ops with effects run in program order anyway.

    See https://www.tensorflow.org/api_docs/python/tf/group.
    """
    unknown = set(kwargs) - {"name"}
    if unknown:
        raise ValueError(f"Unknown keyword arguments: {', '.join(sorted(unknown))}")
    return nothing_to_do(str(kwargs.get("name") or "group_deps"))


def no_op(name: str | None = None) -> Operation | None:
    """An operation that does nothing (https://www.tensorflow.org/api_docs/python/tf/no_op)."""
    return nothing_to_do(name or "NoOp")


def tuple_(
    tensors: Sequence[object], control_inputs: object = None, name: str | None = None
) -> list[Tensor | None]:
    """The tensors, once all of them and `control_inputs` are there; None stays None.

    https://www.tensorflow.org/api_docs/python/tf/tuple

    Raises:
        ValueError: there are no tensors.
    """
    del control_inputs
    if not any(t is not None for t in tensors):
        raise ValueError(f"Must have at least one Tensor, got {tensors!r}")
    return [None if t is None else identity(t, name=name) for t in tensors]


@contextmanager
def control_dependencies(control_inputs: Iterable[object] | None) -> Iterator[None]:
    """Let what is done inside wait for what stands before it: it is left out when that fails.

    See https://www.tensorflow.org/api_docs/python/tf/control_dependencies.
    """
    inputs = list(control_inputs or ())
    for control_input in inputs:
        if callable(control_input):
            control_input()
    with dispatch.waiting() if inputs else nullcontext():
        yield
