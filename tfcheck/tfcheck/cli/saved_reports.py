"""The reports of a profile that go to files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from tfcheck.cli.output import talk, write_file
from tfcheck.errors import OutputError
from tfcheck.profile.model import Profile

Urls: TypeAlias = Mapping[str, str]
"""The pages of rules by their codes."""


@dataclass(frozen=True, slots=True)
class Reports:
    """Where each report goes; None for those that nobody asked for."""

    json: Path | None = None
    html: Path | None = None
    markdown: Path | None = None
    trace: Path | None = None
    sarif: Path | None = None
    github: Path | None = None

    def absolute(self) -> Reports:
        """The same places whatever the current folder becomes."""
        places = {name: file.absolute() for name, file in self.wanted().items()}
        return replace(self, **places)

    def wanted(self) -> dict[str, Path]:
        """The files by the names of their formats."""
        files = {name: getattr(self, name) for name in _RENDERERS}
        return {name: file for name, file in files.items() if file is not None}


def write_reports(profile: Profile, reports: Reports, *, urls: Urls) -> bool:
    """Write what was asked for; whether all could be."""
    written = True
    for name, file in reports.wanted().items():
        text = _RENDERERS[name](profile, urls)
        try:
            write_file(file, text.encode("utf-8", errors="backslashreplace"))
        except OutputError as error:
            talk(f"error: {error}; the report is above")
            written = False
    return written


def _json(profile: Profile, urls: Urls) -> str:
    from tfcheck.report.profile_data import render_profile_json

    return render_profile_json(profile, urls=urls)


def _html(profile: Profile, urls: Urls) -> str:
    from tfcheck.report.page import render_page

    return render_page(profile, urls=urls)


def _markdown(profile: Profile, _urls: Urls) -> str:
    from tfcheck.report.profile_markdown import render_profile_markdown

    return render_profile_markdown(profile)


def _trace(profile: Profile, _urls: Urls) -> str:
    from tfcheck.report.profile_trace import render_trace

    return render_trace(profile)


def _sarif(profile: Profile, _urls: Urls) -> str:
    from tfcheck.lint.registry import describe_rules
    from tfcheck.report.proven import proven_result
    from tfcheck.report.sarif import render_sarif

    rules = describe_rules()
    return render_sarif(proven_result(profile, rules), rules=rules)


def _github(profile: Profile, _urls: Urls) -> str:
    from tfcheck.lint.registry import describe_rules
    from tfcheck.report.github import render_github
    from tfcheck.report.proven import proven_result

    return render_github(proven_result(profile, describe_rules()))


_RENDERERS: Mapping[str, Callable[[Profile, Urls], str]] = {
    "json": _json,
    "html": _html,
    "markdown": _markdown,
    "trace": _trace,
    "sarif": _sarif,
    "github": _github,
}
