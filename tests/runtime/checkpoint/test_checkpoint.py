"""`tf.train.Checkpoint`: what is saved, and what is found again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfcheck_runtime as tf


class Model(tf.Module):
    """Variables in attributes, lists and dicts; one of them twice."""

    def __init__(self) -> None:
        super().__init__()
        self.w = tf.Variable(1.0)
        self.parts = [tf.Variable(0.0), tf.Variable(1.0)]
        self.table = {"a": tf.Variable([1, 2]), "b": 5}
        self.text = tf.Variable(["s", "longer"])
        self.half = tf.Variable([0.5], dtype=tf.bfloat16)
        self.shared = self.w
        self.setting = 3


def spoiled(model: Model) -> Model:
    model.w.assign(9.0)
    model.parts[1].assign(9.0)
    model.table["a"].assign([9, 9])
    model.text.assign(["t", "u"])
    model.half.assign(tf.cast([9.0], tf.bfloat16))
    return model


def contents(model: Model) -> list[Any]:
    variables = [model.w, model.parts[1], model.table["a"], model.text, model.half]
    return [v.numpy().tolist() for v in variables]


SAVED = [1.0, 1.0, [1, 2], [b"s", b"longer"], [0.5]]


@pytest.fixture
def prefix(tmp_path: Path) -> str:
    """Of a saved model and step."""
    step = tf.Variable(7, dtype=tf.int64)
    return tf.train.Checkpoint(model=Model(), step=step).save(tmp_path / "ck")


def test_values_come_back(prefix: str) -> None:
    model = spoiled(Model())
    checkpoint = tf.train.Checkpoint(model=model, step=tf.Variable(0, dtype=tf.int64))

    checkpoint.restore(prefix).assert_consumed()

    assert contents(model) == SAVED
    assert (int(checkpoint.step), int(checkpoint.save_counter)) == (7, 1)


def test_each_variable_is_stored_once_under_its_nearest_name(prefix: str) -> None:
    end = "/.ATTRIBUTES/VARIABLE_VALUE"

    listed = tf.train.list_variables(prefix)

    assert listed == [
        ("_CHECKPOINTABLE_OBJECT_GRAPH", []),
        (f"model/half{end}", [1]),
        (f"model/parts/0{end}", []),
        (f"model/parts/1{end}", []),
        (f"model/table/a{end}", [2]),
        (f"model/text{end}", [2]),
        (f"model/w{end}", []),
        (f"save_counter{end}", []),
        (f"step{end}", []),
    ]
    assert tf.train.load_variable(prefix, f"model/table/a{end}").tolist() == [1, 2]


def test_the_files_are_json_and_npz_without_pickle(prefix: str) -> None:
    manifest = json.loads(Path(f"{prefix}.index").read_text())

    assert (manifest["format"], manifest["version"]) == ("tfcheck-checkpoint", 2)
    with np.load(f"{prefix}.data-00000-of-00001", allow_pickle=False) as arrays:
        assert all(arrays[name].dtype.kind in "biufc" for name in arrays.files)
    assert sorted(p.name for p in Path(prefix).parent.iterdir()) == [
        "checkpoint",
        "ck-1.data-00000-of-00001",
        "ck-1.index",
    ]


def test_variables_that_come_later_are_restored_when_they_come(prefix: str) -> None:
    model = tf.Module()
    tf.train.Checkpoint(model=model).restore(prefix).expect_partial()

    model.w = tf.Variable(0.0)
    model.parts = [tf.Variable(5.0), tf.Variable(6.0)]

    assert [float(v) for v in (model.w, *model.parts)] == [1.0, 0.0, 1.0]


def test_a_saved_value_without_an_object_is_missed(prefix: str) -> None:
    status = tf.train.Checkpoint(model=Model()).restore(prefix)

    status.assert_existing_objects_matched()
    with pytest.raises(
        AssertionError, match=r"Unresolved object in checkpoint \(root\)\.step: step/"
    ):
        status.assert_consumed()


def test_an_object_without_a_saved_value_is_missed(prefix: str) -> None:
    model = Model()
    model.extra = tf.Variable(4.0)

    status = tf.train.Checkpoint(model=model, step=tf.Variable(1, dtype=tf.int64)).restore(prefix)

    with pytest.raises(AssertionError, match="Found 1 Python objects that were not bound"):
        status.assert_existing_objects_matched()


@pytest.mark.parametrize(
    ("variable", "error", "message"),
    [
        (
            [1, 2],
            ValueError,
            r"tensor with shape \(\) when attempting to restore variable with shape \(2,\)",
        ),
        (1.0, tf.errors.InvalidArgumentError, "float32 does not equal original dtype int64"),
    ],
)
def test_a_variable_must_fit_its_value(
    variable: Any, error: type[Exception], message: str, prefix: str
) -> None:
    dtype = tf.int64 if isinstance(variable, list) else tf.float32
    checkpoint = tf.train.Checkpoint(step=tf.Variable(variable, dtype=dtype))

    with pytest.raises(error, match=message):
        checkpoint.restore(prefix)


def test_a_missing_checkpoint_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.NotFoundError, match="double-check that the path is correct"):
        tf.train.Checkpoint(v=tf.Variable(1)).restore(tmp_path / "ck-1")


def test_damaged_files_are_told_apart(prefix: str) -> None:
    Path(f"{prefix}.index").write_text("{")

    with pytest.raises(tf.errors.DataLossError, match="no checkpoint that the embedded runtime"):
        tf.train.Checkpoint(v=tf.Variable(1)).restore(prefix)


def test_restoring_nothing_is_allowed_and_asserting_it_is_not() -> None:
    status = tf.train.Checkpoint(v=tf.Variable(1)).restore(None)

    status.initialize_or_restore()
    with pytest.raises(AssertionError, match="nothing is being restored"):
        status.assert_consumed()


@pytest.mark.parametrize("value", [3, object()])
def test_only_objects_with_state_can_be_saved(value: object) -> None:
    with pytest.raises(ValueError, match="was expecting x to be a trackable object"):
        tf.train.Checkpoint(x=value)


def test_the_parts_of_a_root_are_saved_as_the_checkpoints_own(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(Model()).write(tmp_path / "root")
    model = spoiled(Model())

    tf.train.Checkpoint(model).read(path).assert_consumed()

    assert contents(model) == SAVED


def test_generators_and_iterators_go_on_where_they_were(tmp_path: Path) -> None:
    generator = tf.random.Generator.from_seed(3)
    iterator = iter(tf.data.Dataset.range(5))
    next(iterator)
    checkpoint = tf.train.Checkpoint(generator=generator, iterator=iterator)
    path = checkpoint.save(tmp_path / "ck")
    before = [float(generator.uniform([])), int(next(iterator))]

    checkpoint.restore(path)

    assert [float(generator.uniform([])), int(next(iterator))] == before


def test_a_checkpoint_is_no_part_of_a_modules_variables() -> None:
    model = Model()
    model.checkpoint = tf.train.Checkpoint(step=tf.Variable(1))

    assert len(model.variables) == 6


def test_saving_inside_a_function_is_refused(tmp_path: Path) -> None:
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1))

    with pytest.raises(NotImplementedError, match=r"cannot be written inside a tf\.function"):
        tf.function(lambda: checkpoint.write(tmp_path / "ck"))()
