"""Runs programs that use Keras on the runtime: Keras is imported once, each program forked off.

    python tests/support/keras_programs.py PROGRAM...

prints a JSON object: what each program printed, and how it ended if not well.
"""

from __future__ import annotations

import json
import os
import runpy
import sys
import tempfile
import traceback
from pathlib import Path

from tfcheck_runtime.api import importing


def main(programs: list[str]) -> int:
    """Run all programs one after another."""
    importing.install()
    import keras  # noqa: F401  # before the forks, so that it is imported once

    print(json.dumps({program: _printed(program) for program in programs}))
    return 0


def _printed(program: str) -> str:
    with tempfile.TemporaryFile() as file:
        child = os.fork()
        if child == 0:
            os.dup2(file.fileno(), 1)
            _run(program)
        os.waitpid(child, 0)
        file.seek(0)
        return file.read().decode()


def _run(program: str) -> None:
    try:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            runpy.run_path(program, run_name="__main__")
    except BaseException:
        traceback.print_exc(file=sys.stdout)
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main([str(Path(name).resolve()) for name in sys.argv[1:]]))
