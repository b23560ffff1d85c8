"""Whole files, and numbers as bytes."""

from __future__ import annotations

import base64

import numpy as np

from tfcheck_runtime.errors import NotFoundError, invalid_argument
from tfcheck_runtime.graph.operation import Operation
from tfcheck_runtime.op import Array, Aval, Op, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.agreement import check_dtype
from tfcheck_runtime.ops.files import gfile
from tfcheck_runtime.ops.files.compression import checked_compression, compressed, decompressed
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import DType, as_dtype
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply, apply_n, performed


def text_of(array: Array) -> bytes:
    """The content of a scalar string."""
    content: bytes = np.asarray(array).item()
    return content


class _ReadFile(Op):
    """The content of a file."""

    type = "ReadFile"
    stateful = True

    def infer(self, filename: Aval) -> Aval:
        check_dtype(self.type, filename, dtypes.string, "filename")
        return Aval(dtypes.string, ())

    def eager(self, filename: Array) -> Array:
        path = gfile.local(text_of(filename))
        try:
            with open(path, "rb") as file:
                return np.array(file.read(), object)
        except FileNotFoundError as error:
            raise NotFoundError(None, None, f"{path}; No such file or directory") from error


class _WriteFile(Op):
    """Writes a file, and the folders above it."""

    type = "WriteFile"
    stateful = True

    def infer(self, filename: Aval, contents: Aval) -> tuple[Aval, ...]:
        for what, aval in (("filename", filename), ("contents", contents)):
            check_dtype(self.type, aval, dtypes.string, what)
        return ()

    def eager(self, filename: Array, contents: Array) -> tuple[Array, ...]:
        path = gfile.local(text_of(filename))
        gfile.makedirs(path.rpartition("/")[0] or ".")
        with open(path, "wb") as file:
            file.write(text_of(contents))
        return ()


class _MatchingFiles(Op):
    """The paths that match patterns, sorted."""

    type = "MatchingFiles"
    stateful = True

    def infer(self, pattern: Aval) -> Aval:
        check_dtype(self.type, pattern, dtypes.string, "pattern")
        return Aval(dtypes.string, (None,))

    def eager(self, pattern: Array) -> Array:
        found = gfile.glob(np.asarray(pattern).reshape(-1).tolist())
        return np.array([path.encode() for path in sorted(found)], object)


