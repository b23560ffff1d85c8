"""Tables of the page, which a script makes sortable."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tfcheck.report.markup import Html, tag


@dataclass(frozen=True, slots=True)
class Cell:
    """What stands in a table, and the number to sort it by."""

    content: str
    value: float | None = None
    kind: str = ""
    """A class of the style sheet."""


def number(value: int) -> Cell:
    """A count."""
    return Cell(str(value), value)


def table(
    headings: Sequence[str], rows: Iterable[Sequence[Cell]], *, sortable: bool = True
) -> Html:
    """The rows under their headings; numbers are to the right."""
    listed = list(rows)
    numeric = [any(row[i].value is not None for row in listed) for i in range(len(headings))]
    head = [
        tag("th", heading, scope="col", class_="n" if right else None)
        for heading, right in zip(headings, numeric, strict=True)
    ]
    body = [tag("tr", *map(_cell, row)) for row in listed]
    element = tag(
        "table",
        tag("thead", tag("tr", *head)),
        tag("tbody", *body),
        class_="sortable" if sortable and len(listed) > 1 else None,
    )
    return scrollable(element, label=f"table by {headings[0] or headings[1]}")


def scrollable(content: Html, *, label: str) -> Html:
    """What may be wider than the page; the keyboard can scroll it."""
    return tag("div", content, class_="scroll", tabindex=0, role="region", aria_label=label)


def _cell(cell: Cell) -> Html:
    classes = " ".join(filter(None, ["n" if cell.value is not None else "", cell.kind]))
    return tag("td", cell.content, class_=classes or None, data_value=cell.value)
