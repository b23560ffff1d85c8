"""`tfcheck rule`: the page of a rule."""

from __future__ import annotations

from tfcheck.cli import options
from tfcheck.cli.output import write_result
from tfcheck.errors import ConfigError, ExitCode
from tfcheck.lint.registry import describe_rule, describe_rules
from tfcheck.report.rules import render_list, render_page, render_records

app = options.verb()


@app.command(epilog="Example: tfcheck rule TFC301")
def rule(
    name: options.RuleName = None,
    every: options.AllRules = False,
    output: options.RuleOutput = "text",
) -> int:
    """Explain a rule, or list them all."""
    if output not in {"text", "json"}:
        raise ConfigError(f"--output: no format `{output}`; known are text, json")
    if every == (name is not None):
        raise ConfigError("expected the code or name of one rule, or --all")
    rules = describe_rules() if name is None else (describe_rule(name),)
    if output == "json":
        write_result(render_records(rules, single=name is not None))
    else:
        write_result(render_list(rules) if name is None else render_page(rules[0]))
    return ExitCode.CLEAN
