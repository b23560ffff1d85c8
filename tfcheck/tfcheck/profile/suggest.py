"""Suggests an `input_signature` that one trace could serve all recorded calls with."""

from __future__ import annotations

from collections.abc import Sequence

from tfcheck.profile.call_keys import CallKey, Leaf, LeafKind, join_shapes


def suggest_signature(keys: Sequence[CallKey]) -> str | None:
    """The signature as code; None when no signature of plain tensors takes all the calls."""
    joined = join_keys(keys)
    if not joined or not all(leaf.path.isidentifier() for leaf in joined):
        return None
    return f"input_signature=[{', '.join(map(_spec, joined))}]"


def join_keys(keys: Sequence[CallKey]) -> CallKey | None:
    """One key of tensors, as little general as fits all calls; None when there is none."""
    if not keys or len({tuple(leaf.path for leaf in key) for key in keys}) != 1:
        return None
    joined = [_join(leaves) for leaves in zip(*keys, strict=True)]
    known = tuple(leaf for leaf in joined if leaf is not None)
    return known if len(known) == len(joined) else None


def _join(leaves: Sequence[Leaf]) -> Leaf | None:
    first = leaves[0]
    shape = first.shape
    for leaf in leaves:
        if not leaf.dtype or leaf.dtype != first.dtype:
            return None
        shape = join_shapes(shape, leaf.shape)
    return Leaf(first.path, LeafKind.TENSOR, first.dtype, shape, "")


def _spec(leaf: Leaf) -> str:
    shape = "None" if leaf.shape is None else str(list(leaf.shape))
    return f"tf.TensorSpec({shape}, tf.{leaf.dtype})"
