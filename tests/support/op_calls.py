"""Calls of `tf` functions as data: read from tables, run eagerly and in Functions, and compared.

A table (`fixtures/ops/*.toml`) holds groups. A group's `calls` are Python expressions; its other
keys are lists. A key written as `{key}` in a call is replaced by each of its texts; any other key
names a tensor, made from each of its texts by the builders below: `f32(2, 3)` is a float32 matrix
of fixed content, `i32([1, -2])` has the content written there. Groups give the product of all, or
of a long one only the rows that `every` steps over.

This module runs under TensorFlow's interpreter too, so it knows NumPy alone.
"""

from __future__ import annotations

import itertools
import json
import math
import re
import string
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

TABLES = Path(__file__).parents[2] / "fixtures" / "ops"

Outputs = list[list[Any]]  # per tensor: dtype name, shape, flat content
Shapes = list[list[int | None] | None]
Outcome = tuple["Outputs | str", "Shapes | str", "Shapes | str"]
"""Eagerly, in a Function of known shapes, in one of unknown shapes; a str names an exception."""


@dataclass(frozen=True)
class Row:
    """One call: its expression and the texts of its tensors."""

    call: str
    tensors: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        return " ".join([self.call, *(f"{name}={text}" for name, text in self.tensors)])

    def arrays(self) -> dict[str, np.ndarray]:
        """The content of the tensors."""
        return {name: array_of(text) for name, text in self.tensors}


def families() -> list[str]:
    """The names of the tables."""
    return sorted(path.stem for path in TABLES.glob("*.toml"))


def rows(family: str) -> list[Row]:
    """The rows of a table, each once."""
    with (TABLES / f"{family}.toml").open("rb") as file:
        groups = tomllib.load(file)["group"]
    return list(dict.fromkeys(row for group in groups for row in _chosen(group)))


def _chosen(group: Mapping[str, Any]) -> list[Row]:
    columns = {key: values for key, values in group.items() if key != "every"}
    return list(expand(columns))[:: group.get("every", 1)]


def expand(group: Mapping[str, list[str]]) -> Iterator[Row]:
    """The product of a group's lists."""
    columns = {key: values for key, values in group.items() if key != "calls"}
    for call in group["calls"]:
        named = {field for _, field, _, _ in string.Formatter().parse(call) if field}
        used = {
            key: values
            for key, values in columns.items()
            if key in named or re.search(rf"(?<![\w.]){key}(?![\w(=])", call)
        }
        for choice in itertools.product(*used.values()):
            texts = dict(zip(used, choice, strict=True))
            yield Row(
                call.format(**{key: texts[key] for key in named}),
                tuple((key, text) for key, text in texts.items() if key not in named),
            )


def _builder(dtype: Any, *, lowest: int = -3) -> Callable[..., np.ndarray]:
    """Makes arrays: of the content given as a list, or of a fixed content for the sizes given."""

    def build(*content: Any) -> np.ndarray:
        if content and isinstance(content[0], list):
            with np.errstate(over="ignore"):
                return np.array(content[0]).astype(dtype)
        count = math.prod(content)
        steps = (np.arange(count) * 7 + 3) % 11 + lowest
        if np.issubdtype(dtype, np.complexfloating):
            return (steps * 0.5 - 1j * (steps % 3)).astype(dtype).reshape(content)
        whole = np.issubdtype(dtype, np.integer)
        return (steps if whole else steps * 0.375).astype(dtype).reshape(content)

    return build


def _booleans(*content: Any) -> np.ndarray:
    return _builder(np.int32)(*content) % 2 == 1 if not _listed(content) else np.array(content[0])


def _strings(*content: Any) -> np.ndarray:
    if _listed(content):
        return np.array(content[0], dtype=object)
    words = [b"", b"b", b"ab", b"Abc", b"a b"]
    chosen = [words[i % 5] for i in range(math.prod(content))]
    return np.array(chosen, dtype=object).reshape(content)


def _listed(content: tuple[Any, ...]) -> bool:
    return bool(content) and isinstance(content[0], list)


