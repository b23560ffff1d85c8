"""Parses the arguments of one verb with Typer and runs it."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Sequence

import typer
from typer.core import TyperCommand
from typer.main import get_command

from tfcheck.errors import ConfigError

# The base class of all errors in arguments; Typer exports it under no name of its own, and which
# module defines it depends on Typer's version.
_UsageError: type[BaseException] = typer.BadParameter.__mro__[1]


def run_verb(name: str, arguments: Sequence[str]) -> int:
    """Run `tfcheck NAME ARGUMENTS` and return its exit status.

    Raises:
        ConfigError: an option or argument is unknown, missing or has a value it cannot have.
    """
    command = load_verb(name)
    try:
        with command.make_context(f"tfcheck {name}", list(arguments)) as context:
            return int(command.invoke(context))
    except typer.Exit as exit_:
        return exit_.exit_code
    except _UsageError as error:
        raise ConfigError(_one_line(error, command, name)) from error


def load_verb(name: str) -> TyperCommand:
    """The parser of a verb; imports the verb's module and no other."""
    module = importlib.import_module(f"tfcheck.cli.{name}")
    command = get_command(module.app)
    if isinstance(command, TyperCommand):
        return command
    raise TypeError(f"tfcheck.cli.{name}.app must hold one command, not {command!r}")


def _one_line(error: BaseException, command: TyperCommand, name: str) -> str:
    option = getattr(error, "option_name", None)
    if type(error).__name__ == "NoSuchOption" and option is not None:
        known = [text for parameter in command.params for text in parameter.opts]
        close = difflib.get_close_matches(option, [o for o in known if o.startswith("-")], n=1)
        cure = f"did you mean `{close[0]}`?" if close else f"see `tfcheck {name} --help`"
        return f"no option `{option}` in `tfcheck {name}`; {cure}"
    text = str(getattr(error, "format_message", error.__str__)())
    first = text.strip().rstrip(".")
    return f"{first[:1].lower()}{first[1:]} (see `tfcheck {name} --help`)"
