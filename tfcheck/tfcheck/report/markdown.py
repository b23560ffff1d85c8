"""Pieces of GitHub's Markdown into which user text goes as text only."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from tfcheck.report.text import printable

MOST_BYTES = 64 * 1024
"""What summaries of CI jobs take at least."""
LEFT_OUT = "\nThe rest is left out: a summary has room for 64 KiB.\n"
_MARKDOWN = re.compile(r"[\\`*_\[\]<>#|~&$!@:]|(?<=www)\.")
"""What means something to GitHub's Markdown in the middle of a line."""


def markdown_text(text: str) -> str:
    """`text` as Markdown shows it literally: no markup, no HTML, no links."""
    return _MARKDOWN.sub(r"\\\g<0>", printable(text))


def markdown_prose(text: str) -> str:
    """Literal text, with what stands in backticks as code."""
    parts = re.split("`([^`]+)`", text)
    return "".join(
        markdown_code(part) if i % 2 else markdown_text(part) for i, part in enumerate(parts)
    )


def markdown_code(text: str) -> str:
    """`text` as a code span that may stand in a table."""
    content = printable(text).replace("|", r"\|")
    if not content.strip():
        return ""
    longest = max((len(run) for run in re.findall("`+", content)), default=0)
    fence = "`" * (longest + 1)
    padding = " " if content[0] == "`" or content[-1] == "`" else ""
    return f"{fence}{padding}{content}{padding}{fence}"


def within_summary(text: str) -> str:
    """`text`, cut at a line when a summary of a CI job has no room for it."""
    content = text.encode()
    if len(content) <= MOST_BYTES:
        return text
    room = MOST_BYTES - len(LEFT_OUT.encode())
    whole = content[: content.rindex(b"\n", 0, room) + 1].decode()
    end = "\n</details>\n" if whole.count("<details>") > whole.count("</details>") else ""
    return whole + end + LEFT_OUT


def table(heading: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """The lines of a table; cells that are missing at the end of a row are empty."""
    yield f"| {' | '.join(heading)} |"
    yield f"|{'---|' * len(heading)}"
    for row in rows:
        yield f"| {' | '.join([*row, *[''] * (len(heading) - len(row))])} |"
