"""`tf.data`, as far as the runtime has it."""

from __future__ import annotations

from tfcheck_runtime.api import data_experimental as experimental
from tfcheck_runtime.api.missing import lacking as _lacking
from tfcheck_runtime.data.base import NumpyIterator as NumpyIterator
from tfcheck_runtime.data.dataset import (
    AUTOTUNE as AUTOTUNE,
    Dataset as Dataset,
)
from tfcheck_runtime.data.files import (
    FixedLengthRecordDataset as FixedLengthRecordDataset,
    TextLineDataset as TextLineDataset,
    TFRecordDataset as TFRecordDataset,
)
from tfcheck_runtime.data.iterator import OwnedIterator as Iterator
from tfcheck_runtime.data.options import (
    Options as Options,
    ThreadingOptions as ThreadingOptions,
)
from tfcheck_runtime.data.spec import (
    DatasetSpec as DatasetSpec,
    IteratorSpec as IteratorSpec,
    NoneTensorSpec as NoneTensorSpec,
)

INFINITE_CARDINALITY = -1
UNKNOWN_CARDINALITY = -2

__getattr__ = _lacking("tf.data", globals())
