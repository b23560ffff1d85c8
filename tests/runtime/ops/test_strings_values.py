"""String ops against values recorded from TensorFlow 2.21."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tfcheck_runtime as tf
from tfcheck_runtime.ops.strings.numbers import as_string, to_number
from tfcheck_runtime.ops.strings.regex import regex_full_match, regex_replace
from tfcheck_runtime.ops.strings.splitting import split
from tfcheck_runtime.ops.strings.text import (
    join,
    length,
    lower,
    reduce_join,
    strip,
    substr,
    upper,
)

INVALID = tf.errors.InvalidArgumentError

TEXTS: list[tuple[Callable[[], Any], list[str]]] = [
    (
        lambda: as_string([1.5, -2.0, 1e10, float("nan")]),
        ["1.500000", "-2.000000", "10000000000.000000", "nan"],
    ),
    (lambda: as_string([1.5], precision=2), ["1.50"]),
    (lambda: as_string([1.5], scientific=True), ["1.500000e+00"]),
    (lambda: as_string([1.5, 1e-10], shortest=True), ["1.5", "1e-10"]),
    (lambda: as_string([True]), ["true"]),
    (lambda: as_string([5], width=4, fill="0"), ["0005"]),
    (lambda: as_string(tf.constant([1 + 2j])), ["(1.000000,2.000000)"]),
    (lambda: join(["a", ["b", "c"]], "-"), ["a-b", "a-c"]),
    (lambda: reduce_join([["a", "b"], ["c", "d"]], axis=0), ["ac", "bd"]),
    (
        lambda: reduce_join([["a", "b"], ["c", "d"]], axis=-1, keepdims=True, separator=","),
        ["a,b", "c,d"],
    ),
    (lambda: substr(["hello", "abc"], [-3, 1], [2, 9]), ["ll", "bc"]),
    (lambda: split("a  b c"), ["a", "b", "c"]),
    (lambda: split("a,,b", ","), ["a", "", "b"]),
    (lambda: split("a,b,c", ",", maxsplit=1), ["a", "b,c"]),
    (lambda: regex_replace(["a-b", "c"], "(\\w)-(\\w)", "\\2\\1\\0"), ["baa-b", "c"]),
    (lambda: upper("éa"), ["éA"]),
    (lambda: lower("ÉA", encoding="utf-8"), ["éa"]),
    (lambda: strip("  a \n"), ["a"]),
]


def texts(tensor: Any) -> list[str]:
    return [t.decode() for t in tf.reshape(tensor, [-1]).numpy()]


@pytest.mark.parametrize(("expression", "expected"), TEXTS)
def test_texts_are_those_of_tensorflow(expression: Callable[[], Any], expected: list[str]) -> None:
    assert texts(expression()) == expected


@pytest.mark.parametrize(("expression", "expected"), TEXTS)
def test_graphs_give_them_too(expression: Callable[[], Any], expected: list[str]) -> None:
    assert texts(tf.function(expression, autograph=False)()) == expected


def test_lengths_count_bytes_or_characters() -> None:
    assert length(["é", "ab"]).numpy().tolist() == [2, 2]
    assert length(["é", "ab"], unit="UTF8_CHAR").numpy().tolist() == [1, 2]


def test_numbers_are_read() -> None:
    assert to_number(["1.5", "-2e3"]).numpy().tolist() == [1.5, -2000.0]
    assert to_number("12", tf.int64).numpy() == 12


def test_whole_strings_match() -> None:
    assert regex_full_match(["abc", "abcd"], "a.c").numpy().tolist() == [True, False]


def test_a_pattern_may_be_a_tensor() -> None:
    replaced = regex_replace("a-b", tf.constant("-"), tf.constant("+"), replace_global=False)

    assert replaced.numpy() == b"a+b"


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        (
            lambda: to_number("x"),
            "StringToNumberOp could not correctly convert string: x [Op:StringToNumber]",
        ),
        (
            lambda: substr("ab", 5, 1),
            "pos 5 out of range for string of length 2 [Op:Substr]",
        ),
        (
            lambda: regex_replace("x", "(", "a"),
            "Invalid pattern: (, error: missing ), unterminated subpattern at position 0"
            " [Op:StaticRegexReplace]",
        ),
    ],
)
def test_what_fails_is_named(expression: Callable[[], Any], message: str) -> None:
    with pytest.raises(INVALID) as error:
        expression()

    assert str(error.value) == message
