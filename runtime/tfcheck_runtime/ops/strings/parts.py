"""Strings in parts: words, bytes, characters, code points, n-grams; all run on the host."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Aval, Case, Op, case, define
from tfcheck_runtime.ops.array.examples import i32, i64
from tfcheck_runtime.ops.array.shaping import reshape
from tfcheck_runtime.ops.ragged.tensor import RaggedTensor
from tfcheck_runtime.ops.strings.elements import string_tensor, strings
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import DType
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply, apply_n

Values = Any  # a tensor, or a ragged tensor

CODECS: Final = {"UTF-8": "utf-8", "UTF-16-BE": "utf-16-be", "UTF-32-BE": "utf-32-be"}
"""Encodings by TensorFlow's names."""


class _Parts(Op):
    """The parts of each string of a vector, end to end, and where each string's start."""

    def __init__(
        self, op_type: str, kinds: Sequence[DType], parts: Callable[..., list[tuple[Any, ...]]],
        *cases: Case,
    ) -> None:  # fmt: skip
        self.type = op_type
        self._kinds = tuple(kinds)
        self._parts = parts
        self.cases = cases

    def infer(self, input: Aval, **options: Any) -> tuple[Aval, ...]:
        count = input.shape[0] if input.shape else None
        splits = Aval(dtypes.int64, (None if count is None else count + 1,))
        return (splits, *(Aval(kind, (None,)) for kind in self._kinds))

    def eager(self, input: Array, **options: Any) -> tuple[Array, ...]:
        rows = [self._parts(text, **options) for text in input.tolist()]
        splits = np.cumsum([0, *map(len, rows)]).astype(np.int64)
        made = [splits]
        for i, kind in enumerate(self._kinds):
            column: Array = np.empty(int(splits[-1]), kind.numpy)
            column[:] = [part[i] for row in rows for part in row]
            made.append(column)
        return tuple(made)


def _bytes(text: bytes) -> list[tuple[bytes]]:
    return [(text[i : i + 1],) for i in range(len(text))]


def decoded(text: bytes, *, encoding: str, errors: str, replacement: int) -> str:
    """The characters of a string.

    Raises:
        InvalidArgumentError: it is no text of that encoding, and `errors` is strict.
    """
    try:
        return text.decode(CODECS[encoding], "strict")
    except UnicodeDecodeError:
        if errors == "strict":
            raise invalid_argument("Invalid formatting on input string", "UnicodeDecode") from None
        made = text.decode(CODECS[encoding], errors)
        return made.replace("\ufffd", chr(replacement)) if errors == "replace" else made


def _code_points(text: bytes, **options: Any) -> list[tuple[int, int]]:
    encoding, at, found = options["encoding"], 0, []
    for character in decoded(text, **options):
        found.append((ord(character), at))
        at += len(character.encode(CODECS[encoding], "surrogatepass"))
    return found


def _characters(text: bytes, **options: Any) -> list[tuple[bytes, int]]:
    codec = CODECS[options["encoding"]]
    return [(chr(code).encode(codec), at) for code, at in _code_points(text, **options)]


_TEXTS: Final = strings(b"a\xc3\xa4", b"", b"xyz")

bytes_op = define(_Parts("StringBytesSplit", (dtypes.string,), _bytes, case(_TEXTS)))
decode_op = define(
    _Parts(
        "UnicodeDecodeWithOffsets", (dtypes.int32, dtypes.int64), _code_points,
        case(_TEXTS, encoding="UTF-8", errors="replace", replacement=65533),
    )
)  # fmt: skip
characters_op = define(
    _Parts(
        "UnicodeSplitWithOffsets", (dtypes.string, dtypes.int64), _characters,
        case(_TEXTS, encoding="UTF-8", errors="replace", replacement=65533),
    )
)  # fmt: skip


