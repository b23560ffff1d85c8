"""Calls of public functions give what was recorded from real TensorFlow by `record.py`."""

from __future__ import annotations

import json

import op_calls
import pytest

import tfcheck_runtime


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("mode", op_calls.MODES)
@pytest.mark.parametrize("family", op_calls.families())
def test_calls_give_what_tensorflow_gives_but_for_the_open_rows(family: str, mode: str) -> None:
    known = json.loads((op_calls.TABLES / "open.json").read_text(encoding="utf-8"))

    differing = {str(row) for row in op_calls.differing(tfcheck_runtime, family, mode)}

    assert differing == set(known[f"{family} {mode}"])


def test_the_tables_hold_enough_rows_and_most_of_them_agree() -> None:
    known = json.loads((op_calls.TABLES / "open.json").read_text(encoding="utf-8"))
    rows = sum(len(op_calls.rows(family)) for family in op_calls.families())

    assert rows >= 3000
    assert sum(map(len, known.values())) < rows * len(op_calls.MODES) // 10


def test_a_group_gives_the_product_of_its_lists() -> None:
    group = {"calls": ["tf.f(x, {a})"], "a": ["1", "2"], "x": ["f32(2)", "i32()"]}

    assert [str(row) for row in op_calls.expand(group)] == [
        "tf.f(x, 1) x=f32(2)",
        "tf.f(x, 1) x=i32()",
        "tf.f(x, 2) x=f32(2)",
        "tf.f(x, 2) x=i32()",
    ]


def test_floats_agree_within_the_precision_of_their_type_and_nothing_else_may_differ() -> None:
    one = [["float32", [2], [1.0, "nan"]]]

    assert op_calls.same_outputs([["float32", [2], [1.000001, "nan"]]], one)
    assert not op_calls.same_outputs([["float32", [2], [1.001, "nan"]]], one)
    assert not op_calls.same_outputs([["float64", [2], [1.0, "nan"]]], one)
    assert not op_calls.same_outputs([["float64", [1], [0.3]]], [["float64", [1], [0.3000001]]])
    assert op_calls.same_outputs(
        [["float64", [1], [1.66912496]]], [["float64", [1], [1.66912508]]]
    )  # neighbours in float32
    assert not op_calls.same_outputs([["int32", [1], [1]]], [["int32", [1], [2]]])
    assert not op_calls.same_outputs("ValueError", one)
