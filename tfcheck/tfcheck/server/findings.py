"""Checks the open files of an editor, alone or with all others of their project."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tfcheck.config import Overrides, Settings, load_settings
from tfcheck.diagnostics import Violation
from tfcheck.lint.check import check_bytes
from tfcheck.lint.engine import lint_paths
from tfcheck.lint.files import matches
from tfcheck.lint.outcome import Outcome
from tfcheck.lint.outline import TracedFunction, traced_functions


@dataclass(frozen=True, slots=True)
class Open:
    """A file in an editor."""

    path: Path
    text: str

    def encoded(self) -> bytes:
        """The text as it would be saved: a file may name an encoding of its own."""
        plain = self.text.encode("utf-8", errors="surrogatepass")
        try:
            encoding, _ = tokenize.detect_encoding(io.BytesIO(plain).readline)
            return self.text.encode(encoding)
        except (SyntaxError, UnicodeError):
            return plain


@dataclass(frozen=True, slots=True)
class Checked:
    """What is known of an open file, for the text that it was found in."""

    text: str
    violations: tuple[Violation, ...] = ()
    traced: tuple[TracedFunction, ...] = ()
    faults: tuple[str, ...] = ()
    """Faults of tfcheck itself, and what made the file unreadable."""


def check_alone(file: Open) -> Checked:
    """What the file itself tells; other files are not looked at.

    Raises:
        ConfigError: the settings that hold for it cannot be used.
    """
    settings = load_settings(file.path.parent)
    content, filename = file.encoded(), file.path.as_posix()
    if _is_left_out(file.path, settings):
        return Checked(file.text)
    outcome = check_bytes(content, filename=filename, settings=settings)
    return _checked(file, outcome.violations, _faults(outcome))


def check_together(root: Path, files: Sequence[Open]) -> dict[Path, Checked]:
    """What a whole project tells of the open files in it, unsaved text and all.

    Raises:
        ConfigError: settings in the project cannot be used.
    """
    settings = replace(load_settings(root), overrides=Overrides())  # folders may have their own
    unsaved = {file.path: file.encoded() for file in files}
    # Processes that are forked would inherit the pipes to the editor.
    result = lint_paths([root], settings=settings, jobs=1, unsaved=unsaved)
    found: dict[str, list[Violation]] = {}
    for violation in result.violations:
        found.setdefault(violation.filename, []).append(violation)
    faults: dict[str, list[str]] = {}
    for name, text in (
        *((problem.filename, problem.message) for problem in result.problems),
        *((fault.filename, fault.summary) for fault in result.internal),
    ):
        faults.setdefault(name, []).append(text)
    looked_at = set(result.filenames)
    return {
        file.path: _checked(file, found.get(name, ()), faults.get(name, ()))
        for file in files
        if (name := file.path.as_posix()) in looked_at
    }


def _checked(file: Open, violations: Sequence[Violation], faults: Sequence[str]) -> Checked:
    traced = traced_functions(file.encoded(), filename=file.path.as_posix())
    return Checked(file.text, tuple(violations), traced, tuple(faults))


def _faults(outcome: Outcome) -> tuple[str, ...]:
    problem = () if outcome.problem is None else (outcome.problem.message,)
    return (*problem, *(fault.summary for fault in outcome.internal))


def _is_left_out(path: Path, settings: Settings) -> bool:
    patterns = [*settings.exclude, *settings.extend_exclude]
    return settings.force_exclude and matches(path, patterns, root=settings.root)
