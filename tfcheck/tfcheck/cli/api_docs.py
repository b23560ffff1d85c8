"""Writes docs/api.md from docstrings: `python -m tfcheck.cli.api_docs > docs/api.md`."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

import tfcheck.profile
from tfcheck import diagnostics, testing
from tfcheck.lint import rule
from tfcheck.profile import pytest_plugin, watching

HEAD = """\
# Python interface

<!-- Written by `python -m tfcheck.cli.api_docs`; change the docstrings instead. -->

What can be imported and relied on; everything else may change in any release.
The runtime's names are TensorFlow's own: see [Names and ops](ops.md).
"""


@dataclass(frozen=True, slots=True)
class _Chapter:
    """Public names that belong together."""

    title: str
    about: str
    module: str
    members: Sequence[object]


def chapters() -> list[_Chapter]:
    """What is public, in the order of the page."""
    profile = tfcheck.profile
    return [
        _Chapter(
            "Watching and policies",
            "Needs `tfcheck[profile]`; works on the embedded runtime and on TensorFlow.",
            "tfcheck.profile",
            [
                profile.session,
                watching.Session,
                profile.on_retrace,
                profile.RetraceError,
                profile.RetraceWarning,
            ],
        ),
        _Chapter(
            "Rules",
            "For [rules of your own](howto/own-rules.md).",
            "tfcheck.lint.rule",
            [rule.Rule, rule.UnusedIgnore],
        ),
        _Chapter(
            "What rules report",
            "",
            "tfcheck.diagnostics",
            [
                diagnostics.Severity,
                diagnostics.Confidence,
                diagnostics.Applicability,
                diagnostics.Span,
                diagnostics.Edit,
                diagnostics.Fix,
                diagnostics.Related,
                diagnostics.Violation,
            ],
        ),
        _Chapter(
            "Testing rules",
            "",
            "tfcheck.testing",
            [
                testing.Example,
                testing.example,
                testing.docstring_examples,
                testing.page_examples,
                testing.run,
                testing.reported_rows,
                testing.fixed,
            ],
        ),
    ]


def render_page() -> str:
    """The page about everything public."""
    return HEAD + "".join(map(_chapter, chapters())) + _pytest()


def _chapter(chapter: _Chapter) -> str:
    about = f"{chapter.about}\n\n" if chapter.about else ""
    head = f"\n## {chapter.title}\n\n{about}In `{chapter.module}`.\n"
    return head + "".join(map(_member, chapter.members))


def _member(member: object) -> str:
    name = getattr(member, "__name__", "")
    text = f"\n### {name}\n\n```text\n{_signature(member)}\n```\n\n{_prose(member)}\n"
    if not inspect.isclass(member):
        return text
    if issubclass(member, Enum):
        return f"{text}\nValues: {', '.join(f'`{each.name}`' for each in member)}.\n"
    rows = [f"- `{signature}`: {summary}\n" for signature, summary in _methods(member)]
    return text + ("\n" + "".join(rows) if rows else "")


def _signature(member: object) -> str:
    name = getattr(member, "__name__", "")
    if inspect.isclass(member) and (issubclass(member, Enum | BaseException) or _is_given(member)):
        return f"class {name}"
    assert callable(member)  # classes and functions are
    return f"{name}{inspect.signature(member)}".replace("'", "")


def _is_given(kind: type) -> bool:
    """Whether people get objects of a class and never make them."""
    return kind in {watching.Session, rule.Rule}


def _methods(kind: type) -> Iterator[tuple[str, str]]:
    for name, member in vars(kind).items():
        called = member.__func__ if isinstance(member, classmethod) else member
        if name.startswith("_") or not (inspect.isfunction(called) or isinstance(called, property)):
            continue
        signature = name if isinstance(called, property) else f"{name}{_bare(called)}"
        yield signature, (inspect.getdoc(called) or "").partition("\n\n")[0].replace("\n", " ")


def _bare(method: object) -> str:
    """The parameters of a method, without its object and without types."""
    assert callable(method)
    signature = inspect.signature(method)
    kept = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for parameter in list(signature.parameters.values())[1:]
    ]
    empty = inspect.Signature.empty
    return str(signature.replace(parameters=kept, return_annotation=empty))


def _prose(member: object) -> str:
    """A docstring in Markdown: its sections as bold words, their entries as a list."""
    lines = (inspect.getdoc(member) or "").splitlines()
    written: list[str] = []
    in_section = False
    for line in lines:
        if re.fullmatch(r"(Args|Raises|Returns|Yields):", line):
            in_section = True
            written += [f"**{line[:-1]}**", ""]
        elif in_section and (entry := re.fullmatch(r"    (\*{0,2}\w+): (.*)", line)):
            written.append(f"- `{entry[1]}`: {entry[2]}")
        else:
            in_section = in_section and (not line or line.startswith(" "))
            written.append(line)
    return "\n".join(written)


def _pytest() -> str:
    fixtures = ["assert_no_retrace", "fail_on_retrace"]
    rows = "".join(
        f"- fixture `{name}`: {inspect.getdoc(getattr(pytest_plugin, name))}\n" for name in fixtures
    )
    marks = "".join(
        f"- mark `{mark}`\n" for mark in (pytest_plugin.MARK, pytest_plugin.POLICY_MARK)
    )
    return (
        "\n## In pytest\n\nThe plugin is there as soon as tfcheck is installed.\n"
        "`pytest --tfcheck-embedded` resolves `import tensorflow` to the embedded runtime.\n\n"
        f"{rows}{marks}"
    )


if __name__ == "__main__":
    sys.stdout.write(render_page())
