"""Joins the findings of a lint run with a saved profile of the code."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tfcheck.cli.output import talk
from tfcheck.cli.profile_file import read_profile
from tfcheck.diagnostics import LintResult, Violation
from tfcheck.profile.evidence import join, observed
from tfcheck.profile.relocate import Relocated, relocate
from tfcheck.profile.sources import Sources, concerns, read_bodies, read_source
from tfcheck.report.text import counted


def with_evidence(result: LintResult, file: Path) -> LintResult:
    """The result ranked by what the run of a profile showed of each finding, and what it cost.

    Findings in Functions that have changed since the profile come after those it tells about.

    Raises:
        InputError: the profile cannot be read.
    """
    profile = read_profile(file)
    texts = {
        name: read_source(Path(name)) for name in result.filenames if not name.endswith(".ipynb")
    }
    sources = Sources({name: read_bodies(text) for name, text in texts.items()})
    now = relocate(profile, texts, sources=sources)
    told: list[Violation] = []
    fresh: list[Violation] = []
    for each in result.violations:
        (fresh if _has_changed(each, now, sources) else told).append(each)
    findings = join(now.functions, told, sources=sources, script=profile.script)
    if fresh:
        talk(
            f"{file} is older than the code of {counted(len(fresh), 'finding')}:"
            " run `tfcheck profile` again for evidence on it"
        )
    return replace(result, violations=(*map(observed, findings), *fresh))


def _has_changed(violation: Violation, now: Relocated, sources: Sources) -> bool:
    return any(concerns(violation, key, sources.body(key)) for key in now.changed)
