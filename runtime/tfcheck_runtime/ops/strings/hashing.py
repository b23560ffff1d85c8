"""Strings as numbers of buckets; run on the host."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfcheck_runtime.op import Array, Aval, Op, case, define
from tfcheck_runtime.ops.array.fingerprints import farm, murmur, sip
from tfcheck_runtime.ops.strings.elements import each_as, string_tensor, strings
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.values.tensor import Tensor, apply


class _Bucket(Op):
    """The hash of each string modulo the number of buckets."""

    def __init__(self, op_type: str, code: Callable[..., int], **options: Any) -> None:
        self.type = op_type
        self._code = code
        self.cases = (case(strings(b"a", b""), num_buckets=10, unknown=((0, 0),), **options),)

    def infer(self, input: Aval, **options: Any) -> Aval:
        return Aval(dtypes.int64, input.shape)

    def eager(self, input: Array, *, num_buckets: int, **options: Any) -> Array:
        def bucket(text: bytes) -> int:
            return self._code(text, **options) % num_buckets

        return each_as(dtypes.int64, bucket, input)


bucket_op = define(_Bucket("StringToHashBucket", murmur))
fast_bucket_op = define(_Bucket("StringToHashBucketFast", farm))
strong_bucket_op = define(_Bucket("StringToHashBucketStrong", sip, key=(1, 2)))


def to_hash_bucket(input: object, num_buckets: int, name: str | None = None) -> Tensor:
    """The bucket of each string.

    https://www.tensorflow.org/api_docs/python/tf/strings/to_hash_bucket
    """
    return apply(bucket_op, string_tensor(input), name=name, num_buckets=num_buckets)


def to_hash_bucket_fast(input: object, num_buckets: int, name: str | None = None) -> Tensor:
    """The bucket of each string by FarmHash.

    https://www.tensorflow.org/api_docs/python/tf/strings/to_hash_bucket_fast
    """
    return apply(fast_bucket_op, string_tensor(input), name=name, num_buckets=num_buckets)


def to_hash_bucket_strong(
    input: object, num_buckets: int, key: Sequence[int], name: str | None = None
) -> Tensor:
    """The bucket of each string by SipHash under a key of two numbers.

    https://www.tensorflow.org/api_docs/python/tf/strings/to_hash_bucket_strong

    Raises:
        ValueError: the key has not two numbers.
    """
    words = tuple(int(k) & (2**64 - 1) for k in key)
    if len(words) != 2:
        raise ValueError(f"key must have 2 elements, got {len(words)}: {list(key)}")
    return apply(
        strong_bucket_op, string_tensor(input), name=name, num_buckets=num_buckets, key=words
    )
