"""Takes f-strings apart with every character as it was written, which `ast` does not keep."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of an f-string: plain text without its quotes, or an expression."""

    text: str
    is_expression: bool


@dataclass(frozen=True, slots=True)
class FormattedString:
    """An f-string that is one literal without format specifications or conversions."""

    prefix: str
    quote: str
    pieces: tuple[Piece, ...]


def take_apart(code: str) -> FormattedString | None:
    """The pieces of the f-string that `code` spells; None where a piece has a format."""
    # libcst takes a quarter of a second to load: only fixes of f-strings pay for it.
    import libcst as cst

    string = cst.parse_expression(f"({code})")
    if not isinstance(string, cst.FormattedString):
        return None
    pieces: list[Piece] = []
    for part in string.parts:
        if isinstance(part, cst.FormattedStringText):
            text = part.value.replace("{{", "{").replace("}}", "}")
            pieces.append(Piece(text, is_expression=False))
        elif isinstance(part, cst.FormattedStringExpression):
            if part.conversion or part.format_spec or part.equal:
                return None
            spelled = cst.Module([]).code_for_node(part.expression)
            pieces.append(Piece(spelled, is_expression=True))
    return FormattedString(string.prefix, string.end, tuple(pieces))