BUILDERS: dict[str, Any] = {
    "f16": _builder(np.float16), "bf16": _builder(ml_dtypes.bfloat16),
    "f32": _builder(np.float32), "f64": _builder(np.float64),
    "i8": _builder(np.int8), "i16": _builder(np.int16),
    "i32": _builder(np.int32), "i64": _builder(np.int64),
    "u8": _builder(np.uint8, lowest=0), "u16": _builder(np.uint16, lowest=0),
    "u32": _builder(np.uint32, lowest=0), "u64": _builder(np.uint64, lowest=0),
    "c64": _builder(np.complex64), "c128": _builder(np.complex128),
    "b": _booleans, "s": _strings, "np": np, "nan": math.nan, "inf": math.inf,
}  # fmt: skip


def array_of(text: str) -> np.ndarray:
    """The array that a text of a table describes."""
    array: np.ndarray = eval(text, dict(BUILDERS))
    return array


# --- Running


def outcome(tf: Any, row: Row) -> Outcome:
    """What the call does under `tf`, which is TensorFlow or stands for it."""
    return eager(tf, row), traced(tf, row, known=True)[0], traced(tf, row, known=False)[0]


def eager(tf: Any, row: Row) -> Outputs | str:
    """The results of the call outside any Function."""
    tensors = {name: tf.constant(array) for name, array in row.arrays().items()}
    try:
        return outputs_of(tf, evaluate(tf, row.call, tensors))
    except Exception as error:
        return type(error).__name__


def traced(tf: Any, row: Row, *, known: bool) -> tuple[Shapes | str, Outputs | str]:
    """The static shapes inside a Function, and what it returns."""
    names = [name for name, _ in row.tensors]
    constants = [tf.constant(array) for array in row.arrays().values()]
    shapes: Shapes = []

    def function(*arguments: Any) -> Any:
        results = _tensors(tf, evaluate(tf, row.call, dict(zip(names, arguments, strict=True))))
        shapes[:] = [None if r.shape.rank is None else r.shape.as_list() for r in results]
        return results

    specs = [tf.TensorSpec(c.shape if known else [None] * c.shape.rank, c.dtype) for c in constants]
    try:
        concrete = tf.function(function, autograph=False).get_concrete_function(*specs)
        return shapes, outputs_of(tf, concrete(*constants))
    except Exception as error:
        return type(error).__name__, type(error).__name__


def evaluate(tf: Any, call: str, tensors: Mapping[str, Any]) -> Any:
    """The value of a call."""
    helpers = {"slopes": partial(slopes, tf), "bends": partial(bends, tf)}
    names = {"tf": tf, "np": np, "nan": math.nan, "inf": math.inf, **helpers}
    return eval(call, {**names, **tensors})


def slopes(tf: Any, function: Callable[..., Any], *tensors: Any) -> list[Any]:
    """The gradients of a weighted sum of the results by each tensor; "none" where there is none."""
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        total = _weighted(tf, function(*tensors))
    found = tape.gradient(total, tensors)
    return [tf.constant("none") if g is None else tf.convert_to_tensor(g) for g in found]


def bends(tf: Any, function: Callable[..., Any], *tensors: Any) -> list[Any]:
    """The gradients of a weighted sum of the squares of the gradients."""

    def steepness(*inner: Any) -> list[Any]:
        with tf.GradientTape() as tape:
            tape.watch(inner)
            total = _weighted(tf, function(*inner))
        found = [g for g in tape.gradient(total, inner) if g is not None]
        return [tf.square(tf.convert_to_tensor(g)) for g in found]

    return slopes(tf, steepness, *tensors)


def _weighted(tf: Any, results: Any) -> Any:
    """The sum of all elements of the float results, each with a weight of its own."""
    total = tf.zeros([])
    for result in _tensors(tf, results):
        if result.dtype.is_floating or result.dtype.is_complex:
            places = tf.cast(tf.reshape(tf.range(tf.size(result)), tf.shape(result)), tf.float32)
            part = result * tf.cast(tf.cos(places), result.dtype)
            total += tf.cast(tf.math.real(tf.reduce_sum(part)), tf.float32)
    return total


