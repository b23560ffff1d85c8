"""The output formats of `tfcheck lint`, and `--output FORMAT[=FILE]`."""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tfcheck.cli.source import SourceReader
from tfcheck.diagnostics import LintResult
from tfcheck.errors import ConfigError

if TYPE_CHECKING:
    from tfcheck.lint.registry import RuleInfo

FORMATS = (
    "rich",
    "concise",
    "json",
    "jsonl",
    "sarif",
    "github",
    "gitlab",
    "junit",
    "markdown",
)


@dataclass(frozen=True, slots=True)
class Output:
    """A format and the file it goes to, or None for standard output."""

    format: str
    file: Path | None


def parse_outputs(texts: Sequence[str]) -> list[Output]:
    """The outputs asked for; by default one that suits standard output.

    Raises:
        ConfigError: a format is unknown, or two outputs go to the same place.
    """
    outputs = [_parse(text) for text in texts] or [Output(_default(), None)]
    places = [output.file for output in outputs]
    for output in outputs:
        if places.count(output.file) > 1:
            raise ConfigError(f"--output: two formats go to {output.file or 'standard output'}")
    return outputs


def _default() -> str:
    return "rich" if sys.stdout.isatty() else "concise"


def _parse(text: str) -> Output:
    name, _, file = text.partition("=")
    if name in FORMATS:
        return Output(name, Path(file) if file else None)
    close = difflib.get_close_matches(name, FORMATS, n=1)
    cure = f"did you mean `{close[0]}`?" if close else f"known are {', '.join(FORMATS)}"
    raise ConfigError(f"--output: no format `{name}`; {cure}")


def render(result: LintResult, output: Output, *, sources: SourceReader) -> str:
    """The report as text; imports what its format needs and no other."""
    if output.format == "rich":
        from tfcheck.report.terminal import render_terminal

        return render_terminal(result, source_line=sources, colour=use_colour(output.file))
    return _RENDERERS[output.format](result)


def _urls(result: LintResult) -> dict[str, str]:
    return {rule.code: rule.url for rule in _rules(result)}


def _rules(result: LintResult) -> tuple[RuleInfo, ...]:
    from tfcheck.lint.registry import describe_rules

    return describe_rules() if result.violations else ()


def _concise(result: LintResult) -> str:
    from tfcheck.report.concise import render_concise

    return render_concise(result)


def _json(result: LintResult) -> str:
    from tfcheck.report.data import render_json

    return render_json(result, urls=_urls(result))


def _jsonl(result: LintResult) -> str:
    from tfcheck.report.data import render_jsonl

    return render_jsonl(result, urls=_urls(result))


def _sarif(result: LintResult) -> str:
    from tfcheck.report.sarif import render_sarif

    return render_sarif(result, rules=_rules(result))


def _github(result: LintResult) -> str:
    from tfcheck.report.github import render_github

    return render_github(result)


def _gitlab(result: LintResult) -> str:
    from tfcheck.report.gitlab import render_gitlab

    return render_gitlab(result)


def _junit(result: LintResult) -> str:
    from tfcheck.report.junit import render_junit

    return render_junit(result)


def _markdown(result: LintResult) -> str:
    from tfcheck.report.lint_markdown import render_lint_markdown

    return render_lint_markdown(result, urls=_urls(result))


_RENDERERS: Mapping[str, Callable[[LintResult], str]] = {
    "concise": _concise,
    "json": _json,
    "jsonl": _jsonl,
    "sarif": _sarif,
    "github": _github,
    "gitlab": _gitlab,
    "junit": _junit,
    "markdown": _markdown,
}


def use_colour(file: Path | None) -> bool:
    """Colours for people at a terminal, unless they said no (https://no-color.org)."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return file is None and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
