"""`tfcheck diff`: two saved profiles side by side."""

from __future__ import annotations

from tfcheck.cli import options
from tfcheck.cli.formats import use_colour
from tfcheck.cli.output import write_result
from tfcheck.errors import ExitCode

app = options.verb()


@app.command(epilog="Example: tfcheck diff before.json after.json")
def diff(before: options.BeforeFile, after: options.AfterFile) -> int:
    """Compare two saved profiles: counts as they are, times as ratios."""
    from tfcheck.cli.profile_file import read_profile
    from tfcheck.report.profile_diff import render_diff

    profiles = read_profile(before), read_profile(after)
    write_result(render_diff(*profiles, colour=use_colour(None)))
    return ExitCode.CLEAN
