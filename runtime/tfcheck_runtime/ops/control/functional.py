"""`tf.map_fn`, `tf.foldl`, `tf.foldr`, `tf.scan` and `tf.vectorized_map`.

All are loops over the first axis that collect results in TensorArrays. Follows
https://www.tensorflow.org/api_docs/python/tf/map_fn and the pages of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tfcheck_runtime import dispatch
from tfcheck_runtime.errors import OutOfRangeError, invalid_argument
from tfcheck_runtime.ops.array.gathering import gather
from tfcheck_runtime.ops.array.shaping import reshape, shape
from tfcheck_runtime.ops.control.bodies import Structure, as_tensor
from tfcheck_runtime.ops.control.looping import while_loop
from tfcheck_runtime.ops.control.tensor_array import TensorArray
from tfcheck_runtime.specs import nest
from tfcheck_runtime.specs.dtypes import DType, as_dtype
from tfcheck_runtime.specs.shapes import merge
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import EagerTensor, Tensor

Converter = Callable[[Callable[..., Any]], Callable[..., Any]]


class _Conversion:
    """How functions handed to these ops get their control flow converted."""

    convert: Converter = staticmethod(lambda function: function)


def convert_functions_with(convert: Converter) -> None:
    """Let `convert` see every function before it is traced; AutoGraph sets itself here."""
    _Conversion.convert = staticmethod(convert)


def converted(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` with its control flow converted."""
    return _Conversion.convert(function)


@dataclass(frozen=True, slots=True)
class _Rows:
    """A structure of tensors of equal first axis, read row by row."""

    structure: Structure
    count: Any  # an int where it is known, else a tensor

    def row(self, index: object) -> Structure:
        """The structure of rows at `index`."""
        return nest.map_structure(lambda t: gather(t, index), self.structure)


def _rows(elems: Structure) -> _Rows:
    tensors = nest.map_structure(convert_to_tensor, elems)
    flat = nest.flatten(tensors)
    if not flat:
        raise ValueError("elems must hold at least one tensor")
    if any(t.static_shape == () for t in flat):
        raise ValueError("Elements in elems must be 1+ dimensional Tensors, not scalars")
    return _Rows(nest.map_structure(_one, tensors), _common_size(flat))


def _one(tensor: Tensor) -> Tensor:
    # Eagerly the gradients of rows are slices, and become one tensor again here.
    return reshape(tensor, shape(tensor)) if isinstance(tensor, EagerTensor) else tensor


def _common_size(tensors: Sequence[Tensor]) -> Any:
    known: tuple[int | None, ...] = (None,)
    for tensor in tensors:
        own = tensor.static_shape
        try:
            known = merge(known, own[:1] if own else (None,)) or (None,)
        except ValueError:
            sizes = [t.static_shape[0] for t in tensors if t.static_shape]
            raise ValueError(
                f"Dimensions {' and '.join(map(str, sizes))} are not compatible: all tensors in"
                " elems need the same first axis"
            ) from None
    return shape(tensors[0])[0] if known[0] is None else known[0]


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
    """`fn` of each row of `elems`, stacked.

    Args:
        fn: takes a row of `elems` (a structure when `elems` is one) and returns tensors.
        elems: tensors of equal first axis.
        dtype: old name of `fn_output_signature`.
        parallel_iterations: accepted, without effect.
        back_prop: accepted, without effect.
        swap_memory: accepted, without effect.
        infer_shape: whether all results must have one shape.
        name: of the loop.
        fn_output_signature: dtypes or TensorSpecs of what `fn` returns; by default as `elems`.

    Raises:
        InvalidArgumentError: `fn` returns another dtype than declared.
        ValueError: `elems` holds scalars, or tensors of different first axes.
    """
    rows = _rows(elems)
    declared = dtype if fn_output_signature is None else fn_output_signature
    kinds = nest.map_structure(_dtype_of, rows.structure if declared is None else declared)
    results = _collect(converted(fn), rows, kinds, name=name or "map")
    if declared is None:
        nest.assert_same_structure(rows.structure, results)
    return results


def _dtype_of(value: Any) -> DType:
    return as_dtype(value.dtype if hasattr(value, "dtype") else value)


def _collect(fn: Callable[..., Any], rows: _Rows, kinds: Structure, *, name: str) -> Structure:
    arrays = nest.map_structure(lambda k: TensorArray(k, rows.count), kinds)

    def step(i: Tensor, filled: Structure) -> tuple[Any, Structure]:
        result = fn(rows.row(i))
        nest.assert_same_structure(kinds, result, check_types=False)
        return i + 1, nest.map_structure(lambda a, v: a.write(i, v), filled, result)

    _, filled = while_loop(lambda i, _: i < rows.count, step, (0, arrays), name=f"{name}/while")
    return nest.map_structure(lambda a: a.stack(), filled)


