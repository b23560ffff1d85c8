"""`tf.strings`, as far as the runtime has it."""

from __future__ import annotations

from tfcheck_runtime.api.aware import make_aware as _make_aware
from tfcheck_runtime.api.missing import lacking as _lacking
from tfcheck_runtime.ops.strings.hashing import (
    to_hash_bucket as to_hash_bucket,
    to_hash_bucket_fast as to_hash_bucket_fast,
    to_hash_bucket_strong as to_hash_bucket_strong,
)
from tfcheck_runtime.ops.strings.joining import (
    format_ as format,
    unsorted_segment_join as unsorted_segment_join,
)
from tfcheck_runtime.ops.strings.numbers import (
    as_string as as_string,
    to_number as to_number,
)
from tfcheck_runtime.ops.strings.parts import (
    bytes_split as bytes_split,
    ngrams as ngrams,
    unicode_decode as unicode_decode,
    unicode_decode_with_offsets as unicode_decode_with_offsets,
    unicode_encode as unicode_encode,
    unicode_split as unicode_split,
    unicode_split_with_offsets as unicode_split_with_offsets,
    unicode_transcode as unicode_transcode,
)
from tfcheck_runtime.ops.strings.regex import (
    regex_full_match as regex_full_match,
    regex_replace as regex_replace,
)
from tfcheck_runtime.ops.strings.splitting import (
    split as split,
)
from tfcheck_runtime.ops.strings.text import (
    join as join,
    length as length,
    lower as lower,
    reduce_join as reduce_join,
    strip as strip,
    substr as substr,
    upper as upper,
)

_make_aware(globals())
__getattr__ = _lacking("tf.strings", globals())
