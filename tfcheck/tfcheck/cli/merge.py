"""`tfcheck merge`: the parts of a lint run, put together."""

from __future__ import annotations

from pathlib import Path

from tfcheck.cli import options
from tfcheck.cli.formats import parse_outputs
from tfcheck.cli.lint_report import Accepting, Report
from tfcheck.config import Overrides, load_settings
from tfcheck.errors import ExitCode

app = options.verb()


@app.command(epilog="Example: tfcheck merge parts/*.json --output sarif=lint.sarif")
def merge(
    parts: options.Parts,
    output: options.Outputs = None,
    baseline: options.AcceptedFindings = None,
    write_baseline: options.WriteBaseline = False,
    statistics: options.Statistics = False,
    fail_on: options.FailOnSeverity = None,
    exit_zero: options.ExitZero = False,
) -> int:
    """Put the parts of a lint run together, and report them as one run does.

    The parts are what `tfcheck lint --shard I/N` writes; all N are needed.
    """
    from tfcheck.lint.shards import merge_parts

    outputs = parse_outputs(output or [])
    overrides = Overrides(baseline=baseline, fail_on=fail_on)
    settings = load_settings(Path.cwd(), overrides=overrides)
    result, accepting = merge_parts(parts), Accepting(settings, stdin=None)
    if write_baseline:
        return accepting.accept(result)
    report = Report(outputs, settings=settings, statistics=statistics)
    status = report.deliver(accepting.compare(result), stdin=None, files_only=False)
    return ExitCode.CLEAN if exit_zero and status == ExitCode.FINDINGS else status
