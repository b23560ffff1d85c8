"""What of values made of tensors gradients flow to: of a ragged tensor, its flat values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfcheck_runtime.specs import nest


def opened(structure: Any) -> Any:
    """The structure with the parts that have gradients in place of such values."""
    return nest.map_structure(_parts, structure)


def closed(structure: Any, gradients: Sequence[Any]) -> Any:
    """Flat gradients as the structure, with values like its own around them."""
    packed = nest.pack_sequence_as(opened(structure), gradients, expand_composites=True)
    return nest.map_structure(_like, structure, packed, check_types=False)


def _parts(leaf: Any) -> Any:
    own = getattr(type(leaf), "__tf_gradient_components__", None)
    return leaf if own is None else own(leaf)


def _like(leaf: Any, gradient: Any) -> Any:
    own = getattr(type(leaf), "__tf_with_gradients__", None)
    return gradient if own is None else own(leaf, gradient)