class _Encode(Op):
    """A string of the code points of each row."""

    type = "UnicodeEncode"
    cases = (
        case(i32([97, 228]), i64([0, 2, 2]), encoding="UTF-8", errors="replace", replacement=65533),
    )

    def infer(
        self, values: Aval, splits: Aval, *, encoding: str, errors: str, replacement: int
    ) -> Aval:
        count = splits.shape[0] if splits.shape else None
        return Aval(dtypes.string, (None if count is None else count - 1,))

    def eager(
        self, values: Array, splits: Array, *, encoding: str, errors: str, replacement: int
    ) -> Array:
        made: list[str] = []
        for code in values.tolist():
            if 0 <= code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF:
                made.append(chr(code))
            elif errors == "strict":
                raise invalid_argument(
                    "Code point is out of range for Unicode, or a noncharacter.", self.type
                )
            else:
                made.append(chr(replacement) if errors == "replace" else "")
        bounds = zip(splits[:-1].tolist(), splits[1:].tolist(), strict=True)
        return strings(*("".join(made[a:b]).encode(CODECS[encoding]) for a, b in bounds))


class _Transcode(Op):
    """Strings in another encoding."""

    type = "UnicodeTranscode"
    cases = (
        case(
            _TEXTS, source="UTF-8", target="UTF-16-BE", errors="replace", replacement=65533,
            control=False,
        ),
    )  # fmt: skip

    def infer(self, input: Aval, **options: Any) -> Aval:
        return Aval(dtypes.string, input.shape)

    def eager(
        self, input: Array, *, source: str, target: str, errors: str, replacement: int,
        control: bool,
    ) -> Array:  # fmt: skip
        made: Array = np.empty(input.shape, object)
        for place in np.ndindex(input.shape):
            text = decoded(
                bytes(input[place]), encoding=source, errors=errors, replacement=replacement
            )
            if control:
                text = "".join(chr(replacement) if _is_control(c) else c for c in text)
            made[place] = text.encode(CODECS[target])
        return made


def _is_control(character: str) -> bool:
    return ord(character) <= 0x1F and character not in "\t\n\r"


class _NGrams(Op):
    """The runs of neighbouring strings of each row, joined."""

    type = "StringNGrams"
    cases = (
        case(
            strings(b"a", b"b", b"c"), i64([0, 2, 3]), separator=" ", widths=(2,), left="",
            right="", padding=0, short=False,
        ),
        case(
            strings(b"a", b"b", b"c"), i64([0, 2, 3]), separator="-", widths=(1, 2), left="<",
            right=">", padding=1, short=True,
        ),
    )  # fmt: skip

    def infer(self, data: Aval, splits: Aval, **options: Any) -> tuple[Aval, Aval]:
        return Aval(dtypes.string, (None,)), Aval(splits.dtype, splits.shape)

    def eager(self, data: Array, splits: Array, **options: Any) -> tuple[Array, Array]:
        words = data.tolist()
        bounds = zip(splits[:-1].tolist(), splits[1:].tolist(), strict=True)
        rows = [_grams(words[a:b], **options) for a, b in bounds]
        made = strings(*(gram for row in rows for gram in row))
        return made, np.cumsum([0, *map(len, rows)]).astype(splits.dtype)


def _grams(
    row: list[bytes], *, separator: str, widths: tuple[int, ...], left: str, right: str,
    padding: int, short: bool,
) -> list[bytes]:  # fmt: skip
    found: list[bytes] = []
    between = separator.encode()
    for width in widths:
        pad = min(padding, width - 1) if padding >= 0 else width - 1
        words = [left.encode()] * pad + row + [right.encode()] * pad
        found += [between.join(words[i : i + width]) for i in range(len(words) - width + 1)]
    if not found and short and row:
        pad = padding if padding >= 0 else widths[-1] - 1
        found = [between.join([left.encode()] * pad + row + [right.encode()] * pad)]
    return found


encode_op = define(_Encode())
transcode_op = define(_Transcode())
ngrams_op = define(_NGrams())


