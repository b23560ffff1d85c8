"""`tf.train.Checkpoint`: saves the values of variables by the names under which objects hold them.

Follows https://www.tensorflow.org/api_docs/python/tf/train/Checkpoint; the files are described in
`storage`, and are not TensorFlow's.
"""

from __future__ import annotations

import os
from typing import Any, Final

from tfcheck_runtime import dispatch
from tfcheck_runtime.checkpoint import storage
from tfcheck_runtime.checkpoint.restoring import Restoration
from tfcheck_runtime.checkpoint.state_file import write_state
from tfcheck_runtime.checkpoint.status import CheckpointLoadStatus, InitializationOnlyStatus
from tfcheck_runtime.checkpoint.storage import Saved, SavedNode
from tfcheck_runtime.checkpoint.tracking import (
    children_of,
    holds_value,
    is_trackable,
    nodes_of,
)
from tfcheck_runtime.checkpoint.values import value_of
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.values.trackable import AutoTrackable
from tfcheck_runtime.values.variable import Variable

_COUNTER: Final = "save_counter"


class CheckpointOptions:
    """Accepted, without effect: settings of TensorFlow's files."""

    def __init__(self, **settings: object) -> None:
        self.settings = settings


class Checkpoint(AutoTrackable):
    """A group of objects to save and restore together.

    Args:
        root: an object whose parts are saved as if they were the checkpoint's own.
        kwargs: objects by name: variables, modules, containers of them.

    Raises:
        ValueError: an object holds no state that could be saved.
    """

    def __init__(self, root: Any = None, **kwargs: Any) -> None:
        named = {"root": root} if root is not None else {}
        for name, value in {**named, **kwargs}.items():
            if not is_trackable(value):
                raise ValueError(
                    f"`Checkpoint` was expecting {name} to be a trackable object (an object derived"
                    f" from `Trackable`), got {value}. Variables, modules, and lists, tuples and"
                    " dicts of them can be saved"
                )
        self._root = root
        self._counter: Variable | None = None
        for name, value in kwargs.items():
            setattr(self, name, value)

    @property
    def save_counter(self) -> Variable:
        """How often it was saved; int64."""
        if self._counter is None:
            self._counter = Variable(0, dtype=dtypes.int64, trainable=False, name=_COUNTER)
        return self._counter

    def __tf_children__(self) -> dict[str, Any]:
        """What is saved: the parts of the root, the objects given, and the counter."""
        own = {name: value for name, value in vars(self).items() if not name.startswith("_")}
        inside = {} if self._root is None else children_of(self._root)
        return {**inside, **own, _COUNTER: self.save_counter}

    def save(self, file_prefix: object, options: object = None) -> str:
        """Write a numbered checkpoint; returns its prefix.

        Raises:
            NotImplementedError: a function is being traced.
        """
        number = int(self.save_counter.numpy()) + 1
        self.save_counter.assign_add(1)
        path = self.write(f"{os.fspath(file_prefix)}-{number}")  # type: ignore[call-overload]  # a str or a path
        write_state(os.path.dirname(path), path, [path])
        return path

    def write(self, file_prefix: object, options: object = None) -> str:
        """Write a checkpoint without number; returns its prefix.

        Raises:
            NotImplementedError: a function is being traced.
        """
        if dispatch.current_graph() is not None:
            raise NotImplementedError(
                "checkpoints cannot be written inside a tf.function; save outside of it"
            )
        path: str = os.fspath(file_prefix)  # type: ignore[call-overload]  # a str or a path
        storage.write(path, contents_of(self))
        return path

    def read(self, save_path: object, options: object = None) -> CheckpointLoadStatus:
        """Put the values of a checkpoint back into the objects of the same names.

        Raises:
            NotFoundError: there is no such checkpoint.
            DataLossError: it is damaged.
            ValueError: a variable has another shape.
            InvalidArgumentError: a variable has another dtype.
        """
        path: str = os.fspath(save_path)  # type: ignore[call-overload]  # a str or a path
        return CheckpointLoadStatus(Restoration(storage.read(path), self))

    def restore(
        self, save_path: object, options: object = None
    ) -> CheckpointLoadStatus | InitializationOnlyStatus:
        """`read`; nothing happens for None, which `latest_checkpoint` gives when there is none."""
        return InitializationOnlyStatus() if save_path is None else self.read(save_path, options)


def contents_of(root: object) -> Saved:
    """The objects that can be reached from `root`, and their values."""
    nodes = nodes_of(root)
    return Saved(
        [SavedNode(n.children, n.key if holds_value(n.value) else None) for n in nodes],
        {n.key: value_of(n.value) for n in nodes if holds_value(n.value)},
    )
