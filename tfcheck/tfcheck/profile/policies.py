"""Plays the recorded calls again against other ways to call or declare a Function.

Nothing runs: what decides about a trace is what the first call of each recorded one was given.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from tfcheck.profile.analyse import Group, costs
from tfcheck.profile.call_keys import CallKey, Leaf, LeafKind, join_shapes
from tfcheck.profile.model import Policy
from tfcheck.profile.suggest import suggest_signature
from tfcheck_runtime.events import CauseKind


@dataclass(frozen=True, slots=True)
class Made:
    """A trace that the program made: for which key, and what it cost."""

    function: int
    key: CallKey
    cost_s: float


Play = Callable[[Sequence[CallKey]], list[bool]]
"""For calls of one Function object in their order: whether each would make a trace."""


def policies(group: Group, keys: Mapping[tuple[int, int], CallKey]) -> tuple[Policy, ...]:
    """The policies under which fewer traces would have been made, the most sparing first."""
    cost = costs(group)
    numbers = [(each.function, each.trace) for each in group.traced]
    made = [Made(pair[0], keys[pair], cost[pair]) for pair in numbers if pair in keys]
    if len(made) < 2:
        return ()
    tried = [
        _tried(name, text, made=made, play=play)
        for name, text, play in _policies([each.key for each in made])
    ]
    if any(cause.kind is CauseKind.NEW_FUNCTION for each in group.traced for cause in each.causes):
        single = [replace(each, function=0) for each in made]
        text = "make the Function, or the object it is a method of, once"
        tried.append(_tried("one-function", text, made=single, play=_distinct))
    # Traces that no call asked for are made all the same.
    rest = len(group.traced) - len(made)
    sparing = [replace(each, traces=each.traces + rest) for each in tried]
    fewer = [each for each in sparing if each.traces < len(group.traced)]
    return tuple(sorted(fewer, key=lambda each: (-each.saves_s, each.traces)))


def _policies(keys: Sequence[CallKey]) -> Iterable[tuple[str, str, Play]]:
    varying = _varying(keys)
    literals = [path for path in varying if _all(keys, path, _is_number)]
    if literals:
        names = " and ".join(f"`{path}`" for path in literals)
        as_tensors = f"pass {names} as {'a tensor' if len(literals) == 1 else 'tensors'}"
        yield "tensor-for-literal", as_tensors, lambda calls: _distinct(map(_with_tensors, calls))
    shapes = any(_all(keys, path, _is_tensor) for path in varying)
    if literals and shapes:
        text = f"{as_tensors} and declare it with `reduce_retracing=True`"
        yield (
            "tensors-and-relaxed-shapes",
            text,
            lambda calls: _relaxed([*map(_with_tensors, calls)]),
        )
    if shapes:
        yield "relaxed-shapes", "declare it with `reduce_retracing=True`", _relaxed
        buckets = "pad what varies in size to powers of two"
        yield "padding-buckets", buckets, lambda calls: _distinct(_padded(calls))
    signature = suggest_signature(keys)
    if signature is not None:
        yield "input-signature", f"declare it with `{signature}`", _one


def _varying(keys: Sequence[CallKey]) -> list[str]:
    """The paths of leaves that are not the same in all calls."""
    seen: dict[str, set[Leaf]] = defaultdict(set)
    for key in keys:
        for leaf in key:
            seen[leaf.path].add(leaf)
    return [path for path, leaves in seen.items() if len(leaves) > 1]


def _all(keys: Sequence[CallKey], path: str, test: Callable[[Leaf], bool]) -> bool:
    return all(test(leaf) for key in keys for leaf in key if leaf.path == path)


def _is_number(leaf: Leaf) -> bool:
    # A Python bool or str mostly chooses between two ways to trace, and is meant to.
    return leaf.kind is LeafKind.PYTHON and leaf.dtype in {"int32", "float32"}


def _is_tensor(leaf: Leaf) -> bool:
    return leaf.kind is LeafKind.TENSOR


def _tried(name: str, text: str, *, made: Sequence[Made], play: Play) -> Policy:
    calls: dict[int, list[Made]] = defaultdict(list)
    for each in made:
        calls[each.function].append(each)
    spared: list[float] = []
    for alike in calls.values():
        again = play([each.key for each in alike])
        spared += [each.cost_s for each, traces in zip(alike, again, strict=True) if not traces]
    return Policy(name, text, len(made) - len(spared), sum(spared))


def _distinct(keys: Iterable[CallKey]) -> list[bool]:
    """A trace for each key that was not there before."""
    seen: set[CallKey] = set()
    new: list[bool] = []
    for key in keys:
        new.append(key not in seen)
        seen.add(key)
    return new


def _one(keys: Sequence[CallKey]) -> list[bool]:
    return [index == 0 for index in range(len(keys))]


def _with_tensors(key: CallKey) -> CallKey:
    return tuple(
        replace(leaf, kind=LeafKind.TENSOR, value="") if _is_number(leaf) else leaf for leaf in key
    )


def _padded(keys: Sequence[CallKey]) -> list[CallKey]:
    """The keys with each size that varies rounded up to a power of two."""
    joined = _joined(keys)
    return [_round_up(key, joined.get(_outline(key))) for key in keys]


def _round_up(key: CallKey, general: CallKey | None) -> CallKey:
    if general is None:
        return key
    return tuple(
        replace(leaf, shape=_bucket(leaf.shape, open_.shape))
        for leaf, open_ in zip(key, general, strict=True)
    )


def _bucket(
    shape: tuple[int | None, ...] | None, general: tuple[int | None, ...] | None
) -> tuple[int | None, ...] | None:
    if shape is None or general is None:
        return shape
    return tuple(
        1 << (size - 1).bit_length() if size and open_ is None else size
        for size, open_ in zip(shape, general, strict=True)
    )


def _relaxed(keys: Sequence[CallKey]) -> list[bool]:
    """From the second trace on, each is for the most general shapes seen so far."""
    existing: dict[CallKey, list[CallKey]] = defaultdict(list)
    new: list[bool] = []
    for key in keys:
        alike = existing[_outline(key)]
        new.append(not any(_fits(key, other) for other in alike))
        if new[-1]:
            alike.append(_general([key, *alike[-1:]]))
    return new


def _relaxed_with_tensors(keys: Sequence[CallKey]) -> list[bool]:
    return _relaxed([_with_tensors(key) for key in keys])


def _joined(keys: Sequence[CallKey]) -> dict[CallKey, CallKey]:
    """For calls that differ in shapes only, the least general key that fits all."""
    alike: dict[CallKey, list[CallKey]] = defaultdict(list)
    for key in keys:
        alike[_outline(key)].append(key)
    return {outline: _general(calls) for outline, calls in alike.items()}


def _outline(key: CallKey) -> CallKey:
    """What is left of a key without the shapes of tensors."""
    return tuple(
        replace(leaf, shape=None) if leaf.kind is LeafKind.TENSOR else leaf for leaf in key
    )


def _general(keys: Sequence[CallKey]) -> CallKey:
    general = keys[0]
    for key in keys[1:]:
        general = tuple(
            replace(one, shape=join_shapes(one.shape, other.shape))
            for one, other in zip(general, key, strict=True)
        )
    return general


def _fits(key: CallKey, general: CallKey) -> bool:
    return _general([key, general]) == general
