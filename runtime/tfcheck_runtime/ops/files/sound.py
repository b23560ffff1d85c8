"""`tf.audio`: 16-bit PCM WAV files as numbers, and back.

Follows https://www.tensorflow.org/api_docs/python/tf/audio.
"""

from __future__ import annotations

import struct
from typing import Any, Final, NamedTuple

import numpy as np

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Aval, Op, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.agreement import check_dtype
from tfcheck_runtime.ops.array.examples import f32
from tfcheck_runtime.ops.files.contents import text_of
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply, apply_n

_FULL: Final = 1 << 15
_HEAD: Final = struct.Struct("<4sI4s4sIHHIIHH4sI")


class DecodedWav(NamedTuple):
    """What `decode_wav` returns."""

    audio: Tensor
    sample_rate: Tensor


def _file(audio: Array, rate: int) -> bytes:
    """A file of samples, a column for each channel."""
    scaled = audio.astype(np.float32) * np.float32(_FULL)
    # Away from zero at halves, as C's round.
    rounded = np.trunc(scaled + np.copysign(np.float32(0.5), scaled))
    data = np.clip(rounded, -_FULL, _FULL - 1).astype("<i2").tobytes()
    channels = audio.shape[1]
    head = _HEAD.pack(
        b"RIFF", len(data) + _HEAD.size - 8, b"WAVE", b"fmt ", 16, 1, channels, rate,
        rate * channels * 2, channels * 2, 16, b"data", len(data),
    )  # fmt: skip
    return bytes(head + data)


class _DecodeWav(Op):
    """The samples of a file, and their number in a second."""

    type = "DecodeWav"
    cases = (case(np.array(_file(np.zeros((3, 1)), 8000), object), channels=1, samples=2),)

    def infer(self, contents: Aval, *, channels: int, samples: int) -> tuple[Aval, Aval]:
        check_dtype(self.type, contents, dtypes.string, "contents")
        sizes = tuple(None if size < 0 else size for size in (samples, channels))
        return Aval(dtypes.float32, sizes), Aval(dtypes.int32, ())

    def eager(self, contents: Array, *, channels: int, samples: int) -> Any:
        rate, found = _samples(text_of(contents))
        if channels > found.shape[1]:
            raise invalid_argument(
                f"{channels} channels are wanted, the file has {found.shape[1]}", self.type
            )
        audio = found[:, : None if channels < 0 else channels].astype(np.float32) / _FULL
        if samples >= 0:
            audio = audio[:samples]
            audio = np.pad(audio, ((0, samples - len(audio)), (0, 0)))
        return audio, np.array(rate, np.int32)


def _samples(content: bytes) -> tuple[int, Array]:
    """The rate and the samples of a file, a column for each channel.

    Raises:
        InvalidArgumentError: it is no 16-bit PCM WAV file.
    """
    if content[:4] != b"RIFF" or content[8:12] != b"WAVE":
        raise invalid_argument("Header mismatch: Expected RIFF and WAVE", "DecodeWav")
    layout: tuple[int, ...] | None = None
    position = 12
    while position + 8 <= len(content):
        name, size = struct.unpack_from("<4sI", content, position)
        body = content[position + 8 : position + 8 + size]
        position += 8 + size + size % 2
        if name == b"fmt " and len(body) >= 16:
            layout = struct.unpack_from("<HHIIHH", body)
        elif name == b"data" and layout is not None:
            kind, channels, rate, _, _, bits = layout
            if kind not in (1, 0xFFFE) or bits != 16:
                raise invalid_argument(
                    f"Can only read 16-bit PCM WAV files, but received format {kind} of {bits}"
                    " bits",
                    "DecodeWav",
                )
            whole = len(body) // (2 * channels) * channels
            return rate, np.frombuffer(body, "<i2", whole).reshape(-1, channels)
    raise invalid_argument("Bad bytes per sample in WAV header: no data found", "DecodeWav")


class _EncodeWav(Op):
    """A file of samples."""

    type = "EncodeWav"
    cases = (case(f32([[0.25], [-1.0]]), np.int32(8000)),)

    def infer(self, audio: Aval, sample_rate: Aval) -> Aval:
        known.check_rank(audio, 2, "audio")
        return Aval(dtypes.string, ())

    def eager(self, audio: Array, sample_rate: Array) -> Array:
        if audio.ndim != 2:
            raise invalid_argument(
                f"audio must be 2-dimensional but got shape {list(audio.shape)}", self.type
            )
        return np.array(_file(audio, int(sample_rate)), object)


decode_wav_op = define(_DecodeWav())
encode_wav_op = define(_EncodeWav())


def decode_wav(
    contents: object, desired_channels: int = -1, desired_samples: int = -1, name: str | None = None
) -> DecodedWav:
    """The samples of a 16-bit PCM WAV file as float32 in [-1, 1), and their rate.

    https://www.tensorflow.org/api_docs/python/tf/audio/decode_wav

    Args:
        contents: a scalar string.
        desired_channels: how many to keep; all for -1.
        desired_samples: how many to keep of each, zeros after the last; all for -1.
        name: of the node.

    Returns:
        `audio`, shape [samples, channels], and `sample_rate`, a scalar.

    Raises:
        InvalidArgumentError: it is no such file, or has fewer channels.
    """
    channels, samples = int(desired_channels), int(desired_samples)
    return DecodedWav(
        *apply_n(
            decode_wav_op, convert_to_tensor(contents), channels=channels, samples=samples,
            name=name,
        )
    )  # fmt: skip


def encode_wav(audio: object, sample_rate: object, name: str | None = None) -> Tensor:
    """A 16-bit PCM WAV file of float32 samples, shape [samples, channels], cut to [-1, 1).

    https://www.tensorflow.org/api_docs/python/tf/audio/encode_wav
    """
    return apply(
        encode_wav_op, convert_to_tensor(audio, dtypes.float32),
        convert_to_tensor(sample_rate, dtypes.int32), name=name,
    )  # fmt: skip
