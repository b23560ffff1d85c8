"""`tf.io` and `tf.io.gfile`: whole files, pictures, numbers as bytes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tfcheck_runtime as tf
from tfcheck_runtime.ops.files.records import crc32c


def test_a_file_is_written_with_its_folder_and_read_inside_a_function(tmp_path: Path) -> None:
    path = str(tmp_path / "new" / "a.txt")
    read = tf.function(tf.io.read_file, autograph=False)

    tf.io.write_file(path, "héllo")

    assert read(tf.constant(path)).numpy() == "héllo".encode()


def test_a_missing_file_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.NotFoundError, match="nope; No such file or directory"):
        tf.io.read_file(str(tmp_path / "nope"))
    with pytest.raises(tf.errors.NotFoundError):
        tf.io.gfile.GFile(str(tmp_path / "nope"))


def test_folders_are_made_listed_searched_and_deleted(tmp_path: Path) -> None:
    gfile = tf.io.gfile
    gfile.makedirs(tmp_path / "a" / "b")
    with gfile.GFile(tmp_path / "a" / "x.txt", "w") as file:
        file.write("one\ntwo\n")
    gfile.copy(tmp_path / "a" / "x.txt", tmp_path / "a" / "y.txt")

    assert sorted(gfile.listdir(tmp_path / "a")) == ["b", "x.txt", "y.txt"]
    assert gfile.glob(str(tmp_path / "a" / "*.txt")) == [
        str(tmp_path / "a" / name) for name in ("x.txt", "y.txt")
    ]
    with gfile.GFile(tmp_path / "a" / "y.txt") as file:
        assert file.readlines() == ["one\n", "two\n"]
    with pytest.raises(tf.errors.AlreadyExistsError):
        gfile.copy(tmp_path / "a" / "x.txt", tmp_path / "a" / "y.txt")
    gfile.rmtree(tmp_path / "a")
    assert not gfile.exists(tmp_path / "a")


def test_paths_with_a_scheme_are_refused() -> None:
    message = "File system scheme 'gs' not implemented"
    with pytest.raises(tf.errors.UnimplementedError, match=message):
        tf.io.gfile.exists("gs://bucket/file")


def test_bytes_are_numbers_of_equal_length() -> None:
    found = tf.io.decode_raw([b"\x01\x00\x02\x00"], tf.uint16)

    assert found.numpy().tolist() == [[1, 2]]
    assert tf.io.decode_raw(b"\x00\x01", tf.int16, little_endian=False).numpy().tolist() == [1]
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.io.decode_raw([b"ab", b"a"], tf.uint8)


def test_a_png_keeps_its_pixels() -> None:
    pixels = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)

    encoded = tf.io.encode_png(pixels)

    assert tf.io.decode_png(encoded).numpy().tolist() == pixels.tolist()
    assert tf.io.decode_image(encoded, dtype=tf.float32).numpy().max() == np.float32(23 / 255)
    assert tf.io.decode_png(encoded, channels=1).shape == [2, 4, 1]


def test_what_is_no_picture_is_refused() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="cannot decode the picture"):
        tf.io.decode_jpeg(b"no picture")


@pytest.mark.parametrize("size", [0, 1, 4095, 4096, 5001, 70_000])
def test_a_checksum_is_the_same_however_long_the_data_is(size: int) -> None:
    data = bytes(i * 7 % 251 for i in range(size))
    register = 0xFFFFFFFF
    for byte in data:
        register ^= byte
        for _ in range(8):
            register = register >> 1 ^ (0x82F63B78 if register & 1 else 0)

    assert crc32c(data) == register ^ 0xFFFFFFFF


def test_the_checksum_of_nine_digits_is_known() -> None:
    assert crc32c(b"123456789") == 0xE3069283
