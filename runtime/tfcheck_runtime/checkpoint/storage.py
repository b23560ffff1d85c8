"""The files of a checkpoint.

`PREFIX.index` is a JSON manifest:

- `format`: `tfcheck-checkpoint`, and `version`: 2;
- `nodes`: the objects, the root first; each has `children` (name to number of the node) and `keys`
  (of its values, by attribute);
- `values`: by key the `dtype` (TensorFlow's name), the `shape` and, for strings, the `strings` in
  base64.

`PREFIX.data-00000-of-00001` is a NumPy `.npz` archive that holds all other values by the number of
their key in sorted order, as raw bytes where NumPy has no such dtype. Both files are written under
other names and moved into place, the manifest last; neither is ever read with pickle.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from tfcheck_runtime.errors import DataLossError, NotFoundError
from tfcheck_runtime.op import Array
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import DType, as_dtype

FORMAT: Final = "tfcheck-checkpoint"
VERSION: Final = 2
INDEX: Final = ".index"
DATA: Final = ".data-00000-of-00001"


@dataclass(frozen=True, slots=True)
class SavedNode:
    """An object as it was saved."""

    children: Mapping[str, int]
    """Numbers of nodes by name."""
    keys: Mapping[str, str]
    """Keys of its values by attribute."""


@dataclass(frozen=True, slots=True)
class SavedValue:
    """A value as it was saved."""

    dtype: DType
    array: Array


@dataclass(frozen=True, slots=True)
class Saved:
    """The contents of a checkpoint."""

    nodes: Sequence[SavedNode]
    values: Mapping[str, SavedValue]


def write(prefix: str, saved: Saved) -> None:
    """Write the files of a checkpoint."""
    Path(prefix).parent.mkdir(parents=True, exist_ok=True)
    keys = sorted(saved.values)
    arrays = {
        str(i): _storable(saved.values[key])
        for i, key in enumerate(keys)
        if saved.values[key].dtype is not dtypes.string
    }
    manifest = {
        "format": FORMAT,
        "version": VERSION,
        "nodes": [{"children": dict(n.children), "keys": dict(n.keys)} for n in saved.nodes],
        "values": {key: _described(saved.values[key]) for key in keys},
    }
    data, index = _beside(prefix + DATA), _beside(prefix + INDEX)
    with data.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)
    index.write_text(json.dumps(manifest, indent=1), encoding="utf-8")
    data.replace(prefix + DATA)
    index.replace(prefix + INDEX)


def _beside(name: str) -> Path:
    return Path(f"{name}.{os.getpid()}.part")


def _storable(value: SavedValue) -> Array:
    if value.array.dtype.kind in "biufc":
        return value.array
    return np.frombuffer(value.array.tobytes(), np.uint8)


def _described(value: SavedValue) -> dict[str, Any]:
    described: dict[str, Any] = {"dtype": value.dtype.name, "shape": list(value.array.shape)}
    if value.dtype is dtypes.string:
        flat = value.array.reshape(-1).tolist()
        described["strings"] = [base64.b64encode(text).decode() for text in flat]
    return described


def exists(prefix: str) -> bool:
    """Whether there is a checkpoint."""
    return Path(prefix + INDEX).is_file()


def read(prefix: str) -> Saved:
    """The contents of a checkpoint.

    Raises:
        NotFoundError: there is none.
        DataLossError: the files are damaged, or of another kind.
    """
    if not exists(prefix):
        if Path(prefix).is_dir():
            raise DataLossError(
                None,
                None,
                f"Unable to open {prefix}: it is a directory; name a checkpoint in it, such as"
                " tf.train.latest_checkpoint gives",
            )
        raise NotFoundError(
            None,
            None,
            f"Error when restoring from checkpoint or SavedModel at {prefix}: Failed to find any"
            f" matching files for {prefix}\nPlease double-check that the path is correct. You may"
            " be missing the checkpoint suffix (e.g. the '-1' in 'path/to/ckpt-1').",
        )
    try:
        manifest = json.loads(Path(prefix + INDEX).read_text(encoding="utf-8"))
        if manifest["format"] != FORMAT or manifest["version"] != VERSION:
            raise ValueError(f"format {manifest['format']}, version {manifest['version']}")
        with np.load(prefix + DATA, allow_pickle=False) as arrays:
            keys = sorted(manifest["values"])
            values = {
                key: _value(manifest["values"][key], arrays, str(i)) for i, key in enumerate(keys)
            }
        nodes = [SavedNode(n["children"], n["keys"]) for n in manifest["nodes"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataLossError(
            None,
            None,
            f"{prefix} is no checkpoint that the embedded runtime can read, expected its own files"
            f" {INDEX} (JSON) and {DATA} (NumPy): {error}",
        ) from error
    return Saved(nodes, values)


def _value(described: Mapping[str, Any], arrays: Mapping[str, Array], name: str) -> SavedValue:
    dtype, shape = as_dtype(described["dtype"]), tuple(described["shape"])
    if dtype is dtypes.string:
        strings = np.empty(len(described["strings"]), dtype=object)
        strings[:] = [base64.b64decode(text) for text in described["strings"]]
        return SavedValue(dtype, strings.reshape(shape))
    array = arrays[name]
    if array.dtype != dtype.numpy:
        array = np.frombuffer(array.tobytes(), dtype.numpy)
    return SavedValue(dtype, array.reshape(shape))