def rows_of_parts(
    input: Any, parts: Callable[[Tensor], tuple[Tensor, ...]], *, outputs: int = 1
) -> list[Values]:
    """What `parts` makes of a vector (splits, then values), around strings of any rank."""
    if isinstance(input, RaggedTensor):
        inner = rows_of_parts(input.values, parts, outputs=outputs)
        length = input.static_row_length
        return [RaggedTensor(made, input.row_splits, length) for made in inner]
    text = string_tensor(input)
    if text.ndim is None:
        raise ValueError("the rank of the strings must be known to split them into parts")
    if text.ndim == 0:
        return list(parts(reshape(text, [1]))[1 : outputs + 1])
    if text.ndim == 1:
        splits, *made = parts(text)
        return [RaggedTensor(values, splits) for values in made[:outputs]]
    rows: RaggedTensor = RaggedTensor.from_tensor(text, ragged_rank=text.ndim - 1)
    return rows_of_parts(rows, parts, outputs=outputs)


def bytes_split(input: Any, name: str | None = None) -> Values:
    """The bytes of each string (https://www.tensorflow.org/api_docs/python/tf/strings/bytes_split)."""
    return rows_of_parts(input, lambda text: apply_n(bytes_op, text, name=name))[0]


def _checked(encoding: str, errors: str, what: str = "input_encoding") -> None:
    if encoding.upper() not in CODECS:
        raise ValueError(f"{what} {encoding!r} is not one of {', '.join(CODECS)}")
    if errors not in ("strict", "replace", "ignore"):
        raise ValueError(f"errors must be strict, replace or ignore, got {errors!r}")


def _unicode(
    op: Op, input: Any, encoding: str, errors: str, replacement_char: int, *, outputs: int
) -> list[Values]:
    _checked(encoding, errors)
    return rows_of_parts(
        input,
        lambda text: apply_n(
            op, text, encoding=encoding.upper(), errors=errors, replacement=replacement_char
        ),
        outputs=outputs,
    )


def unicode_decode(
    input: Any, input_encoding: str, errors: str = "replace", replacement_char: int = 65533,
    replace_control_characters: bool = False, name: str | None = None,
) -> Values:  # fmt: skip
    """The code points of each string, a row per string.

    https://www.tensorflow.org/api_docs/python/tf/strings/unicode_decode

    Raises:
        ValueError: the encoding is unknown.
        InvalidArgumentError: a string is not of that encoding, and `errors` is `strict`.
    """
    return _unicode(decode_op, input, input_encoding, errors, replacement_char, outputs=1)[0]


def unicode_decode_with_offsets(
    input: Any, input_encoding: str, errors: str = "replace", replacement_char: int = 65533,
    replace_control_characters: bool = False, name: str | None = None,
) -> tuple[Values, Values]:  # fmt: skip
    """The code points of each string, and the byte at which each starts.

    https://www.tensorflow.org/api_docs/python/tf/strings/unicode_decode_with_offsets
    """
    codes, at = _unicode(decode_op, input, input_encoding, errors, replacement_char, outputs=2)
    return codes, at


def unicode_split(
    input: Any, input_encoding: str, errors: str = "replace", replacement_char: int = 65533,
    name: str | None = None,
) -> Values:  # fmt: skip
    """The characters of each string, a row per string.

    https://www.tensorflow.org/api_docs/python/tf/strings/unicode_split
    """
    return _unicode(characters_op, input, input_encoding, errors, replacement_char, outputs=1)[0]


def unicode_split_with_offsets(
    input: Any, input_encoding: str, errors: str = "replace", replacement_char: int = 65533,
    name: str | None = None,
) -> tuple[Values, Values]:  # fmt: skip
    """The characters of each string, and the byte at which each starts.

    https://www.tensorflow.org/api_docs/python/tf/strings/unicode_split_with_offsets
    """
    parts, at = _unicode(characters_op, input, input_encoding, errors, replacement_char, outputs=2)
    return parts, at


