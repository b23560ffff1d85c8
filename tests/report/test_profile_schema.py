from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tfcheck.profile.model import Profile
from tfcheck.report.profile_data import SCHEMA, render_profile_json

SCHEMA_FILE = Path(__file__).parents[2] / "docs" / "profile-1.json"


def differences(
    value: object, schema: Mapping[str, Any], root: Mapping[str, Any], *, at: str
) -> Iterator[str]:
    """Where a value is not what the schema says, or has a field that the schema lacks."""
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rpartition("/")[2]]
    if "enum" in schema and value not in schema["enum"]:
        yield f"{at}: {value!r} is none of {schema['enum']}"
    if "type" in schema and kind(value) not in kinds(schema["type"]):
        yield f"{at}: {value!r} is no {schema['type']}"
    if isinstance(value, dict) and "properties" in schema:
        known = schema["properties"]
        if list(value) != list(known):
            yield f"{at}: has {list(value)}, expected {list(known)}"
        for name in set(value) & set(known):
            yield from differences(value[name], known[name], root, at=f"{at}.{name}")
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from differences(item, schema.get("items", {}), root, at=f"{at}[{number}]")


def kind(value: object) -> str:
    names = {
        dict: "object",
        list: "array",
        str: "string",
        int: "integer",
        float: "number",
        bool: "boolean",
    }
    return "null" if value is None else names[type(value)]


def kinds(text: str | list[str]) -> set[str]:
    listed = {text} if isinstance(text, str) else set(text)
    return listed | ({"integer"} if "number" in listed else set())


def test_what_is_written_is_what_the_schema_documents(profile: Profile) -> None:
    schema = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
    record = json.loads(render_profile_json(profile, urls={}))

    assert list(differences(record, schema, schema, at="profile")) == []
    assert record["schema"] == schema["$id"] == SCHEMA
