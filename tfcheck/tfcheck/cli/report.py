"""`tfcheck report`: a saved profile, shown or rendered."""

from __future__ import annotations

from tfcheck.cli import options
from tfcheck.cli.formats import use_colour
from tfcheck.cli.output import write_result
from tfcheck.errors import ExitCode

app = options.verb()


@app.command(epilog="Example: tfcheck report profile.json --html profile.html")
def report(
    file: options.ProfileFile,
    html: options.Html = None,
    markdown: options.Markdown = None,
    trace: options.Trace = None,
    sarif: options.Sarif = None,
    github: options.Github = None,
) -> int:
    """Show a saved profile, or render it as a page, for CI or for Perfetto."""
    from tfcheck.cli.profile_file import read_profile
    from tfcheck.cli.saved_reports import Reports, write_reports
    from tfcheck.lint.registry import describe_rules
    from tfcheck.report.profile_terminal import render_profile

    profile = read_profile(file)
    reports = Reports(html=html, markdown=markdown, trace=trace, sarif=sarif, github=github)
    if not reports.wanted():
        write_result(render_profile(profile, colour=use_colour(None)))
        return ExitCode.CLEAN
    urls = {rule.code: rule.url for rule in describe_rules()}
    return ExitCode.CLEAN if write_reports(profile, reports, urls=urls) else ExitCode.USAGE
