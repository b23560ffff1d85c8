"""Exceptions that end a command with one line and a documented exit code."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """What the process status of every verb means."""

    CLEAN = 0
    FINDINGS = 1
    USAGE = 2
    INTERNAL = 3
    INTERRUPTED = 130


class TfcheckError(Exception):
    """Something the user can act on; the message says what, where and what to do."""

    exit_code = ExitCode.USAGE


class ConfigError(TfcheckError):
    """A configuration file or option value that cannot be used."""


class InputError(TfcheckError):
    """A file, folder or object named by the user that cannot be read."""


class OutputError(TfcheckError):
    """A place named by the user that cannot be written."""


class MissingExtraError(TfcheckError):
    """A verb needs an optional dependency that is not installed."""
