"""`tf.saved_model`: the folder, what is refused, what comes back.

`fixtures/programs/seeds/saved_*.py` are programs whose output was recorded from TensorFlow.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

import tfcheck_runtime as tf
from tfcheck_runtime import events
from tfcheck_runtime.ops.random import seeds


class Model(tf.Module):
    """A variable, a function that reads it and one that calls Python."""

    def __init__(self) -> None:
        super().__init__()
        self.w = tf.Variable(2.0)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def scale(self, x: Any) -> Any:
        return x * self.w

    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
    def call(self, x: Any) -> Any:
        return tf.numpy_function(np.negative, [x], tf.float32)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Of a saved model."""
    tf.saved_model.save(Model(), tmp_path / "model")
    return tmp_path / "model"


def names(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.iterdir())


def manifest_of(folder: Path) -> Any:
    return json.loads((folder / "saved_model.json").read_text(encoding="utf-8"))


def test_the_folder_holds_json_npz_and_onnx(folder: Path) -> None:
    manifest = manifest_of(folder)

    assert names(folder) == ["assets", "onnx", "saved_model.json", "variables"]
    assert (manifest["format"], manifest["version"]) == ("tfcheck-saved-model", 1)
    models = names(folder / "onnx")
    assert [n.partition("_inference_")[2].rpartition("_")[0] for n in models] == ["scale"]
    onnx.checker.check_model(str(folder / "onnx" / models[0]))
    refused = [c for c in manifest["concrete_functions"].values() if "without_onnx" in c]
    assert ["PyFunc" in c["without_onnx"] for c in refused] == [True]


def test_a_model_is_replaced_as_a_whole_and_other_files_stay(folder: Path) -> None:
    (folder / "notes.txt").write_text("mine", encoding="utf-8")
    (folder / "assets" / "old").write_text("of the old model", encoding="utf-8")
    model = Model()
    model.w.assign(5.0)

    tf.saved_model.save(model, folder)

    assert names(folder) == ["assets", "notes.txt", "onnx", "saved_model.json", "variables"]
    assert names(folder / "assets") == []
    assert float(tf.saved_model.load(folder).w) == 5.0
    assert names(folder.parent) == ["model"]


def test_what_fails_while_it_is_saved_leaves_the_old_model(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError("the disk is full")

    before = (folder / "saved_model.json").read_bytes()
    monkeypatch.setattr(json, "dumps", fail)

    with pytest.raises(OSError, match="the disk is full"):
        tf.saved_model.save(Model(), folder)

    assert (folder / "saved_model.json").read_bytes() == before
    assert names(folder.parent) == ["model"]


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda m: "{", "Cannot parse file .*saved_model.json: Expecting property name"),
        (lambda m: json.dumps({**m, "format": "x"}), "expected the format 'tfcheck-saved-model'"),
        (lambda m: json.dumps({**m, "version": 2}), "is of version 2, and this runtime reads ver"),
        (lambda m: json.dumps({**m, "objects": []}), "The saved model is damaged"),
        (lambda m: json.dumps(m).replace('"Mul"', '"Mull"'), "there is no op 'Mull'"),
        (lambda m: json.dumps(m).replace('"inputs": [[0, 0]', '"inputs": [[99, 0]'), "damaged"),
    ],
)
def test_a_damaged_manifest_says_so(spoil: Any, message: str, folder: Path) -> None:
    (folder / "saved_model.json").write_text(spoil(manifest_of(folder)), encoding="utf-8")

    with pytest.raises(OSError, match=message):
        tf.saved_model.load(folder)


def test_a_model_of_tensorflow_is_told_apart(tmp_path: Path) -> None:
    (tmp_path / "saved_model.pb").write_bytes(b"\x08\x01")

    assert not tf.saved_model.contains_saved_model(tmp_path)
    with pytest.raises(OSError, match="TensorFlow's own, which the embedded runtime does not read"):
        tf.saved_model.load(tmp_path)


def test_missing_values_are_an_error_unless_asked_for(folder: Path) -> None:
    for part in (folder / "variables").glob("variables.*"):
        part.unlink()

    with pytest.raises(FileNotFoundError, match="Failed to find any matching files"):
        tf.saved_model.load(folder)
    partial = tf.saved_model.LoadOptions(allow_partial_checkpoint=True)
    assert not tf.saved_model.load(folder, options=partial).w.is_initialized()


