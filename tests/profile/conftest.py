"""Recorded events, as the runtime would send them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tfcheck.profile.recorder import Recorder
from tfcheck.profile.recording import Recording, relative_to
from tfcheck_runtime import events

FIXTURES = Path(__file__).parents[2] / "fixtures" / "events"

Load = Callable[[str], Recording]


def _event(record: Mapping[str, Any]) -> events.Event:
    fields = {name: value for name, value in record.items() if name not in {"event", "repeat"}}
    for name in ("site", "definition", "created_at"):
        if name in fields:
            fields[name] = events.Site(**fields[name])
    if "causes" in fields:
        fields["causes"] = tuple(
            events.Cause(**{**cause, "kind": events.CauseKind(cause["kind"])})
            for cause in fields["causes"]
        )
    if "host_steps" in fields:
        fields["host_steps"] = tuple(fields["host_steps"])
    if record["event"] == "Called":
        fields |= {"callee": None, "args": (), "kwargs": {}}
    event: events.Event = getattr(events, record["event"])(**fields)
    return event


@pytest.fixture
def recorded() -> Load:
    """Plays the events of a file in fixtures/events to a recorder."""

    def load(name: str) -> Recording:
        document = json.loads((FIXTURES / f"{name}.json").read_text(encoding="utf-8"))
        recorder = Recorder()
        for record in document["events"]:
            for _ in range(record.get("repeat", 1)):
                recorder(_event(record))
        return relative_to(recorder.recording(document["wall_seconds"]), "/work")

    return load
