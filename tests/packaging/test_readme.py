"""The README's commands and the output it shows."""

import re
import subprocess
import sys
from pathlib import Path

PROGRAM = "fixtures/programs/train_step.py"
ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(language: str) -> list[str]:
    return [text for kind, text in BLOCK.findall(README) if kind == language]


def test_there_are_two_commands_of_one_line_each() -> None:
    commands = blocks("bash")

    assert [len(command.splitlines()) for command in commands] == [1, 1]


def test_the_first_command_lints_and_profiles_a_fixture() -> None:
    first, _ = blocks("bash")

    assert "tfcheck lint fixtures/programs/train_step.py" in first
    assert "tfcheck profile fixtures/programs/train_step.py" in first


def test_the_second_command_installs_the_test_extra_and_runs_the_tests() -> None:
    _, second = blocks("bash")

    assert "[test]" in second
    assert second.rstrip().endswith("pytest")


def test_the_lint_output_is_the_real_one() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "tfcheck", "lint", "--output", "rich", PROGRAM],
        cwd=ROOT,
        env={"NO_COLOR": "1", "COLUMNS": "100", "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )

    shown = next(text for text in blocks("text") if "TFC101" in text)

    assert without_seconds(run.stdout).strip() in without_seconds(shown)


def test_the_page_of_the_package_index_has_no_relative_links() -> None:
    links = re.findall(r"\]\(([^)\s]+)\)", README)

    assert len(links) > 10
    assert [link for link in links if not link.startswith("https://")] == []


def without_seconds(text: str) -> str:
    return re.sub(r"\d+\.\d s", "0.0 s", text)