def _tensors(tf: Any, value: Any) -> list[Any]:
    leaves = tf.nest.flatten(value, expand_composites=True)
    return [tf.convert_to_tensor(v) for v in leaves if v is not None]


def outputs_of(tf: Any, value: Any) -> Outputs:
    """Dtype, shape and content of all tensors in a structure."""
    return [[t.dtype.name, t.shape.as_list(), content(t.numpy())] for t in _tensors(tf, value)]


def content(array: Any) -> list[Any]:
    """The elements as JSON has them: floats with the digits that count."""
    flat = np.asarray(array).reshape(-1)
    if flat.dtype.kind == "c":
        flat = np.stack([flat.real, flat.imag], -1).reshape(-1)
    if flat.dtype.kind in "OS":
        return [bytes(v).decode("latin-1") for v in flat.tolist()]
    if flat.dtype.kind in "iub":
        return flat.tolist()
    digits = {2: 4, 4: 7, 8: 10}[flat.dtype.itemsize]
    return [_rounded(float(v), digits) for v in flat]


def _rounded(number: float, digits: int) -> float | int | str:
    if not math.isfinite(number):
        return str(number)
    short = float(f"{number:.{digits}g}")
    return int(short) if short.is_integer() and abs(short) < 1e6 else short


# --- Comparing

TOLERANCES = {
    "float16": 4e-3, "bfloat16": 3e-2, "float32": 2e-5, "float64": 1e-8,
    "complex64": 4e-5, "complex128": 1e-8,
}  # fmt: skip


def same_outputs(ours: Outputs | str, recorded: Outputs | str) -> bool:
    """Whether results agree: floats within the precision of their type, all else exactly."""
    if isinstance(ours, str) or isinstance(recorded, str):
        return ours == recorded
    return len(ours) == len(recorded) and all(map(_same_tensor, ours, recorded))


def _same_tensor(ours: list[Any], recorded: list[Any]) -> bool:
    (dtype, shape, values), (_, _, wanted) = ours, recorded
    if [dtype, shape] != recorded[:2] or len(values) != len(wanted):
        return False
    if dtype not in TOLERANCES:
        return bool(values == wanted)
    left, right = np.array(values, float), np.array(wanted, float)
    # float64 that holds what float32 can was computed so, and its last digits depend on the machine
    single = dtype == "float64" and _single(left) and _single(right)
    tolerance = TOLERANCES["float32" if single else dtype]
    return bool(np.allclose(left, right, rtol=tolerance, atol=tolerance, equal_nan=True))


def _single(numbers: np.ndarray) -> bool:
    with np.errstate(over="ignore"):
        near = numbers.astype(np.float32).astype(float)
    return bool(np.allclose(numbers, near, rtol=1e-9, atol=0, equal_nan=True))


# --- Against the record

MODES = ("eager", "known", "unknown")


def recorded(family: str) -> Iterator[tuple[Row, Outcome]]:
    """The rows of a table with what was recorded of them.

    Raises:
        ValueError: the table has changed since.
    """
    text = (TABLES / f"{family}.json").read_text(encoding="utf-8")
    for row, (name, *outcome) in zip(rows(family), json.loads(text), strict=True):
        if name != str(row):
            raise ValueError(f"{family}: {row} is not recorded: run tests/runtime/ops/record.py")
        yield row, tuple(outcome)


def differing(tf: Any, family: str, mode: str) -> Iterator[Row]:
    """The rows of which `tf` gives another outcome than the record in one of `MODES`."""
    for row, record in recorded(family):
        if mode == "eager":
            same = same_outputs(eager(tf, row), record[0])
        else:
            shapes, outputs = traced(tf, row, known=mode == "known")
            wanted = record[MODES.index(mode)]
            raised = isinstance(shapes, str) or isinstance(record[0], str)
            same = shapes == wanted and (raised or same_outputs(outputs, record[0]))
        if not same:
            yield row
