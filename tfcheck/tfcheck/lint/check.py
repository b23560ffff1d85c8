"""Checks one file: reads and parses it, and has it judged."""

from __future__ import annotations

import sys
import traceback
from dataclasses import replace

from tfcheck.config import Settings
from tfcheck.diagnostics import FileProblem, InternalProblem
from tfcheck.lint.judge import Judge
from tfcheck.lint.locate import placed
from tfcheck.lint.outcome import Outcome, Reached, Surroundings
from tfcheck.lint.reading import Document, UnreadableError, read_document
from tfcheck.lint.semantics import FileModel
from tfcheck.lint.shelf import Standing
from tfcheck.lint.source import Source, parse_quietly
from tfcheck.lint.syntax import PARSE_ERRORS, syntax_problems

_RECURSION_LIMIT = 8_000
"""Enough for sums of thousands of terms, which nest as deep."""


def check_bytes(
    content: bytes,
    *,
    filename: str,
    settings: Settings,
    reached: Reached | None = None,
    standing: Standing | None = None,
) -> Outcome:
    """Check the content of a file; what is wrong with it is part of the outcome."""
    try:
        document = read_document(content, filename=filename)
    except UnreadableError as error:
        return Outcome(problem=FileProblem(filename, str(error)))
    return check_document(document, settings=settings, reached=reached, standing=standing)


def check_document(
    document: Document,
    *,
    settings: Settings,
    reached: Reached | None = None,
    standing: Standing | None = None,
) -> Outcome:
    """Check a file that was read; `reached` is what others trace of it."""
    source = document.source
    try:
        model = _open(source, reached, standing)
    except PARSE_ERRORS:
        problems = syntax_problems(source)
        return placed(Judge(source, settings).syntax_errors(problems), source)
    return judge(model, settings)


def open_bytes(
    content: bytes, *, filename: str, reached: Reached | None, standing: Standing
) -> FileModel | None:
    """The model of a file; None for one that cannot be read or parsed, as a check will say."""
    try:
        return _open(read_document(content, filename=filename).source, reached, standing)
    except (*PARSE_ERRORS, UnreadableError):
        return None


def _open(source: Source, reached: Reached | None, standing: Standing | None) -> FileModel:
    sys.setrecursionlimit(max(sys.getrecursionlimit(), _RECURSION_LIMIT))
    if standing is None:
        return FileModel(source, parse_quietly(source.text), reached=reached)
    neighbours = standing.shelf.neighbours(standing.wanted)
    opened = neighbours.adopt(standing.position, standing.shelf.add(standing.position, source))
    return FileModel(
        source, opened.index.tree, reached=reached, opened=opened, neighbours=neighbours
    )


def explore(model: FileModel) -> Surroundings:
    """What a file means for others."""
    border = model.border
    if border is None:
        return Surroundings()
    try:
        found = Surroundings(
            departures=tuple(border.departures()),
            heirs=tuple(border.heirs(model.wanted.bases)),
            exports=border.exports(),
        )
        return replace(found, basis=model.basis)
    except RecursionError:
        return Surroundings()  # said by `judge`


def judge(model: FileModel, settings: Settings) -> Outcome:
    """What is wrong with a file; its model is of no use afterwards."""
    source = model.source
    try:
        outcome = placed(Judge(source, settings).run(model), source)
        return replace(outcome, basis=model.basis)
    except RecursionError as error:
        summary = "the code nests too deeply for tfcheck; it was not checked"
        trace = "".join(traceback.format_exception(error, limit=-20))
        return Outcome(internal=(InternalProblem(source.filename, None, summary, trace),))
    finally:
        model.close()
