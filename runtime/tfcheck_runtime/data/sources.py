"""Datasets made of data: tensors, their slices, ranges of numbers, generators, random numbers."""

from __future__ import annotations

import glob
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, Final

import numpy as np

from tfcheck_runtime import dispatch
from tfcheck_runtime.data import elements
from tfcheck_runtime.data.columns import (
    Code,
    codes_for,
    from_codes,
    rows_in,
    without_leading_axis,
)
from tfcheck_runtime.data.elements import Element, Spec
from tfcheck_runtime.data.parts import Parts, count
from tfcheck_runtime.data.spec import NoneTensorSpec
from tfcheck_runtime.data.words import Epochs, Words
from tfcheck_runtime.errors import InvalidArgumentError, OpError, invalid_argument
from tfcheck_runtime.op import Array, define
from tfcheck_runtime.ops.control.iterating import INFINITE, UNKNOWN, DatasetOp, Pipeline, boxed
from tfcheck_runtime.ops.control.python_function import as_op_error
from tfcheck_runtime.ops.random.philox import Philox
from tfcheck_runtime.ops.random.seeds import next_seeds
from tfcheck_runtime.specs import dtypes, nest
from tfcheck_runtime.specs.dtypes import DType, as_dtype
from tfcheck_runtime.specs.shapes import are_compatible, shape_text
from tfcheck_runtime.specs.tensor_spec import TensorSpec, TypeSpec
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.python_data import to_array
from tfcheck_runtime.values.resource import Row
from tfcheck_runtime.values.tensor import EagerTensor, apply


class _Tensors(Pipeline):
    """One row."""

    def __init__(self, *arrays: Any) -> None:
        # A dataset inside an element comes as its pipeline.
        self._row = tuple(boxed(a) if isinstance(a, Pipeline) else a for a in arrays)

    def rows(self) -> Iterator[Row]:
        return iter((self._row,))

    def cardinality(self) -> int:
        return 1


class _Slices(Pipeline):
    """One row per row of the arrays."""

    def __init__(self, *arrays: Array, columns: Sequence[Code]) -> None:
        self._arrays, self._columns = arrays, from_codes(columns)
        rows_in(arrays, self._columns)  # which checks that they fit

    def rows(self) -> Iterator[Row]:
        return rows_in(self._arrays, self._columns)

    def cardinality(self) -> int:
        first = self._columns[0]
        return first.size(self._arrays[: first.width])


class _Range(Pipeline):
    """Numbers."""

    def __init__(self, start: Array, stop: Array, step: Array, *, dtype: DType) -> None:
        if step == 0:
            raise invalid_argument("step must be a non-zero integer.", "RangeDataset")
        self._numbers = range(int(start), int(stop), int(step))
        self._kind = dtype.numpy

    def rows(self) -> Iterator[Row]:
        return ((np.array(i, self._kind),) for i in self._numbers)

    def cardinality(self) -> int:
        return len(self._numbers)


class _Generated(Pipeline):
    """What a Python generator yields."""

    stateful = "PyFunc"

    def __init__(
        self, *args: Array, generator: Callable[..., Iterable[object]], spec: Spec
    ) -> None:
        self._args = [a[()] if a.ndim == 0 else a for a in args]
        self._generator = generator
        self._spec = spec

    def rows(self) -> Iterator[Row]:
        values = self._values()
        for value in values:
            try:
                yield _generated(self._spec, value)
            except (TypeError, ValueError) as error:
                raise InvalidArgumentError(
                    None, None, f"{type(error).__name__}: {error} [Op:IteratorGetNext]"
                ) from error

    def _values(self) -> Iterator[object]:
        try:
            with dispatch.building(None):
                values = iter(self._generator(*self._args))
            while True:
                with dispatch.building(None):
                    value = next(values, _END)
                if value is _END:
                    return
                yield value
        except OpError:
            raise
        except Exception as error:  # around the user's program
            raise as_op_error(error, "IteratorGetNext") from error

    def cardinality(self) -> int:
        return UNKNOWN


_END: Final = object()


class _Random(Pipeline):
    """Random words as int64."""

    def __init__(self, seed: int, seed2: int, *, again: bool) -> None:
        self._start = Philox.from_seeds(seed, seed2) if seed or seed2 else Philox.from_entropy()
        self._epochs = Epochs(self._start) if again else None

    def rows(self) -> Iterator[Row]:
        words = Words(self._start if self._epochs is None else self._epochs.begin())
        return ((np.array(word, np.int64),) for word in words)

    def cardinality(self) -> int:
        return INFINITE


tensors_op = define(DatasetOp("TensorDataset", _Tensors))
slices_op = define(DatasetOp("TensorSliceDataset", _Slices))
range_op = define(DatasetOp("RangeDataset", _Range))
generator_op = define(DatasetOp("GeneratorDataset", _Generated))
random_op = define(DatasetOp("RandomDatasetV2", _Random))


def tensors(value: object) -> Parts:
    """One element."""
    element = elements.as_element(value)
    variant = apply(tensors_op, *elements.tensors_of(element))
    return Parts(variant, elements.spec_of(element), "Tensor")


def slices(value: object) -> Parts:
    """One element per row of the given arrays.

    Raises:
        ValueError: an array is a scalar, or they differ in their number of rows.
    """
    whole = elements.as_element(value)
    spec = elements.spec_of(whole)
    sizes: list[int | None] = []
    for leaf in nest.flatten(spec):
        if isinstance(leaf, NoneTensorSpec):
            continue
        if leaf.static_shape == ():
            raise ValueError("Unbatching a tensor is only supported for rank >= 1")
        sizes.append(leaf.static_shape[0] if leaf.static_shape else None)
    known = [s for s in sizes if s is not None]
    for size in known[1:]:
        if size != known[0]:
            raise ValueError(f"Dimensions {known[0]} and {size} are not compatible")
    variant = apply(slices_op, *elements.tensors_of(whole), columns=codes_for(spec))
    return Parts(variant, without_leading_axis(spec), "TensorSlice")