class _DecodeRaw(Op):
    """Bytes as numbers, in a new last axis."""

    type = "DecodeRaw"
    cases = (
        case(np.array([b"\x01\x00\x02\x00", b"\x03\x00\x00\x01"], object),
             out_type=dtypes.int16, little_endian=True),
        case(np.array(b"\x01\x02", object), out_type=dtypes.uint8, little_endian=True),
    )  # fmt: skip

    def infer(self, data: Aval, *, out_type: DType, little_endian: bool) -> Aval:
        check_dtype(self.type, data, dtypes.string, "input_bytes")
        return Aval(out_type, None if data.shape is None else (*data.shape, None))

    def eager(self, data: Array, *, out_type: DType, little_endian: bool) -> Array:
        lengths = {len(element) for element in data.reshape(-1).tolist()}
        if len(lengths) > 1:
            raise invalid_argument(
                f"DecodeRaw requires input strings to all be the same size, got {sorted(lengths)}",
                self.type,
            )
        length = lengths.pop() if lengths else 0
        if length % out_type.size:
            raise invalid_argument(
                f"Input to DecodeRaw has length {length} that is not a multiple of"
                f" {out_type.size}, the size of {out_type.name}",
                self.type,
            )
        order = out_type.numpy.newbyteorder("<" if little_endian else ">")
        flat = np.frombuffer(b"".join(data.reshape(-1).tolist()), order)
        return flat.astype(out_type.numpy).reshape(*data.shape, length // out_type.size)


class _DecodePaddedRaw(Op):
    """Bytes as numbers, in a new last axis, cut or filled with zeros to a length."""

    type = "DecodePaddedRaw"
    cases = (
        case(np.array([b"\x01\x00\x02\x00", b"\x03"], object), np.int32(4),
             out_type=dtypes.int16, little_endian=True),
    )  # fmt: skip

    def infer(self, data: Aval, length: Aval, *, out_type: DType, little_endian: bool) -> Aval:
        check_dtype(self.type, data, dtypes.string, "input_bytes")
        size = known.scalar(length)
        count = None if size is None else size // out_type.size
        return Aval(out_type, None if data.shape is None else (*data.shape, count))

    def eager(self, data: Array, length: Array, *, out_type: DType, little_endian: bool) -> Array:
        size = int(length)
        padded = np.empty(data.shape, object)
        for place, element in np.ndenumerate(data):
            padded[place] = element[:size].ljust(size, b"\0")
        return decode_raw_op.eager(padded, out_type=out_type, little_endian=little_endian)


class _DecodeCompressed(Op):
    """Strings decompressed."""

    type = "DecodeCompressed"
    cases = (case(np.array([compressed(b"ab", "ZLIB")], object), compression="ZLIB"),)

    def infer(self, data: Aval, *, compression: str) -> Aval:
        check_dtype(self.type, data, dtypes.string, "bytes")
        return Aval(dtypes.string, data.shape)

    def eager(self, data: Array, *, compression: str) -> Array:
        out = np.empty(data.shape, object)
        for place, element in np.ndenumerate(data):
            out[place] = decompressed(element, compression)
        return out


class _Base64(Op):
    """Strings as URL-safe base64, or back."""

    def __init__(self, op_type: str) -> None:
        self.type = op_type
        self.cases = (case(np.array([b"YWI", b""], object)),)

    def infer(self, data: Aval, **pad: bool) -> Aval:
        check_dtype(self.type, data, dtypes.string, "input")
        return Aval(dtypes.string, data.shape)

    def eager(self, data: Array, **pad: bool) -> Array:
        out = np.empty(data.shape, object)
        for place, element in np.ndenumerate(data):
            if self.type == "DecodeBase64":
                out[place] = base64.urlsafe_b64decode(element + b"=" * (-len(element) % 4))
                continue
            encoded = base64.urlsafe_b64encode(element)
            out[place] = encoded if pad.get("pad") else encoded.rstrip(b"=")
        return out


read_file_op = define(_ReadFile())
write_file_op = define(_WriteFile())
matching_files_op = define(_MatchingFiles())
decode_raw_op = define(_DecodeRaw())
decode_padded_raw_op = define(_DecodePaddedRaw())
decode_compressed_op = define(_DecodeCompressed())
encode_base64_op = define(_Base64("EncodeBase64"))
decode_base64_op = define(_Base64("DecodeBase64"))


def read_file(filename: object, name: str | None = None) -> Tensor:
    """The content of a file as a string.

    https://www.tensorflow.org/api_docs/python/tf/io/read_file

    Raises:
        NotFoundError: there is no such file.
    """
    return apply(read_file_op, _path(filename), name=name)


def write_file(filename: object, contents: object, name: str | None = None) -> Operation | None:
    """Write a string to a file, making the folders above it.

    https://www.tensorflow.org/api_docs/python/tf/io/write_file
    """
    apply_n(write_file_op, _path(filename), convert_to_tensor(contents), name=name)
    return performed()


def matching_files(pattern: object, name: str | None = None) -> Tensor:
    """The paths that match a pattern, or one of several, sorted.

    https://www.tensorflow.org/api_docs/python/tf/io/matching_files
    """
    return apply(matching_files_op, convert_to_tensor(pattern), name=name)


def _path(filename: object) -> Tensor:
    return convert_to_tensor(str(filename) if hasattr(filename, "__fspath__") else filename)


def decode_raw(
    input_bytes: object,
    out_type: object,
    little_endian: bool = True,
    fixed_length: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Bytes as numbers of a type, in a new last axis.

    https://www.tensorflow.org/api_docs/python/tf/io/decode_raw

    Raises:
        InvalidArgumentError: lengths differ or are no multiple of the type's size.
        ValueError: `fixed_length` is no multiple of it.
    """
    if fixed_length is not None:
        return _decode_padded(input_bytes, as_dtype(out_type), little_endian, fixed_length, name)
    return apply(
        decode_raw_op, convert_to_tensor(input_bytes), out_type=as_dtype(out_type),
        little_endian=bool(little_endian), name=name,
    )  # fmt: skip


def _decode_padded(
    data: object, dtype: DType, little_endian: bool, length: int, name: str | None
) -> Tensor:
    if length <= 0 or length % dtype.size:
        raise ValueError(
            f"fixed_length must be a positive multiple of the size of {dtype.name}, got {length}"
        )
    return apply(
        decode_padded_raw_op, convert_to_tensor(data), convert_to_tensor(length, dtypes.int32),
        out_type=dtype, little_endian=bool(little_endian), name=name,
    )  # fmt: skip


def decode_compressed(bytes: object, compression_type: str = "", name: str | None = None) -> Tensor:
    """Strings decompressed one by one.

    https://www.tensorflow.org/api_docs/python/tf/io/decode_compressed

    Args:
        bytes: strings.
        compression_type: "", "GZIP" or "ZLIB".
        name: of the node.

    Raises:
        InvalidArgumentError: there is no such compression.
        DataLossError: a string is not compressed that way.
    """
    kind = checked_compression(compression_type)
    return apply(decode_compressed_op, convert_to_tensor(bytes), compression=kind, name=name)


def encode_base64(input: object, pad: bool = False, name: str | None = None) -> Tensor:
    """Strings in URL-safe base64; `pad` keeps the `=` at the end.

    https://www.tensorflow.org/api_docs/python/tf/io/encode_base64
    """
    return apply(encode_base64_op, convert_to_tensor(input), pad=bool(pad), name=name)


def decode_base64(input: object, name: str | None = None) -> Tensor:
    """Strings of URL-safe base64 decoded.

    https://www.tensorflow.org/api_docs/python/tf/io/decode_base64

    Raises:
        InvalidArgumentError: it is not base64.
    """
    return apply(decode_base64_op, convert_to_tensor(input), name=name)
