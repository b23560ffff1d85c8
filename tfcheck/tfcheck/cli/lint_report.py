"""What becomes of the findings of a run: accepted by a baseline, reported, counted as a failure."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tfcheck.cli.formats import Output, render
from tfcheck.cli.output import talk, write_file, write_result
from tfcheck.cli.source import SourceReader
from tfcheck.config import Settings
from tfcheck.diagnostics import LintResult, Severity
from tfcheck.errors import ConfigError, ExitCode, OutputError
from tfcheck.lint.files import StdinSource
from tfcheck.report.text import counted

_SEVERITIES = (Severity.INFO, Severity.WARNING, Severity.ERROR)


class Accepting:
    """The baseline of a run, where there is one."""

    def __init__(self, settings: Settings, *, stdin: StdinSource | None) -> None:
        self._settings = settings
        self._contents = {stdin.filename: stdin.content} if stdin else None

    def accept(self, result: LintResult) -> int:
        """Write a baseline that accepts all findings.

        Raises:
            ConfigError: nothing says where it is.
            OutputError: it cannot be written.
        """
        from tfcheck.lint.baseline import make_baseline, write_baseline

        file = self._settings.baseline
        if file is None:
            raise ConfigError("--write-baseline: where to? add --baseline FILE or set `baseline`")
        status = problems(result)
        if status:
            talk(f"error: {file} is not written: it would lack what could not be checked")
            return status
        made = make_baseline(result, folder=_folder(file), contents=self._contents)
        write_baseline(made, file)
        talk(f"wrote {file}: {counted(made.total, 'finding')} accepted")
        return ExitCode.CLEAN

    def compare(self, result: LintResult) -> LintResult:
        """The result without what is accepted; findings that are gone leave the baseline.

        Raises:
            ConfigError: the baseline cannot be read.
            OutputError: it cannot be written.
        """
        file = self._settings.baseline
        if file is None:
            return result
        from tfcheck.lint.baseline import apply_baseline, load_baseline, write_baseline

        baseline = load_baseline(file)
        applied = apply_baseline(
            result,
            baseline,
            folder=_folder(file),
            settings=self._settings,
            contents=self._contents,
        )
        if applied.pruned != baseline:
            write_baseline(applied.pruned, file)
        if applied.stale:
            gone = counted(len(applied.stale), "accepted finding")
            talk(f"{gone} fixed: taken out of {file}")
        return applied.result


def _folder(file: Path) -> Path:
    return file.absolute().parent


class Report:
    """Writes results in all formats asked for."""

    def __init__(
        self, outputs: Sequence[Output], *, settings: Settings, statistics: bool = False
    ) -> None:
        self._outputs = outputs
        self._settings = settings
        self._statistics = statistics

    def deliver(self, result: LintResult, *, stdin: StdinSource | None, files_only: bool) -> int:
        """Report, and return the exit status."""
        sources = SourceReader(_texts(stdin))
        status = problems(result)
        for output in self._outputs:
            if files_only and output.file is None:
                continue
            if not _deliver(self._text(result, output, sources), output):
                status = status or ExitCode.USAGE
        return status or (ExitCode.FINDINGS if self._fails(result) else ExitCode.CLEAN)

    def _text(self, result: LintResult, output: Output, sources: SourceReader) -> str:
        if self._statistics and output.file is None:
            from tfcheck.report.statistics import render_statistics

            return render_statistics(result)
        return render(result, output, sources=sources)

    def _fails(self, result: LintResult) -> bool:
        least = _SEVERITIES.index(self._settings.fail_on)
        return any(_SEVERITIES.index(each.severity) >= least for each in result.violations)


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


def problems(result: LintResult) -> int:
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
