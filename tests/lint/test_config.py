"""`[tool.tfcheck]`: where it is found, what it may hold, what its errors say."""

from __future__ import annotations

from pathlib import Path

import pytest

from tfcheck.config import Overrides, PerFileIgnore, Selector, Settings, load_settings
from tfcheck.diagnostics import Severity
from tfcheck.errors import ConfigError


def write(folder: Path, text: str) -> Path:
    file = folder / "pyproject.toml"
    file.write_text(text)
    return file


def test_all_keys_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(
        tmp_path,
        """
[tool.tfcheck]
select = ["TFC3"]
ignore = ["TFC301"]
extend-exclude = ["old"]
force-exclude = true
severity = "info"
scalar-limit = 5

[tool.tfcheck.per-file-ignores]
"tests/*" = ["python-print"]

[tool.tfcheck.profile]
max-traces = 3
""",
    )

    settings = load_settings(tmp_path / "src" / "a.py")

    assert settings == Settings(
        root=tmp_path,
        select=(Selector("TFC3", "pyproject.toml:3"),),
        ignore=(Selector("TFC301", "pyproject.toml:4"),),
        extend_exclude=("old",),
        force_exclude=True,
        severity=Severity.INFO,
        scalar_limit=5,
        per_file_ignores=(
            PerFileIgnore("tests/*", (Selector("python-print", "pyproject.toml:10"),)),
        ),
    )


def test_the_closest_file_with_a_table_holds(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    write(tmp_path, "[tool.tfcheck]\nscalar-limit = 7\n")
    write(tmp_path / "a", "[tool.other]\nx = 1\n")

    assert load_settings(inner) == Settings(root=tmp_path, scalar_limit=7)


def test_without_a_table_the_defaults_hold(tmp_path: Path) -> None:
    assert load_settings(tmp_path) == Settings(root=tmp_path)


def test_the_command_line_lies_over_the_file(tmp_path: Path) -> None:
    write(tmp_path, '[tool.tfcheck]\nselect = ["TFC3"]\nignore = ["TFC301"]\n')

    settings = load_settings(tmp_path, overrides=Overrides(select=["TFC1"], force_exclude=True))

    assert settings.select == (Selector("TFC1", "--select"),)
    assert [selector.text for selector in settings.ignore] == ["TFC301"]
    assert settings.force_exclude is True


ERRORS = {
    "misspelt key": (
        '[tool.tfcheck]\nselcet = ["TFC1"]\n',
        "[tool.tfcheck] selcet: unknown key, did you mean `select`? (pyproject.toml:2)",
    ),
    "wrong type": (
        "[tool.tfcheck]\nselect = 3\n",
        "[tool.tfcheck] select: expected a list of strings, not 3 (pyproject.toml:2)",
    ),
    "unknown severity": (
        '[tool.tfcheck]\nseverity = "loud"\n',
        "[tool.tfcheck] severity: expected one of error, warning, info, not 'loud'"
        " (pyproject.toml:2)",
    ),
    "number too small": (
        "[tool.tfcheck]\n\nscalar-limit = 0\n",
        "[tool.tfcheck] scalar-limit: expected a number from 1, not 0 (pyproject.toml:3)",
    ),
    "dotted key": (
        "tool.tfcheck.force-exclude = 1\n",
        "[tool.tfcheck] force-exclude: expected true or false, not 1 (pyproject.toml:1)",
    ),
    "no table": (
        "[tool]\ntfcheck = 3\n",
        "pyproject.toml: [tool.tfcheck] must be a table, not 3",
    ),
}


@pytest.mark.parametrize(("text", "message"), ERRORS.values(), ids=ERRORS)
def test_errors_say_what_where_and_what_instead(
    text: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, text)

    with pytest.raises(ConfigError) as error:
        load_settings(tmp_path)

    assert str(error.value) == message


def test_a_file_of_our_own_goes_before_pyproject(tmp_path: Path) -> None:
    write(tmp_path, "[tool.tfcheck]\nscalar-limit = 7\n")
    (tmp_path / "tfcheck.toml").write_text('scalar-limit = 9\nbaseline = "old.json"\n')

    assert load_settings(tmp_path) == Settings(
        root=tmp_path, scalar_limit=9, baseline=tmp_path / "old.json"
    )


def test_errors_in_a_file_of_our_own_name_its_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tfcheck.toml").write_text('ignore = []\nselcet = ["TFC1"]\n')

    with pytest.raises(ConfigError) as error:
        load_settings(tmp_path)

    assert str(error.value) == "selcet: unknown key, did you mean `select`? (tfcheck.toml:2)"


def test_a_file_that_is_no_toml_is_an_error(tmp_path: Path) -> None:
    write(tmp_path, "[tool.tfcheck\n")

    with pytest.raises(ConfigError, match=r"pyproject\.toml: cannot be read as TOML: "):
        load_settings(tmp_path)
