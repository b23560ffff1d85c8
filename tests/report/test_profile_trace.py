from __future__ import annotations

import json
from typing import Any

from tfcheck.profile.model import Profile
from tfcheck.report.profile_trace import render_trace


def document(profile: Profile) -> Any:
    return json.loads(render_trace(profile))


def test_slices_are_complete_events_in_microseconds(profile: Profile) -> None:
    events = [each for each in document(profile)["traceEvents"] if each["ph"] == "X"]

    assert events == [
        {
            "ph": "X",
            "pid": 1,
            "tid": 0,
            "ts": 500000.0,
            "dur": 250000.0,
            "name": "train_step",
            "cat": "call",
            "args": {
                "defined": "src/train.py:12",
                "signature": "(x: float32[32])",
                "nodes": 20,
            },
        },
        {
            "ph": "X",
            "pid": 1,
            "tid": 0,
            "ts": 500000.0,
            "dur": 125000.0,
            "name": "trace train_step",
            "cat": "trace",
            "args": {
                "defined": "src/train.py:12",
                "signature": "(x: float32[32])",
                "nodes": 20,
            },
        },
        {
            "ph": "X",
            "pid": 1,
            "tid": 1,
            "ts": 2000000.0,
            "dur": 1000.0,
            "name": "augment",
            "cat": "call",
            "args": {"defined": "src/train.py:30"},
        },
    ]


def test_threads_and_the_script_have_names(profile: Profile) -> None:
    labels = [each for each in document(profile)["traceEvents"] if each["ph"] == "M"]

    assert [(each["name"], each["tid"], each["args"]["name"]) for each in labels] == [
        ("process_name", 0, "src/train.py"),
        ("thread_name", 0, "main thread"),
        ("thread_name", 1, "thread 1"),
    ]


def test_it_says_when_not_all_calls_are_there(profile: Profile) -> None:
    assert document(profile)["otherData"] == {
        "tool": "tfcheck 0.1.0",
        "script": "src/train.py",
        "calls": "one in 2",
    }
