"""Why no existing trace served a call: the call's types against the nearest trace's, part by part.

From coarse to fine: structure, then kind of leaf, dtype, rank, shape, Python value, object.
"""

from __future__ import annotations

from collections.abc import Sequence

from tfcheck_runtime.events import Cause, CauseKind
from tfcheck_runtime.function.signature import FunctionType
from tfcheck_runtime.specs.tensor_spec import TensorSpec, VariableSpec
from tfcheck_runtime.specs.trace_type import Literal, TraceType, Weakref

Pair = tuple[str, TraceType, TraceType]


_MOST_COMPARED = 100
"""Of the latest traces: who has more of them makes one for each of many values."""


def causes(kind: FunctionType, existing: Sequence[FunctionType]) -> tuple[Cause, ...]:
    """The leaves in which `kind` differs from the nearest of the `existing` types.

    Without any that has the same parameters, the whole signature is the cause.
    """
    alike = [other for other in existing[-_MOST_COMPARED:] if other.outline == kind.outline]
    if not alike:
        before = existing[-1].text() if existing else ""
        return (Cause(CauseKind.STRUCTURE, "", before, kind.text()),)
    # The latest of equally near ones: it is what the user did last.
    differences = [_differences(kind, other) for other in reversed(alike)]
    nearest = min(differences, key=_distance)
    return tuple(_cause(path, new, old) for path, new, old in nearest)


def _differences(kind: FunctionType, other: FunctionType) -> list[Pair]:
    found: list[Pair] = []
    for mine, theirs in zip(kind.parameters, other.parameters, strict=True):
        found.extend(_pairs(mine.name, mine.type, theirs.type))
    return found


def _pairs(path: str, new: TraceType, old: TraceType) -> list[Pair]:
    if new.is_subtype_of(old):
        return []
    mine, theirs = new.children(), old.children()
    if type(new) is not type(old) or not mine or [s for s, _ in mine] != [s for s, _ in theirs]:
        return [(path, new, old)]
    found: list[Pair] = []
    for (step, part), (_, other) in zip(mine, theirs, strict=True):
        found.extend(_pairs(path + step, part, other))
    return found


def _distance(pairs: list[Pair]) -> tuple[int, int]:
    return len(pairs), sum(_COARSENESS.index(_kind(new, old)) for _, new, old in pairs)


_COARSENESS = (
    CauseKind.SHAPE,
    CauseKind.PYTHON_VALUE,
    CauseKind.OBJECT,
    CauseKind.DEAD_REFERENCE,
    CauseKind.VARIABLE,
    CauseKind.RANK,
    CauseKind.DTYPE,
    CauseKind.STRUCTURE,
)


def _cause(path: str, new: TraceType, old: TraceType) -> Cause:
    return Cause(_kind(new, old), path, repr(old), repr(new))


def _kind(new: TraceType, old: TraceType) -> CauseKind:
    match new, old:
        case TensorSpec(), TensorSpec():
            return _tensor_kind(new, old)
        case VariableSpec(), VariableSpec():
            return CauseKind.VARIABLE
        case Literal(), Literal():
            return CauseKind.PYTHON_VALUE
        case Weakref(), Weakref():
            return CauseKind.DEAD_REFERENCE if old.is_dead else CauseKind.OBJECT
        case _:
            return CauseKind.STRUCTURE


def _tensor_kind(new: TensorSpec, old: TensorSpec) -> CauseKind:
    if new.dtype is not old.dtype:
        return CauseKind.DTYPE
    mine, theirs = new.static_shape, old.static_shape
    if mine is None or theirs is None or len(mine) != len(theirs):
        return CauseKind.RANK
    return CauseKind.SHAPE
