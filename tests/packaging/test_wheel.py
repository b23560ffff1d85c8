"""What is installed, and what is not."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel_names(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    target = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", target],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (wheel,) = target.glob("tfcheck-*.whl")
    return zipfile.ZipFile(wheel).namelist()


def test_the_wheel_holds_just_the_three_import_packages(wheel_names: list[str]) -> None:
    tops = {name.split("/")[0] for name in wheel_names}

    packages = {top for top in tops if not top.endswith(".dist-info")}

    assert packages == {"tfcheck", "tfcheck_rules", "tfcheck_runtime"}


def test_every_package_says_that_it_is_typed(wheel_names: list[str]) -> None:
    markers = [name for name in wheel_names if name.endswith("py.typed")]

    assert sorted(markers) == [
        "tfcheck/py.typed",
        "tfcheck_rules/py.typed",
        "tfcheck_runtime/py.typed",
    ]


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


def test_the_version_and_the_help_load_neither_libcst_nor_numpy() -> None:
    program = (
        "import sys; sys.argv = ['tfcheck', '--version']\n"
        "from tfcheck.cli.main import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print({'libcst', 'numpy'} & set(sys.modules))"
    )

    run = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )

    assert run.stdout.splitlines()[-1] == "set()"
