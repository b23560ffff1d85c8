"""The JSON Schema of the settings, and that it says what the reader of the settings says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tfcheck.cli.config_schema import render_schema
from tfcheck.config import load_settings
from tfcheck.errors import ConfigError
from tfcheck.profile.settings import ProfileSettings, load_profile_settings

PAGE = Path(__file__).parents[2] / "docs" / "config-schema.json"
SCHEMA = json.loads(render_schema())
LINT = {key: each for key, each in SCHEMA["properties"].items() if key != "profile"}
PROFILE = SCHEMA["properties"]["profile"]["properties"]


def test_the_schema_is_up_to_date() -> None:
    # `python -m tfcheck.cli.config_schema > docs/config-schema.json` writes it.
    assert PAGE.read_text(encoding="utf-8") == render_schema()


def examples(schema: dict[str, object]) -> tuple[list[str], list[str]]:
    """TOML values that fit a schema, and some that do not."""
    if "enum" in schema:
        return [json.dumps(each) for each in schema["enum"]], ['"other"', "1"]  # type: ignore[attr-defined]
    if "anyOf" in schema:
        return ["0.5", '"10%"'], ["-1", "true"]
    fitting = {
        "boolean": (["true"], ['"x"']),
        "string": (['"x"'], ["3"]),
        "number": (["0", "1.5"], ["-1", '"x"']),
        "integer": (["1", "20"], ["-1", '"x"', "true"]),
        "array": (["[]", '["TFC3"]'], ["[1]", '"TFC3"']),
        "object": (["{}", '{"tests/*" = ["TFC3"]}'], ['{"tests/*" = "TFC3"}', "3"]),
    }
    return fitting[str(schema["type"])]


@pytest.mark.parametrize("key", LINT)
def test_the_schema_agrees_with_what_lint_reads(key: str, tmp_path: Path) -> None:
    fitting, others = examples(LINT[key])

    for value in fitting:
        (tmp_path / "tfcheck.toml").write_text(f"{key} = {value}\n")
        load_settings(tmp_path)
    for value in others:
        (tmp_path / "tfcheck.toml").write_text(f"{key} = {value}\n")
        with pytest.raises(ConfigError):
            load_settings(tmp_path)


@pytest.mark.parametrize("key", PROFILE)
def test_the_schema_agrees_with_what_profile_reads(key: str, tmp_path: Path) -> None:
    fitting, others = examples(PROFILE[key])

    for value in fitting:
        (tmp_path / "tfcheck.toml").write_text(f"[profile]\n{key} = {value}\n")
        load_profile_settings(tmp_path, overrides=ProfileSettings())
    for value in others:
        (tmp_path / "tfcheck.toml").write_text(f"[profile]\n{key} = {value}\n")
        with pytest.raises(ConfigError):
            load_profile_settings(tmp_path, overrides=ProfileSettings())
