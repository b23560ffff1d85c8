"""Notebooks with the extension, run by a kernel as Jupyter runs them."""

from __future__ import annotations

from pathlib import Path

import nbclient
import nbformat
import pytest

CELLS = (
    "%load_ext tfcheck\nimport tensorflow as tf\nrate = 0.5",
    "@tf.function\ndef step(x):\n    print(x)\n    return x * rate",
    "rate = 0.25\nstep(tf.constant(1.0))",
    "%tflint",
    "%%tfprofile\nfor n in range(3):\n    step(n)",
    "%%tfprofile\nstep(tf.constant(2.0))\nraise ValueError('bad')",
    "%%tfprofile --opts\nstep(1)",
    "%tflint all",
)


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> list[list[nbformat.NotebookNode]]:
    """The outputs of each cell."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in CELLS])
    folder = tmp_path_factory.mktemp("notebook")
    (folder / "tfcheck.toml").write_text("cache = false\n")
    client = nbclient.NotebookClient(
        notebook, timeout=120, allow_errors=True, resources={"metadata": {"path": str(folder)}}
    )
    client.execute()
    return [cell.outputs for cell in notebook.cells]


def printed(cell: list[nbformat.NotebookNode]) -> str:
    return "".join(each.text for each in cell if each.output_type == "stream")


def shown(cell: list[nbformat.NotebookNode]) -> nbformat.NotebookNode:
    (result,) = (each for each in cell if each.output_type == "execute_result")
    return result.data


def test_the_cells_that_ran_are_linted_together(outputs: list[list[nbformat.NotebookNode]]) -> None:
    text = printed(outputs[3])

    assert "cell 2:3:5 TFC301" in text
    assert "    print(x)" in text
    assert text.splitlines()[-1].startswith("1 finding (1 warning)")


def test_a_profile_is_a_page_and_a_text(outputs: list[list[nbformat.NotebookNode]]) -> None:
    data = shown(outputs[4])

    assert data["text/html"].startswith('<iframe srcdoc="')
    assert "<script>" not in data["text/html"]
    assert "cell [5]: 1 Function, 3 calls, 3 traces" in data["text/plain"]
    assert printed(outputs[4]) == "0\n1\n2\n"


def test_a_cell_that_fails_is_shown_and_profiled(
    outputs: list[list[nbformat.NotebookNode]],
) -> None:
    assert "ValueError" in str(outputs[5])
    assert "cell [6]: 1 Function, 1 call, 0 traces" in shown(outputs[5])["text/plain"]


def test_unknown_options_are_one_line(outputs: list[list[nbformat.NotebookNode]]) -> None:
    assert printed(outputs[6]) == "error: %%tfprofile knows --ops, not --opts\n"
    assert printed(outputs[7]) == "error: %tflint takes no arguments, not all\n"


def test_a_file_on_disk_is_not_needed(outputs: list[list[nbformat.NotebookNode]]) -> None:
    assert not list(Path().glob("notebook.ipynb"))
    assert all(each.output_type != "error" for cell in outputs[:5] for each in cell)
