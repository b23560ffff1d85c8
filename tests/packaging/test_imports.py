"""What can be imported where it is installed, and what that loads."""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("name", ["runtime", "rules", "tests", "fixtures", "docs"])
def test_folders_of_the_repository_are_not_importable(name: str, tmp_path: Path) -> None:
    found = subprocess.run(
        [sys.executable, "-c", f"import importlib.util as u; print(u.find_spec({name!r}))"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    )

    assert found.stdout.strip() == "None"


@pytest.mark.parametrize("module", ["tfcheck.cli.lint", "tfcheck_rules", "tfcheck.lint.engine"])
def test_lint_reaches_no_numeric_package(module: str) -> None:
    heavy = "{'numpy', 'onnx', 'onnx_ir', 'onnxruntime', 'tfcheck_runtime', 'tensorflow'}"

    loaded = subprocess.run(
        [sys.executable, "-c", f"import sys, {module}; print({heavy} & set(sys.modules))"],
        check=True,
        capture_output=True,
        text=True,
    )

    assert loaded.stdout.strip() == "set()"


def test_the_version_is_told_without_loading_or_reading_packages() -> None:
    program = (
        "import sys; sys.argv = ['tfcheck', '--version']\n"
        "from tfcheck.cli.main import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print({'libcst', 'numpy', 'importlib.metadata'} & set(sys.modules))"
    )

    run = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )

    assert run.stdout.splitlines()[-1] == "set()"
