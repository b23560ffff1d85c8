"""`tf.summary`, as far as the runtime has it."""

from __future__ import annotations

from tfcheck_runtime.api import (
    summary_experimental as experimental,
)
from tfcheck_runtime.api.missing import lacking as _lacking
from tfcheck_runtime.function.graph_summary import (
    graph as graph,
    trace_export as trace_export,
    trace_off as trace_off,
    trace_on as trace_on,
)
from tfcheck_runtime.ops.summary.summaries import (
    histogram as histogram,
    image as image,
    scalar as scalar,
    text as text,
)
from tfcheck_runtime.ops.summary.writers import (
    SummaryWriter as SummaryWriter,
    create_file_writer as create_file_writer,
    create_noop_writer as create_noop_writer,
    flush as flush,
    record_if as record_if,
    should_record_summaries as should_record_summaries,
)

__getattr__ = _lacking("tf.summary", globals())
