"""Writes docs/cli.md: `python -m tfcheck.cli.docs > docs/cli.md`."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from typer.core import TyperCommand

from tfcheck.cli.main import VERBS, help_text
from tfcheck.cli.verb import load_verb

HEAD = """\
# Command line

<!-- Written by `python -m tfcheck.cli.docs`; change the verbs instead. -->

```text
{help}```
"""


def render_page() -> str:
    """The page about all verbs, from the verbs themselves."""
    return HEAD.format(help=help_text()) + "".join(map(_section, VERBS))


def _section(verb: str) -> str:
    command = load_verb(verb)
    rows = "".join(f"| `{name}` | {text} |\n" for name, text in _parameters(command))
    example = (command.epilog or "").removeprefix("Example: ")
    return (
        f"\n## tfcheck {verb}\n\n{(command.help or '').strip()}\n\n"
        f"```bash\n{example}\n```\n\n| argument | meaning |\n|---|---|\n{rows}"
    )


def _parameters(command: TyperCommand) -> Iterator[tuple[str, str]]:
    for parameter in command.params:
        metavar = parameter.metavar or ""
        if parameter.param_type_name == "argument":
            yield metavar, _text(parameter)
        else:
            yield f"{', '.join(parameter.opts)} {metavar}".strip(), _text(parameter)


def _text(parameter: object) -> str:
    return str(getattr(parameter, "help", "") or "").replace("|", r"\|")


if __name__ == "__main__":
    sys.stdout.write(render_page())
