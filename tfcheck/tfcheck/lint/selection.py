"""Which rules run, and which of their findings are shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

from tfcheck.config import Selector, Settings
from tfcheck.diagnostics import Confidence, Severity, Violation
from tfcheck.errors import ConfigError
from tfcheck.lint.files import matches
from tfcheck.lint.registry import find_rules, load_rules
from tfcheck.lint.rule import Rule

_SEVERITIES = (Severity.INFO, Severity.WARNING, Severity.ERROR)
_CONFIDENCES = (Confidence.LOW, Confidence.MEDIUM, Confidence.HIGH)


@dataclass(frozen=True, slots=True)
class Selection:
    """The rules of a run, and the findings it shows."""

    rules: tuple[type[Rule], ...]
    by_name: frozenset[str]
    """Codes selected by code or slug, whose findings are shown whatever their rank."""
    settings: Settings

    def shows(self, violation: Violation) -> bool:
        """Whether a finding is severe and sure enough to be shown, and not ignored in its file."""
        if violation.code in ignored_codes(violation.filename, self.settings):
            return False
        if violation.code in self.by_name:
            return True
        severe = _is_severe(violation.severity, self.settings)
        sure = _CONFIDENCES.index(violation.confidence) >= _CONFIDENCES.index(
            self.settings.confidence
        )
        return severe and sure


@cache
def select_rules(settings: Settings) -> Selection:
    """The rules to run: `select` (else all), and `extend-select`, less `ignore`.

    A longer selector beats a shorter one: `select = ["TFC301"]` with `ignore = ["TFC3"]` runs
    TFC301.

    Raises:
        ConfigError: a selector names no rule.
    """
    chosen = _weigh([*(settings.select or (Selector("ALL", "default"),)), *settings.extend_select])
    ignored = _weigh(settings.ignore)
    for rules in settings.per_file_ignores:
        _weigh(rules.selectors)  # a misspelt one is an error even where no file matches
    exact = frozenset(
        rule.code
        for selector in (*settings.select, *settings.extend_select)
        if len(_named(selector)) == 1
        for rule in _named(selector)
    )
    kept = (
        rule
        for rule in load_rules()
        if chosen.get(rule.code, 0) > ignored.get(rule.code, 0)
        and (rule.code in exact or _is_severe(rule.severity, settings))
    )
    return Selection(tuple(kept), exact, settings)


def plain_rules(settings: Settings) -> tuple[type[Rule], ...]:
    """The rules that look at files without traced code, too."""
    return tuple(rule for rule in select_rules(settings).rules if rule.everywhere)


def _weigh(selectors: Iterable[Selector]) -> dict[str, int]:
    """For each selected code the length of the longest selector that names it."""
    weights: dict[str, int] = {}
    for selector in selectors:
        named = _named(selector)
        everything = selector.text.upper() == "ALL"
        weight = 100 if len(named) == 1 else 1 if everything else len(selector.text)
        for rule in named:
            weights[rule.code] = max(weight, weights.get(rule.code, 0))
    return weights


def _named(selector: Selector) -> tuple[type[Rule], ...]:
    try:
        return find_rules(selector.text)
    except ConfigError as error:
        raise ConfigError(f"{error} ({selector.origin})") from error


@lru_cache(maxsize=64)
def ignored_codes(filename: str, settings: Settings) -> frozenset[str]:
    """The codes that `per-file-ignores` switches off in a file."""
    return frozenset(
        rule.code
        for rules in settings.per_file_ignores
        if matches(filename, [rules.pattern], root=settings.root)
        for selector in rules.selectors
        for rule in _named(selector)
    )


def _is_severe(severity: Severity, settings: Settings) -> bool:
    return _SEVERITIES.index(severity) >= _SEVERITIES.index(settings.severity)
