"""Looking into checkpoints without objects.

Follows https://www.tensorflow.org/api_docs/python/tf/train/list_variables.
"""

from __future__ import annotations

import os
from typing import Any, Final

from tfcheck_runtime.checkpoint import storage
from tfcheck_runtime.checkpoint.state_file import latest_checkpoint
from tfcheck_runtime.errors import NotFoundError
from tfcheck_runtime.specs.dtypes import DType, string
from tfcheck_runtime.values.tensor import EagerTensor

_GRAPH: Final = "_CHECKPOINTABLE_OBJECT_GRAPH"
"""The name under which TensorFlow lists the graph of objects."""


class CheckpointReader:
    """The values of a checkpoint by key."""

    def __init__(self, prefix: str) -> None:
        self._values = storage.read(prefix).values

    def has_tensor(self, name: str) -> bool:
        """Whether there is a value of this key."""
        return name in self._values

    def get_tensor(self, name: str) -> Any:
        """A value as a NumPy array or scalar.

        Raises:
            NotFoundError: there is none of this key.
        """
        if name not in self._values:
            raise NotFoundError(
                None, None, f"Key {name} not found in checkpoint; it has {sorted(self._values)}"
            )
        saved = self._values[name]
        return EagerTensor(saved.array, saved.dtype).numpy()

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """The shapes by key."""
        shapes = {name: list(saved.array.shape) for name, saved in self._values.items()}
        return {_GRAPH: [], **shapes}

    def get_variable_to_dtype_map(self) -> dict[str, DType]:
        """The dtypes by key."""
        return {_GRAPH: string, **{name: saved.dtype for name, saved in self._values.items()}}


def load_checkpoint(ckpt_dir_or_file: object) -> CheckpointReader:
    """The values of a checkpoint, or of the latest one in a directory.

    Raises:
        NotFoundError: there is none of this name.
        ValueError: there is none in the directory.
    """
    path: str = os.fspath(ckpt_dir_or_file)  # type: ignore[call-overload]  # a str or a path
    found = latest_checkpoint(path) if os.path.isdir(path) else path
    if found is None:
        raise ValueError(
            f"Couldn't find 'checkpoint' file or checkpoints in given directory {path}"
        )
    return CheckpointReader(found)


def list_variables(ckpt_dir_or_file: object) -> list[tuple[str, list[int]]]:
    """The keys and shapes of a checkpoint, sorted."""
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())


def load_variable(ckpt_dir_or_file: object, name: str) -> Any:
    """One value of a checkpoint as a NumPy array or scalar."""
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name)


def checkpoint_exists(checkpoint_prefix: object) -> bool:
    """Whether there is a checkpoint of this prefix."""
    return storage.exists(os.fspath(checkpoint_prefix))  # type: ignore[call-overload]  # a str or a path
