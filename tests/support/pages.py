"""Follows a page of the documentation: makes its files, runs its examples, compares what it shows.

- A code block with a title is a file of that name: ```` ```python title="train.py" ````.
- A `python` block without a title is a program of its own.
- A `diff` block is applied to the files.
- In a `console` block, lines that start with `$ ` are commands, and those below what they say;
  `…` stands for lines left out.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
ELLIPSIS = "…"
INSTALL = "pip install --editable ."

_BLOCK = re.compile(
    r"^(?P<fence>`{3,})(?P<language>\w+)(?: title=\"(?P<title>[^\"]+)\")?\n"
    r"(?P<text>.*?)^(?P=fence)$",
    re.MULTILINE | re.DOTALL,
)
_HOME = re.compile(r"(?<=\()/\S*/(?=\w+\.py)")
_NUMBERS = re.compile(r"\d+(\.\d+)?( ?(µs|ms|s|%))?\b")


@dataclass(frozen=True, slots=True)
class Block:
    """A block of code of a page."""

    language: str
    title: str | None
    text: str

    @property
    def is_followed(self) -> bool:
        """Whether the block asks for something to be done."""
        return self.title is not None or self.language in {"python", "diff", "console"}


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A command that did not end or say what its page shows."""

    command: str
    missing: tuple[str, ...]
    """Lines of the page that the output lacks."""
    status: int
    output: str


def blocks_of(page: Path) -> list[Block]:
    """The blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    return [Block(each["language"], each["title"], each["text"]) for each in _BLOCK.finditer(text)]


def follow(page: Path, folder: Path, environment: Mapping[str, str]) -> list[Mismatch]:
    """Do in `folder` what the page says, from top to bottom."""
    variables = {**os.environ, "NO_COLOR": "1", "COLUMNS": "120", **environment}
    # `tfcheck`, `python` and `pytest` are those of this environment, and its sources come first.
    variables["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    variables["PYTHONPATH"] = os.pathsep.join([*map(str, sources(variables)), str(folder)])
    return [mismatch for block in blocks_of(page) for mismatch in _done(block, folder, variables)]


def sources(variables: Mapping[str, str]) -> list[str]:
    """What is on the path for imports already."""
    return [each for each in variables.get("PYTHONPATH", "").split(os.pathsep) if each]


def _done(block: Block, folder: Path, variables: Mapping[str, str]) -> Iterator[Mismatch]:
    if block.title is not None:
        target = folder / block.title
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(block.text, encoding="utf-8")
    elif block.language == "diff":
        (folder / "page.diff").write_text(block.text, encoding="utf-8")
        yield from _checked("git apply page.diff", [], folder, variables)
    elif block.language == "python":
        (folder / "snippet.py").write_text(block.text, encoding="utf-8")
        yield from _checked("tfcheck run snippet.py", [], folder, variables)
    elif block.language == "console":
        for step in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
            command, *documented = step.splitlines()
            yield from _checked(command, documented, folder, variables)


def _checked(
    command: str, documented: list[str], folder: Path, variables: Mapping[str, str]
) -> Iterator[Mismatch]:
    if command == INSTALL:
        _register(folder)
        return
    ended = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=dict(variables),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
        timeout=300,
    )
    missing = tuple(_missing(ended.stdout, documented))
    # Findings and failed gates end a command with 1, and the page then shows them.
    accepted = {0, 1} if documented and command.startswith("tfcheck") else {0}
    if missing or ended.returncode not in accepted:
        yield Mismatch(command, missing, ended.returncode, ended.stdout)


def _missing(output: str, documented: list[str]) -> Iterator[str]:
    """The documented lines that are not in the output, in their order."""
    rest = iter([_loose(line) for line in output.splitlines()])
    for line in documented:
        if line not in {ELLIPSIS, ""} and _loose(line) not in rest:
            yield line


def _loose(line: str) -> str:
    """A line without the numbers and folders that differ from run to run."""
    if re.search(r"\d ?(µs|ms|s)\b|\de-|×", line) or " trace " in line:
        line = _NUMBERS.sub("N", line)
    return re.sub(r"\s+", " ", _HOME.sub("", line)).strip()


def _register(folder: Path) -> None:
    """What an editable install makes known; installing needs the network for its tools."""
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    name, version = project["name"].replace("-", "_"), project["version"]
    metadata = folder / f"{name}-{version}.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {version}\n", encoding="utf-8"
    )
    lines = [
        f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in points.items())
        for group, points in project["entry-points"].items()
    ]
    (metadata / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
