"""Runs a script or module in this process as `python` itself would."""

from __future__ import annotations

import atexit
import builtins
import difflib
import importlib.util
import os
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, ModuleType
from typing import NoReturn

from tfcheck.errors import InputError
from tfcheck.profile.model import Place
from tfcheck.profile.script_traceback import flush_streams, places_of, show_exception
from tfcheck.profile.stopping import StoppedError


@dataclass(frozen=True, slots=True)
class Program:
    """A `__main__` and what it sees of its command line."""

    name: str
    """As the user wrote it, for reports."""
    file: str
    load: Callable[[], CodeType | None]
    """Compiles it; a syntax error is the program's own, as when Python runs it."""
    argv: tuple[str, ...]
    path_entry: str
    """What Python puts in front of `sys.path`."""
    spec: ModuleSpec | None
    """The module's spec under `-m`."""
    runner: Callable[[], Outcome] | None = None
    """What runs it where that is not Python itself, such as a notebook."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a program ended."""

    status: int
    error: str | None
    """Type and message of the exception that ended it; None for an orderly end."""
    stopped: str | None = None
    """Why it was ended before its end."""
    places: tuple[Place, ...] = ()
    """The lines of the traceback of that exception, outermost first."""


def load_script(file: str, arguments: Sequence[str]) -> Program:
    """The program `python FILE ARGUMENTS` would run.

    Raises:
        InputError: there is no such file, or it cannot be read.
    """
    path = Path(file)
    if path.is_dir():
        raise InputError(f"{file} is a folder; name a script, or a package with `-m`")
    try:
        source = path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"no script {file} to run; {_nearest(path)}") from None
    except OSError as error:
        raise InputError(f"cannot read {file}: {error.strerror}") from error
    absolute = os.path.abspath(file)
    return Program(
        name=file,
        file=absolute,
        load=partial(compile, source, absolute, "exec", dont_inherit=True),
        argv=(file, *arguments),
        path_entry=os.path.dirname(os.path.realpath(file)),
        spec=None,
    )


def load_module(name: str, arguments: Sequence[str]) -> Program:
    """The program `python -m NAME ARGUMENTS` would run; imports the packages around it.

    Raises:
        InputError: there is no such module, or it has no Python code.
    """
    _set_path_entry(os.getcwd())
    spec = _find(name)
    if spec is not None and spec.submodule_search_locations is not None:
        spec = _find(f"{name}.__main__")
    if spec is None:
        raise InputError(f"no module named {name} to run (looked in {os.getcwd()} and sys.path)")
    get_code = getattr(spec.loader, "get_code", None)
    if get_code is None:
        raise InputError(f"module {name} has no Python code to run")
    file = spec.origin or name
    return Program(
        name=name,
        file=file,
        load=partial(get_code, spec.name),
        argv=(file, *arguments),
        path_entry=os.getcwd(),
        spec=spec,
    )


def run_program(program: Program) -> Outcome:
    """Run the program to its end, its exceptions shown as Python shows them.

    Waits for its threads, as Python does before it exits. Does not return in processes that the
    program forked.
    """
    if program.runner is not None:
        return program.runner()
    process = os.getpid()
    main = _main_module(program)
    sys.modules["__main__"] = main
    sys.argv = list(program.argv)
    _set_path_entry(program.path_entry)
    try:
        exec(program.load() or "", main.__dict__)
        outcome = Outcome(0, None)
    except SystemExit as exit_:
        outcome = Outcome(_exit_status(exit_), None)
    except StoppedError as stop:
        outcome = stopped(stop)
    # The program may raise anything; whatever it is must not cost the report.
    except BaseException as error:
        outcome = failure(error)
    outcome = _joined(outcome)
    if os.getpid() != process:
        _leave_fork(outcome.status)
    return outcome


def failure(error: BaseException) -> Outcome:
    """Show an exception that nobody caught, and how Python ends because of it."""
    show_exception(error)
    status = 130 if isinstance(error, KeyboardInterrupt) else 1
    message = f"{type(error).__name__}: {error}".rstrip(": ")
    return Outcome(status, message, places=places_of(error))


def stopped(stop: StoppedError) -> Outcome:
    """How a program ended that was not left to its end."""
    return Outcome(stop.status, None, stop.reason)


def _leave_fork(status: int) -> NoReturn:
    """End a forked process as Python does, except for the clean-up of libraries in C++.

    onnxruntime's waits for threads that a fork does not have.
    """
    atexit._run_exitfuncs()
    flush_streams()
    os._exit(status)


def _joined(outcome: Outcome) -> Outcome:
    if outcome.stopped is not None:
        return outcome
    here = threading.current_thread()
    try:
        for thread in threading.enumerate():
            if thread is not here and not thread.daemon:
                thread.join()
    except KeyboardInterrupt as error:
        return failure(error)
    except StoppedError as stop:
        return stopped(stop)
    return outcome


def _main_module(program: Program) -> ModuleType:
    main = ModuleType("__main__")
    main.__file__ = program.file
    main.__spec__ = program.spec
    main.__dict__["__builtins__"] = builtins
    main.__dict__["__cached__"] = None
    if program.spec is not None:
        main.__package__ = program.spec.parent
        main.__loader__ = program.spec.loader
    return main


def _set_path_entry(entry: str) -> None:
    # With `-P` Python puts nothing there, so there is nothing to replace.
    if not sys.flags.safe_path:
        sys.path[0] = entry


def _exit_status(exit_: SystemExit) -> int:
    code = exit_.code
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF
    print(code, file=sys.stderr)
    return 1


def _find(name: str) -> ModuleSpec | None:
    try:
        return importlib.util.find_spec(name)
    except ModuleNotFoundError:
        return None


def _nearest(path: Path) -> str:
    siblings = os.listdir(path.parent) if path.parent.is_dir() else []
    close = difflib.get_close_matches(path.name, siblings, n=1)
    return f"did you mean {path.parent / close[0]}?" if close else f"looked in {Path.cwd()}"
