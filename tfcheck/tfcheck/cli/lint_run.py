"""What `tfcheck lint` does: read the settings, lint or fix, report, say how it went."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tfcheck.cli.formats import Output
from tfcheck.cli.lint_paths import existing
from tfcheck.cli.lint_report import Accepting, Report, problems
from tfcheck.cli.output import talk, write_result
from tfcheck.cli.progress import counting_files
from tfcheck.config import OWN_FILE, Overrides, Settings, load_settings
from tfcheck.diagnostics import LintResult
from tfcheck.errors import ConfigError, ExitCode, InputError
from tfcheck.lint.engine import FixResult, fix_paths, ignore_paths, lint_paths
from tfcheck.lint.files import StdinSource
from tfcheck.lint.shards import Shard, render_part


@dataclass(frozen=True, slots=True)
class LintRequest:
    """One run of the verb, as the command line describes it."""

    paths: tuple[str, ...]
    stdin_filename: str
    config: Path | None
    overrides: Overrides
    outputs: tuple[Output, ...]
    fix: bool = False
    unsafe: bool = False
    diff: bool = False
    add_ignores: bool = False
    write_baseline: bool = False
    evidence: Path | None = None
    """A profile to join the findings with."""
    statistics: bool = False
    show_files: bool = False
    show_settings: bool = False
    watch: bool = False
    shard: Shard | None = None


def run_lint(request: LintRequest) -> int:
    """Lint, report, and return the exit status.

    Raises:
        ConfigError: an option or setting has a value it cannot have.
        OutputError: a fixed file or the baseline cannot be written.
    """
    _check(request)
    paths, missing = existing([path for path in request.paths if path != "-"])
    for message in missing:
        talk(f"error: {message}")
    stdin = _stdin(request)
    if not paths and stdin is None:
        return ExitCode.USAGE
    run = _Run(request, paths, settings=_settings(request, paths), stdin=stdin)
    status = run.run()
    return ExitCode.USAGE if missing and status != ExitCode.INTERNAL else status


_ALONE = ("add_ignores", "write_baseline", "show_files", "show_settings", "watch", "shard")
"""Options that say what to do, of which there can be one."""


def _check(request: LintRequest) -> None:
    if request.unsafe and not (request.fix or request.diff):
        raise ConfigError("--unsafe-fixes applies nothing by itself; add --fix or --diff")
    if request.unsafe and request.add_ignores:
        raise ConfigError("--unsafe-fixes and --add-ignores cannot go together")
    if request.evidence is not None and "-" in request.paths:
        raise ConfigError("--evidence works on files, not on standard input")
    if request.shard is not None and (request.statistics or request.evidence is not None):
        raise ConfigError("--shard prints a part only; what is shown is up to `tfcheck merge`")
    asked = [_spelled(name) for name in _ALONE if getattr(request, name)]
    asked += ["--fix"] if request.fix else []
    if request.diff and not request.add_ignores:
        asked += [] if request.fix else ["--diff"]
    if len(asked) > 1:
        raise ConfigError(f"{asked[0]} and {asked[1]} cannot go together")
    if asked and "-" in request.paths and asked[0] not in {"--fix", "--diff"}:
        raise ConfigError(f"{asked[0]} works on files, not on standard input")


def _spelled(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _stdin(request: LintRequest) -> StdinSource | None:
    if "-" not in request.paths:
        return None
    return StdinSource(sys.stdin.buffer.read(), request.stdin_filename)


def _settings(request: LintRequest, paths: Sequence[Path]) -> Settings:
    config = request.config
    if config is None:
        start = os.path.commonpath([path.absolute() for path in paths]) if paths else os.getcwd()
        settings = load_settings(Path(start), overrides=request.overrides)
        return replace(settings, overrides=request.overrides)  # folders below may have their own
    if not config.is_file():
        raise InputError(f"--config: no file {config}")
    if config.name not in {"pyproject.toml", OWN_FILE}:
        raise ConfigError(
            f"--config: expected a file named pyproject.toml or {OWN_FILE}, not {config}"
        )
    return load_settings(config.absolute(), overrides=request.overrides)


class _Run:
    """The work of one request."""

    def __init__(
        self,
        request: LintRequest,
        paths: Sequence[Path],
        *,
        settings: Settings,
        stdin: StdinSource | None,
    ) -> None:
        self._request = request
        self._paths = paths
        self._settings = settings
        self._stdin = stdin
        self._report = Report(request.outputs, settings=settings, statistics=request.statistics)

    def run(self) -> int:
        """Do what was asked for; the exit status."""
        request = self._request
        if request.show_settings:
            from tfcheck.report.settings import render_settings

            write_result(render_settings(self._settings))
            return ExitCode.CLEAN
        if request.show_files:
            return self._show_files()
        if request.watch:
            from tfcheck.cli.watch import watch

            watch(self._paths, self._settings, check=self._lint)
        if request.add_ignores:
            return self._fixed(
                ignore_paths(self._paths, settings=self._settings, write=not request.diff)
            )
        return self._fix() if request.fix or request.diff else self._lint()

    def _show_files(self) -> int:
        from tfcheck.lint.files import discover

        found = discover(self._paths, self._settings)
        write_result("".join(f"{path.as_posix()}\n" for path in found.files))
        for problem in found.problems:
            talk(f"error: {problem.filename}: {problem.message}")
        return ExitCode.USAGE if found.problems else ExitCode.CLEAN

    def _lint(self) -> int:
        shard = self._request.shard
        with counting_files() as progress:
            result = lint_paths(
                self._paths,
                settings=self._settings,
                stdin=self._stdin,
                progress=progress,
                shard=shard,
            )
        if shard is not None:
            # What is wrong with it is said, and the status decided, where the parts meet.
            write_result(render_part(result, shard))
            return ExitCode.CLEAN
        if self._request.write_baseline:
            return self._accepting(self._stdin).accept(result)
        return self._deliver(result, self._stdin)

    def _fix(self) -> int:
        request, stdin = self._request, self._stdin
        with counting_files() as progress:
            fixed = fix_paths(
                self._paths,
                settings=self._settings,
                stdin=stdin,
                unsafe=request.unsafe,
                write=not request.diff,
                progress=progress,
            )
        if request.diff or stdin is None or fixed.stdin is None:
            return self._fixed(fixed)
        # The fixed text is the result then; only outputs that go to files are written besides.
        write_result(fixed.stdin.decode("utf-8", errors="surrogateescape"))
        after = StdinSource(fixed.stdin, stdin.filename)
        return self._deliver(fixed.remaining, after, files_only=True)

    def _fixed(self, fixed: FixResult) -> int:
        if not self._request.diff:
            return self._deliver(fixed.remaining, self._stdin)
        write_result(fixed.diff)
        status = problems(fixed.remaining)
        return status or (ExitCode.FINDINGS if fixed.diff else ExitCode.CLEAN)

    def _deliver(
        self, result: LintResult, stdin: StdinSource | None, *, files_only: bool = False
    ) -> int:
        result = self._accepting(stdin).compare(result)
        if self._request.evidence is not None:
            from tfcheck.cli.lint_evidence import with_evidence  # only those who ask pay for it

            result = with_evidence(result, self._request.evidence)
        return self._report.deliver(result, stdin=stdin, files_only=files_only)

    def _accepting(self, stdin: StdinSource | None) -> Accepting:
        return Accepting(self._settings, stdin=stdin)
