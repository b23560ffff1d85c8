"""`tf.lookup`: tables that are filled once, and tables that change."""

from __future__ import annotations

from pathlib import Path

import pytest

import tfcheck_runtime as tf


def table() -> tf.lookup.StaticHashTable:
    content = tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2])
    return tf.lookup.StaticHashTable(content, -1)


def test_keys_give_their_values_eagerly_and_in_functions() -> None:
    words = table()
    lookup = tf.function(lambda keys: words[keys], autograph=False)

    assert words.lookup(tf.constant(["b", "c"])).numpy().tolist() == [2, -1]
    assert lookup(tf.constant([["a"], ["z"]])).numpy().tolist() == [[1], [-1]]
    assert words.size().numpy() == 2


def test_keys_of_another_type_are_refused() -> None:
    with pytest.raises(TypeError, match="must be string, received: int32"):
        table().lookup(tf.constant([1]))


def test_lines_of_a_file_are_keys(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("x\t5\ny\t6\n", encoding="utf-8")
    index = tf.lookup.TextFileIndex
    numbers = tf.lookup.TextFileInitializer(
        str(tmp_path / "words.txt"), tf.string, 0, tf.int64, index.LINE_NUMBER
    )
    column = tf.lookup.TextFileInitializer(str(tmp_path / "words.txt"), tf.string, 0, tf.int64, 1)

    keys = tf.constant(["y", "n"])
    assert tf.lookup.StaticHashTable(numbers, 9).lookup(keys).numpy().tolist() == [1, 9]
    assert tf.lookup.StaticHashTable(column, 9).lookup(keys).numpy().tolist() == [6, 9]


def test_a_mutable_table_changes() -> None:
    counts = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, 0)
    counts.insert(tf.constant(["a", "b"]), tf.constant([3, 4], tf.int64))
    counts.remove(tf.constant(["a"]))

    assert counts.lookup(tf.constant(["a", "b"])).numpy().tolist() == [0, 4]
    assert [t.numpy().tolist() for t in counts.export()] == [[b"b"], [4]]


def test_a_key_with_two_values_is_refused() -> None:
    content = tf.lookup.KeyValueTensorInitializer(["a", "a"], [1, 2])
    with pytest.raises(tf.errors.FailedPreconditionError, match="different value for same key"):
        tf.lookup.StaticHashTable(content, 0)


def test_a_table_that_no_initializer_filled_cannot_be_asked() -> None:
    class Later(tf.lookup.KeyValueTensorInitializer):
        def __init__(self) -> None:
            self._key_dtype, self._value_dtype = tf.string, tf.int64

        def initialize(self, table: object) -> None:
            """To be filled when something else is restored."""

    table = tf.lookup.StaticHashTable(Later(), -1)

    assert table.size().numpy() == 0
    with pytest.raises(tf.errors.FailedPreconditionError, match="Table not initialized"):
        table.lookup(tf.constant(["a"]))
