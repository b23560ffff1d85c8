"""Arguments that a traced function changed: the graph would not repeat the change.

TensorFlow refuses such functions once they are traced.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeAlias

from tfcheck_runtime.specs import nest

Arguments: TypeAlias = tuple[list[Any], dict[str, Any]]
"""Positional and keyword arguments."""


def copied(arguments: Arguments) -> Arguments:
    """The same leaves in containers of their own."""
    copy: Arguments = nest.map_structure(lambda leaf: leaf, arguments)
    return copy


def check_unchanged(before: Arguments, after: Arguments, function: Callable[..., Any]) -> None:
    """Check that the arguments hold what they held before the function ran.

    Raises:
        ValueError: a list or dict among them was changed.
    """
    if not _differs(before, after):
        return
    signature = inspect.signature(function)
    old = signature.bind(*before[0], **before[1]).arguments
    new = signature.bind(*after[0], **after[1]).arguments
    changed = ", ".join(name for name in new if _differs(old[name], new[name]))
    raise ValueError(
        f"{function.__qualname__}{signature} should not modify its Python input arguments: it"
        f" changed `{changed}`. Change a copy, or return the new value [container-mutation]"
    )


def _differs(before: Any, after: Any) -> bool:
    try:
        nest.assert_same_structure(before, after)
    except (TypeError, ValueError):
        return True
    return any(a is not b for a, b in zip(nest.flatten(before), nest.flatten(after), strict=True))
