"""String functions that make rows, hash, and take ragged tensors; values of TensorFlow 2.21."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tfcheck_runtime as tf
from tfcheck_runtime.ops.array.fingerprints import farm, murmur, sip

INVALID = tf.errors.InvalidArgumentError


def words() -> Any:
    return tf.ragged.constant([["a", "b", "c"], [], ["d"]])


def listed(value: Any) -> Any:
    if isinstance(value, tf.RaggedTensor):
        return value.to_list()
    return np.asarray(value.numpy()).tolist()


ROWS: list[tuple[Callable[[], Any], Any]] = [
    (
        lambda: tf.strings.split(["a b", "", "c  d e"]),
        [[b"a", b"b"], [], [b"c", b"d", b"e"]],
    ),
    (lambda: tf.strings.split(["a,b,,c"], ",", maxsplit=1), [[b"a", b"b,,c"]]),
    (
        lambda: tf.strings.split(tf.ragged.constant([["a b"], []])),
        [[[b"a", b"b"]], []],
    ),
    (lambda: tf.strings.bytes_split(["ab", ""]), [[b"a", b"b"], []]),
    (
        lambda: tf.strings.unicode_decode(["a\u00e4", "", "\u20acx"], "UTF-8"),
        [[97, 228], [], [8364, 120]],
    ),
    (lambda: tf.strings.unicode_decode([b"a\xffb"], "UTF-8", replacement_char=63), [[97, 63, 98]]),
    (lambda: tf.strings.unicode_decode([b"a\xffb"], "UTF-8", errors="ignore"), [[97, 98]]),
    (
        lambda: tf.strings.unicode_split_with_offsets(["a\u00e4\u20acx"], "UTF-8")[1],
        [[0, 1, 3, 6]],
    ),
    (
        lambda: tf.strings.unicode_encode(tf.ragged.constant([[97, 228], [], [8364]]), "UTF-8"),
        [b"a\xc3\xa4", b"", b"\xe2\x82\xac"],
    ),
    (
        lambda: tf.strings.unicode_transcode(["a\u00e4"], "UTF-8", "UTF-16-BE"),
        [b"\x00a\x00\xe4"],
    ),
    (lambda: tf.strings.ngrams(words(), 2), [[b"a b", b"b c"], [], []]),
    (
        lambda: tf.strings.ngrams(words(), 2, pad_values="_"),
        [[b"_ a", b"a b", b"b c", b"c _"], [b"_ _"], [b"_ d", b"d _"]],
    ),
    (
        lambda: tf.strings.ngrams(words(), 3, pad_values=("<", ">"), padding_width=1),
        [[b"< a b", b"a b c", b"b c >"], [], [b"< d >"]],
    ),
    (
        lambda: tf.strings.ngrams(words(), 2, preserve_short_sequences=True),
        [[b"a b", b"b c"], [], [b"d"]],
    ),
    (
        lambda: tf.strings.ngrams(["a", "b", "c"], [1, 2], separator="|"),
        [b"a", b"b", b"c", b"a|b", b"b|c"],
    ),
    (lambda: tf.strings.to_hash_bucket(["a", "b", ""], 10), [8, 0, 9]),
    (lambda: tf.strings.to_hash_bucket_fast(["hello", "w\u00f6rld"], 1000), [296, 142]),
    (lambda: tf.strings.to_hash_bucket_strong(["hello"], 1000, key=[1, 2]), [622]),
    (lambda: tf.strings.to_hash_bucket_fast(words(), 5), [[4, 2, 2], [], [0]]),
    (
        lambda: tf.strings.format("a {} b {}", (tf.constant([1, 2]), tf.constant("x"))),
        b'a [1 2] b "x"',
    ),
    (
        lambda: tf.strings.unsorted_segment_join(["a", "b", "c"], [1, 0, 1], 3, separator="-"),
        [b"b", b"a-c", b""],
    ),
    (lambda: tf.strings.reduce_join(words(), axis=-1, separator="+"), [b"a+b+c", b"", b"d"]),
    (lambda: tf.strings.reduce_join(words()), b"abcd"),
    (lambda: tf.strings.reduce_join([["a", "b"], ["c", "d"]], [0, 1]), b"acbd"),
    (lambda: tf.strings.join([words(), "!"]), [[b"a!", b"b!", b"c!"], [], [b"d!"]]),
    (lambda: tf.strings.upper(words()), [[b"A", b"B", b"C"], [], [b"D"]]),
    (lambda: tf.strings.length(words()), [[1, 1, 1], [], [1]]),
    (lambda: tf.strings.regex_full_match(["ab12"], "[[:alpha:]]+\\d+"), [True]),
    (lambda: tf.strings.regex_replace("x.y", "\\Q.\\E", "-"), b"x-y"),
]


@pytest.mark.parametrize(("make", "expected"), ROWS)
def test_values_are_tensorflows_eagerly_and_in_graphs(
    make: Callable[[], Any], expected: Any
) -> None:
    assert listed(make()) == expected
    assert listed(tf.function(make, autograph=False)()) == expected


def test_what_cannot_be_read_is_refused() -> None:
    with pytest.raises(INVALID, match="Invalid formatting"):
        tf.strings.unicode_decode([b"a\xffb"], "UTF-8", errors="strict")
    with pytest.raises(INVALID, match="could not correctly convert string: 99999999999"):
        tf.strings.to_number(["99999999999"], tf.int32)
    with pytest.raises(ValueError, match="expects 2 tensors"):
        tf.strings.format("{} {}", tf.range(3))


@pytest.mark.parametrize(
    ("size", "by_farm", "by_murmur", "by_sip"),
    [
        (0, 1936946117179621455, 105434511174508091, 2291988384332053677),
        (1, 4091874029135255624, 4153049495964690067, 1957756653547179364),
        (3, 4433447000441492038, 227798765140672100, 3008741132235106626),
        (5, 576392574997284681, 3600321215326526646, 797647787484436230),
        (8, 4346378702645560183, 3016032346576293165, 3195485982068163782),
        (12, 1348760842082914832, 3064327306174615543, 761804477428538851),
        (17, 4223426009874693095, 2898438591135512414, 585639191364015968),
        (33, 1193180625875729544, 2405323414248978803, 414891180125228656),
        (64, 3845662384285992341, 2009278428768085506, 4414840796239163447),
        (65, 2667726577620809970, 2716950912014736071, 4322266461948741461),
        (128, 3628077806243397776, 2308746492401176118, 3660026362544010644),
        (193, 2773170265683299769, 3537980587303620435, 4295643861260381055),
        (300, 497593440064789169, 3475322443814821347, 782939905414966637),
    ],
)
def test_fingerprints_are_tensorflows(size: int, by_farm: int, by_murmur: int, by_sip: int) -> None:
    text = bytes(65 + (i * 7 + size) % 50 for i in range(size))

    found = farm(text), murmur(text), sip(text, (3, 2**40 + 5))

    assert tuple(code % 2**62 for code in found) == (by_farm, by_murmur, by_sip)
