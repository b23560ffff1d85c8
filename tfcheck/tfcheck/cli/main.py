"""The `tfcheck` command: finds the verb, imports only that, turns exceptions into exit codes."""

from __future__ import annotations

import difflib
import sys
import traceback
from collections.abc import Mapping, Sequence

from tfcheck import __version__
from tfcheck.errors import ConfigError, ExitCode, TfcheckError

VERBS: Mapping[str, str] = {
    "lint": "Find what will retrace, freeze, leak or break, without running the code",
    "merge": "Put the parts of a lint run together that several machines made",
    "rule": "Explain a rule, or list them all",
    "run": "Run a script on the embedded runtime instead of TensorFlow",
    "profile": "Run a script and show what each tf.function costs and why it traces again",
    "report": "Show a saved profile, or render it as a page, for CI or for Perfetto",
    "diff": "Compare two saved profiles",
    "export": "Run a script and write one of its tf.functions as an ONNX model",
    "verify": "Compare a tf.function in Python, as a graph and as an ONNX model",
    "devices": "Show what graphs can run on here, and what is missing",
    "server": "Show findings while you type, in editors that speak LSP",
}
"""Every verb with its line in `tfcheck --help`; its module is `tfcheck.cli.<verb>`."""

ISSUES = "https://github.com/tfcheck/tfcheck/issues"

HELP = """\
Usage: tfcheck VERB [OPTIONS] [ARGS]...

  Finds what will retrace, freeze, leak or break in tf.function code, and proves
  it with measured cost.

Verbs:
{verbs}

Options:
  --version  Show the version and exit.
  --help     Show this message and exit.

Exit status: 0 clean, 1 findings, 2 wrong use, 3 a fault of tfcheck,
130 interrupted; `run` and `profile` end with the script's own.
`tfcheck VERB --help` says more.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb and return the exit status of the process."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        return dispatch(given)
    except TfcheckError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return ExitCode.INTERRUPTED
    except Exception:
        traceback.print_exc()
        print(
            f"error: this is a fault of tfcheck {__version__}, not of your code;"
            f" report it with the lines above: {ISSUES}",
            file=sys.stderr,
        )
        return ExitCode.INTERNAL


def dispatch(arguments: Sequence[str]) -> int:
    """Run the verb that `arguments` name.

    Raises:
        ConfigError: there is no such verb or option.
    """
    first, rest = (arguments[0], arguments[1:]) if arguments else ("", ())
    if first in VERBS:
        # Typer is needed from here on only: `--version` and `--help` answer without it.
        from tfcheck.cli.verb import run_verb

        return run_verb(first, rest)
    if first == "--version":
        print(f"tfcheck {__version__}")
        return ExitCode.CLEAN
    if first in {"", "--help", "-h"}:
        print(help_text(), end="", file=sys.stdout if first else sys.stderr)
        return ExitCode.CLEAN if first else ExitCode.USAGE
    raise ConfigError(_unknown(first))


def help_text() -> str:
    """What `tfcheck --help` prints."""
    verbs = "\n".join(f"  {name:<8} {line}." for name, line in VERBS.items())
    return HELP.format(verbs=verbs)


def _unknown(first: str) -> str:
    kind, known = "verb", tuple(VERBS)
    if first.startswith("-"):
        kind, known = "option", ("--version", "--help")
    close = difflib.get_close_matches(first, known, n=1)
    cure = f"did you mean `{close[0]}`?" if close else f"known are {', '.join(known)}"
    return f"no {kind} `{first}`; {cure}"
