"""Finds rules through entry points and answers for codes, slugs and prefixes."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from types import ModuleType

from tfcheck.errors import ConfigError, TfcheckError
from tfcheck.lint.rule import Rule, docs_url
from tfcheck.lint.rule_packages import ENTRY_POINTS, rule_packages


@dataclass(frozen=True, slots=True)
class RuleInfo:
    """What `tfcheck rule` shows of a rule."""

    code: str
    name: str
    """The slug, `python-print`."""
    group: str
    """The folder of its hundred, `side_effects`."""
    severity: str
    confidence: str
    since: str
    fix: str | None
    """`safe`, `unsafe` or None."""
    summary: str
    sections: tuple[tuple[str, str], ...]
    """Title and dedented text of each section of the page, in order."""
    url: str


@cache
def load_rules() -> tuple[type[Rule], ...]:
    """All installed rules, sorted by code.

    Raises:
        TfcheckError: no rule is installed, or two have the same code.
    """
    found: dict[str, type[Rule]] = {}
    for package in rule_packages():
        for rule in _rules_of(importlib.import_module(package)):
            owner = found.setdefault(rule.code, rule)
            if owner is not rule:
                raise TfcheckError(
                    f"rule code {rule.code} has two owners: {_address(owner)} and {_address(rule)};"
                    " uninstall one of the packages"
                )
    if not found:
        raise TfcheckError(
            f"no rules are installed: the entry-point group {ENTRY_POINTS!r} is empty;"
            " install tfcheck again"
        )
    return tuple(found[code] for code in sorted(found))


def _rules_of(package: ModuleType) -> Iterator[type[Rule]]:
    # An entry point may name a package, or a module of one file.
    folders = getattr(package, "__path__", [])
    inner = (info.name for info in pkgutil.walk_packages(folders, package.__name__ + "."))
    for name in [package.__name__, *sorted(inner)]:
        module = importlib.import_module(name)
        for _, member in inspect.getmembers(module, inspect.isclass):
            if issubclass(member, Rule) and member.__module__ == name:
                yield member


def _address(rule: type[Rule]) -> str:
    return f"{rule.__module__}.{rule.__name__}"


def find_rules(text: str) -> tuple[type[Rule], ...]:
    """The rules a selector names: a code, a slug, the start of a code such as TFC3, or `ALL`.

    Raises:
        ConfigError: it names none; the message has the closest name.
    """
    rules = load_rules()
    if text.upper() == "ALL":
        return rules
    exact = tuple(rule for rule in rules if text.upper() == rule.code or text == rule.slug())
    if exact:
        return exact
    started = tuple(rule for rule in rules if rule.code.startswith(text.upper())) if text else ()
    if started and text.upper().startswith("TFC"):
        return started
    known = [name for rule in rules for name in (rule.code, rule.slug())]
    close = get_close_matches(text, known, n=1) or get_close_matches(text.upper(), known, n=1)
    hint = f"did you mean `{close[0]}`?" if close else "`tfcheck rule --all` lists them"
    raise ConfigError(f"unknown rule `{text}`: {hint}")


def describe_rules() -> tuple[RuleInfo, ...]:
    """All installed rules, sorted by code."""
    return tuple(_describe(rule) for rule in load_rules())


def describe_rule(text: str) -> RuleInfo:
    """The rule with this code or slug.

    Raises:
        ConfigError: no such rule; names the closest.
    """
    found = find_rules(text)
    if len(found) != 1:
        codes = ", ".join(rule.code for rule in found)
        raise ConfigError(f"`{text}` names {len(found)} rules, expected one of {codes}")
    return _describe(found[0])


def _describe(rule: type[Rule]) -> RuleInfo:
    page = parse_page(rule)
    return RuleInfo(
        code=rule.code,
        name=rule.slug(),
        group=rule.__module__.split(".")[-2],
        severity=rule.severity.value,
        confidence=rule.confidence.value,
        since=rule.since,
        fix=rule.fix.value if rule.fix is not None else None,
        summary=page.summary,
        sections=page.sections,
        url=docs_url(rule.slug()),
    )


@dataclass(frozen=True, slots=True)
class Page:
    """A rule's docstring, taken apart."""

    summary: str
    sections: tuple[tuple[str, str], ...]

    def section(self, title: str) -> str | None:
        """The text of a section."""
        return dict(self.sections).get(title)


def parse_page(rule: type[Rule]) -> Page:
    """Cut a rule's docstring into its summary line and sections."""
    lines = inspect.cleandoc(rule.__doc__ or "").splitlines()
    sections: list[tuple[str, list[str]]] = []
    for line in lines[1:]:
        if line.endswith(":") and not line.startswith(" "):
            sections.append((line[:-1], []))
        elif sections:
            sections[-1][1].append(line)
    texts = tuple((title, inspect.cleandoc("\n".join(["", *body]))) for title, body in sections)
    return Page(lines[0] if lines else "", texts)
