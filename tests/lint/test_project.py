"""Traced code that leaves its file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tfcheck.config import Selector, Settings
from tfcheck.diagnostics import TracedStep
from tfcheck.lint.engine import fix_paths, lint_paths

SETTINGS = Settings(select=(Selector("TFC301", "test"),))
HELPER = "def loss(x):\n    print(x)\n    return x\n"
STEP = "import tensorflow as tf\n{}\n\n@tf.function\ndef step(x):\n    return {}(x)\n"


def found(root: Path, files: dict[str, str]) -> list[tuple[str, int]]:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    result = lint_paths([root], settings=SETTINGS)
    return [
        (Path(v.filename).relative_to(root).as_posix(), v.span.start.row) for v in result.violations
    ]


IMPORTS = {
    "beside": ("from helpers import loss", "loss"),
    "module": ("import helpers", "helpers.loss"),
    "renamed": ("import helpers as h", "h.loss"),
    "from the folder": ("from pkg.helpers import loss", "loss"),
}


@pytest.mark.parametrize(("line", "name"), IMPORTS.values(), ids=IMPORTS)
def test_imported_helpers_are_traced(line: str, name: str, tmp_path: Path) -> None:
    files = {"pkg/train.py": STEP.format(line, name), "pkg/helpers.py": HELPER}

    assert found(tmp_path, files) == [("pkg/helpers.py", 2)]


def test_relative_imports_and_names_passed_on_by_a_package_are_followed(tmp_path: Path) -> None:
    files = {
        "pkg/__init__.py": "from .losses import loss\n",
        "pkg/losses/__init__.py": "from .weighted import loss\n",
        "pkg/losses/weighted.py": HELPER,
        "pkg/train.py": STEP.format("from . import loss", "loss"),
    }

    assert found(tmp_path, files) == [("pkg/losses/weighted.py", 2)]


def test_chains_run_through_several_files(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(STEP.format("from a import f", "f"))
    (tmp_path / "a.py").write_text("import b\n\ndef f(x):\n    return b.loss(x)\n")
    (tmp_path / "b.py").write_text(HELPER)

    (violation,) = lint_paths([tmp_path], settings=SETTINGS).violations

    assert violation.traced == (
        TracedStep("loss is called from f", f"{tmp_path}/a.py", 4),
        TracedStep("f is called from step", f"{tmp_path}/train.py", 6),
        TracedStep("step is decorated @tf.function", f"{tmp_path}/train.py", 4),
    )


def test_functions_handed_over_are_followed(tmp_path: Path) -> None:
    files = {
        "helpers.py": HELPER + HELPER.replace("loss", "parse") + HELPER.replace("loss", "plain"),
        "train.py": "import tensorflow as tf\nfrom helpers import loss, parse, plain\n"
        "tf.data.Dataset.range(3).map(parse)\nf = tf.function(loss)\nplain(1)\n",
    }

    assert found(tmp_path, files) == [("helpers.py", 2), ("helpers.py", 5)]


def test_modules_of_one_name_in_two_places_are_left_alone(tmp_path: Path) -> None:
    files = {
        "a/helpers.py": HELPER,
        "b/helpers.py": HELPER,
        "train.py": STEP.format("from helpers import loss", "loss"),
    }

    assert found(tmp_path, files) == []


def test_files_that_import_each_other_come_to_an_end(tmp_path: Path) -> None:
    files = {
        "a.py": "import b\n\ndef f(x):\n    print(x)\n    return b.g(x)\n",
        "b.py": STEP.format("import a", "a.f") + "\ndef g(x):\n    return a.f(x)\n",
    }

    assert found(tmp_path, files) == [("a.py", 4)]


def test_helpers_of_other_files_are_fixed_too(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(STEP.format("from helpers import loss", "loss"))
    (tmp_path / "helpers.py").write_text("import tensorflow as tf\n\n" + HELPER)

    result = fix_paths([tmp_path], settings=SETTINGS)

    assert result.remaining.fixed == 1
    assert "    tf.print(x)\n" in (tmp_path / "helpers.py").read_text()
