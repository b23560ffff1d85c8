"""`tf.group` and `tf.control_dependencies`: program order is the order of effects already."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager


def group(*inputs: object, **kwargs: object) -> None:
    """Nothing to wait for: ops with effects run in program order.

    See https://www.tensorflow.org/api_docs/python/tf/group.
    """
    unknown = set(kwargs) - {"name"}
    if unknown:
        raise ValueError(f"Unknown keyword arguments: {', '.join(sorted(unknown))}")


@contextmanager
def control_dependencies(control_inputs: Iterable[object] | None) -> Iterator[None]:
    """A context without effect: what stands before it runs before it.

    See https://www.tensorflow.org/api_docs/python/tf/control_dependencies.
    """
    for control_input in control_inputs or ():
        if callable(control_input):
            control_input()
    yield
