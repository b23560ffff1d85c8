"""Records what the programs print under real TensorFlow.

    python tests/runtime/programs/record.py --tensorflow PYTHON [NAME...]

PYTHON is an interpreter that has TensorFlow; a NAME is a folder and a program, `data/shuffles`.
It imports TensorFlow once and runs each program in a process of its own.
"""

from __future__ import annotations

import argparse
import os
import runpy
import sys
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))

import tensorflow_interpreter

PROGRAMS = Path(__file__).parents[3] / "fixtures" / "programs"


def main(arguments: list[str] | None = None) -> int:
    """Record all programs, or those named; returns the number that failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tensorflow", metavar="PYTHON")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args(arguments)
    found = (path.relative_to(PROGRAMS).with_suffix("") for path in PROGRAMS.glob("*/*.py"))
    names = options.names or sorted(map(str, found))
    if options.tensorflow is not None:
        return tensorflow_interpreter.run_again(options.tensorflow, __file__, names)
    return sum(not record(name) for name in names)


def record(name: str) -> bool:
    """Write what a program prints beside it; whether it ended well."""
    import tensorflow  # noqa: F401  # before the fork, so that it is imported once

    child = os.fork()
    if child == 0:
        _run(name)
    ended = os.waitpid(child, 0)[1] == 0
    print(f"{name}: {'recorded' if ended else 'failed'}")
    return ended


def _run(name: str) -> None:
    file = os.open(PROGRAMS / f"{name}.out", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(file, 1)
    sys.path.insert(0, str(PROGRAMS))  # what programs share
    try:
        runpy.run_path(str(PROGRAMS / f"{name}.py"), run_name="__main__")
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main())
