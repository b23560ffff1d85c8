"""The timeline of a profile as Chrome trace events, for Perfetto and chrome://tracing.

https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from tfcheck.profile.model import FunctionProfile, Profile, Signature, Slice, SliceKind
from tfcheck.report.profile_words import function_names

_PROCESS = 1
_MICROSECONDS = 1e6
_NAMES = {SliceKind.TRACE: "trace {}", SliceKind.BUILD: "build {}", SliceKind.CALL: "{}"}


def render_trace(profile: Profile) -> str:
    """One process with a track for each thread of the script."""
    stride = profile.timeline.call_stride
    document = {
        "displayTimeUnit": "ms",
        "otherData": {
            "tool": profile.tool,
            "script": profile.script.path,
            "calls": "all" if stride == 1 else f"one in {stride}",
        },
        "traceEvents": list(_events(profile)),
    }
    return json.dumps(document, ensure_ascii=False) + "\n"


def _events(profile: Profile) -> Iterator[dict[str, object]]:
    yield _label("process_name", 0, profile.script.path)
    for thread in sorted({each.thread for each in profile.timeline.slices}):
        name = "main thread" if thread == 0 else f"thread {thread}"
        yield _label("thread_name", thread, name)
    names = function_names(profile)
    for each in profile.timeline.slices:
        yield _complete(each, profile.functions[each.function], names[each.function])


def _label(kind: str, thread: int, name: str) -> dict[str, object]:
    return {"ph": "M", "pid": _PROCESS, "tid": thread, "name": kind, "args": {"name": name}}


def _complete(each: Slice, function: FunctionProfile, name: str) -> dict[str, object]:
    return {
        "ph": "X",
        "pid": _PROCESS,
        "tid": each.thread,
        "ts": round(each.start_s * _MICROSECONDS, 3),
        "dur": round(each.seconds * _MICROSECONDS, 3),
        "name": _NAMES[each.kind].format(name),
        "cat": each.kind.value,
        "args": {
            "defined": f"{function.key.file}:{function.key.line}",
            **_signature(each, function.signatures),
        },
    }


def _signature(each: Slice, signatures: tuple[Signature, ...]) -> dict[str, object]:
    if each.signature is None:
        return {}
    signature = signatures[each.signature]
    return {"signature": signature.text, "nodes": signature.nodes}
