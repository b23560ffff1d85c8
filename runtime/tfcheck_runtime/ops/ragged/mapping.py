"""`tf.map_fn` where rows go in or come out that differ in length."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfcheck_runtime import dispatch
from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.filling import zeros
from tfcheck_runtime.ops.array.gathering import gather
from tfcheck_runtime.ops.array.joining import concat
from tfcheck_runtime.ops.array.shaping import shape as shape_of
from tfcheck_runtime.ops.control.functional import converted
from tfcheck_runtime.ops.control.looping import while_loop
from tfcheck_runtime.ops.ragged.joining import as_values
from tfcheck_runtime.ops.ragged.spec import RaggedTensorSpec
from tfcheck_runtime.ops.ragged.tensor import RaggedTensor
from tfcheck_runtime.specs import dtypes, nest
from tfcheck_runtime.specs.dtypes import as_dtype
from tfcheck_runtime.specs.shapes import TensorShape
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor

Structure = Any  # any nesting of tensors, ragged tensors and their types


class _Dense:
    """Collects results of one shape: each is a row of a tensor."""

    def __init__(self, kind: Any) -> None:
        self._dtype = as_dtype(getattr(kind, "dtype", kind))
        shape = getattr(kind, "shape", None)
        self._shape = None if shape is None or shape.rank is None else tuple(shape.as_list())

    def parts(self, result: Any) -> list[Tensor]:
        """What a result adds to each of the tensors that grow."""
        value: Any = convert_to_tensor(result, self._dtype)
        if self._shape is None or None in self._shape:
            self._shape = value.static_shape
        return [value[None]]

    def empty(self) -> list[Tensor]:
        """The tensors that grow, without rows."""
        if self._shape is None or None in self._shape:
            raise NotImplementedError(
                "tf.map_fn over ragged tensors in a graph: give `fn_output_signature` as a"
                " TensorSpec of a known shape, or as a RaggedTensorSpec"
            )
        return [zeros([0, *self._shape], self._dtype)]

    def around(self, tensors: list[Any]) -> Any:
        """All results."""
        return tensors[0]


class _Ragged:
    """Collects results that differ in length: how long each is, and the values end to end."""

    def __init__(self, kind: RaggedTensorSpec) -> None:
        self._kind = kind
        self._levels = kind.ragged_rank

    def parts(self, result: Any) -> list[Tensor]:
        """The number of rows, the lengths of inner rows, and the values."""
        splits = self._kind.row_splits_dtype
        value = as_values(result, self._kind.dtype)
        if self._levels and not isinstance(value, RaggedTensor):
            value = RaggedTensor.from_tensor(value, ragged_rank=self._levels)
        if not isinstance(value, RaggedTensor):
            sizes: Any = shape_of(value, out_type=splits)
            return [sizes[:1], value]
        lengths = [cast(n, splits) for n in value.nested_row_lengths()]
        count: Any = cast(value.nrows(), splits)
        return [count[None], *lengths, value.flat_values]

    def empty(self) -> list[Tensor]:
        """The same before there is any result."""
        sizes = self._kind.static_shape
        inner = None if sizes is None else sizes[self._levels + 1 :]
        if inner is None or None in inner:
            raise NotImplementedError(
                f"tf.map_fn in a graph: the inner shape of {self._kind!r} must be known"
            )
        none = zeros([0], self._kind.row_splits_dtype)
        return [none] * (self._levels + 1) + [zeros([0, *inner], self._kind.dtype)]

    def around(self, tensors: list[Any]) -> Any:
        """All results as rows."""
        *lengths, made = tensors
        for own in reversed(lengths):
            made = RaggedTensor.from_row_lengths(made, own, validate=False)
        return made


def map_fn(
    fn: Callable[..., Any],
    elems: Structure,
    dtype: Structure = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: Structure = None,
) -> Any:
    """`tf.map_fn` over ragged rows, or to results that differ in length.

    Raises:
        ValueError: the structure of results is not the one declared.
    """
    values = nest.map_structure(as_values, elems)
    declared = dtype if fn_output_signature is None else fn_output_signature
    kinds = nest.map_structure(_row_kind, values) if declared is None else declared
    collectors: list[_Dense | _Ragged] = [
        _Ragged(k) if isinstance(k, RaggedTensorSpec) else _Dense(k) for k in nest.flatten(kinds)
    ]
    function = converted(fn)

    def parts(i: Any) -> list[Tensor]:
        result = function(nest.map_structure(lambda v: _row(v, i), values))
        nest.assert_same_structure(kinds, result, check_types=False)
        made = zip(collectors, nest.flatten(result), strict=True)
        return [part for c, own in made for part in c.parts(own)]

    count = _count(nest.flatten(values)[0])
    whole = _collected(parts, count, collectors, name=f"{name or 'map'}/while")
    tensors = iter(whole)
    made = [c.around([next(tensors) for _ in c.empty()]) for c in collectors]
    return nest.pack_sequence_as(kinds, made)


def _collected(
    parts: Callable[[Any], list[Tensor]], count: Any, collectors: Sequence[Any], *, name: str
) -> list[Tensor]:
    """The parts of all rows end to end."""
    if dispatch.current_graph() is None:
        found = [parts(i) for i in range(int(count))]
        if found:
            return [concat(list(column), 0) for column in zip(*found, strict=True)]
        return [t for c in collectors for t in c.empty()]
    start: list[Any] = [t for c in collectors for t in c.empty()]

    def step(i: Any, *grown: Any) -> list[Any]:
        more = zip(grown, parts(i), strict=True)
        return [i + 1, *(concat([old, new], 0) for old, new in more)]

    # Rows of unlike lengths have no place in a TensorArray: the tensors grow.
    shapes = [TensorShape([]), *(TensorShape([None, *t.shape[1:].as_list()]) for t in start)]
    grown: list[Tensor]
    _, *grown = while_loop(
        lambda i, *_: i < count, step, [convert_to_tensor(0), *start],
        shape_invariants=shapes, name=name,
    )  # fmt: skip
    return grown


def _row(value: Any, i: Any) -> Any:
    return value[i] if isinstance(value, RaggedTensor) else gather(value, i)


def _row_kind(value: Any) -> Any:
    """The type of the results where none is declared: that of the rows."""
    if not isinstance(value, RaggedTensor):
        return value.dtype
    shape = value.shape
    inner = None if shape.rank is None else shape[1:]
    return RaggedTensorSpec(inner, value.dtype, value.ragged_rank - 1, value.row_splits.dtype)


def _count(value: Any) -> Any:
    if isinstance(value, RaggedTensor):
        return value.nrows(dtypes.int32)
    sizes: Any = shape_of(value)
    return sizes[0]