def vectorized_map(
    fn: Callable[..., Any],
    elems: Structure,
    fallback_to_while_loop: bool = True,
    warn: bool = True,
) -> Any:
    """`fn` of each row of `elems`, stacked; rows of a single one are repeated.

    See https://www.tensorflow.org/api_docs/python/tf/vectorized_map.
    """
    tensors = nest.map_structure(convert_to_tensor, elems)
    sizes = [t.static_shape[0] for t in nest.flatten(tensors) if t.static_shape]
    most = max((s for s in sizes if s is not None), default=None)
    widened = nest.map_structure(lambda t: _repeated(t, most), tensors)
    rows = _rows(widened)
    kinds = _result_dtypes(fn, rows)
    return _collect(fn, rows, kinds, name="vectorized_map")


def _repeated(tensor: Tensor, count: int | None) -> Tensor:
    own = tensor.static_shape
    if not own or own[0] != 1 or count in (None, 1):
        return tensor
    return gather(tensor, [0] * int(count or 1))


def _result_dtypes(fn: Callable[..., Any], rows: _Rows) -> Structure:
    from_first = fn(rows.row(0))
    return nest.map_structure(lambda v: as_tensor(v).dtype, from_first)


def foldl(
    fn: Callable[..., Any],
    elems: Structure,
    initializer: Structure = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """`fn(… fn(fn(initializer, row 0), row 1) …)`; without `initializer` row 0 stands for it.

    See https://www.tensorflow.org/api_docs/python/tf/foldl.
    """
    return _fold(fn, elems, initializer, reverse=False, name=name or "foldl")


def foldr(
    fn: Callable[..., Any],
    elems: Structure,
    initializer: Structure = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """`foldl` from the last row to the first.

    See https://www.tensorflow.org/api_docs/python/tf/foldr.
    """
    return _fold(fn, elems, initializer, reverse=True, name=name or "foldr")


def _fold(
    fn: Callable[..., Any], elems: Structure, initializer: Structure, *, reverse: bool, name: str
) -> Any:
    rows = _rows(elems)
    call = converted(fn)
    start, first = _start(rows, initializer, reverse=reverse)
    position = _position(rows, reverse=reverse)

    def step(i: Tensor, value: Structure) -> tuple[Any, Structure]:
        return i + 1, call(value, rows.row(position(i)))

    _, result = while_loop(lambda i, _: i < rows.count, step, (first, start), name=f"{name}/while")
    return result


def _start(rows: _Rows, initializer: Structure, *, reverse: bool) -> tuple[Structure, int]:
    """The first value, and the number of rows it uses up."""
    if initializer is not None:
        return nest.map_structure(convert_to_tensor, initializer), 0
    if rows.count is not None and isinstance(rows.count, int) and rows.count == 0:
        if dispatch.current_graph() is None:
            raise OutOfRangeError(None, None, "Tried to read from index 0 but array size is: 0")
        raise invalid_argument("Trying to access element 0 in a list with 0 elements.")
    return rows.row(rows.count - 1 if reverse else 0), 1


def _position(rows: _Rows, *, reverse: bool) -> Callable[[Any], Any]:
    return (lambda i: rows.count - 1 - i) if reverse else (lambda i: i)


def scan(
    fn: Callable[..., Any],
    elems: Structure,
    initializer: Structure = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """All values that `foldl` (or, reversed, `foldr`) goes through, stacked.

    See https://www.tensorflow.org/api_docs/python/tf/scan.
    """
    rows = _rows(elems)
    call = converted(fn)
    start, first = _start(rows, initializer, reverse=reverse)
    position = _position(rows, reverse=reverse)
    arrays = nest.map_structure(lambda v: TensorArray(v.dtype, rows.count), start)
    if first:
        arrays = _write(arrays, position(0), start)

    def step(i: Tensor, value: Structure, filled: Structure) -> tuple[Any, Structure, Structure]:
        following = call(value, rows.row(position(i)))
        nest.assert_same_structure(start, following, check_types=False)
        return i + 1, following, _write(filled, position(i), following)

    _, _, filled = while_loop(
        lambda i, *_: i < rows.count,
        step,
        (first, start, arrays),
        name=f"{name or 'scan'}/while",
    )
    return nest.map_structure(lambda a: a.stack(), filled)


def _write(arrays: Structure, index: object, values: Structure) -> Structure:
    return nest.map_structure(lambda a, v: a.write(index, v), arrays, values)
