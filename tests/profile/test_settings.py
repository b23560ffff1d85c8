from __future__ import annotations

from pathlib import Path

import pytest

from tfcheck.errors import ConfigError
from tfcheck.profile.settings import ProfileSettings, load_profile_settings, parse_share


def load(folder: Path, text: str, **overrides: object) -> ProfileSettings:
    (folder / "pyproject.toml").write_text(text, encoding="utf-8")
    given = ProfileSettings(**overrides)  # type: ignore[arg-type]  # what the test says
    return load_profile_settings(folder, overrides=given)


def test_all_keys_are_read(tmp_path: Path) -> None:
    settings = load(
        tmp_path,
        """
[tool.tfcheck.profile]
max-traces = 10
max-retraces-per-function = 0
min-speedup = 1.5
max-trace-share = "20%"
fail-on = ["TFC101", "disagreement"]
baseline = "ci/profile.json"
max-regression = 0.25
timeout = 60
max-recorded-bytes = 1000000
""",
    )

    assert settings == ProfileSettings(
        max_traces=10,
        max_retraces_per_function=0,
        min_speedup=1.5,
        max_trace_share=0.2,
        fail_on=("TFC101", "disagreement"),
        baseline=tmp_path / "ci/profile.json",
        max_regression=0.25,
        timeout=60.0,
        max_recorded_bytes=1_000_000,
    )


def test_the_command_line_goes_over_the_file(tmp_path: Path) -> None:
    text = "[tool.tfcheck.profile]\nmax-traces = 10\ntimeout = 5\n"

    settings = load(tmp_path, text, max_traces=0, fail_on=())

    assert settings == ProfileSettings(max_traces=0, timeout=5.0, fail_on=())


@pytest.mark.parametrize("text", ["", "[tool.tfcheck]\nselect = ['ALL']\n"])
def test_without_a_table_nothing_is_set(tmp_path: Path, text: str) -> None:
    assert load(tmp_path, text) == ProfileSettings()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("max-trace = 3", "max-trace: unknown key, did you mean `max-traces`? ({file}:2)"),
        ("max-traces = -1", "max-traces: expected a number from 0, not -1 ({file}:2)"),
        ("min-speedup = true", "min-speedup: expected a number from 0, not True ({file}:2)"),
        (
            "max-trace-share = 'half'",
            "max-trace-share: expected a part such as 10% or 0.1, not 'half' ({file}:2)",
        ),
        ("fail-on = 'TFC1'", "fail-on: expected a list of rules, not 'TFC1' ({file}:2)"),
        ("baseline = 1", "baseline: expected the name of a file, not 1 ({file}:2)"),
    ],
)
def test_what_cannot_be_is_named_with_its_line(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(ConfigError) as raised:
        load(tmp_path, f"[tool.tfcheck.profile]\n{line}\n")

    file = tmp_path / "pyproject.toml"
    assert str(raised.value) == f"[tool.tfcheck.profile] {message.format(file=file)}"


def test_the_table_is_no_value(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"\[tool.tfcheck.profile\] must be a table, not 3$"):
        load(tmp_path, "[tool.tfcheck]\nprofile = 3\n")


@pytest.mark.parametrize(("text", "share"), [("10%", 0.1), ("0.1", 0.1), (" 2.5 % ", 0.025)])
def test_a_share_is_a_number_or_in_percent(text: str, share: float) -> None:
    assert parse_share(text) == pytest.approx(share)
