"""Keeps what the calls of Functions return, so that two runs can be compared."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from tfcheck.profile.model import AGREE
from tfcheck.profile.replay import Array, MismatchError, agreement
from tfcheck.profile.samples import leaves
from tfcheck_runtime.events import Called, Event

MOST_CALLS = 500
"""Calls of Functions of one name whose results are kept."""
MOST_BYTES = 64 * 2**20

Results: TypeAlias = Mapping[str, Sequence[Sequence[Array]]]
"""For each name of a Function what its first calls returned, leaf by leaf."""


class ResultLog:
    """A listener that keeps the results of the first calls, within bounds on memory."""

    def __init__(self) -> None:
        self.results: dict[str, list[list[Array]]] = {}
        self._room = MOST_BYTES

    def __call__(self, event: Event) -> None:
        """Keep what a call returned that served its caller."""
        if type(event) is not Called or event.failed is not None or not event.trace:
            return
        kept = self.results.setdefault(str(getattr(event.callee, "name", "")), [])
        if len(kept) >= MOST_CALLS:
            return
        arrays = list(_arrays(event.result))
        size = sum(each.nbytes for each in arrays)
        if size <= self._room:
            self._room -= size
            kept.append(arrays)


def _arrays(result: object) -> Iterator[Array]:
    for leaf in leaves(result):
        to_numpy = getattr(leaf, "numpy", None)
        value = leaf if to_numpy is None or not hasattr(leaf, "dtype") else to_numpy()
        if isinstance(value, np.ndarray | np.generic | bool | int | float | complex | bytes):
            array = np.array(value)
            # Texts come as objects, which cannot be saved without pickle.
            yield array.astype(bytes) if array.dtype.kind == "O" else array


@dataclass(frozen=True, slots=True)
class Compared:
    """How the results of two runs agree."""

    calls: int
    """Calls that were compared."""
    max_rel: float
    differing: Mapping[str, str]
    """What differs, by the name of the Function."""


def compare(before: Results, after: Results) -> Compared:
    """Put the calls of Functions of one name side by side, in their order."""
    calls, largest = 0, 0.0
    differing: dict[str, str] = {}
    for name in before:
        ours, theirs = before[name], after.get(name, ())
        if len(ours) != len(theirs):
            differing[name] = f"{len(ours)} calls before, {len(theirs)} after"
        for number, (one, other) in enumerate(zip(ours, theirs, strict=False), start=1):
            calls += 1
            relative, text = _difference(one, other)
            largest = max(largest, relative)
            if text:
                differing.setdefault(name, f"call {number}: {text}")
    return Compared(calls, largest, differing)


def _difference(one: Sequence[Array], other: Sequence[Array]) -> tuple[float, str]:
    try:
        relative = agreement(list(one), list(other)).max_rel
    except MismatchError:
        return float("inf"), "other shapes or values"
    return relative, f"differs by {100 * relative:.2g} %" if relative > AGREE else ""


def pack(results: Results) -> bytes:
    """The results as a NumPy archive, without pickle."""
    arrays = {
        f"{name}/{number}/{leaf}": array
        for name, calls in results.items()
        for number, call in enumerate(calls)
        for leaf, array in enumerate(call)
    }
    counts = [f"{name}/{len(calls)}" for name, calls in results.items()]
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **{"counts": np.array(counts, dtype=str), **arrays})
    return buffer.getvalue()


def unpack(content: bytes) -> Results:
    """What `pack` made."""
    with np.load(io.BytesIO(content), allow_pickle=False) as archive:
        results: dict[str, list[list[Array]]] = {}
        for each in archive["counts"]:
            name, _, count = str(each).rpartition("/")
            results[name] = [[] for _ in range(int(count))]
        for key in archive.files:
            if key != "counts":
                name, number, _ = key.rsplit("/", 2)
                results[name][int(number)].append(archive[key])
    return results
