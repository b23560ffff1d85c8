"""Datasets drawn from others at random: a mixture by weight, and a resampling to a distribution."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfcheck_runtime.data import batching, elementwise, ordering, sources
from tfcheck_runtime.data.parts import Parts, Source
from tfcheck_runtime.ops.array.broadcasting import tile
from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.extremes import reduce_max, reduce_min
from tfcheck_runtime.ops.array.filling import fill
from tfcheck_runtime.ops.array.gathering import gather
from tfcheck_runtime.ops.array.ranges import range_
from tfcheck_runtime.ops.array.reduction import reduce_sum
from tfcheck_runtime.ops.array.shaping import shape as shape_of
from tfcheck_runtime.ops.math.exponential import log
from tfcheck_runtime.ops.random.stateful import uniform
from tfcheck_runtime.ops.random.stateless import stateless_categorical
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.values.convert import constant, convert_to_tensor
from tfcheck_runtime.values.tensor import EagerTensor, Tensor


def mixed(
    datasets: Sequence[Source], weights: object, seed: object, *, stop: bool, again: bool
) -> Parts:
    """Elements of several datasets, each from one drawn at random.

    Args:
        datasets: of elements of one structure.
        weights: of the datasets, as numbers or as a dataset of them; None for equal ones.
        seed: of the draws.
        stop: whether to end with the first dataset that ends.
        again: whether the draws differ in each iteration.

    Raises:
        ValueError: there are no datasets, or not one weight for each.
        TypeError: the weights are no floats, or the datasets differ in their elements.
    """
    if not datasets:
        raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
    if hasattr(weights, "element_spec"):
        return _mixed_by_dataset(datasets, weights, seed, stop=stop, again=again)
    kept = list(datasets)
    logits = constant([[1.0] * len(kept)])
    if weights is not None:
        logits, kept = _weighted(kept, weights)
    if len(kept) == 1:
        return Parts(kept[0].variant, kept[0].element_spec, "DirectedInterleave")

    def draw(words: Tensor) -> Tensor:
        return _drawn(logits, words)

    return ordering.directed(_map(_pairs(seed, again=again), draw), kept, stop=stop)


def _mixed_by_dataset(
    datasets: Sequence[Source], weights: Any, seed: object, *, stop: bool, again: bool
) -> Parts:
    logits = _map(weights, lambda *p: log(convert_to_tensor(p)))
    both = ordering.joined((logits, _pairs(seed, again=again)))
    return ordering.directed(_map(both, _drawn), datasets, stop=stop)


def _pairs(seed: object, *, again: bool) -> Parts:
    words = sources.random_words(seed, again=again)
    return batching.batch(words, 2, drop_remainder=False)


def _drawn(logits: Tensor, words: Tensor) -> Tensor:
    drawn: Tensor = stateless_categorical(logits, 1, seed=words)[0][0]
    return drawn


def _weighted(datasets: list[Source], weights: object) -> tuple[Tensor, list[Source]]:
    given = convert_to_tensor(weights)
    if given.dtype not in (dtypes.float32, dtypes.float64):
        raise TypeError(
            "Invalid `weights`. `weights` type must be either `tf.float32` or `tf.float64` but is"
            f" {given.dtype}."
        )
    if given.static_shape != (len(datasets),):
        raise ValueError(
            "Invalid `weights`. The shape of `weights` should be compatible with"
            f" `[len(datasets)]` = [{len(datasets)}] but is {given.shape}."
        )
    if isinstance(given, EagerTensor):
        keep = np.flatnonzero(given.array)
        given = EagerTensor(given.array[keep], given.dtype)
        datasets = [datasets[i] for i in keep]
    return log(given)[None, :], datasets


_ESTIMATED_AT_ONCE = 32
_SMOOTHING = 10
"""Elements of each class that count as seen before the first one."""


def resampled(
    source: Source, class_of: Callable[..., Any], target: object, initial: object, seed: object
) -> Parts:
    """Pairs of a class and an element, some left out, so that classes come as often as wanted.

    Elements of rare classes are kept and others rejected at random; where that would reject too
    many, accepted and untouched elements are mixed.

    Args:
        source: the elements.
        class_of: a function of an element to its class, an integer.
        target: the share of each class in the result, a vector of floats.
        initial: the shares in `source`; None to estimate them along the way.
        seed: of the draws.
    """
    wanted = convert_to_tensor(target, dtype_hint=dtypes.float32)
    classes = _map(source, class_of)

    def labelled(*element: Any) -> Any:
        return class_of(*element), element[0] if len(element) == 1 else element

    if initial is None:
        shares = _estimated(classes, wanted)
        untouched: float | None = None
    else:
        given = convert_to_tensor(initial, dtype_hint=dtypes.float32)
        shares = _forever(given)
        share = _untouched_share(given, wanted)
        untouched = float(share) if isinstance(share, EagerTensor) else None
    if untouched == 1:
        return _map(source, labelled)
    kept = _accepted(source, classes, _map(shares, lambda p: _acceptance(p, wanted)), seed)
    if untouched == 0:
        return kept

    def weights(initial: Tensor) -> Tensor:
        share = _untouched_share(initial, wanted)
        return convert_to_tensor([share, 1.0 - share])

    parts = [_map(source, labelled), kept]
    return mixed(parts, _map(shares, weights), seed, stop=True, again=False)


def _map(source: Source, function: Callable[..., Any]) -> Parts:
    return elementwise.map_(source, function, parallel=False)


def _forever(value: Tensor) -> Parts:
    return ordering.counted(sources.tensors(value), ordering.repeat_op, "Repeat", count=-1)


def _estimated(classes: Source, target: Tensor) -> Parts:
    """The share of each class among those seen so far, once for each element."""
    number = shape_of(target)[0]
    seen = fill([number], constant(_SMOOTHING, dtypes.int64))

    def step(counts: Tensor, batch: Tensor) -> tuple[Any, Any]:
        found = cast(batch[:, None] == cast(range_(number), batch.dtype)[None, :], dtypes.int64)
        counts = counts + reduce_sum(found, 0)
        shares = cast(counts / reduce_sum(counts), dtypes.float32)
        return counts, tile(shares[None, :], [_ESTIMATED_AT_ONCE, 1])

    batches = batching.batch(classes, _ESTIMATED_AT_ONCE, drop_remainder=False)
    return batching.unbatch(elementwise.scan(batches, seen, step))


def _accepted(source: Source, classes: Source, acceptance: Source, seed: object) -> Parts:
    together = ordering.joined((acceptance, classes, source))

    def chance(probabilities: Tensor, label: Tensor, element: Any) -> Any:
        return label, gather(probabilities, label), element

    def is_kept(label: Tensor, probability: Tensor, element: Any) -> Tensor:
        kept: Tensor = uniform([], seed=seed, dtype=probability.dtype) < probability
        return kept

    kept = elementwise.filter_(_map(together, chance), is_kept)
    return _map(kept, lambda label, probability, element: (label, element))


def _acceptance(initial: Tensor, target: Tensor) -> Tensor:
    """The probability for each class that an element of it is kept."""
    ratio = _ratio(initial, target)
    lowest = reduce_min(ratio)
    accepted: Tensor = (ratio - lowest) / (reduce_max(ratio) - lowest)
    return accepted


def _untouched_share(initial: Tensor, target: Tensor) -> Tensor:
    """The probability that an element is taken untouched."""
    return reduce_min(_ratio(initial, target))


def _ratio(initial: Tensor, target: Tensor) -> Tensor:
    # Classes that never come must not divide by zero.
    ratio: Tensor = target / (initial + np.finfo(initial.dtype.as_numpy_dtype).tiny)
    return ratio
