"""`tf.data.experimental`, as far as the runtime has it."""

from __future__ import annotations

from tfcheck_runtime.api.missing import lacking as _lacking
from tfcheck_runtime.data.csv_files import (
    CsvDataset as CsvDataset,
    make_csv_dataset as make_csv_dataset,
)
from tfcheck_runtime.data.dataset import AUTOTUNE as AUTOTUNE
from tfcheck_runtime.data.experimental import (
    Counter as Counter,
    RandomDataset as RandomDataset,
    TFRecordWriter as TFRecordWriter,
    assert_cardinality as assert_cardinality,
    at as at,
    bucket_by_sequence_length as bucket_by_sequence_length,
    cardinality as cardinality,
    choose_from_datasets as choose_from_datasets,
    copy_to_device as copy_to_device,
    dense_to_ragged_batch as dense_to_ragged_batch,
    dense_to_sparse_batch as dense_to_sparse_batch,
    enumerate_dataset as enumerate_dataset,
    from_list as from_list,
    get_next_as_optional as get_next_as_optional,
    get_single_element as get_single_element,
    get_structure as get_structure,
    group_by_window as group_by_window,
    ignore_errors as ignore_errors,
    load as load,
    map_and_batch as map_and_batch,
    parallel_interleave as parallel_interleave,
    prefetch_to_device as prefetch_to_device,
    rejection_resample as rejection_resample,
    sample_from_datasets as sample_from_datasets,
    save as save,
    scan as scan,
    shuffle_and_repeat as shuffle_and_repeat,
    snapshot as snapshot,
    take_while as take_while,
    unbatch as unbatch,
    unique as unique,
)
from tfcheck_runtime.data.optional import Optional as Optional
from tfcheck_runtime.data.options import (
    AutoShardPolicy as AutoShardPolicy,
    AutotuneAlgorithm as AutotuneAlgorithm,
    AutotuneOptions as AutotuneOptions,
    DistributeOptions as DistributeOptions,
    ExternalStatePolicy as ExternalStatePolicy,
    OptimizationOptions as OptimizationOptions,
    ThreadingOptions as ThreadingOptions,
)

INFINITE_CARDINALITY = -1
UNKNOWN_CARDINALITY = -2

__getattr__ = _lacking("tf.data.experimental", globals())
