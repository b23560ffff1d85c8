"""Trace types: subtyping, common supertypes, casts."""

from __future__ import annotations

from hypothesis import given, strategies as st

from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.shapes import Shape
from tfcheck_runtime.specs.tensor_spec import TensorSpec
from tfcheck_runtime.specs.trace_type import DictType, ListType, Literal, TraceType, TupleType

shapes: st.SearchStrategy[Shape] = st.none() | st.lists(
    st.sampled_from([None, 1, 2]), max_size=2
).map(tuple)
leaves: st.SearchStrategy[TraceType] = st.builds(
    TensorSpec, shapes, st.sampled_from([dtypes.float32, dtypes.int32])
) | st.builds(Literal, st.sampled_from([1, 2, "a", None]))
types: st.SearchStrategy[TraceType] = st.recursive(
    leaves,
    lambda inside: (
        st.lists(inside, max_size=2).map(ListType)
        | st.lists(inside, max_size=2).map(TupleType)
        | st.tuples(inside, inside).map(lambda p: DictType(("a", "b"), p, {"a": 0, "b": 0}))
    ),
    max_leaves=4,
)


@given(types)
def test_a_type_is_a_subtype_of_itself(kind: TraceType) -> None:
    assert kind.is_subtype_of(kind)
    assert kind.most_specific_common_supertype([kind]) == kind


@given(types, types, types)
def test_subtyping_is_transitive(a: TraceType, b: TraceType, c: TraceType) -> None:
    assert not (a.is_subtype_of(b) and b.is_subtype_of(c)) or a.is_subtype_of(c)


@given(types, types)
def test_a_common_supertype_covers_both_and_does_not_depend_on_the_order(
    a: TraceType, b: TraceType
) -> None:
    common = a.most_specific_common_supertype([b])

    assert common == b.most_specific_common_supertype([a])
    if common is not None:
        assert a.is_subtype_of(common)
        assert b.is_subtype_of(common)


@given(types, types)
def test_a_subtype_and_its_supertype_have_the_supertype_in_common(
    a: TraceType, b: TraceType
) -> None:
    if a.is_subtype_of(b):
        assert a.most_specific_common_supertype([b]) == b


@given(types, types)
def test_equal_types_have_equal_hashes(a: TraceType, b: TraceType) -> None:
    assert a != b or hash(a) == hash(b)
