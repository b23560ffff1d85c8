"""`tf.debugging.assert_rank*`, `assert_scalar`, `assert_shapes`: checks of shapes.

They look at static shapes; where a rank is unknown while tracing, the check runs with the graph.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tfcheck_runtime.graph.operation import Operation
from tfcheck_runtime.ops.array.shaping import rank as rank_of
from tfcheck_runtime.ops.control.asserting import assert_
from tfcheck_runtime.ops.math.comparison import equal, greater_equal
from tfcheck_runtime.ops.math.logic import logical_or
from tfcheck_runtime.specs.dtypes import DType
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import SymbolicTensor, Tensor, nothing_to_do


def _named(tensor: Tensor) -> str:
    return tensor.name if isinstance(tensor, SymbolicTensor) else ""


def _start(message: str | None) -> str:
    return f"{message}.  " if message else ""


def _refuse_rank(tensor: Tensor, wanted: str, message: str | None) -> None:
    raise ValueError(
        f"{_start(message)}Tensor {_named(tensor)} must have rank {wanted}.  Received rank"
        f" {tensor.ndim}, shape {tensor.shape}"
    )


def assert_rank(
    x: object, rank: int, message: str | None = None, name: str | None = None
) -> Operation | None:
    """Check the number of axes.

    Raises:
        ValueError: it is another one.
    """
    tensor = convert_to_tensor(x)
    if tensor.ndim is None:
        text = message or f"Tensor must have rank {rank}"
        return assert_(equal(rank_of(tensor), rank), [text])
    if tensor.ndim != rank:
        _refuse_rank(tensor, str(rank), message)
    return nothing_to_do("NoOp")


def assert_rank_at_least(
    x: object, rank: int, message: str | None = None, name: str | None = None
) -> Operation | None:
    """Check that there are at least `rank` axes.

    Raises:
        ValueError: there are fewer.
    """
    tensor = convert_to_tensor(x)
    if tensor.ndim is None:
        text = message or f"Tensor must have rank at least {rank}"
        return assert_(greater_equal(rank_of(tensor), rank), [text])
    if tensor.ndim < rank:
        _refuse_rank(tensor, f"at least {rank}", message)
    return nothing_to_do("NoOp")


def assert_rank_in(
    x: object, ranks: Sequence[int], message: str | None = None, name: str | None = None
) -> Operation | None:
    """Check that the number of axes is one of `ranks`.

    Raises:
        ValueError: it is none of them.
    """
    tensor = convert_to_tensor(x)
    if tensor.ndim is not None:
        if tensor.ndim not in ranks:
            _refuse_rank(tensor, f"in {tuple(sorted(ranks))}", message)
        return nothing_to_do("NoOp")
    holds: Tensor = equal(rank_of(tensor), ranks[0])
    for other in ranks[1:]:
        holds = logical_or(holds, equal(rank_of(tensor), other))
    return assert_(holds, [message or f"Tensor must have rank in {tuple(ranks)}"])


def assert_scalar(tensor: object, name: str | None = None, message: str | None = None) -> Tensor:
    """Check that a tensor has no axes; returns it.

    Raises:
        ValueError: it has.
    """
    value = convert_to_tensor(tensor)
    if value.ndim not in (0, None):
        what = f" for {_named(value)}" if _named(value) else ""
        raise ValueError(f"{_start(message)}Expected scalar shape{what}, saw shape: {value.shape}.")
    return value


Symbol = int | str | None


def assert_shapes(
    shapes: Mapping[Any, Any] | Iterable[tuple[Any, Any]],
    data: object = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> None:
    """Check shapes against each other: equal symbols stand for equal sizes.

    Args:
        shapes: pairs of a tensor and its expected dimensions: ints, names, None or "." for any;
            "..." or "*" first for any number of leading axes.
        data: accepted, without effect.
        summarize: accepted, without effect.
        message: put before the error.
        name: accepted, without effect.

    Raises:
        ValueError: a size differs from what was expected or seen before.
    """
    pairs = shapes.items() if isinstance(shapes, Mapping) else shapes
    seen: dict[str, tuple[int, str]] = {}
    for value, symbols in pairs:
        tensor = convert_to_tensor(value)
        wanted = tuple(symbols) if not isinstance(symbols, int | str) else (symbols,)
        _match(tensor, wanted, seen, _start(message))


def _match(
    tensor: Tensor, wanted: tuple[Symbol, ...], seen: dict[str, tuple[int, str]], start: str
) -> None:
    actual = tensor.static_shape
    if actual is None:
        return
    what = _named(tensor) or f"shape={tensor.shape} dtype={tensor.dtype.name}"
    open_start = bool(wanted) and wanted[0] in ("...", "*")
    sizes = wanted[1:] if open_start else wanted
    if len(actual) < len(sizes) or (not open_start and len(actual) != len(sizes)):
        raise ValueError(
            f"{start}Tensor {what} must have rank {len(sizes)}.  Received rank {len(actual)},"
            f" shape {tensor.shape}"
        )
    offset = len(actual) - len(sizes)
    for axis, symbol in enumerate(sizes, offset):
        _match_axis(tensor, axis, symbol, (seen, f"{start}{{}}Tensor {what}"))


def _match_axis(
    tensor: Tensor, axis: int, symbol: Symbol, context: tuple[dict[str, tuple[int, str]], str]
) -> None:
    seen, template = context
    size = (tensor.static_shape or ())[axis]
    if size is None or symbol in (None, "."):
        return
    expected, origin = (
        (symbol, "") if isinstance(symbol, int) else seen.get(str(symbol), (size, ""))
    )
    if size != expected:
        raise ValueError(
            f"{template.format(origin)} dimension {axis} must have size {expected}.  Received size"
            f" {size}, shape {tensor.shape}"
        )
    if isinstance(symbol, str):
        what = _named(tensor) or f"shape={tensor.shape} dtype={tensor.dtype.name}"
        seen.setdefault(symbol, (size, f"Specified by tensor {what} dimension {axis}.  "))


def assert_proper_iterable(values: object) -> None:
    """Check that a value is an iterable of things, and no tensor, array or string.

    Raises:
        TypeError: it is not.
    """
    if isinstance(values, Tensor | str | bytes) or hasattr(values, "__array__"):
        raise TypeError(
            f'Expected argument "values" to be a "proper" iterable.  Found: {type(values)}'
        )
    if not isinstance(values, Iterable):
        raise TypeError(f'Expected argument "values" to be iterable.  Found: {type(values)}')


def assert_same_float_dtype(
    tensors: Sequence[Tensor] | None = None, dtype: DType | None = None
) -> DType | None:
    """Check that tensors share one floating-point dtype; returns it.

    Raises:
        ValueError: they differ, or are not floating.
    """
    expected, first = dtype, None
    for tensor in tensors or ():
        if expected is None:
            expected, first = tensor.dtype, tensor
        if tensor.dtype is not expected:
            what = f" as {_named(first) or first}" if first is not None else ""
            raise ValueError(
                f"{_named(tensor) or tensor}, type={tensor.dtype!r}, must be of the same type"
                f" ({expected!r}){what}."
            )
    if expected is not None and not expected.is_floating:
        raise ValueError(f"Expected floating point type, got {expected!r}.")
    return expected
