"""`tf.distribute` on one device: a strategy with a single replica.

Follows https://www.tensorflow.org/api_docs/python/tf/distribute/Strategy.
"""

from __future__ import annotations

import enum
import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

from tfcheck_runtime.data.base import BaseDataset
from tfcheck_runtime.distribute.inputs import DatasetFunction, DistributedDataset, InputContext
from tfcheck_runtime.ops.array.reduction import reduce_mean, reduce_sum
from tfcheck_runtime.values.convert import constant
from tfcheck_runtime.values.scopes import device as device_scope
from tfcheck_runtime.values.tensor import Tensor


class ReduceOp(enum.Enum):
    """How the values of replicas become one."""

    SUM = "SUM"
    MEAN = "MEAN"


class Extended:
    """What libraries ask of a strategy beyond its public methods."""

    @contextmanager
    def colocate_vars_with(self, colocate_with_variable: object) -> Iterator[None]:
        """Make variables where another one is: there is one place."""
        yield

    def update(
        self,
        var: Any,
        fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        group: bool = True,
    ) -> Any:
        """Run `fn(var, *args, **kwargs)` where the variable is."""
        return fn(var, *args, **(kwargs or {}))

    def _in_multi_worker_mode(self) -> bool:
        return False


class Strategy:
    """Runs a step on every replica, of which there is one."""

    def __init__(self) -> None:
        self.extended = Extended()

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas: 1."""
        return 1

    @contextmanager
    def scope(self) -> Iterator[Strategy]:
        """Make this the current strategy while the context is open."""
        before = _current.strategy, _current.in_replica
        _current.strategy, _current.in_replica = self, self is _DEFAULT
        try:
            yield self
        finally:
            _current.strategy, _current.in_replica = before

    def run(
        self,
        fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        options: object = None,
    ) -> Any:
        """The result of `fn` on the replica."""
        before = _current.strategy, _current.in_replica
        _current.strategy, _current.in_replica = self, True
        try:
            return fn(*args, **(kwargs or {}))
        finally:
            _current.strategy, _current.in_replica = before

    def reduce(self, reduce_op: ReduceOp | str, value: Any, axis: int | None) -> Any:
        """The value of the replica; reduced along `axis` unless that is None."""
        if axis is None:
            return value
        kind = ReduceOp(reduce_op.upper()) if isinstance(reduce_op, str) else reduce_op
        return (reduce_sum if kind is ReduceOp.SUM else reduce_mean)(value, axis)

    def gather(self, value: Any, axis: int) -> Any:
        """The values of all replicas, joined along `axis`: that of the one."""
        return value

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """The values of all replicas."""
        return (value,)

    def experimental_distribute_dataset(
        self, dataset: BaseDataset, options: object = None
    ) -> BaseDataset:
        """The dataset as the replicas see it: the one sees all of it."""
        return dataset if self is _DEFAULT else DistributedDataset.around(dataset)

    def distribute_datasets_from_function(
        self, dataset_fn: DatasetFunction, options: object = None
    ) -> BaseDataset:
        """The dataset that `dataset_fn` makes for an input context."""
        return self.experimental_distribute_dataset(dataset_fn(InputContext()))


class OneDeviceStrategy(Strategy):
    """Runs everything on one device.

    Args:
        device: its name; placement is the runtime's own (`TFCHECK_DEVICE`).
    """

    def __init__(self, device: str) -> None:
        super().__init__()
        with device_scope(device):
            self._device = device


class MirroredStrategy(Strategy):
    """Trains on the devices of a machine, of which the runtime uses one.

    Args:
        devices: names; by default what there is.
        cross_device_ops: accepted: with one replica nothing crosses.

    Raises:
        NotImplementedError: there are several devices.
    """

    def __init__(
        self, devices: Sequence[str] | None = None, cross_device_ops: object = None
    ) -> None:
        super().__init__()
        if devices is not None and len(devices) > 1:
            raise NotImplementedError(
                f"tf.distribute.MirroredStrategy(devices={list(devices)}): the embedded runtime has"
                " one replica; name one device"
            )


class MultiWorkerMirroredStrategy(Strategy):
    """Trains on several machines, of which the runtime uses this one.

    Args:
        cluster_resolver: accepted if it is None: no other machine takes part.
        communication_options: accepted: with one replica nothing is communicated.

    Raises:
        NotImplementedError: there are other workers, by `cluster_resolver` or `TF_CONFIG`.
    """

    def __init__(
        self, cluster_resolver: object = None, communication_options: object = None
    ) -> None:
        super().__init__()
        cluster = json.loads(os.environ.get("TF_CONFIG", "{}")).get("cluster", {})
        workers = sum(len(cluster.get(job, ())) for job in ("chief", "worker"))
        if cluster_resolver is not None or workers > 1:
            raise NotImplementedError(
                "tf.distribute.MultiWorkerMirroredStrategy: the embedded runtime has one"
                f" replica, on this machine; TF_CONFIG names {workers} workers"
            )


class TPUStrategy(Strategy):
    """Trains on TPUs, which the runtime has none of.

    Raises:
        NotImplementedError: always.
    """

    def __init__(self, *args: object, **kwargs: object) -> None:
        raise NotImplementedError(
            "tf.distribute.TPUStrategy: the embedded runtime has no TPU; use"
            " tf.distribute.OneDeviceStrategy"
        )


class ReplicaContext:
    """What code that runs on a replica sees of the others."""

    def __init__(self, strategy: Strategy) -> None:
        self.strategy = strategy

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas: 1."""
        return 1

    @property
    def replica_id_in_sync_group(self) -> Tensor:
        """The number of this replica: 0."""
        return constant(0)

    def all_reduce(self, reduce_op: ReduceOp | str, value: Any, options: object = None) -> Any:
        """`value`, reduced over all replicas."""
        return value

    def all_gather(self, value: Any, axis: int, options: object = None) -> Any:
        """The values of all replicas, joined along `axis`: this one's."""
        return value

    def merge_call(
        self,
        merge_fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """The result of `merge_fn(strategy, *args, **kwargs)`, outside of replicas."""
        before, _current.in_replica = _current.in_replica, self.strategy is _DEFAULT
        try:
            return merge_fn(self.strategy, *args, **(kwargs or {}))
        finally:
            _current.in_replica = before


class _Current(threading.local):
    def __init__(self) -> None:
        self.strategy: Strategy = _DEFAULT
        self.in_replica = True


_DEFAULT: Final = Strategy()
_current: Final = _Current()


def get_strategy() -> Strategy:
    """The current strategy."""
    return _current.strategy


def has_strategy() -> bool:
    """Whether the current strategy is one that the program entered."""
    return _current.strategy is not _DEFAULT


def get_replica_context() -> ReplicaContext | None:
    """The replica that this code runs on; None in a strategy's scope outside of `run`."""
    return ReplicaContext(_current.strategy) if _current.in_replica else None


def in_cross_replica_context() -> bool:
    """Whether this code stands in a strategy's scope and outside of `run`."""
    return not _current.in_replica


def maybe_merge_call(fn: Callable[..., Any], strategy: Strategy, *args: Any, **kwargs: Any) -> Any:
    """`fn(strategy, …)`: with one replica there is nothing to merge."""
    return fn(strategy, *args, **kwargs)


def strategy_supports_no_merge_call() -> bool:
    """Whether the current strategy updates variables without merging."""
    return True