def numbers(args: tuple[object, ...], output_type: object) -> Parts:
    """A range.

    Raises:
        ValueError: there are not one to three bounds.
    """
    if not 1 <= len(args) <= 3:
        raise ValueError(
            f"Invalid `args`. The length of `args` should be between 1 and 3 but was {len(args)}."
        )
    start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
    dtype = as_dtype(output_type)
    bounds = [count(b, name) for b, name in ((start, "start"), (stop, "stop"), (step, "step"))]
    return Parts(apply(range_op, *bounds, dtype=dtype), TensorSpec((), dtype), "Range")


def random_words(seed: object, *, again: bool) -> Parts:
    """Random numbers below 2**32."""
    seeds = next_seeds(seed)
    variant = apply(random_op, seed=seeds.seed, seed2=seeds.seed2, again=again)
    return Parts(variant, TensorSpec((), dtypes.int64), "Random")


def generated(
    generator: Callable[..., Iterable[object]], spec: Spec, args: tuple[object, ...]
) -> Parts:
    """What a Python generator yields, in the form of `spec`.

    Raises:
        TypeError: `generator` is not callable.
    """
    if not callable(generator):
        raise TypeError("`generator` must be a Python callable.")
    given = [convert_to_tensor(a) for a in args]
    return Parts(apply(generator_op, *given, generator=generator, spec=spec), spec, "FlatMap")


def generator_spec(types: object, shapes: object, signature: object) -> Spec:
    """The type of a generator's elements.

    Raises:
        TypeError: no types are given, or they are given twice.
    """
    if signature is not None:
        if types is not None or shapes is not None:
            name = "output_types" if types is not None else "output_shapes"
            raise TypeError(f"The `{name}` argument can not be used together with the"
                            " `output_signature` argument.")  # fmt: skip
        _check_signature(signature)
        return signature
    if types is None:
        raise TypeError(
            "To specify the output signature you need to provide either the `output_signature`"
            " argument or the `output_types` argument."
        )
    if shapes is None:
        return nest.map_structure(lambda t: TensorSpec(None, as_dtype(t)), types)
    return _typed(types, shapes)


def _check_signature(signature: Any) -> None:
    if nest.is_nested(signature) and not isinstance(signature, list):
        for _, part in nest.children(signature):
            _check_signature(part)
    elif not isinstance(signature, TypeSpec):
        raise TypeError(
            "`output_signature` must contain objects that are subclass of `tf.TypeSpec` but found"
            f" {type(signature)} which is not."
        )


def _typed(types: Any, shapes: Any) -> Spec:
    if not nest.is_nested(types):
        return TensorSpec(shapes, as_dtype(types))
    parts = zip(nest.children(types), nest.children(shapes), strict=True)
    return nest.rebuild(types, [_typed(t, s) for (_, t), (_, s) in parts])


def _generated(spec: Spec, value: object) -> Row:
    if isinstance(spec, TensorSpec):
        return (_leaf(spec, value),)
    if isinstance(spec, TypeSpec):
        return _composite(spec, value)
    try:
        flat = zip(nest.flatten(spec), _parts(spec, value), strict=True)
    except (TypeError, ValueError) as error:
        raise TypeError(
            "`generator` yielded an element that did not match the expected structure. The expected"
            f" structure was {spec}, but the yielded element was {value}."
        ) from error
    return tuple(chain.from_iterable(_generated(s, part) for s, part in flat))


def _parts(spec: Spec, value: Any) -> list[Element]:
    if not nest.is_nested(spec):
        return [value]
    pairs = zip(nest.children(spec), nest.children(value), strict=True)
    return [leaf for (_, s), (_, v) in pairs for leaf in _parts(s, v)]


def _composite(spec: TypeSpec, value: object) -> Row:
    if not spec.is_compatible_with(value):
        raise TypeError(
            f"`generator` yielded {value!r} where an element of type {spec!r} was expected."
        )
    return elements.row_of(value)


def _leaf(spec: TensorSpec, value: object) -> Array:
    try:
        array = _array(spec, value)
    except (TypeError, ValueError) as error:
        raise TypeError(
            "`generator` yielded an element that could not be converted to the expected type. The"
            f" expected type was {spec.dtype.name}, but the yielded element was {value}."
        ) from error
    if not are_compatible(array.shape, spec.static_shape):
        raise TypeError(
            f"`generator` yielded an element of shape {shape_text(array.shape)} where an element of"
            f" shape {shape_text(spec.static_shape)} was expected."
        )
    return array


def _array(spec: TensorSpec, value: object) -> Array:
    if isinstance(value, EagerTensor):
        value = value.array
    if spec.dtype is dtypes.string:
        return to_array(value, spec.dtype)[0]
    # As TensorFlow, by NumPy's own rules: a float becomes an integer, and a large one wraps.
    return np.asarray(value).astype(spec.dtype.numpy)


def matching_files(pattern: object) -> list[bytes]:
    """The names of the files that match a pattern or one of several, sorted.

    Raises:
        InvalidArgumentError: no file matches.
    """
    patterns = [p.decode() for p in to_array(_plain(pattern), dtypes.string)[0].reshape(-1)]
    names = sorted({name for p in patterns for name in glob.glob(p)})
    if not names:
        raise invalid_argument(f"No files matched pattern: {', '.join(patterns)}")
    return [name.encode() for name in names]


def _plain(value: object) -> object:
    return value.array if isinstance(value, EagerTensor) else value
