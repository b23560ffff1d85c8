"""The tutorial, followed to the letter."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "tutorial.md"
ELLIPSIS = "…"
NUMBERS = re.compile(r"\d+(\.\d+)?( (µs|ms|s|%))?")


def loose(line: str) -> str:
    """A line without the numbers that differ from run to run."""
    if "ms" in line or " s" in line or "e-" in line:
        return re.sub(r"\s+", " ", NUMBERS.sub("N", line))
    return line


def followed(output: str, documented: list[str]) -> list[str]:
    """The documented lines that are missing from the output, in their order."""
    rest = iter([loose(line) for line in output.splitlines()])
    return [line for line in documented if line != ELLIPSIS and loose(line) not in rest]


def test_every_command_says_what_the_page_shows(tmp_path: Path) -> None:
    text = PAGE.read_text(encoding="utf-8")
    (script,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (tmp_path / "train.py").write_text(script, encoding="utf-8")
    commands = 0
    for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL):
        for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *documented = step.splitlines()
            name, *arguments = shlex.split(command)
            assert name == "tfcheck"
            ended = subprocess.run(
                [sys.executable, "-m", "tfcheck", *arguments],
                cwd=tmp_path,
                capture_output=True,
                text=True,
                check=False,
                timeout=120,
            )
            assert ended.returncode in (0, 1), ended.stderr
            assert followed(ended.stdout, documented) == [], ended.stdout
            commands += 1
    assert commands == 6
