"""The file `checkpoint` of a directory: which checkpoints are there, and which is the latest."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tfcheck_runtime.checkpoint import storage


@dataclass(frozen=True, slots=True)
class CheckpointState:
    """What the file says, oldest checkpoint first."""

    model_checkpoint_path: str
    all_model_checkpoint_paths: tuple[str, ...]
    all_model_checkpoint_timestamps: tuple[float, ...]


def write_state(
    directory: str, latest: str, paths: Sequence[str], *,
    timestamps: Sequence[float] = (), name: str | None = None,
) -> None:  # fmt: skip
    """Write the file of a directory, with paths relative to it and the times that are known."""
    lines = [f"model_checkpoint_path: {json.dumps(_relative(latest, directory))}"]
    lines += [f"all_model_checkpoint_paths: {json.dumps(_relative(p, directory))}" for p in paths]
    lines += [f"all_model_checkpoint_timestamps: {t!r}" for t in timestamps]
    target = Path(directory or ".") / (name or "checkpoint")
    part = target.with_name(f"{target.name}.{os.getpid()}.part")
    part.write_text("\n".join(lines) + "\n", encoding="utf-8")
    part.replace(target)


def _relative(path: str, directory: str) -> str:
    return os.path.relpath(path, directory or ".")


_FIELD = re.compile(r'^(\w+): (?:"(?P<text>.*)"|(?P<number>\S+))$', re.MULTILINE)


def get_checkpoint_state(
    checkpoint_dir: object, latest_filename: str | None = None
) -> CheckpointState | None:
    """What the file of a directory says, with whole paths; None when there is none."""
    directory = os.fspath(checkpoint_dir)  # type: ignore[call-overload]  # a str or a path
    file = Path(directory) / (latest_filename or "checkpoint")
    if not file.is_file():
        return None
    found: dict[str, list[str]] = {}
    for match in _FIELD.finditer(file.read_text(encoding="utf-8")):
        found.setdefault(match[1], []).append(match["text"] or match["number"])
    paths = found.get("all_model_checkpoint_paths", [])
    latest = found.get("model_checkpoint_path", paths[-1:])
    if not latest:
        return None
    return CheckpointState(
        os.path.join(directory, latest[0]),
        tuple(os.path.join(directory, path) for path in paths),
        tuple(float(t) for t in found.get("all_model_checkpoint_timestamps", [])),
    )


def latest_checkpoint(checkpoint_dir: object, latest_filename: str | None = None) -> str | None:
    """The prefix of the latest checkpoint in a directory, or None.

    https://www.tensorflow.org/api_docs/python/tf/train/latest_checkpoint
    """
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None or not storage.exists(state.model_checkpoint_path):
        return None
    return state.model_checkpoint_path