def unicode_encode(
    input: Any, output_encoding: str, errors: str = "replace", replacement_char: int = 65533,
    name: str | None = None,
) -> Values:  # fmt: skip
    """Strings of the code points along the last axis.

    https://www.tensorflow.org/api_docs/python/tf/strings/unicode_encode

    Raises:
        ValueError: the encoding is unknown.
    """
    _checked(output_encoding, errors, "output_encoding")
    codes: Any = input if isinstance(input, RaggedTensor) else convert_to_tensor(input)
    if not isinstance(codes, RaggedTensor):
        if codes.ndim == 1:
            return unicode_encode(codes[None], output_encoding, errors, replacement_char)[0]
        codes = RaggedTensor.from_tensor(codes, ragged_rank=(codes.ndim or 2) - 1)
        if codes.ragged_rank > 1:
            return unicode_encode(codes, output_encoding, errors, replacement_char).to_tensor()
    if codes.ragged_rank > 1:
        inner = unicode_encode(codes.values, output_encoding, errors, replacement_char)
        return RaggedTensor(inner, codes.row_splits)
    return apply(
        encode_op, codes.values, codes.row_splits, name=name, encoding=output_encoding.upper(),
        errors=errors, replacement=replacement_char,
    )  # fmt: skip


def unicode_transcode(
    input: Any, input_encoding: str, output_encoding: str, errors: str = "replace",
    replacement_char: int = 65533, replace_control_characters: bool = False,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Strings in another encoding.

    https://www.tensorflow.org/api_docs/python/tf/strings/unicode_transcode
    """
    _checked(input_encoding, errors)
    _checked(output_encoding, errors, "output_encoding")
    return apply(
        transcode_op, string_tensor(input), name=name, source=input_encoding.upper(),
        target=output_encoding.upper(), errors=errors, replacement=replacement_char,
        control=replace_control_characters,
    )  # fmt: skip


def ngrams(
    data: Any, ngram_width: Any, separator: str = " ", pad_values: Any = None,
    padding_width: int | None = None, preserve_short_sequences: bool = False,
    name: str | None = None,
) -> Values:  # fmt: skip
    """The runs of `ngram_width` neighbouring strings along the last axis, joined.

    https://www.tensorflow.org/api_docs/python/tf/strings/ngrams

    Args:
        data: strings, dense or ragged.
        ngram_width: how many are joined, or several such numbers.
        separator: between them.
        pad_values: what to put before and after a row, or a pair of these.
        padding_width: how often; one less than the width by default.
        preserve_short_sequences: keep rows that are too short as one run.
        name: of the node.

    Raises:
        TypeError: a width is no number.
        ValueError: a width is less than 1.
    """
    widths = tuple(ngram_width) if isinstance(ngram_width, list | tuple) else (ngram_width,)
    if any(not isinstance(w, int) or w < 1 for w in widths):
        raise ValueError(f"All ngram_widths must be greater than 0. Received: {ngram_width}")
    left = right = ""
    if pad_values is not None:
        left, right = pad_values if isinstance(pad_values, list | tuple) else (pad_values,) * 2
    padding = 0 if pad_values is None else -1 if padding_width is None else padding_width
    values: Any = data if isinstance(data, RaggedTensor) else string_tensor(data)
    dense = not isinstance(values, RaggedTensor)
    flat = dense and values.ndim == 1
    if dense:
        if values.ndim == 0:
            raise ValueError("`data` must have rank>0; got rank=0")
        values = values[None] if flat else values
        values = RaggedTensor.from_tensor(values, ragged_rank=values.ndim - 1)
    if values.ragged_rank > 1:
        inner = ngrams(values.values, ngram_width, separator, pad_values, padding_width,
                       preserve_short_sequences)  # fmt: skip
        return RaggedTensor(inner, values.row_splits)
    made, splits = apply_n(
        ngrams_op, values.values, values.row_splits, name=name, separator=separator,
        widths=widths, left=left, right=right, padding=padding, short=preserve_short_sequences,
    )  # fmt: skip
    if flat:
        return made
    rows = RaggedTensor(made, splits)
    if dense and not preserve_short_sequences:
        return rows.to_tensor()
    return rows
