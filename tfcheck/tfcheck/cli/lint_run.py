"""What `tfcheck lint` does: read the settings, lint or fix, report, say how it went."""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tfcheck.cli.formats import Output, render
from tfcheck.cli.output import talk, write_file, write_result
from tfcheck.cli.source import SourceReader
from tfcheck.config import Overrides, Settings, load_settings
from tfcheck.diagnostics import LintResult
from tfcheck.errors import ConfigError, ExitCode, InputError, OutputError
from tfcheck.lint.engine import fix_paths, lint_paths
from tfcheck.lint.files import StdinSource


@dataclass(frozen=True, slots=True)
class LintRequest:
    """One run of the verb, as the command line describes it."""

    paths: tuple[str, ...]
    stdin_filename: str
    config: Path | None
    overrides: Overrides
    outputs: tuple[Output, ...]
    fix: bool
    unsafe: bool
    diff: bool


def run_lint(request: LintRequest) -> int:
    """Lint, report, and return the exit status.

    Raises:
        ConfigError: an option or setting has a value it cannot have.
        OutputError: a fixed file cannot be written.
    """
    if request.unsafe and not (request.fix or request.diff):
        raise ConfigError("--unsafe-fixes applies nothing by itself; add --fix or --diff")
    paths, missing = _existing([path for path in request.paths if path != "-"])
    for message in missing:
        talk(f"error: {message}")
    stdin = _stdin(request)
    if not paths and stdin is None:
        return ExitCode.USAGE
    settings = _settings(request, paths)
    status = _lint_or_fix(request, paths, settings=settings, stdin=stdin)
    return ExitCode.USAGE if missing and status != ExitCode.INTERNAL else status


def _existing(paths: Sequence[str]) -> tuple[list[Path], list[str]]:
    """The paths there are, and a message for each that is not."""
    there = [Path(path) for path in paths if os.path.exists(path)]
    missing = [_missing(Path(path)) for path in paths if not os.path.exists(path)]
    return there, missing


def _missing(path: Path) -> str:
    siblings = os.listdir(path.parent) if path.parent.is_dir() else []
    close = difflib.get_close_matches(path.name, siblings, n=1)
    cure = f"; did you mean {path.parent / close[0]}?" if close else f" (looked in {Path.cwd()})"
    return f"no file or folder {path} to lint{cure}"


def _stdin(request: LintRequest) -> StdinSource | None:
    if "-" not in request.paths:
        return None
    return StdinSource(sys.stdin.buffer.read(), request.stdin_filename)


def _settings(request: LintRequest, paths: Sequence[Path]) -> Settings:
    config = request.config
    if config is None:
        start = os.path.commonpath([path.absolute() for path in paths]) if paths else os.getcwd()
        return load_settings(Path(start), overrides=request.overrides)
    if not config.is_file():
        raise InputError(f"--config: no file {config}")
    if config.name != "pyproject.toml":
        raise ConfigError(f"--config: expected a file named pyproject.toml, not {config}")
    return load_settings(config, overrides=request.overrides)


def _lint_or_fix(
    request: LintRequest,
    paths: Sequence[Path],
    *,
    settings: Settings,
    stdin: StdinSource | None,
) -> int:
    if not (request.fix or request.diff):
        result = lint_paths(paths, settings=settings, stdin=stdin)
        return _report(request.outputs, result, stdin=stdin)
    fixed = fix_paths(
        paths, settings=settings, stdin=stdin, unsafe=request.unsafe, write=not request.diff
    )
    if request.diff:
        write_result(fixed.diff)
        status = _problems(fixed.remaining)
        return status or (ExitCode.FINDINGS if fixed.diff else ExitCode.CLEAN)
    if stdin is None or fixed.stdin is None:
        return _report(request.outputs, fixed.remaining, stdin=stdin)
    # The fixed text is the result then; only outputs that go to files are written besides.
    write_result(fixed.stdin.decode("utf-8", errors="surrogateescape"))
    files = tuple(output for output in request.outputs if output.file is not None)
    return _report(files, fixed.remaining, stdin=StdinSource(fixed.stdin, stdin.filename))


def _report(outputs: Sequence[Output], result: LintResult, *, stdin: StdinSource | None) -> int:
    sources = SourceReader(_texts(stdin))
    status = _problems(result)
    for output in outputs:
        text = render(result, output, sources=sources)
        if not _deliver(text, output):
            status = status or ExitCode.USAGE
    return status or (ExitCode.FINDINGS if result.violations else ExitCode.CLEAN)


def _texts(stdin: StdinSource | None) -> dict[str, str]:
    return {stdin.filename: stdin.content.decode("utf-8", "replace")} if stdin else {}


def _deliver(text: str, output: Output) -> bool:
    if output.file is None:
        write_result(text)
        return True
    try:
        write_file(output.file, text.encode("utf-8", errors="backslashreplace"))
    except OutputError as error:
        talk(f"error: {error}; the report follows on standard output")
        write_result(text)
        return False
    return True


def _problems(result: LintResult) -> int:
    """Say what could not be read and what we did wrong; the status for it, 0 for none."""
    for problem in result.problems:
        talk(f"error: {problem.filename}: {problem.message}")
    for fault in result.internal:
        rule = f" {fault.rule}" if fault.rule else ""
        talk(f"{fault.traceback.rstrip()}\nerror: fault of tfcheck{rule} on {fault.filename}:")
        talk(f"  {fault.summary}; everything else is reported")
    if result.internal:
        return ExitCode.INTERNAL
    return ExitCode.USAGE if result.problems else ExitCode.CLEAN
