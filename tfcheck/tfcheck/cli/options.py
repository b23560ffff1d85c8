"""The options and arguments of the verbs, with their help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tfcheck.diagnostics import Severity
from tfcheck.profile.settings import BackendName

Paths = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[PATHS]", help="Files and folders; `-` is standard input. [default: .]"
    ),
]
Select = Annotated[list[str] | None, typer.Option(metavar="RULES", help="Run these rules only.")]
ExtendSelect = Annotated[
    list[str] | None, typer.Option(metavar="RULES", help="Run these rules too.")
]
Ignore = Annotated[list[str] | None, typer.Option(metavar="RULES", help="Leave these rules out.")]
Fix = Annotated[bool, typer.Option("--fix", help="Apply the safe fixes.")]
UnsafeFixes = Annotated[
    bool, typer.Option("--unsafe-fixes", help="With --fix or --diff: the others too.")
]
Diff = Annotated[
    bool,
    typer.Option("--diff", help="Show what --fix or --add-ignores would change, change nothing."),
]
Outputs = Annotated[
    list[str] | None,
    typer.Option(
        "--output",
        metavar="FORMAT[=FILE]",
        help="rich, concise, json, jsonl, sarif, github, gitlab, junit or markdown; repeatable.",
    ),
]
StdinFilename = Annotated[
    str, typer.Option(metavar="NAME", help="The name of what comes through `-`.")
]
Config = Annotated[
    Path | None, typer.Option(metavar="FILE", help="The pyproject.toml or tfcheck.toml to use.")
]
ForceExclude = Annotated[
    bool, typer.Option("--force-exclude", help="Exclude files that are named, too.")
]
ExitZero = Annotated[bool, typer.Option("--exit-zero", help="End with 0 in spite of findings.")]
FailOnSeverity = Annotated[
    Severity | None,
    typer.Option(
        "--fail-on",
        metavar="SEVERITY",
        help="End with 1 for such findings and worse: info, warning or error. [default: info]",
    ),
]
AcceptedFindings = Annotated[
    Path | None,
    typer.Option(
        "--baseline", metavar="FILE", help="Report only what is not accepted in this file."
    ),
]
ProfileOfCode = Annotated[
    Path | None,
    typer.Option(
        "--evidence",
        metavar="FILE",
        help="Rank by what a run cost: a profile of the code, as `profile --json` writes it.",
    ),
]
WriteBaseline = Annotated[
    bool, typer.Option("--write-baseline", help="Accept all findings there are now.")
]
AddIgnores = Annotated[
    bool,
    typer.Option("--add-ignores", help="Write a suppression comment for each finding."),
]
Statistics = Annotated[
    bool, typer.Option("--statistics", help="Show how many findings each rule has.")
]
ShowFiles = Annotated[
    bool, typer.Option("--show-files", help="List the files that would be linted.")
]
ShowSettings = Annotated[
    bool, typer.Option("--show-settings", help="Show the settings that hold for PATHS.")
]
ShardOfFiles = Annotated[
    str | None,
    typer.Option(
        "--shard",
        metavar="I/N",
        help="Report on every N-th file only, and print a part for `tfcheck merge`.",
    ),
]
Parts = Annotated[
    list[Path],
    typer.Argument(metavar="PART...", help="What `tfcheck lint --shard` wrote, all of it."),
]
Watch = Annotated[bool, typer.Option("--watch", help="Lint again whenever a file changes.")]

RuleName = Annotated[str | None, typer.Argument(metavar="[RULE]", help="A code or name.")]
AllRules = Annotated[bool, typer.Option("--all", help="All rules, one a line.")]
RuleOutput = Annotated[str, typer.Option("--output", metavar="FORMAT", help="text or json.")]

Script = Annotated[str, typer.Argument(metavar="SCRIPT", help="The script, or with -m the module.")]
ScriptArguments = Annotated[
    list[str] | None, typer.Argument(metavar="[ARGS]", help="Its arguments.")
]
AsModule = Annotated[bool, typer.Option("-m", help="SCRIPT is the name of a module.")]
Json = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write the whole profile there, too.")
]
Html = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write it as one page to look at, too.")
]
Markdown = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write it for a CI summary, at most 64 KiB.")
]
Trace = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write the timeline for Perfetto or chrome://tracing."),
]
Sarif = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write what the run proved as SARIF.")
]
Github = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Write it as GitHub's annotations; /dev/stdout shows them in a job."
    ),
]
MaxTraces = Annotated[
    int | None, typer.Option(min=0, metavar="N", help="Gate: traces of all Functions together.")
]
MaxRetraces = Annotated[
    int | None,
    typer.Option(
        "--max-retraces-per-function",
        min=0,
        metavar="N",
        help="Gate: traces of one Function that a better call would have spared.",
    ),
]
MinSpeedup = Annotated[
    float | None,
    typer.Option(
        min=0, metavar="X", help="Gate: graphs must be this much faster, by all of the interval."
    ),
]
MaxTraceShare = Annotated[
    str | None, typer.Option(metavar="P%", help="Gate: the part of the run spent in tracing.")
]
FailOn = Annotated[
    list[str] | None,
    typer.Option(
        metavar="RULES", help="Gate: rules that the run must not prove, or `disagreement`."
    ),
]
Baseline = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Gate: a profile (--json) this one must not be worse than."),
]
MaxRegression = Annotated[
    str | None, typer.Option(metavar="P%", help="What counts as worse. [default: 10%]")
]
Backend = Annotated[
    BackendName,
    typer.Option(help="What runs the script: the embedded runtime, or TensorFlow where it is."),
]
Timeout = Annotated[
    float | None,
    typer.Option(min=0, metavar="SECONDS", help="End the script then, and report what it did."),
]
MaxRecordedBytes = Annotated[
    int | None,
    typer.Option(min=0, metavar="N", help="What inputs kept for comparing graph and eager take."),
]
ReplayUnsafe = Annotated[
    bool, typer.Option("--replay-unsafe", help="Compare Functions with side effects, too.")
]
Ops = Annotated[
    bool, typer.Option("--ops", help="Time the ops of each graph; on the embedded runtime.")
]
HotLines = Annotated[
    bool,
    typer.Option("--hot-lines", help="Sample which lines take the run's time; costs some itself."),
]
ConfirmFixes = Annotated[
    bool,
    typer.Option(
        "--confirm-fixes", help="Apply the fixes of findings in a copy, run it, and compare."
    ),
]
ConfirmUnsafe = Annotated[
    bool, typer.Option("--unsafe-fixes", help="With --confirm-fixes: those that ask, too.")
]
WriteSignatures = Annotated[
    bool,
    typer.Option(
        "--write-signatures",
        help="Show input signatures that cover all calls, try them in a copy, ask, write them.",
    ),
]
Yes = Annotated[bool, typer.Option("--yes", help="With --write-signatures: do not ask.")]
ProfileFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="A profile, as `tfcheck profile --json` writes it.")
]
BeforeFile = Annotated[Path, typer.Argument(metavar="BEFORE", help="A profile (--json).")]
AfterFile = Annotated[Path, typer.Argument(metavar="AFTER", help="A later one.")]
ExportTarget = Annotated[
    str, typer.Argument(metavar="SCRIPT:FUNCTION", help="The script and its Function.")
]
ModelFile = Annotated[
    Path, typer.Option("-o", "--output", metavar="FILE", help="Where the model goes.")
]
Tolerance = Annotated[
    float,
    typer.Option(
        min=0, metavar="X", help="Multiple of the rounding that is allowed (float32: 1e-4)."
    ),
]
Seed = Annotated[int, typer.Option(metavar="N", help="For the generated inputs.")]


def verb() -> typer.Typer:
    """An application for one verb, plain in its help and without a handler for exceptions."""
    return typer.Typer(rich_markup_mode=None, add_completion=False, pretty_exceptions_enable=False)
