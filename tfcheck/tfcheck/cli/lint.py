"""`tfcheck lint`: options and what they mean for the static pass."""

from __future__ import annotations

from tfcheck.cli import options
from tfcheck.cli.formats import parse_outputs
from tfcheck.cli.lint_run import LintRequest, run_lint
from tfcheck.config import Overrides
from tfcheck.errors import ConfigError, ExitCode
from tfcheck.lint.shards import parse_shard

app = options.verb()


@app.command(epilog="Example: tfcheck lint src/ --extend-select TFC5 --output json=report.json")
def lint(
    paths: options.Paths = None,
    select: options.Select = None,
    extend_select: options.ExtendSelect = None,
    ignore: options.Ignore = None,
    fix: options.Fix = False,
    unsafe_fixes: options.UnsafeFixes = False,
    diff: options.Diff = False,
    output: options.Outputs = None,
    stdin_filename: options.StdinFilename = "<stdin>",
    config: options.Config = None,
    force_exclude: options.ForceExclude = False,
    baseline: options.AcceptedFindings = None,
    write_baseline: options.WriteBaseline = False,
    add_ignores: options.AddIgnores = False,
    evidence: options.ProfileOfCode = None,
    statistics: options.Statistics = False,
    show_files: options.ShowFiles = False,
    show_settings: options.ShowSettings = False,
    watch: options.Watch = False,
    shard: options.ShardOfFiles = None,
    fail_on: options.FailOnSeverity = None,
    exit_zero: options.ExitZero = False,
) -> int:
    """Find what will retrace, freeze, leak or break, without running the code.

    RULES are codes, names or prefixes, separated by commas: TFC301,python-print,TFC5.
    """
    overrides = Overrides(
        select=_split(select),
        extend_select=_split(extend_select),
        ignore=_split(ignore),
        force_exclude=force_exclude or None,
        fail_on=fail_on,
        baseline=baseline,
    )
    if shard is not None and (output or baseline is not None):
        option = "--output" if output else "--baseline"
        raise ConfigError(f"--shard prints a part; {option} belongs to `tfcheck merge`")
    request = LintRequest(
        paths=tuple(paths or ["."]),
        stdin_filename=stdin_filename,
        config=config,
        overrides=overrides,
        outputs=tuple(parse_outputs(output or [])),
        fix=fix,
        unsafe=unsafe_fixes,
        diff=diff,
        add_ignores=add_ignores,
        write_baseline=write_baseline,
        evidence=evidence,
        statistics=statistics,
        show_files=show_files,
        show_settings=show_settings,
        watch=watch,
        shard=None if shard is None else parse_shard(shard),
    )
    status = run_lint(request)
    return ExitCode.CLEAN if exit_zero and status == ExitCode.FINDINGS else status


def _split(values: list[str] | None) -> list[str] | None:
    if values is None:
        return None
    return [part.strip() for value in values for part in value.split(",") if part.strip()]
