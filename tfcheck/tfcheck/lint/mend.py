"""Fixes one file: apply what fits together, check again, until nothing is left to fix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tfcheck.config import Settings
from tfcheck.diagnostics import FileProblem, Fix, InternalProblem, Violation
from tfcheck.errors import InputError, OutputError
from tfcheck.lint.check import check_bytes, check_document
from tfcheck.lint.checker import Task
from tfcheck.lint.files import StdinSource
from tfcheck.lint.fixes import choose, edits_of, unified_diff, write_atomically
from tfcheck.lint.locate import Locator
from tfcheck.lint.modules import Modules
from tfcheck.lint.outcome import Outcome, Reached
from tfcheck.lint.reading import Document, UnreadableError, read_document
from tfcheck.lint.shelf import Shelf, Standing
from tfcheck.lint.source import parse_quietly

_MAX_ROUNDS = 20


@dataclass(frozen=True, slots=True)
class Mended:
    """A file before and after fixing, and what is still found in it."""

    filename: str
    before: bytes
    content: bytes
    encoding: str
    outcome: Outcome
    fixed: int

    @property
    def is_changed(self) -> bool:
        """Whether any byte is another."""
        return self.content != self.before

    def diff(self) -> str:
        """What changed, as a unified diff."""
        if not self.is_changed:
            return ""
        return unified_diff(
            self.before, self.content, filename=self.filename, encoding=self.encoding
        )


def mend(
    source: StdinSource,
    *,
    settings: Settings,
    unsafe: bool,
    reached: Reached | None = None,
    standing: Standing | None = None,
) -> Mended:
    """Apply the fixes of a file; one that would leave broken code is not applied."""
    content, filename = source.content, source.filename
    try:
        document = read_document(content, filename=filename)
    except UnreadableError as error:
        outcome = Outcome(problem=FileProblem(filename, str(error)))
        return Mended(filename, content, content, "utf-8", outcome, 0)
    outcome = check_document(document, settings=settings, reached=reached, standing=standing)
    fixed = 0
    for _ in range(_MAX_ROUNDS):
        fixes = choose(_in_rows_of(document, outcome), unsafe=unsafe)
        if not fixes:
            break
        changed = document.edited(edits_of(fixes))
        following = read_document(changed, filename=filename)
        if not _parses(following):
            outcome = _broken(outcome, filename)
            break
        content, document, fixed = changed, following, fixed + len(fixes)
        outcome = check_document(document, settings=settings, reached=reached, standing=standing)
    return Mended(filename, source.content, content, document.encoding, outcome, fixed)


def amend(content: bytes, fixes: Sequence[Fix], *, filename: str) -> Mended:
    """Apply fixes that do not come from rules; they are in rows of the file, and do not overlap.

    Raises:
        InputError: the file cannot be read, or would not parse any more.
    """
    try:
        document = read_document(content, filename=filename)
    except UnreadableError as error:
        raise InputError(f"{filename}: {error}") from error
    changed = document.edited(edits_of(fixes))
    if not _parses(read_document(changed, filename=filename)):
        raise InputError(f"{filename}: the change would leave code that does not parse")
    return Mended(filename, content, changed, document.encoding, Outcome(), len(fixes))


def mend_file(
    task: Task, *, content: bytes, modules: Modules, settings: Settings, unsafe: bool, write: bool
) -> Mended:
    """Apply the fixes of a file of a run; with `write`, to the file itself.

    `content` is what was checked: a file that has changed since is left alone.
    """
    source = StdinSource(content, task.filename)

    def standing() -> Standing:
        return Standing(Shelf(modules), task.position, task.wanted)

    mended = mend(
        source, settings=settings, unsafe=unsafe, reached=task.reached, standing=standing()
    )
    if not write or not mended.is_changed:
        return mended
    try:
        write_atomically(task.path, mended.content, expected=content)
    except OutputError as error:
        outcome = check_bytes(
            content,
            filename=task.filename,
            settings=settings,
            reached=task.reached,
            standing=standing(),
        )
        problem = FileProblem(task.filename, str(error))
        return replace(mended, content=content, outcome=replace(outcome, problem=problem), fixed=0)
    return mended


def _in_rows_of(document: Document, outcome: Outcome) -> list[Violation]:
    if document.notebook is None:
        return list(outcome.violations)
    locator = Locator(document.source)
    return [locator.joined(violation) for violation in outcome.violations]


def _parses(document: Document) -> bool:
    try:
        parse_quietly(document.source.text)
    except (SyntaxError, ValueError):
        return False
    return True


def _broken(outcome: Outcome, filename: str) -> Outcome:
    summary = "fixes would have left code that does not parse; they were not applied"
    problem = InternalProblem(filename, None, summary, "")
    return replace(outcome, internal=(*outcome.internal, problem))
