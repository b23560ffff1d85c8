"""Global and op seeds: which stream of random bits an op draws from.

Follows https://www.tensorflow.org/api_docs/python/tf/random/set_seed. An op with a seed always
starts the same stream. Without one, a global seed gives each op a seed of its own: eagerly from a
generator that `set_seed` restarts, in a graph from the number of such ops in the graph before it.

A graph has the global seed of the code around it when its trace begins; `set_seed` inside a trace
changes it for the ops of that graph that follow, and nothing else.
"""

from __future__ import annotations

import random
import weakref
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Final, SupportsInt

from tfcheck_runtime import dispatch
from tfcheck_runtime.graph.ir import Graph
from tfcheck_runtime.ops.random.philox import BLOCKS_PER_OUTPUT, Philox
from tfcheck_runtime.values.instances import current_memory

_LIMIT: Final = 2**31 - 1
_DEFAULT_SEED: Final = 87654321
"""Stands for the global seed when only the op has one."""


@dataclass(frozen=True, slots=True)
class Seeds:
    """The seed attributes of an op; both 0 means a stream that differs in each run."""

    seed: int
    seed2: int


class Periods:
    """Counts the runs of a loop over a dataset: its random ops start anew with each."""

    __slots__ = ("count",)

    def __init__(self) -> None:
        self.count = 0


class Stream:
    """The changing position of a stateful op: each call of its kernel moves it on.

    `set_seed` sends all streams back to their start, those of graphs too.

    Args:
        start: the first position.
        instantiated: whether each iterator over a dataset starts it for itself.
    """

    __slots__ = ("_age", "_instantiated", "_periods", "_position", "_start")

    def __init__(
        self, start: Philox, *, instantiated: bool = False, periods: Periods | None = None
    ) -> None:
        self._start = self._position = start
        self._instantiated = instantiated
        self._periods = periods
        self._age = self._current_age

    @property
    def is_instantiated(self) -> bool:
        """Whether each iterator over a dataset starts it for itself."""
        return self._instantiated

    def fresh(self) -> Stream:
        """The same stream from its start: a function called in two places draws twice the same."""
        return Stream(self._start, instantiated=self._instantiated, periods=self._periods)

    def reserve(self, blocks: int) -> Philox:
        """The position now; the next caller gets one `blocks` further on."""
        memory = current_memory() if self._instantiated else None
        if memory is not None:
            here: Philox = memory.states.get(self, self._start)
            memory.states[self] = here.skip(blocks)
            return here
        age = self._current_age
        if self._age != age:
            self._age, self._position = age, self._start
        position = self._position
        self._position = position.skip(blocks)
        return position

    def follow(self, periods: Periods) -> None:
        """Go back to the start with each period, unless that differs each time anyway."""
        if self._instantiated and self._periods is None:
            self._periods = periods
            self._age = self._current_age

    @property
    def _current_age(self) -> tuple[int, int]:
        return _state.age, 0 if self._periods is None else self._periods.count

    def reserve_outputs(self, count: int) -> Philox:
        """The position to draw `count` outputs from."""
        return self.reserve(count * BLOCKS_PER_OUTPUT)


class _State:
    """What `set_seed` set, and the streams that eager ops have begun since."""

    def __init__(self) -> None:
        self.age = 0
        self.seed: int | None = None
        self.deterministic = False
        self.op_seeds = random.Random()
        self.streams: dict[Hashable, Stream] = {}
        self.graph_counts: weakref.WeakKeyDictionary[Graph, int] = weakref.WeakKeyDictionary()
        self.graph_seeds: weakref.WeakKeyDictionary[Graph, int | None] = weakref.WeakKeyDictionary()


_state: Final = _State()


def set_seed(seed: object) -> None:
    """Set the global seed (https://www.tensorflow.org/api_docs/python/tf/random/set_seed).

    Args:
        seed: an integer; None for no global seed, as when a program starts.

    Raises:
        TypeError: `seed` is not a number.
    """
    if not isinstance(seed, SupportsInt | None):
        raise TypeError(f"the global seed must be an integer, got {seed!r}")
    number = None if seed is None else int(seed)
    graph = dispatch.current_graph()
    if graph is not None:
        _state.graph_seeds[graph] = number
        return
    _state.seed = number
    _state.op_seeds = random.Random(seed)  # type: ignore[arg-type]  # a float counts whole here
    _state.streams.clear()
    _state.age += 1


def enable_op_determinism() -> None:
    """Let every run draw the same numbers: from now on, unseeded random ops are errors.

    See https://www.tensorflow.org/api_docs/python/tf/config/experimental/enable_op_determinism.
    All other ops are deterministic here in any case.
    """
    _state.deterministic = True


def is_op_determinism_enabled() -> bool:
    """Whether unseeded random ops are errors."""
    return _state.deterministic


def global_seed() -> int | None:
    """The global seed of the ops made here, or None if none was set."""
    graph = dispatch.current_graph()
    while graph is not None and graph not in _state.graph_seeds:
        graph = graph.outer
    return _state.seed if graph is None else _state.graph_seeds[graph]


def keep_global_seed(graph: Graph) -> None:
    """Give `graph` the global seed of the code around it; what is set outside later is not its."""
    _state.graph_seeds[graph] = global_seed()


def next_seeds(op_seed: object) -> Seeds:
    """The seed attributes of the op being made now.

    Raises:
        RuntimeError: there is no seed at all, and determinism is enabled.
        TypeError: the seed is no number.
    """
    own = None if op_seed is None else _as_int(op_seed)
    shared = global_seed()
    if shared is None and own is None:
        if _state.deterministic:
            raise RuntimeError(
                "Random ops require a seed to be set when determinism is enabled. Please set a seed"
                " before running the op, e.g. by calling tf.random.set_seed(1)."
            )
        return Seeds(0, 0)
    if shared is None:
        return _safe(_DEFAULT_SEED, 0 if own is None else own)
    return _safe(shared, _unasked_seed() if own is None else own)


def _as_int(seed: object) -> int:
    if not isinstance(seed, SupportsInt):
        raise TypeError(f"the seed of an op must be an integer, got {seed!r}")
    return int(seed)


def _safe(seed: int, seed2: int) -> Seeds:
    pair = Seeds(seed % _LIMIT, seed2 % _LIMIT)
    # Two zeros would mean a nondeterministic stream.
    return Seeds(0, _LIMIT) if pair == Seeds(0, 0) else pair


def _unasked_seed() -> int:
    graph = dispatch.current_graph()
    if graph is None:
        return _state.op_seeds.randint(0, _LIMIT)
    count = _state.graph_counts.get(graph, 0)
    _state.graph_counts[graph] = count + 1
    return count


def stream(seeds: Seeds, *key: Hashable) -> Stream:
    """The stream of the op being made: of its own in a graph, shared by like ops eagerly."""
    start = start_of(seeds)
    if seeds == Seeds(0, 0):
        return Stream(start)
    if dispatch.current_graph() is not None:
        return Stream(start, instantiated=True)
    fresh = Stream(start)
    return _state.streams.setdefault((seeds, *key), fresh)


def start_of(seeds: Seeds) -> Philox:
    """Where a stream of these seeds starts."""
    if seeds == Seeds(0, 0):
        return Philox.from_entropy()
    return Philox.from_seeds(seeds.seed, seeds.seed2)
