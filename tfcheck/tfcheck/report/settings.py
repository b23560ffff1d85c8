"""The settings of a run, as a tfcheck.toml would have them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from tfcheck.config import PerFileIgnore, Selector, Settings, keys


def render_settings(settings: Settings) -> str:
    """Each setting with its value, those that are not set as comments."""
    lines = [f"# patterns are relative to {settings.root.absolute().as_posix()}"]
    for name in keys(Settings):
        value = getattr(settings, name)
        key = name.replace("_", "-")
        if name == "baseline" and value is None:
            lines.append(f"# {key} is not set")
        elif name != "per_file_ignores":
            lines.append(f"{key} = {_value(value)}")
    return "\n".join([*lines, *_per_file(settings.per_file_ignores)]) + "\n"


def _per_file(rules: tuple[PerFileIgnore, ...]) -> Iterator[str]:
    if rules:
        yield "\n[per-file-ignores]"
    for each in rules:
        yield f"{json.dumps(each.pattern)} = {_value(each.selectors)}"


def _value(value: object) -> str:
    """As TOML writes it; for texts, numbers and booleans that is what JSON does."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, Selector):
        return json.dumps(value.text, ensure_ascii=False)
    return json.dumps(str(value) if isinstance(value, Path) else value, ensure_ascii=False)
