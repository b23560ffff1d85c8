"""Equations of einsum: which letter names which axis."""

from __future__ import annotations

import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tfcheck_runtime.specs.shapes import Shape, broadcast


@dataclass(frozen=True, slots=True)
class Equation:
    """Labels of the inputs' axes and of the output's; `...` may be among them."""

    inputs: tuple[str, ...]
    output: str

    def __str__(self) -> str:
        return f"{','.join(self.inputs)}->{self.output}"

    def shape(self, shapes: Sequence[Shape]) -> Shape:
        """The shape of the output, as far as known.

        Raises:
            ValueError: ranks or sizes do not fit.
        """
        if any(s is None for s in shapes):
            return None if "..." in self.output else (None,) * len(self.output)
        sizes: dict[str, int | None] = {}
        shared: Shape = ()
        for labels, shape in zip(self.inputs, shapes, strict=True):
            for label, size in _named(labels, shape or ()):
                _note(sizes, label, size)
            shared = broadcast(shared, _shared(labels, shape or ()))
        head, dots, tail = self.output.partition("...")
        middle = (shared or ()) if dots else ()
        return (*(sizes[c] for c in head), *middle, *(sizes[c] for c in tail))

    def explicit(self, shapes: Sequence[Shape]) -> Equation:
        """The equation with letters for the axes behind `...`, counted from the last.

        Raises:
            ValueError: a rank is unknown.
        """
        if not any("..." in labels for labels in self.inputs):
            return self
        used = {c for labels in (*self.inputs, self.output) for c in labels}
        free = [c for c in string.ascii_letters if c not in used]
        counts = []
        for labels, shape in zip(self.inputs, shapes, strict=True):
            if shape is None:
                raise ValueError("the gradient of einsum with `...` needs ranks while tracing")
            counts.append(len(shape) - len(labels.replace("...", "")))
        most = max(c for c, labels in zip(counts, self.inputs, strict=True) if "..." in labels)
        letters = "".join(free[:most])
        inputs = tuple(
            labels.replace("...", letters[most - count :])
            for labels, count in zip(self.inputs, counts, strict=True)
        )
        return Equation(inputs, self.output.replace("...", letters))


def _named(labels: str, shape: tuple[int | None, ...]) -> Iterator[tuple[str, int | None]]:
    head, dots, tail = labels.partition("...")
    count = len(head) + len(tail)
    if len(shape) < count or (not dots and len(shape) != count):
        raise ValueError(f"Expected {count} axes for `{labels}`, got shape {shape}")
    yield from zip(head, shape[: len(head)], strict=True)
    yield from zip(tail, shape[len(shape) - len(tail) :], strict=True)


def _shared(labels: str, shape: tuple[int | None, ...]) -> Shape:
    head, dots, tail = labels.partition("...")
    return shape[len(head) : len(shape) - len(tail)] if dots else ()


def _note(sizes: dict[str, int | None], label: str, size: int | None) -> None:
    before = sizes.get(label)
    if before is not None and size is not None and before != size:
        raise ValueError(
            f"Dimensions must be equal, but are {before} and {size} for the axis `{label}`"
        )
    sizes[label] = size if before is None else before


def parse(equation: str, count: int) -> Equation:
    """The parts of an equation for `count` inputs.

    Raises:
        ValueError: it is malformed.
    """
    left, arrow, right = equation.replace(" ", "").partition("->")
    inputs = tuple(left.split(","))
    if len(inputs) != count:
        raise ValueError(f"Got {count} inputs for equation `{equation}`, expecting {len(inputs)}")
    for labels in (*inputs, right):
        plain = labels.replace("...", "", 1)
        if plain and not (plain.isascii() and plain.isalpha()):
            raise ValueError(
                f"Subscripts of einsum are letters and one `...`, got `{labels}` in `{equation}`"
            )
    output = right if arrow else _implied(inputs)
    known = set("".join(inputs))
    for label in output.replace("...", ""):
        if label not in known:
            raise ValueError(
                f"Output subscripts contain the label {label} not present in the input subscripts."
            )
        if output.count(label) > 1:
            raise ValueError(f"Output subscripts contain the label {label} more than once.")
    return Equation(inputs, output)


def _implied(inputs: Sequence[str]) -> str:
    """Without an arrow: the letters that occur once, in alphabetical order."""
    joined = "".join(inputs)
    once = sorted(c for c in set(joined) - {"."} if joined.count(c) == 1)
    return ("..." if "..." in joined else "") + "".join(once)
