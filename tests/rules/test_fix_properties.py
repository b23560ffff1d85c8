"""Fixes of every rule on its own examples in odd layouts: comments, tabs, line ends, a BOM."""

from __future__ import annotations

import ast
import io
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from hypothesis import HealthCheck, given, settings, strategies as st

from tfcheck.config import Settings
from tfcheck.diagnostics import Confidence, Severity
from tfcheck.lint.check import check_bytes
from tfcheck.lint.files import StdinSource
from tfcheck.lint.mend import mend
from tfcheck.lint.registry import load_rules
from tfcheck.lint.rule import Rule
from tfcheck.testing import Example, docstring_examples, page_examples

PAGES = Path(__file__).parent


def examples(rule: type[Rule]) -> Iterator[Example]:
    """All programs that say how the rule behaves."""
    yield from docstring_examples(rule).values()
    page = PAGES / f"{rule.slug()}.md"
    if page.exists():
        yield from page_examples(rule, page)


FIXABLE = [rule for rule in load_rules() if rule.fix is not None]
PROGRAMS = sorted({each.source for rule in FIXABLE for each in examples(rule)})
EVERY_RULE = Settings(severity=Severity.INFO, confidence=Confidence.LOW)
check_bytes(b"", filename="a.py", settings=EVERY_RULE)
"""Raises the recursion limit, which Hypothesis must not see change."""

LAYOUTS = st.fixed_dictionaries(
    {
        "end": st.sampled_from(["\n", "\r\n"]),
        "indent": st.sampled_from(["    ", "\t", "  "]),
        "bom": st.booleans(),
        "last_end": st.booleans(),
    }
)


@st.composite
def laid_out(draw: st.DrawFn) -> tuple[bytes, list[str]]:
    """A program in some layout, and the comments that were put into it."""
    lines = draw(st.sampled_from(PROGRAMS)).splitlines()
    layout = draw(LAYOUTS)
    open_rows = _rows_inside_of_strings("\n".join(lines))
    comments: list[str] = []
    made: list[str] = []
    for row, line in enumerate(lines, start=1):
        indent = len(line) - len(line.lstrip(" "))
        line = layout["indent"] * (indent // 4) + " " * (indent % 4) + line.lstrip(" ")
        if row in open_rows or not line.strip() or line.rstrip().endswith("\\"):
            made.append(line)
            continue
        if draw(st.integers(0, 5)) == 0 and row - 1 not in open_rows:
            comments.append(f"# before {row} ä")
            made.append(line[: len(line) - len(line.lstrip())] + comments[-1])
        if draw(st.integers(0, 5)) == 0 and "#" not in line:
            comments.append(f"# behind {row}")
            line = f"{line}  {comments[-1]}"
        made.append(line)
    text = layout["end"].join(made) + (layout["end"] if layout["last_end"] else "")
    return (b"\xef\xbb\xbf" if layout["bom"] else b"") + text.encode(), comments


def _rows_inside_of_strings(text: str) -> set[int]:
    """Rows that end inside of a string, where a comment would be none."""
    found: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.end[0] > token.start[0] and token.type == tokenize.STRING:
            found.update(range(token.start[0], token.end[0] + 1))
    return found


def codes(content: bytes) -> Counter[str]:
    outcome = check_bytes(content, filename="a.py", settings=EVERY_RULE)
    assert outcome.internal == ()
    return Counter(violation.code for violation in outcome.violations)


@settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(laid_out(), st.booleans())
def test_fixes_leave_sound_code_and_everything_else_alone(
    program: tuple[bytes, list[str]], unsafe: bool
) -> None:
    content, comments = program

    after = mend(StdinSource(content, "a.py"), settings=EVERY_RULE, unsafe=unsafe)
    again = mend(StdinSource(after.content, "a.py"), settings=EVERY_RULE, unsafe=unsafe)

    fixed = after.content.decode()
    ast.parse(after.content)
    assert again.content == after.content
    assert after.content.startswith(b"\xef\xbb\xbf") == content.startswith(b"\xef\xbb\xbf")
    lost = [comment for comment in comments if comment not in fixed]
    # A comment goes with the line that it stands behind, and with no other.
    assert [comment for comment in lost if not comment.startswith("# behind")] == []
    if b"\r\n" in content:
        assert "\n" not in fixed.replace("\r\n", "")
    else:
        assert "\r" not in fixed
    new = codes(after.content) - codes(content)
    # As tensors, an int and a float for one argument no longer differ by value but by dtype.
    assert set(new) <= {"TFC106"}
