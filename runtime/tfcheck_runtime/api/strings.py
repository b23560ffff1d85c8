"""`tf.strings`, as far as the runtime has it."""

from __future__ import annotations

from tfcheck_runtime.api.missing import lacking as _lacking
from tfcheck_runtime.ops.strings.numbers import (
    as_string as as_string,
    to_number as to_number,
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

__getattr__ = _lacking("tf.strings", globals())
