"""The tests on every Python, and with the oldest and newest packages that we promise: `nox`."""

from __future__ import annotations

import nox

nox.needs_version = ">=2025.5"
nox.options.default_venv_backend = "uv"

PYTHONS = ["3.11", "3.12", "3.13"]


@nox.session(python=PYTHONS)
def latest(session: nox.Session) -> None:
    """The newest packages; arguments go to pytest."""
    session.install("--editable", ".[test]")
    _test(session)


@nox.session(python=PYTHONS[0])
def lowest(session: nox.Session) -> None:
    """The oldest packages that pyproject.toml allows, on the oldest Python."""
    session.install("--resolution", "lowest-direct", "--editable", ".[test]")
    _test(session)


def _test(session: nox.Session) -> None:
    session.run("python", "-m", "pytest", "--numprocesses", "auto", *session.posargs)
