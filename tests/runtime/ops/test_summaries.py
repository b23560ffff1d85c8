"""`tf.summary`: event files as TensorBoard reads them."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

import tfcheck_runtime as tf
from tfcheck_runtime.ops.files.records import crc32c, framed


def events(folder: Path) -> list[bytes]:
    """The records of the one event file in a folder, their checksums checked."""
    (path,) = folder.iterdir()
    content, found = path.read_bytes(), []
    while content:
        length = struct.unpack("<Q", content[:8])[0]
        data = content[12 : 12 + length]
        assert content[: 16 + length] == framed(data)
        found.append(data)
        content = content[16 + length :]
    return found


def test_the_checksum_is_castagnolis() -> None:
    assert crc32c(b"123456789") == 0xE3069283


def test_a_function_writes_a_number_per_call_under_its_name_scope(tmp_path: Path) -> None:
    @tf.function
    def step(loss, number):
        with tf.name_scope("train"):
            tf.summary.scalar("loss", loss, step=number)

    with tf.summary.create_file_writer(str(tmp_path)).as_default():
        for number in range(3):
            step(tf.constant(0.5 * number), tf.constant(number, tf.int64))

    first, *rest = events(tmp_path)
    assert first.endswith(b"brain.Event:2")
    assert [b"train/loss" in e and struct.pack("<f", 0.5 * i) in e for i, e in enumerate(rest)] == [
        True
    ] * 3


def test_nothing_is_written_without_a_writer_or_where_a_condition_forbids_it(
    tmp_path: Path,
) -> None:
    assert not tf.summary.scalar("a", 1.0, step=0).numpy()
    with tf.summary.create_file_writer(str(tmp_path)).as_default(step=1):
        with tf.summary.record_if(False):
            assert not tf.summary.scalar("a", 1.0).numpy()

    assert list(tmp_path.iterdir()) == []


def test_a_summary_needs_a_step_and_a_scalar(tmp_path: Path) -> None:
    with tf.summary.create_file_writer(str(tmp_path)).as_default():
        with pytest.raises(ValueError, match="No step set"):
            tf.summary.scalar("a", 1.0)
        with pytest.raises(ValueError, match="data must be a scalar, got shape"):
            tf.summary.scalar("a", [1.0], step=0)


def test_graphs_traced_while_recording_are_exported(tmp_path: Path) -> None:
    @tf.function
    def double(x):
        return tf.multiply(x, 2.0, name="twice")

    writer = tf.summary.create_file_writer(str(tmp_path))
    with writer.as_default():
        with pytest.raises(ValueError, match="Must enable trace before export"):
            tf.summary.trace_export("double", step=0)
        tf.summary.trace_on()
        double(tf.constant(1.0))
        tf.summary.trace_export("double", step=0)

    _, exported = events(tmp_path)
    assert b"graph_run_metadata_graph" in exported
    assert b"\x0a\x05twice\x12\x03Mul\x1a\x01x" in exported  # a node: name, op, input


def test_a_given_graph_is_written(tmp_path: Path) -> None:
    concrete = tf.function(lambda x: x + 1.0).get_concrete_function(tf.TensorSpec([], tf.float32))

    with tf.summary.create_file_writer(str(tmp_path)).as_default():
        assert tf.summary.graph(concrete.graph).numpy()
        assert tf.summary.graph(concrete.graph.as_graph_def()).numpy()
        with pytest.raises(ValueError, match=r"is not tf\.Graph"):
            tf.summary.graph(3)

    _, *rest = events(tmp_path)
    assert [b"AddV2" in event for event in rest] == [True, True]
    assert not tf.summary.graph(concrete.graph).numpy()


def test_tensorflows_profiler_says_that_it_records_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    profiler = tf.profiler.experimental
    with pytest.raises(tf.errors.UnavailableError, match="No profiler is running"):
        profiler.stop()
    with profiler.Profile(str(tmp_path)), profiler.Trace("step", number=1) as trace:
        trace.set_metadata(more=2)
        with pytest.raises(tf.errors.AlreadyExistsError):
            profiler.start(str(tmp_path))

    assert trace.metadata == {"number": 1, "more": 2}
    assert "run the program with `tfcheck profile`" in caplog.text
