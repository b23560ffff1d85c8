"""Pictures in files' formats, through Pillow."""

from __future__ import annotations

import importlib
import io
from typing import Any

import numpy as np

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Aval, Op, define
from tfcheck_runtime.ops.array.agreement import check_dtype
from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.files.contents import text_of
from tfcheck_runtime.ops.math.arithmetic import multiply
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import as_dtype
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply

_MODES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}


def pillow_image() -> Any:
    """Pillow's `Image` module.

    Raises:
        NotImplementedError: Pillow is not installed.
    """
    try:
        return importlib.import_module("PIL.Image")
    except ImportError:
        raise NotImplementedError(
            "reading and writing pictures needs Pillow: pip install 'tfcheck[images]'"
        ) from None


class _DecodePicture(Op):
    """The pixels of a picture; animations give their first frame, or all with `frames`."""

    type = "DecodeImage"

    def infer(self, contents: Aval, *, channels: int, frames: bool) -> Aval:
        check_dtype(self.type, contents, dtypes.string, "contents")
        last = channels or None
        return Aval(dtypes.uint8, None if frames else (None, None, last))

    def eager(self, contents: Array, *, channels: int, frames: bool) -> Array:
        pillow = pillow_image()
        try:
            picture = pillow.open(io.BytesIO(text_of(contents)))
            count = getattr(picture, "n_frames", 1)
            if frames and count > 1:
                return np.stack([_frame(picture, i, channels or 3) for i in range(count)])
            return _pixels(picture, channels)
        except (OSError, SyntaxError) as error:
            raise invalid_argument(f"cannot decode the picture: {error}", self.type) from error


def _frame(picture: Any, number: int, channels: int) -> Array:
    picture.seek(number)
    return _pixels(picture, channels)


def _pixels(picture: Any, channels: int) -> Array:
    if picture.mode == "P":
        picture = picture.convert("RGBA" if "transparency" in picture.info else "RGB")
    elif picture.mode not in (*_MODES.values(), "CMYK"):
        picture = picture.convert("L")
    if picture.mode == "CMYK":
        picture = picture.convert("RGB")
    if channels:
        picture = picture.convert(_MODES[channels])
    pixels = np.asarray(picture, np.uint8)
    return pixels[..., None] if pixels.ndim == 2 else pixels


class _EncodePicture(Op):
    """A picture as bytes."""

    type = "EncodeImage"

    def infer(self, image: Aval, *, format: str, quality: int) -> Aval:
        check_dtype(self.type, image, dtypes.uint8, "image")
        if image.shape is not None and len(image.shape) != 3:
            raise ValueError(f"image must be 3-dimensional, got shape {image.shape}")
        return Aval(dtypes.string, ())

    def eager(self, image: Array, *, format: str, quality: int) -> Array:
        if image.shape[-1] not in _MODES:
            raise invalid_argument(f"image must have 1 to 4 channels, got {image.shape}", self.type)
        pixels = image[..., 0] if image.shape[-1] == 1 else image
        out = io.BytesIO()
        pillow_image().fromarray(pixels, _MODES[image.shape[-1]]).save(out, format, quality=quality)
        return np.array(out.getvalue(), object)


decode_picture_op = define(_DecodePicture())
encode_picture_op = define(_EncodePicture())


def _decoded(
    contents: object, channels: int | None, name: str | None, frames: bool = False
) -> Tensor:
    if channels not in (None, 0, *_MODES):
        raise ValueError(f"channels must be 0, 1, 3 or 4, got {channels}")
    return apply(
        decode_picture_op, convert_to_tensor(contents), channels=channels or 0, frames=frames,
        name=name,
    )  # fmt: skip


def decode_jpeg(
    contents: object,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """The uint8 pixels of a JPEG file: [height, width, channels].

    https://www.tensorflow.org/api_docs/python/tf/io/decode_jpeg. Another decoder than
    TensorFlow's: values may differ by a few steps.

    Raises:
        InvalidArgumentError: it is no picture.
        NotImplementedError: Pillow is not installed, or `ratio` is not 1.
    """
    del fancy_upscaling, try_recover_truncated, acceptable_fraction, dct_method
    if ratio != 1:
        raise NotImplementedError(f"tf.io.decode_jpeg with ratio={ratio}")
    return _decoded(contents, channels, name)


def decode_png(
    contents: object, channels: int = 0, dtype: object = dtypes.uint8, name: str | None = None
) -> Tensor:
    """The pixels of a PNG file: [height, width, channels]; for errors see `decode_jpeg`.

    https://www.tensorflow.org/api_docs/python/tf/io/decode_png

    Raises:
        NotImplementedError: `dtype` is not uint8.
    """
    if as_dtype(dtype) is not dtypes.uint8:
        raise NotImplementedError(f"tf.io.decode_png with dtype={as_dtype(dtype).name}")
    return _decoded(contents, channels, name)


def decode_bmp(contents: object, channels: int = 0, name: str | None = None) -> Tensor:
    """The uint8 pixels of a BMP file (https://www.tensorflow.org/api_docs/python/tf/io/decode_bmp)."""
    return _decoded(contents, channels, name)


def decode_gif(contents: object, name: str | None = None) -> Tensor:
    """The uint8 frames of a GIF file: [frames, height, width, 3].

    https://www.tensorflow.org/api_docs/python/tf/io/decode_gif
    """
    found: Any = _decoded(contents, 3, name, frames=True)
    frames: Tensor = found if found.ndim != 3 else found[None]
    return frames


def decode_image(
    contents: object,
    channels: int | None = None,
    dtype: object = dtypes.uint8,
    name: str | None = None,
    expand_animations: bool = True,
) -> Tensor:
    """The pixels of a BMP, GIF, JPEG or PNG file; for errors see `decode_jpeg`.

    https://www.tensorflow.org/api_docs/python/tf/io/decode_image

    Args:
        contents: of the file.
        channels: of the result; by default those of the file.
        dtype: of the result; floats lie in [0, 1].
        name: of the node.
        expand_animations: whether animations give all their frames.
    """
    found = _decoded(contents, channels, name, frames=bool(expand_animations))
    kind = as_dtype(dtype)
    if kind is dtypes.uint8:
        return found
    if not kind.is_floating:
        raise NotImplementedError(f"tf.io.decode_image with dtype={kind.name}")
    return multiply(cast(found, kind), 1 / 255)


def encode_png(image: object, compression: int = -1, name: str | None = None) -> Tensor:
    """A uint8 picture as a PNG file (https://www.tensorflow.org/api_docs/python/tf/io/encode_png)."""
    del compression
    return apply(encode_picture_op, convert_to_tensor(image), format="PNG", quality=95, name=name)


def encode_jpeg(
    image: object, format: str = "", quality: int = 95, name: str | None = None, **options: object
) -> Tensor:
    """A uint8 picture as a JPEG file.

    https://www.tensorflow.org/api_docs/python/tf/io/encode_jpeg

    Raises:
        NotImplementedError: there is another option.
    """
    del format
    if options:
        raise NotImplementedError(f"tf.io.encode_jpeg with {', '.join(options)}")
    return apply(
        encode_picture_op, convert_to_tensor(image), format="JPEG", quality=int(quality), name=name
    )
