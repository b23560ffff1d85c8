"""The type of an instance of a class with declared fields, such as an extension type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfcheck_runtime.specs.tensor_spec import TypeSpec
from tfcheck_runtime.specs.trace_type import Literal, RecordType, TraceType


class RecordSpec(RecordType, TypeSpec):
    """A class and the types of its fields; prints as `Class.Spec(field=…)`."""

    def rebuild(self, values: list[Any]) -> Any:
        """An instance with these fields, its constructor left out: it may take something else."""
        made: Any = object.__new__(self.kind)
        made.__dict__.update(zip(self.fields, values, strict=True))
        return made

    def with_parts(self, parts: Sequence[TraceType]) -> RecordSpec:
        """The same class with fields of these types."""
        return RecordSpec(self.kind, self.fields, parts)

    def is_compatible_with(self, spec_or_value: object) -> bool:
        """Whether a value is of the class, or a spec of the same class with types that fit."""
        if isinstance(spec_or_value, RecordSpec):
            return spec_or_value.is_subtype_of(self) or self.is_subtype_of(spec_or_value)
        return isinstance(spec_or_value, self.kind)

    def __repr__(self) -> str:
        pairs = zip(self.fields, self.parts, strict=True)
        inside = ", ".join(f"{field}={_shown(part)}" for field, part in pairs)
        return f"{self.kind.__name__}.Spec({inside})"


def _shown(part: TraceType) -> str:
    return repr(part.value) if isinstance(part, Literal) else repr(part)
