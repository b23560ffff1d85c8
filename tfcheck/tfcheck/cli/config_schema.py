"""Writes the JSON Schema of tfcheck.toml: `python -m tfcheck.cli.config_schema > FILE`."""

from __future__ import annotations

import ast
import inspect
import json
import sys
from enum import Enum
from pathlib import Path
from typing import TypeAlias, get_args, get_type_hints

from tfcheck.config import PerFileIgnore, Selector, Settings, keys
from tfcheck.profile.settings import ProfileSettings

Schema: TypeAlias = dict[str, object]

_RULES: Schema = {"type": "array", "items": {"type": "string"}}
_SHARE: Schema = {"anyOf": [{"type": "number", "minimum": 0}, {"type": "string"}]}
_TYPES: dict[object, Schema] = {
    bool: {"type": "boolean"},
    float: {"type": "number", "minimum": 0},
    Path: {"type": "string"},
    tuple[str, ...]: _RULES,
    tuple[Selector, ...]: _RULES,
    tuple[PerFileIgnore, ...]: {"type": "object", "additionalProperties": _RULES},
}
_SHARES = frozenset({"max_trace_share", "max_regression"})
"""Numbers that may be written as `10%`."""


def render_schema() -> str:
    """The schema, from the classes that hold the settings."""
    document: Schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Settings of tfcheck: tfcheck.toml, or [tool.tfcheck] in pyproject.toml",
        **_table(Settings, least_count=1, extra={"profile": _table(ProfileSettings)}),
    }
    return json.dumps(document, indent=2) + "\n"


def _table(kind: type, *, least_count: int = 0, extra: Schema | None = None) -> Schema:
    hints, texts = get_type_hints(kind), _descriptions(kind)
    properties: Schema = {}
    for name in keys(kind):
        schema = _SHARE if name in _SHARES else _schema(hints[name], least_count)
        text = texts.get(name)
        properties[name.replace("_", "-")] = {
            **schema,
            **({"description": text} if text else {}),
        }
    return {
        "type": "object",
        "properties": {**properties, **(extra or {})},
        "additionalProperties": False,
    }


def _schema(hint: object, least_count: int) -> Schema:
    known = _TYPES.get(hint)
    if known is not None:
        return known
    if hint is int:
        return {"type": "integer", "minimum": least_count}
    if isinstance(hint, type) and issubclass(hint, Enum):
        return {"enum": [each.value for each in hint]}
    # What may be left out is None then, which TOML cannot say.
    (present,) = (part for part in get_args(hint) if part is not type(None))
    return _schema(present, least_count)


def _descriptions(kind: type) -> dict[str, str]:
    """The strings below fields, which Python does not keep."""
    (definition,) = ast.parse(inspect.getsource(kind)).body
    found: dict[str, str] = {}
    name = ""
    for statement in definition.body if isinstance(definition, ast.ClassDef) else ():
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            name = statement.target.id
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant) and name:
            found[name] = " ".join(str(statement.value.value).split())
    return found


if __name__ == "__main__":
    sys.stdout.write(render_schema())
