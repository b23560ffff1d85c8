"""`%load_ext tfcheck`: lint and profile the cells of a notebook, in IPython and Jupyter."""

from __future__ import annotations

import html
import importlib.util
import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tfcheck.config import load_settings
from tfcheck.diagnostics import LintResult
from tfcheck.errors import TfcheckError
from tfcheck.lint.check import check_bytes
from tfcheck.lint.registry import describe_rules
from tfcheck.profile.embedded import NAME, install
from tfcheck.report.terminal import render_terminal

_FILENAME = "notebook.ipynb"
_HEIGHT = 640
"""Pixels of the page in the output of a cell; it scrolls inside."""


def load(shell: Any) -> None:  # IPython's own class, which only notebooks need
    """Add the magics to a shell; without TensorFlow, `import tensorflow` means our runtime."""
    if importlib.util.find_spec(NAME) is None:
        install()
    magics = _Magics(shell)
    shell.register_magic_function(magics.lint, "line", "tflint")
    shell.register_magic_function(magics.profile, "cell", "tfprofile")


class _Magics:
    def __init__(self, shell: Any) -> None:
        self._shell = shell

    def lint(self, line: str) -> None:
        """`%tflint`: the findings in the cells that have run so far, taken together."""
        if line.strip():
            print(f"error: %tflint takes no arguments, not {line.strip()}")
            return
        cells = self._shell.history_manager.input_hist_raw[1:]
        document = {"cells": [_cell(each) for each in cells], "metadata": {}}
        try:
            settings = load_settings(Path.cwd())
            outcome = check_bytes(
                json.dumps(document).encode(), filename=_FILENAME, settings=settings
            )
        except TfcheckError as error:
            print(f"error: {error}")
            return
        result = LintResult(
            violations=outcome.violations,
            files=1,
            traced_files=int(outcome.traced),
            seconds=0.0,
            internal=outcome.internal,
        )
        lines = [str(cell).splitlines() for cell in cells]
        print(render_terminal(result, source_line=_Lines(lines), colour=False), end="")

    def profile(self, line: str, cell: str) -> object:
        """`%%tfprofile [--ops]`: run the cell and show what its Functions cost, and why."""
        options = shlex.split(line)
        unknown = [each for each in options if each != "--ops"]
        if unknown:
            print(f"error: %%tfprofile knows --ops, not {unknown[0]}")
            return None
        # The runtime and NumPy are loaded by those who profile only.
        from tfcheck.profile.backend import current
        from tfcheck.profile.cells import profile_cell
        from tfcheck.profile.profiling import Limits, Tools
        from tfcheck.report.page import render_page
        from tfcheck.report.profile_terminal import render_profile

        urls = {rule.code: rule.url for rule in describe_rules()}
        tools = Tools(lint=_no_findings, backend=current(), rules=urls, progress=_silent)
        profile = profile_cell(
            lambda: self._shell.run_cell(cell).error_in_exec,
            number=len(self._shell.history_manager.input_hist_raw) - 1,
            tools=tools,
            limits=Limits(ops="--ops" in options),
        )
        return _Shown(render_profile(profile, colour=False), render_page(profile, urls=urls))


class _Shown:
    """A profile as the output of a cell: a page in Jupyter, text in a terminal."""

    def __init__(self, text: str, page: str) -> None:
        self._text = text
        self._page = page

    def __repr__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        # A document of its own: neither its styles nor the notebook's reach the other.
        return (
            f'<iframe srcdoc="{html.escape(self._page)}" title="tfcheck profile"'
            f' style="width: 100%; height: {_HEIGHT}px; border: 0"></iframe>'
        )


class _Lines:
    """The source lines of cells, for code frames."""

    def __init__(self, cells: Sequence[Sequence[str]]) -> None:
        self._cells = cells

    def __call__(self, _filename: str, cell: int | None, row: int) -> str | None:
        lines = self._cells[cell - 1] if cell is not None and cell <= len(self._cells) else ()
        return lines[row - 1] if row <= len(lines) else None


def _cell(source: object) -> dict[str, object]:
    return {"cell_type": "code", "source": str(source), "metadata": {}, "outputs": []}


def _no_findings(_files: Sequence[Path]) -> tuple[()]:
    return ()


def _silent(_text: str) -> None:
    """The output of a cell holds results only."""
