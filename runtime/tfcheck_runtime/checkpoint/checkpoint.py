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
from tfcheck_runtime.checkpoint.tracking import children_of, nodes_of
from tfcheck_runtime.checkpoint.values import attributes_of, values_of
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.values.containers import wrapped
from tfcheck_runtime.values.trackable import AutoTrackable, Restore, is_state
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
            if not is_state(wrapped(value)):
                raise ValueError(
                    f"`Checkpoint` was expecting {name} to be a trackable object (an object derived"
                    f" from `Trackable`), got {value}. Variables, modules, and lists, tuples and"
                    " dicts of them can be saved"
                )
        # Not set as an attribute, which would be a part of its own.
        self.__dict__["_root"] = wrapped(root)
        for name, value in kwargs.items():
            setattr(self, name, value)

    @property
    def save_counter(self) -> Variable:
        """How often it was saved; int64, made when it is first asked for."""
        made: Variable | None = self.__dict__.get(_COUNTER)
        if made is None:
            with dispatch.building(None):
                made = Variable(0, dtype=dtypes.int64, trainable=False, name=_COUNTER)
            self.__dict__[_COUNTER] = self._track_trackable(made, _COUNTER)
        return made

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        root = self.__dict__["_root"]
        inside = {} if root is None else children_of(root)
        return {**inside, **super()._trackable_children(save_type, **kwargs)}

    def _restore_when_tracked(self, name: str, restore: Restore) -> None:
        root = self.__dict__["_root"]
        if root is None or name == _COUNTER:
            super()._restore_when_tracked(name, restore)
        else:
            root._restore_when_tracked(name, restore)

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
            NotImplementedError: a function is being traced.
            DataLossError: it is damaged, or a directory.
            ValueError: a variable has another shape.
            InvalidArgumentError: a variable has another dtype.
        """
        if dispatch.current_graph() is not None:
            raise NotImplementedError(
                "checkpoints cannot be restored inside a tf.function; restore outside of it"
            )
        path = _prefix(os.fspath(save_path))  # type: ignore[call-overload]  # a str or a path
        return CheckpointLoadStatus(Restoration(storage.read(path), self))

    def restore(
        self, save_path: object, options: object = None
    ) -> CheckpointLoadStatus | InitializationOnlyStatus:
        """`read`, the counter included.

        Nothing happens for None, which `latest_checkpoint` gives when there is none.
        """
        if save_path is None:
            return InitializationOnlyStatus()
        status = self.read(save_path, options)
        _ = self.save_counter  # made now, so that it is restored too
        return status


def _prefix(path: str) -> str:
    """A path, or the values of the saved model that it is."""
    inside = os.path.join(path, "variables", "variables")
    return inside if not storage.exists(path) and storage.exists(inside) else path


def contents_of(root: object) -> Saved:
    """The objects that can be reached from `root`, and their values."""
    nodes = nodes_of(root)
    return Saved(
        [SavedNode(n.children, {a: n.key(a) for a in attributes_of(n.value)}) for n in nodes],
        {n.key(a): value for n in nodes for a, value in values_of(n.value).items()},
    )
