"""`tf.saved_model.Asset`: a file that is saved along with a model.

Follows https://www.tensorflow.org/api_docs/python/tf/saved_model/Asset.
"""

from __future__ import annotations

import os

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import EagerTensor
from tfcheck_runtime.values.trackable import Trackable


class Asset(Trackable):
    """A file: copied into the model when it is saved, found there when it is loaded.

    Args:
        path: of the file.

    Raises:
        InvalidArgumentError: `path` is a tensor of a graph.
    """

    def __init__(self, path: object) -> None:
        tensor = convert_to_tensor(os.fspath(path) if isinstance(path, os.PathLike) else path)
        if not isinstance(tensor, EagerTensor):
            raise invalid_argument(f"Asset: the path must be known outside tf.function, got {path}")
        self._path = tensor

    @property
    def asset_path(self) -> EagerTensor:
        """The path, a string scalar."""
        return self._path

    @property
    def file(self) -> str:
        """The path as Python text."""
        path: bytes = self._path.array.item()
        return os.fsdecode(path)
