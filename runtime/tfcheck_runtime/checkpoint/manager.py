"""`tf.train.CheckpointManager`: keeps the latest checkpoints and deletes older ones.

Follows https://www.tensorflow.org/api_docs/python/tf/train/CheckpointManager.
"""

from __future__ import annotations

import glob
import os
import time
from collections.abc import Callable
from pathlib import Path

from tfcheck_runtime.checkpoint.checkpoint import Checkpoint
from tfcheck_runtime.checkpoint.state_file import get_checkpoint_state, write_state
from tfcheck_runtime.values.variable import Variable


class CheckpointManager:
    """Saves into one directory.

    Args:
        checkpoint: what to save.
        directory: where to.
        max_to_keep: how many checkpoints stay; None for all.
        keep_checkpoint_every_n_hours: of the older ones, keep one per this many hours.
        checkpoint_name: the start of the files' names.
        step_counter: counts steps for `checkpoint_interval`.
        checkpoint_interval: steps that must pass between two checkpoints.
        init_fn: called by `restore_or_initialize` when there is no checkpoint.

    Raises:
        ValueError: `max_to_keep` is not positive, or an interval comes without a counter.
    """

    def __init__(
        self, checkpoint: Checkpoint, directory: object, max_to_keep: int | None,
        keep_checkpoint_every_n_hours: float | None = None, checkpoint_name: str = "ckpt",
        step_counter: Variable | None = None, checkpoint_interval: int | None = None,
        init_fn: Callable[[], None] | None = None,
    ) -> None:  # fmt: skip
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(
                f"Expected a positive integer or `None` for `max_to_keep`, got {max_to_keep}."
            )
        if checkpoint_interval is not None and step_counter is None:
            raise ValueError("`step_counter` should be passed if `checkpoint_interval` is not None")
        self._checkpoint = checkpoint
        self._directory: str = os.fspath(directory)  # type: ignore[call-overload]  # a str or a path
        self._max_to_keep = max_to_keep
        self._hours = keep_checkpoint_every_n_hours
        self._name = checkpoint_name
        self._counter, self._interval = step_counter, checkpoint_interval
        self._init_fn = init_fn
        self._saved_at_step: int | None = None
        self._latest: str | None = None
        self._times: dict[str, float] = {}
        """When each checkpoint that may be deleted was written."""
        self._kept_until = time.time()
        self._recover()

    def _recover(self) -> None:
        state = get_checkpoint_state(self._directory)
        if state is None:
            return
        self._latest = state.model_checkpoint_path
        # Those without a time were not written by a manager: they are not ours to delete.
        self._times.update(
            zip(
                state.all_model_checkpoint_paths,
                state.all_model_checkpoint_timestamps,
                strict=False,
            )
        )

    @property
    def directory(self) -> str:
        """Where checkpoints are saved."""
        return self._directory

    @property
    def checkpoint(self) -> Checkpoint:
        """What is saved."""
        return self._checkpoint

    @property
    def checkpoint_interval(self) -> int | None:
        """Steps between two checkpoints."""
        return self._interval

    @property
    def checkpoints(self) -> list[str]:
        """The prefixes of the checkpoints that are managed, oldest first."""
        return list(self._times)

    @property
    def latest_checkpoint(self) -> str | None:
        """The prefix of the latest one."""
        return self._latest

    def save(
        self, checkpoint_number: object = None, check_interval: bool = True, options: object = None
    ) -> str | None:
        """Save unless too few steps have passed; returns the prefix, or None.

        `check_interval` False saves after fewer steps too, but not twice at one step.
        """
        passed = self._steps_since_last()
        if passed == 0 or (
            check_interval and passed is not None and passed < (self._interval or 0)
        ):
            return None
        counter = self._checkpoint.save_counter
        counter.assign_add(1)
        number = int(counter if checkpoint_number is None else checkpoint_number)  # type: ignore[call-overload]  # an int or a scalar
        path = self._checkpoint.write(os.path.join(self._directory, f"{self._name}-{number}"))
        if self._counter is not None:
            self._saved_at_step = int(self._counter.numpy())
        self._times.pop(path, None)
        self._times[path] = time.time()
        self._latest = path
        self._sweep()
        write_state(self._directory, path, self.checkpoints, timestamps=list(self._times.values()))
        return path

    def _steps_since_last(self) -> int | None:
        """None where steps do not count, or nothing was saved yet."""
        if self._counter is None or self._interval is None or self._saved_at_step is None:
            return None
        return int(self._counter.numpy()) - self._saved_at_step

    def _sweep(self) -> None:
        while self._max_to_keep is not None and len(self._times) > self._max_to_keep:
            path, written = next(iter(self._times.items()))
            del self._times[path]
            if self._hours is not None and written - self._kept_until >= self._hours * 3600:
                self._kept_until = written
                continue
            for file in glob.glob(f"{glob.escape(path)}.index") + glob.glob(
                f"{glob.escape(path)}.data-*"
            ):
                Path(file).unlink()

    def restore_or_initialize(self) -> str | None:
        """Restore the latest checkpoint and return its prefix, or initialize and return None."""
        latest = self.latest_checkpoint
        if latest is not None:
            self._checkpoint.restore(latest)
            if self._counter is not None:
                self._saved_at_step = int(self._counter.numpy())
            return latest
        if self._init_fn is not None:
            self._init_fn()
        return None
