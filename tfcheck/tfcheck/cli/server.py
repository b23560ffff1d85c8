"""`tfcheck server`: findings while you type."""

from __future__ import annotations

import importlib.util

from tfcheck.cli import options
from tfcheck.errors import ExitCode, MissingExtraError

app = options.verb()


@app.command(epilog="Example: tfcheck server  (your editor starts it)")
def server() -> int:
    """Speak the Language Server Protocol on standard input and output, for editors.

    Findings as you type, fixes, why a function is traced, and what the last profile measured.
    """
    if importlib.util.find_spec("pygls") is None:
        raise MissingExtraError("server needs the language server: pip install 'tfcheck[server]'")
    from tfcheck.server.serving import serve

    serve()
    return ExitCode.CLEAN
