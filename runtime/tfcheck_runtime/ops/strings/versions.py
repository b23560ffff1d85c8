"""What string functions do with ragged tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from tfcheck_runtime.ops.ragged.broadcasting import broadcast
from tfcheck_runtime.ops.ragged.joining import as_values
from tfcheck_runtime.ops.ragged.tensor import RaggedTensor
from tfcheck_runtime.ops.ragged.versions import by_element
from tfcheck_runtime.ops.strings import hashing, joining, numbers, parts, regex, text
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.values import versions

Function = Callable[..., Any]

_OF_EACH: Final[Sequence[Function]] = (
    *(numbers.as_string, numbers.to_number),
    *(text.length, text.lower, text.upper, text.strip, text.substr),
    *(regex.regex_full_match, regex.regex_replace, parts.unicode_transcode),
    *(hashing.to_hash_bucket, hashing.to_hash_bucket_fast, hashing.to_hash_bucket_strong),
)


def _join(inputs: Sequence[Any], separator: str = "", name: str | None = None) -> Any:
    flat, around = broadcast([as_values(value, dtypes.string) for value in inputs])
    return around(text.join(flat, separator))


for _function in _OF_EACH:
    versions.register(_function, RaggedTensor, by_element(_function, 1))
versions.register(text.join, RaggedTensor, _join)
versions.register(text.reduce_join, RaggedTensor, joining.reduce_join_rows)
