"""`tf.io.decode_csv`: lines of comma-separated values as columns of tensors.

https://www.tensorflow.org/api_docs/python/tf/io/decode_csv, by the rules of RFC 4180.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np

from tfcheck_runtime.errors import InvalidArgumentError, invalid_argument
from tfcheck_runtime.op import Array, Aval, Op, case, define
from tfcheck_runtime.ops.array.agreement import check_dtype
from tfcheck_runtime.ops.array.examples import i32
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import DType
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply_n

_DTYPES: Final = (dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.string)
_OP: Final = "DecodeCSV"


class Dialect(NamedTuple):
    """How lines are cut; an attribute of nodes, where it is a plain tuple."""

    delimiter: str = ","
    quoted: bool = True
    """Whether a field in double quotes may hold the delimiter and line ends."""
    missing: str = ""
    """A field of this content is missing, as an empty one is."""
    columns: tuple[int, ...] | None = None
    """The columns to read; all of them for None."""


def cut(line: bytes, dialect: Dialect) -> Iterator[bytes]:
    """The fields of a line.

    Raises:
        InvalidArgumentError: a quote is out of place.
    """
    delimiter, position, end = dialect.delimiter.encode(), 0, len(line)
    while position <= end:
        if dialect.quoted and line[position : position + 1] == b'"':
            field, position = _quoted(line, position + 1, delimiter)
        else:
            stop = line.find(delimiter, position)
            stop = end if stop < 0 else stop
            field = line[position:stop]
            if dialect.quoted and any(mark in field for mark in (b'"', b"\n", b"\r")):
                raise invalid_argument("Unquoted fields cannot have quotes/CRLFs inside", _OP)
            position = stop + 1
        yield field


def _quoted(line: bytes, position: int, delimiter: bytes) -> tuple[bytes, int]:
    """A field after its opening quote, and where the next begins."""
    field = bytearray()
    while True:
        stop = line.find(b'"', position)
        if stop < 0:
            raise invalid_argument(
                "Quoted field has to end with quote followed by delim or end", _OP
            )
        field += line[position:stop]
        after = line[stop + 1 : stop + 2]
        if after != b'"':
            break
        field += b'"'
        position = stop + 2
    if after not in (b"", delimiter):
        raise invalid_argument("Quote inside a string has to be escaped by another quote", _OP)
    return bytes(field), stop + 2


def _number(field: bytes, dtype: DType) -> Any:
    text = field.decode("ascii").strip()
    if dtype.is_integer:
        if "_" in text:
            raise ValueError(text)
        number = int(text)
        if not int(dtype.min) <= number <= int(dtype.max):
            raise ValueError(text)
        return number
    return float(text)


class _DecodeCsv(Op):
    """The columns of lines; inputs: the lines, and for each column the default."""

    type = _OP
    cases = (
        case(np.array([b"1,x", b'2,"a,b"'], object), i32([0]), np.array([b""], object),
             dialect=tuple(Dialect())),
    )  # fmt: skip

    def infer(self, records: Aval, *defaults: Aval, dialect: tuple[Any, ...]) -> tuple[Aval, ...]:
        check_dtype(self.type, records, dtypes.string, "records")
        return tuple(Aval(default.dtype, records.shape) for default in defaults)

    def eager(self, records: Array, *defaults: Array, dialect: tuple[Any, ...]) -> Any:
        lines, how = records.reshape(-1).tolist(), Dialect(*dialect)
        rows = [self._fields(i, line, len(defaults), how) for i, line in enumerate(lines)]
        found = []
        for j, default in enumerate(defaults):
            column = np.empty(len(lines), default.dtype)
            for i, row in enumerate(rows):
                column[i] = _content(row[j], default, how, place=(i, j))
            found.append(column.reshape(records.shape))
        return tuple(found)

    def _fields(self, number: int, line: bytes, count: int, dialect: Dialect) -> list[bytes]:
        fields = list(cut(line, dialect)) if line or count == 1 else []
        chosen = dialect.columns
        if chosen is not None:
            fields = [fields[c] for c in chosen if c < len(fields)]
        if len(fields) != count:
            raise invalid_argument(
                f"Expect {count} fields but have {len(fields)} in record {number}", self.type
            )
        return fields


def _content(field: bytes, default: Array, dialect: Dialect, *, place: tuple[int, int]) -> Any:
    record, column = place
    if not field or field == dialect.missing.encode():
        if default.size != 1:
            raise invalid_argument(
                f"Field {column} is required but missing in record {record}!", _OP
            )
        return default.reshape(())[()]
    if default.dtype == object:
        return field
    kind = dtypes.as_dtype(default.dtype)
    try:
        return _number(field, kind)
    except ValueError as error:
        raise invalid_argument(
            f"Field {column} in record {record} is not a valid {kind.name}:"
            f" {field.decode(errors='replace')}",
            _OP,
        ) from error


decode_csv_op = define(_DecodeCsv())


def decode_csv(
    records: object,
    record_defaults: Sequence[object],
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    select_cols: Sequence[int] | None = None,
    name: str | None = None,
) -> list[Tensor]:
    """Lines of comma-separated values as a tensor for each column.

    https://www.tensorflow.org/api_docs/python/tf/io/decode_csv

    Args:
        records: strings of any shape, a line each.
        record_defaults: for each column what stands for a missing value, or an empty tensor
            where none may be missing; their types are those of the columns.
        field_delim: what separates the fields.
        use_quote_delim: whether fields may be in double quotes.
        na_value: what else counts as missing.
        select_cols: the numbers of the columns to read, rising.
        name: of the node.

    Raises:
        InvalidArgumentError: a line has another number of fields, or a field is no number.
        ValueError: there are not as many selected columns as defaults.
    """
    if select_cols is not None:
        check_selection(select_cols, len(record_defaults))
    defaults = [convert_to_tensor(default) for default in record_defaults]
    for default in defaults:
        if default.dtype not in _DTYPES:
            allowed = ", ".join(d.name for d in _DTYPES)
            raise InvalidArgumentError(
                None, None,
                f"Value for attr 'OUT_TYPE' of {default.dtype.name} is not in the list of allowed"
                f" values: {allowed}",
            )  # fmt: skip
    dialect = Dialect(
        str(field_delim), bool(use_quote_delim), str(na_value),
        None if select_cols is None else tuple(select_cols),
    )  # fmt: skip
    lines = convert_to_tensor(records, dtypes.string)
    return list(apply_n(decode_csv_op, lines, *defaults, dialect=tuple(dialect), name=name))


def check_selection(columns: Sequence[int], count: int) -> None:
    """Check that columns rise and are as many as there are defaults.

    Raises:
        ValueError: they do not, or are not.
    """
    if any(a >= b for a, b in pairwise(columns)):
        raise ValueError("select_cols is not strictly increasing.")
    if columns and columns[0] < 0:
        raise ValueError("select_cols contains negative values.")
    if len(columns) != count:
        raise ValueError(
            f"Length of select_cols and record_defaults do not match: {len(columns)} and {count}."
        )
