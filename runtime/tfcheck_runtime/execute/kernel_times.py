"""Reads onnxruntime's records of the kernels it ran.

https://onnxruntime.ai/docs/performance/tune-performance/profiling-tools.html
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from tfcheck_runtime.events import Site
from tfcheck_runtime.graph.ir import Node

_Key: TypeAlias = tuple[str, str, str, Site | None]
"""Op, kernel, device and place."""
_SUFFIX: Final = "_kernel_time"


@dataclass(frozen=True, slots=True)
class KernelTime:
    """All runs of kernels of one kind that come from one line."""

    op: str
    """The TensorFlow op that was lowered to them; empty when that is not known."""
    kernel: str
    """The ONNX op that ran, fused ones by the name that onnxruntime gives them."""
    device: str
    """`CPU` or `CUDA`."""
    site: Site | None
    count: int
    seconds: float
    """Without what ran inside, for loops and branches."""


def kernel_times(files: Iterable[str], origins: Mapping[str, Node]) -> tuple[KernelTime, ...]:
    """What the records say, the dearest first; `origins` has the node behind each of the model."""
    counts: dict[_Key, int] = defaultdict(int)
    microseconds: dict[_Key, float] = defaultdict(float)
    for file in files:
        events = json.loads(Path(file).read_text(encoding="utf-8"))
        for event, own in _own_times(events):
            key = _key(event, origins)
            counts[key] += 1
            microseconds[key] += own
    times = (
        KernelTime(*key, count=count, seconds=microseconds[key] / 1e6)
        for key, count in counts.items()
    )
    return tuple(sorted(times, key=lambda each: -each.seconds))


def _own_times(events: Iterable[Mapping[str, Any]]) -> list[tuple[Mapping[str, Any], float]]:
    """Kernels with the microseconds that none inside of them took."""
    kernels = [e for e in events if e.get("cat") == "Node" and e["name"].endswith(_SUFFIX)]
    kernels.sort(key=lambda event: (event["ts"], -event["dur"]))
    times = [float(event["dur"]) for event in kernels]
    around: list[int] = []
    for i, event in enumerate(kernels):
        while around and _end(kernels[around[-1]]) < _end(event):
            around.pop()
        if around:
            times[around[-1]] -= event["dur"]
        if event["args"].get("op_name") in _HOLDING:
            around.append(i)
    # Clocks in whole microseconds: what runs inside may seem to take longer.
    return [(event, max(0.0, time)) for event, time in zip(kernels, times, strict=True)]


_HOLDING: Final = frozenset({"If", "Loop", "Scan"})


def _end(event: Mapping[str, Any]) -> float:
    return float(event["ts"] + event["dur"])


def _key(event: Mapping[str, Any], origins: Mapping[str, Node]) -> _Key:
    node = _origin(event["name"].removesuffix(_SUFFIX), origins)
    kernel = event["args"].get("op_name", "")
    device = str(event["args"].get("provider", "")).removesuffix("ExecutionProvider")
    return (node.op.type if node else "", kernel, device, node.site if node else None)


def _origin(name: str, origins: Mapping[str, Node]) -> Node | None:
    """The node behind a kernel: fused ones are named after the first of theirs."""
    name = name.removeprefix("fused ")
    while name and name not in origins:
        name = name.rpartition("/")[0]
    return origins.get(name)
