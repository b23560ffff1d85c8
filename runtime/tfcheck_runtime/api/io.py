"""`tf.io`, as far as the runtime has it."""

from __future__ import annotations

from tfcheck_runtime.api import (
    io_gfile as gfile,
)
from tfcheck_runtime.api.missing import lacking as _lacking
from tfcheck_runtime.ops.files.contents import (
    decode_base64 as decode_base64,
    decode_compressed as decode_compressed,
    decode_raw as decode_raw,
    encode_base64 as encode_base64,
    matching_files as matching_files,
    read_file as read_file,
    write_file as write_file,
)
from tfcheck_runtime.ops.files.csv import (
    decode_csv as decode_csv,
)
from tfcheck_runtime.ops.files.examples import (
    parse_example as parse_example,
    parse_single_example as parse_single_example,
    parse_single_sequence_example as parse_single_sequence_example,
)
from tfcheck_runtime.ops.files.features import (
    FixedLenFeature as FixedLenFeature,
    FixedLenSequenceFeature as FixedLenSequenceFeature,
    RaggedFeature as RaggedFeature,
    SparseFeature as SparseFeature,
    VarLenFeature as VarLenFeature,
)
from tfcheck_runtime.ops.files.pictures import (
    decode_bmp as decode_bmp,
    decode_gif as decode_gif,
    decode_image as decode_image,
    decode_jpeg as decode_jpeg,
    decode_png as decode_png,
    encode_jpeg as encode_jpeg,
    encode_png as encode_png,
)
from tfcheck_runtime.ops.files.record_writer import (
    TFRecordOptions as TFRecordOptions,
    TFRecordWriter as TFRecordWriter,
)
from tfcheck_runtime.ops.files.tensor_message import (
    parse_tensor as parse_tensor,
    serialize_tensor as serialize_tensor,
)

__getattr__ = _lacking("tf.io", globals())
