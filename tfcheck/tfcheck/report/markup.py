"""Builds HTML whose text cannot be taken for markup: all that is no `Html` is escaped."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable

from tfcheck.report.text import printable

_VOID = frozenset({"br", "meta"})
"""Elements of the page that have no content."""


class Html(str):
    """Text that is markup already."""

    __slots__ = ()


def text(content: str) -> Html:
    """User text, shown as it is; control and formatting characters as escapes."""
    return Html(html.escape(printable(content), quote=True))


def join(parts: Iterable[str], *, between: str = "") -> Html:
    """The parts one after another."""
    return Html(text(between).join(_safe(part) for part in parts))


def tag(name: str, /, *children: str, **attributes: str | float | bool | None) -> Html:
    """An element; attributes that are None or False are left out, `class_` is `class`."""
    written = "".join(_attribute(*pair) for pair in attributes.items())
    if name in _VOID:
        return Html(f"<{name}{written}>")
    return Html(f"<{name}{written}>{join(children)}</{name}>")


def raw_element(name: str, content: str) -> Html:
    """A `style` or `script` of our own, which browsers do not unescape.

    Raises:
        ValueError: the content would end the element.
    """
    if f"</{name}" in content.lower():
        raise ValueError(f"the content of <{name}> contains its end tag")
    return Html(f"<{name}>{content}</{name}>")


def prose(content: str) -> Html:
    """Text with what stands in backticks as code."""
    parts = re.split(r"`([^`]+)`", content)
    return join(tag("code", part) if i % 2 else part for i, part in enumerate(parts))


def _safe(part: str) -> str:
    return part if isinstance(part, Html) else text(part)


def _attribute(name: str, value: str | float | bool | None) -> str:
    if value is None or value is False:
        return ""
    key = name.removesuffix("_").replace("_", "-")
    if value is True:
        return f" {key}"
    written = f"{value:.6g}" if isinstance(value, float) else str(value)
    return f' {key}="{text(written)}"'
