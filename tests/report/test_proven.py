from __future__ import annotations

import json

from tfcheck.diagnostics import Severity
from tfcheck.lint.registry import describe_rules
from tfcheck.profile.model import Profile
from tfcheck.report.github import render_github
from tfcheck.report.proven import proven_result
from tfcheck.report.sarif import render_sarif


def test_what_the_run_proved_is_told_with_its_cost(profile: Profile) -> None:
    result = proven_result(profile, describe_rules())

    assert [(each.code, each.span.start.row, each.severity) for each in result.violations] == [
        ("TFC101", 41, Severity.ERROR),
        ("TFC105", 41, Severity.WARNING),
    ]


def test_github_annotates_retraces_that_the_static_pass_did_not_find(profile: Profile) -> None:
    lines = render_github(proven_result(profile, describe_rules())).splitlines()

    assert lines[0].endswith("(proven: 36 traces, 3.9 s); pass tf.constant(epoch, tf.int64)")
    assert lines[1] == (
        "::warning title=TFC105 shape-varying-arg,file=src/train.py,line=41,endLine=41,"
        "col=1,endColumn=1::`train_step` is traced again here for"
        " `batch['x']` (shape): float32[32, 784] → float32[17, 784] (proven: 1 trace, 80 ms)"
    )


def test_sarif_has_both(profile: Profile) -> None:
    rules = describe_rules()
    (run,) = json.loads(render_sarif(proven_result(profile, rules), rules=rules))["runs"]

    assert [each["ruleId"] for each in run["results"]] == ["TFC101", "TFC105"]
    assert [each["id"] for each in run["tool"]["driver"]["rules"]] == ["TFC101", "TFC105"]
