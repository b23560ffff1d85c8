"""Judges one parsed file: model, rules, suppressions."""

from __future__ import annotations

import ast
import traceback
from collections.abc import Iterable, Sequence

from tfcheck.config import Settings
from tfcheck.diagnostics import InternalProblem, Violation
from tfcheck.lint.entering import TracedWalk, is_visiting
from tfcheck.lint.outcome import Outcome, SyntaxProblem, order
from tfcheck.lint.rule import FileView, Rule
from tfcheck.lint.selection import Selection, select_rules
from tfcheck.lint.semantics import FileModel
from tfcheck.lint.source import Source
from tfcheck.lint.suppress import Ignore, find_ignores, suppress


class Judge:
    """Builds the model of one file, runs the rules on it and applies suppressions."""

    def __init__(self, source: Source, settings: Settings) -> None:
        self.source = source
        self.settings = settings
        self.problems: list[InternalProblem] = []

    def run(self, model: FileModel) -> Outcome:
        """Judge a file that parses."""
        ignores = find_ignores(self.source)
        touched = bool(model.traces or model.creations or any(model.eager_calls()))
        selection = select_rules(self.settings)
        text = self.source.text
        chosen = [rule for rule in selection.rules if touched or rule.looks_at(text)]
        if not chosen and not ignores:
            return Outcome()
        view = FileView(model, self.settings)
        found = self._apply(chosen, view)
        shown = [violation for violation in found if selection.shows(violation)]
        violations = self._suppressed(shown, ignores, selection=selection, view=view)
        return self._outcome(violations, traced=bool(model.traces))

    def _outcome(self, violations: Iterable[Violation], *, traced: bool) -> Outcome:
        ordered = tuple(sorted(set(violations), key=order))
        return Outcome(ordered, traced=traced, internal=tuple(self.problems))

    def syntax_errors(self, problems: Iterable[SyntaxProblem]) -> Outcome:
        """What rules say of a file that does not parse."""
        selection = select_rules(self.settings)
        empty = FileModel(Source(self.source.filename, ""), ast.Module([], []))
        rules = [rule(FileView(empty, self.settings)) for rule in selection.rules]
        for rule in rules:
            for problem in problems:
                rule.check_syntax(problem)
        found = [violation for rule in rules for violation in rule.found]
        return self._outcome(filter(selection.shows, found), traced=False)

    def _apply(self, chosen: Sequence[type[Rule]], view: FileView) -> list[Violation]:
        rules = [rule(view) for rule in chosen]
        TracedWalk(view, rules, crashed=self._crashed).run()
        visiting = [rule for rule in rules if is_visiting(type(rule))]
        if visiting:
            self._visit(view, visiting)
        for rule in rules:
            try:
                rule.check_file()
            except Exception as error:  # a fault of one rule costs that rule on this file
                self._crashed(rule, error)
        return [violation for rule in rules for violation in rule.found]

    def _visit(self, view: FileView, rules: list[Rule]) -> None:
        # libcst takes a quarter of a second to load: only rules that need its nodes pay for it.
        from tfcheck.lint.regions import Region, UnparsedError, anchors
        from tfcheck.lint.visits import Walker

        walker = Walker(view, rules, crashed=self._crashed)
        for anchor in anchors(view.model):
            try:
                region = Region(view.model, anchor)
            except UnparsedError as error:
                self._unparsed(anchor.first, anchor.last, error)
                continue
            walker.walk(region)

    def _unparsed(self, first: int, last: int, error: Exception) -> None:
        summary = f"lines {first} to {last} are Python that libcst cannot parse: not all rules ran"
        trace = "".join(traceback.format_exception(error))
        self.problems.append(InternalProblem(self.source.filename, None, summary, trace))

    def _crashed(self, rule: Rule, error: Exception) -> None:
        summary = f"{rule.code} {rule.slug()} failed with {type(error).__name__}: {error}"
        trace = "".join(traceback.format_exception(error))
        self.problems.append(InternalProblem(self.source.filename, rule.code, summary, trace))

    def _suppressed(
        self,
        found: list[Violation],
        ignores: list[Ignore],
        *,
        selection: Selection,
        view: FileView,
    ) -> Iterable[Violation]:
        if not ignores:
            return found
        ran = frozenset(rule.code for rule in selection.rules)
        result = suppress(found, ignores, source=self.source, ran=ran)
        rules = [rule(view) for rule in selection.rules]
        for rule in rules:
            for unused in result.unused:
                rule.check_ignore(unused)
        reported = [violation for rule in rules for violation in rule.found]
        return [*result.kept, *filter(selection.shows, reported)]
