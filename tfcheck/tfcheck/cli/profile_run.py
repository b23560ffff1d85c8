"""What `tfcheck profile` does: run, check the gates, report, write."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from tfcheck.cli.formats import use_colour
from tfcheck.cli.output import talk, write_result
from tfcheck.cli.profile_file import read_profile
from tfcheck.cli.profile_settings import Afterwards, Confirm, Extras, Signatures, failing_codes
from tfcheck.cli.progress import show_line
from tfcheck.cli.saved_reports import Reports, write_reports
from tfcheck.config import load_settings
from tfcheck.diagnostics import Violation
from tfcheck.errors import ExitCode, TfcheckError
from tfcheck.lint.engine import fix_paths, lint_paths
from tfcheck.lint.registry import describe_rules
from tfcheck.profile.backend import Backend
from tfcheck.profile.gates import check
from tfcheck.profile.model import FixTrial, Gate, Profile
from tfcheck.profile.profiling import Limits, Tools, profile_program
from tfcheck.profile.program import Program
from tfcheck.profile.rerun import Again
from tfcheck.profile.samples import MOST_BYTES
from tfcheck.profile.settings import ProfileSettings
from tfcheck.profile.stopping import end
from tfcheck.profile.trial import Fixed, try_change, try_fixes
from tfcheck.report.profile_terminal import render_profile


def run_profile(
    program: Program,
    settings: ProfileSettings,
    *,
    backend: Backend,
    reports: Reports,
    extras: Extras,
    after: Afterwards,
) -> int:
    """Profile a program, report, and return the exit status.

    Raises:
        ConfigError: a rule in `fail_on` is unknown.
        InputError: the baseline cannot be read.
    """
    urls = {rule.code: rule.url for rule in describe_rules()}
    gates = _gates(settings)
    # The program may change the folder before the reports are written.
    places = reports.absolute()

    def deliver(profile: Profile) -> int:
        return _deliver(replace(profile, gates=gates(profile)), places, urls=urls)

    profiled = profile_program(
        program,
        tools=Tools(lint=lint, backend=backend, rules=urls, progress=show_line),
        limits=Limits(
            timeout=settings.timeout,
            most_bytes=_or(settings.max_recorded_bytes, MOST_BYTES),
            replay_unsafe=extras.replay_unsafe,
            ops=extras.ops,
            hot_lines=extras.hot_lines,
            keep_results=after != Afterwards(),
        ),
        cut_short=deliver,
    )
    profile, again = profiled.profile, profiled.again
    if again is not None and after.confirm is not Confirm.NOTHING:
        profile = replace(profile, trial=_tried(profile, again, after.confirm))
    status = deliver(profile)
    if again is not None and after.signatures is not Signatures.LEAVE:
        status = _signatures(profile, again, after.signatures) or status
    return end(status) if profile.partial else status


def _tried(profile: Profile, again: Again, confirm: Confirm) -> FixTrial:
    unsafe = confirm is Confirm.UNSAFE
    settings = load_settings(Path.cwd())

    def fix(files: Sequence[Path]) -> Fixed:
        done = fix_paths(files, settings=settings, unsafe=unsafe)
        return Fixed(done.remaining.fixed, done.diff)

    violations = [each.violation for each in profile.findings]
    return try_fixes(again, violations, fix=fix, unsafe=unsafe, progress=show_line)


def _signatures(profile: Profile, again: Again, signatures: Signatures) -> int:
    from tfcheck.cli.write_signatures import write_signatures  # only those who ask pay for it

    def attempt(change: Callable[[], Fixed]) -> FixTrial:
        return try_change(again, change, unsafe=True, progress=show_line)

    return write_signatures(profile, attempt=attempt, yes=signatures is Signatures.WRITE)


def _or(value: int | None, default: int) -> int:
    return default if value is None else value


def _gates(settings: ProfileSettings) -> Callable[[Profile], tuple[Gate, ...]]:
    """What checks a profile; what it needs is read before the program runs."""
    codes = failing_codes(settings.fail_on or ())
    baseline = read_profile(settings.baseline) if settings.baseline else None
    return lambda profile: check(profile, settings, fail_on=codes, baseline=baseline)


def _deliver(profile: Profile, places: Reports, *, urls: dict[str, str]) -> int:
    write_result(f"\n{render_profile(profile, colour=use_colour(None))}")
    written = write_reports(profile, places, urls=urls)
    if profile.script.exit:
        return profile.script.exit
    trial = profile.trial
    if trial is not None and trial.after is not None and not trial.holds:
        return ExitCode.FINDINGS
    if not all(gate.ok for gate in profile.gates):
        return ExitCode.FINDINGS
    return ExitCode.CLEAN if written else ExitCode.USAGE


def lint(files: Sequence[Path]) -> Sequence[Violation]:
    """Findings of the static pass; none, and a word why, where it cannot run."""
    try:
        settings = load_settings(Path.cwd())
        return lint_paths(files, settings=settings, jobs=1).violations
    except TfcheckError as error:
        talk(f"warning: no findings of the static pass: {error}")
        return ()
