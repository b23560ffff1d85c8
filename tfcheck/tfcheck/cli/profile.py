"""`tfcheck profile`: a script's Functions, measured."""

from __future__ import annotations

from pathlib import Path

from tfcheck.cli import options
from tfcheck.errors import ConfigError
from tfcheck.profile.backend import choose
from tfcheck.profile.embedded import require_runtime
from tfcheck.profile.settings import BackendName

app = options.verb()


@app.command(
    # What follows the script is the script's, options included.
    context_settings={"allow_interspersed_args": False},
    epilog="Example: tfcheck profile --html profile.html train.py --epochs 5",
)
def profile(
    script: options.Script,
    arguments: options.ScriptArguments = None,
    module: options.AsModule = False,
    backend: options.Backend = BackendName.AUTO,
    json: options.Json = None,
    html: options.Html = None,
    markdown: options.Markdown = None,
    trace: options.Trace = None,
    sarif: options.Sarif = None,
    github: options.Github = None,
    max_traces: options.MaxTraces = None,
    max_retraces: options.MaxRetraces = None,
    min_speedup: options.MinSpeedup = None,
    max_trace_share: options.MaxTraceShare = None,
    fail_on: options.FailOn = None,
    baseline: options.Baseline = None,
    max_regression: options.MaxRegression = None,
    timeout: options.Timeout = None,
    max_recorded_bytes: options.MaxRecordedBytes = None,
    replay_unsafe: options.ReplayUnsafe = False,
    ops: options.Ops = False,
    hot_lines: options.HotLines = False,
    confirm_fixes: options.ConfirmFixes = False,
    unsafe_fixes: options.ConfirmUnsafe = False,
    write_signatures: options.WriteSignatures = False,
    yes: options.Yes = False,
) -> int:
    """Run a script and show what each tf.function costs and why it traces again.

    Runs as `tfcheck run` does, then makes recorded calls again to compare graph and eager.
    Ends with the script's own status; with 1 when a gate fails.
    """
    require_runtime("profile")
    chosen = choose(backend)
    if ops and chosen.name is not BackendName.ONNX:
        raise ConfigError("--ops times the embedded runtime: add --backend onnx")
    # The runtime's packages are needed from here on.
    from tfcheck.cli.profile_run import run_profile
    from tfcheck.cli.profile_settings import (
        Afterwards,
        Extras,
        confirm,
        share,
        signatures,
        split,
    )
    from tfcheck.cli.saved_reports import Reports
    from tfcheck.profile.program import load_module, load_script
    from tfcheck.profile.settings import ProfileSettings, load_profile_settings

    overrides = ProfileSettings(
        max_traces=max_traces,
        max_retraces_per_function=max_retraces,
        min_speedup=min_speedup,
        max_trace_share=share("--max-trace-share", max_trace_share),
        fail_on=split(fail_on),
        baseline=baseline,
        max_regression=share("--max-regression", max_regression),
        timeout=timeout,
        max_recorded_bytes=max_recorded_bytes,
    )
    settings = load_profile_settings(Path.cwd(), overrides=overrides)
    reports = Reports(json, html, markdown, trace, sarif, github)
    load = load_module if module else load_script
    program = load(script, arguments or [])
    return run_profile(
        program,
        settings,
        backend=chosen,
        reports=reports,
        extras=Extras(replay_unsafe=replay_unsafe, ops=ops, hot_lines=hot_lines),
        after=Afterwards(
            confirm(fixes=confirm_fixes, unsafe=unsafe_fixes),
            signatures(write=write_signatures, yes=yes),
        ),
    )
