from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest

from tfcheck import __version__
from tfcheck.cli import main as command
from tfcheck.cli.verb import load_verb
from tfcheck.errors import InputError

Tfcheck = Callable[..., object]


def ended(status: int, out: str = "", err: str = "") -> tuple[int, str, str]:
    return status, out, err


def parts(result: object) -> tuple[int, str, str]:
    return result.status, result.out, result.err  # type: ignore[attr-defined]


def test_the_version_is_one_line(tfcheck: Tfcheck) -> None:
    assert parts(tfcheck("--version")) == ended(0, f"tfcheck {__version__}\n")


def test_help_names_every_verb(tfcheck: Tfcheck) -> None:
    assert parts(tfcheck("--help")) == ended(0, command.help_text())
    assert all(f"\n  {verb} " in command.help_text() for verb in command.VERBS)


def test_no_verb_shows_the_help_as_an_error(tfcheck: Tfcheck) -> None:
    assert parts(tfcheck()) == ended(2, err=command.help_text())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["lnt"], "no verb `lnt`; did you mean `lint`?"),
        (
            ["xyz"],
            "no verb `xyz`; known are lint, merge, rule, run, profile, report, diff, export,"
            " verify, devices, server",
        ),
        (["--versoin"], "no option `--versoin`; did you mean `--version`?"),
        (
            ["lint", "--selcet", "TFC301"],
            "no option `--selcet` in `tfcheck lint`; did you mean `--select`?",
        ),
        (["lint", "--zzz"], "no option `--zzz` in `tfcheck lint`; see `tfcheck lint --help`"),
        (["lint", "--output", "jsn"], "--output: no format `jsn`; did you mean `json`?"),
        (
            ["lint", "--output", "?"],
            "--output: no format `?`; known are rich, concise, json, jsonl, sarif, github, gitlab,"
            " junit, markdown",
        ),
        (
            ["lint", "--output", "json", "--output", "rich"],
            "--output: two formats go to standard output",
        ),
        (
            ["lint", "--unsafe-fixes"],
            "--unsafe-fixes applies nothing by itself; add --fix or --diff",
        ),
        (["lint", "--config", "no.toml", "."], "--config: no file no.toml"),
        (["rule"], "expected the code or name of one rule, or --all"),
        (["rule", "--all", "TFC301"], "expected the code or name of one rule, or --all"),
        (["rule", "--all", "--output", "x"], "--output: no format `x`; known are text, json"),
        (["profile"], "missing argument 'SCRIPT' (see `tfcheck profile --help`)"),
        (["export", "f.py"], "expected SCRIPT:FUNCTION, such as train.py:predict, not f.py"),
    ],
)
def test_wrong_use_is_one_line(tfcheck: Tfcheck, arguments: list[str], message: str) -> None:
    assert parts(tfcheck(*arguments)) == ended(2, err=f"error: {message}\n")


def test_errors_of_the_user_have_no_traceback(
    tfcheck: Tfcheck, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: object) -> int:
        raise InputError("no file x.py")

    monkeypatch.setattr(command, "dispatch", fail)

    assert parts(tfcheck("lint")) == ended(2, err="error: no file x.py\n")


def test_our_own_faults_say_where_to_report_them(
    tfcheck: Tfcheck, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: object) -> int:
        raise RuntimeError("oops")

    monkeypatch.setattr(command, "dispatch", fail)

    status, out, err = parts(tfcheck("lint"))

    assert (status, out) == (3, "")
    assert err.startswith("Traceback (most recent call last):\n")
    assert err.splitlines()[-2:] == [
        "RuntimeError: oops",
        f"error: this is a fault of tfcheck {__version__}, not of your code;"
        f" report it with the lines above: {command.ISSUES}",
    ]


def test_an_interrupt_ends_with_130(tfcheck: Tfcheck, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "dispatch", fail)

    assert parts(tfcheck("lint")) == ended(130, err="interrupted\n")


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["lint", "--help"]])
def test_start_up_imports_no_heavy_package(arguments: list[str]) -> None:
    program = (
        "import sys; from tfcheck.cli.main import main; main(sys.argv[1:]);"
        "print(sorted({'numpy', 'onnxruntime', 'tfcheck_runtime', 'rich'} & set(sys.modules)))"
    )

    ran = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True
    )

    assert ran.stdout.splitlines()[-1] == "[]"


def test_the_package_runs_as_a_module() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "tfcheck", "--version"], capture_output=True, text=True, check=False
    )

    assert (ran.returncode, ran.stdout) == (0, f"tfcheck {__version__}\n")


@pytest.mark.parametrize("verb", command.VERBS)
def test_every_verb_has_help_and_an_example(verb: str) -> None:
    loaded = load_verb(verb)

    assert loaded.help
    assert loaded.epilog is not None
    assert loaded.epilog.startswith(f"Example: tfcheck {verb} ")
    assert all(getattr(parameter, "help", None) for parameter in loaded.params)
