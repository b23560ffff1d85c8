"""What an editor offers to do about findings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lsprotocol import types

from tfcheck.diagnostics import Applicability, Edit, Span, Violation
from tfcheck.lint.fixes import choose, edits_of
from tfcheck.lint.ignores import ignore_edits
from tfcheck.lint.reading import read_document
from tfcheck.server.convert import Converter
from tfcheck.server.findings import Checked, Open

FIX_ALL = f"{types.CodeActionKind.SourceFixAll.value}.tfcheck"


class Actions:
    """The actions for one place of a file."""

    def __init__(self, file: Open, checked: Checked, uri: str, converter: Converter) -> None:
        self._file = file
        self._checked = checked
        self._uri = uri
        self._converter = converter

    def at(self, span: Span, only: Sequence[str] | None) -> Iterator[types.CodeAction]:
        """Fixes and suppressions of the findings that a selection touches, then fix-all."""
        touched = [v for v in self._checked.violations if _touch(v.span, span)]
        if _asks(only, types.CodeActionKind.QuickFix.value):
            for violation in touched:
                yield from self._quick_fixes(violation)
        safe = choose(self._checked.violations, unsafe=False)
        if safe and _asks(only, FIX_ALL):
            yield self._action("tfcheck: apply all safe fixes", FIX_ALL, edits_of(safe))

    def _quick_fixes(self, violation: Violation) -> Iterator[types.CodeAction]:
        fix, code = violation.fix, violation.code
        if fix is not None:
            safe = fix.applicability is Applicability.SAFE
            title = fix.message if safe else f"{fix.message} (may change what the program does)"
            yield self._quick(f"{code}: {title}", fix.edits, [violation], preferred=safe)
            alike = [v for v in self._checked.violations if v.code == code and v.fix is not None]
            fixes = choose(alike, unsafe=not safe)
            if len(fixes) > 1:
                yield self._quick(
                    f"{code}: fix all {len(fixes)} in this file", edits_of(fixes), alike
                )
        document = read_document(self._file.encoded(), filename=self._file.path.as_posix())
        ignoring = list(ignore_edits(document, [violation]))
        if ignoring:
            yield self._quick(f"{code}: ignore on this line", ignoring, [violation])

    def _quick(
        self,
        title: str,
        edits: Sequence[Edit],
        violations: Sequence[Violation],
        *,
        preferred: bool = False,
    ) -> types.CodeAction:
        action = self._action(title, types.CodeActionKind.QuickFix.value, edits)
        action.is_preferred = preferred
        action.diagnostics = [self._converter.diagnostic(v) for v in violations]
        return action

    def _action(self, title: str, kind: str, edits: Sequence[Edit]) -> types.CodeAction:
        changes = {self._uri: self._converter.edits(edits)}
        return types.CodeAction(title, kind=kind, edit=types.WorkspaceEdit(changes=changes))


def _touch(one: Span, other: Span) -> bool:
    return one.start <= other.end and other.start <= one.end


def _asks(only: Sequence[str] | None, kind: str) -> bool:
    """Whether a client asks for a kind: it names that, a kind above it, or none."""
    return only is None or any(kind == each or kind.startswith(f"{each}.") for each in only)