def test_a_path_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")

    with pytest.raises(tf.errors.FailedPreconditionError, match="is not a directory"):
        tf.saved_model.save(Model(), tmp_path / "file")


def test_saving_is_refused_inside_a_function(tmp_path: Path) -> None:
    @tf.function
    def step() -> None:
        tf.saved_model.save(Model(), tmp_path)

    with pytest.raises(AssertionError, match="not supported inside a traced"):
        step()


def test_a_value_without_saved_form_is_named_with_its_line(tmp_path: Path) -> None:
    class Options:
        """Not data."""

    model = tf.Module()
    model.f = tf.function(lambda x: x)
    model.f(tf.constant(1.0))
    (concrete,) = model.f.traces
    node = concrete.graph.nodes[-1]
    node.attrs = {**node.attrs, "odd": Options()}
    model.f = concrete

    with pytest.raises(NotImplementedError, match=r"`odd` of Identity `Identity` \(.*:\d+\)"):
        tf.saved_model.save(model, tmp_path / "model")

    assert not (tmp_path / "model").exists()


def test_an_argument_known_by_identity_is_not_saved(tmp_path: Path) -> None:
    model = tf.Module()
    model.f = tf.function(lambda x, who: x)
    model.f(tf.constant(1.0), model)

    tf.saved_model.save(model, tmp_path)

    with pytest.raises(ValueError, match="Found zero restored functions for caller function"):
        tf.saved_model.load(tmp_path).f(tf.constant(1.0), model)


def test_a_python_function_is_found_in_its_process_only(tmp_path: Path) -> None:
    model = tf.Module()
    model.f = tf.function(lambda x: tf.numpy_function(np.negative, [x], tf.float32))
    model.f(tf.constant(1.0))

    tf.saved_model.save(model, tmp_path)

    assert float(tf.saved_model.load(tmp_path).f(tf.constant(2.0))) == -2.0
    manifest = (tmp_path / "saved_model.json").read_text(encoding="utf-8")
    (tmp_path / "saved_model.json").write_text(manifest.replace('"pyfunc_', '"other_'))
    with pytest.raises(Exception, match="callback other_"):
        tf.saved_model.load(tmp_path).f(tf.constant(2.0))


def test_mutable_tables_come_back_with_what_they_hold(tmp_path: Path) -> None:
    model = tf.Module()
    model.table = tf.lookup.experimental.MutableHashTable(tf.string, tf.float32, [0.0, 0.0])
    model.table.insert(["a"], [[1.0, 2.0]])
    model.dense = tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, 0, -1, -2)
    model.dense.insert([5], [6])
    model.f = tf.function(
        lambda k: model.table.lookup(k), input_signature=[tf.TensorSpec([None], tf.string)]
    )

    tf.saved_model.save(model, tmp_path)

    loaded = tf.saved_model.load(tmp_path)
    assert loaded.f(["a", "b"]).numpy().tolist() == [[1.0, 2.0], [0.0, 0.0]]
    loaded.table.insert(["b"], [[3.0, 4.0]])
    assert loaded.f(["b"]).numpy().tolist() == [[3.0, 4.0]]
    assert loaded.dense.lookup(tf.constant([5, 7], tf.int64)).numpy().tolist() == [6, 0]


def test_seeded_draws_start_again_and_others_differ(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seeds._state, "seed", None)
    model = tf.Module()
    model.seeded = tf.function(lambda: tf.random.uniform([2], seed=5), input_signature=[])
    model.free = tf.function(lambda: tf.random.uniform([20]), input_signature=[])
    tf.saved_model.save(model, tmp_path)

    first, second = (tf.saved_model.load(tmp_path) for _ in range(2))

    assert np.array_equal(first.seeded(), second.seeded())
    assert not np.array_equal(first.free(), second.free())


def test_calls_of_a_loaded_function_are_told(folder: Path) -> None:
    loaded = tf.saved_model.load(folder)
    seen: list[Any] = []
    with events.subscribed(seen.append):
        loaded.scale([1.0])
        loaded.scale([2.0, 3.0])

    kinds = [type(event).__name__ for event in seen]
    assert (kinds.count("Called"), kinds.count("Traced")) == (2, 1)
