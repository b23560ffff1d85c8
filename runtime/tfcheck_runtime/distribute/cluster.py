"""Descriptions of clusters, which programs read; the runtime itself uses this machine alone.

Follows https://www.tensorflow.org/api_docs/python/tf/distribute/cluster_resolver and
tf.train.ClusterSpec.
"""

from __future__ import annotations

import json
import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import NoReturn

Tasks = Sequence[str] | Mapping[int, str]


class ClusterSpec:
    """The network addresses of the tasks of each job.

    Args:
        cluster: by job, its addresses in order or by task number; or another spec.

    Raises:
        TypeError: `cluster` is something else.
    """

    def __init__(self, cluster: Mapping[str, Tasks] | ClusterSpec) -> None:
        given = cluster.as_dict() if isinstance(cluster, ClusterSpec) else cluster
        if not isinstance(given, Mapping):
            raise TypeError(
                "`cluster` must map job names to lists of network addresses, got"
                f" {type(cluster).__name__}"
            )
        self._jobs = {job: _numbered(job, tasks) for job, tasks in given.items()}

    @property
    def jobs(self) -> list[str]:
        """The names of the jobs."""
        return list(self._jobs)

    def as_dict(self) -> dict[str, list[str] | dict[int, str]]:
        """By job, its addresses: a list where tasks are numbered without a gap."""
        return {
            job: list(tasks.values()) if list(tasks) == list(range(len(tasks))) else dict(tasks)
            for job, tasks in self._jobs.items()
        }

    def num_tasks(self, job_name: str) -> int:
        """The number of tasks of a job."""
        return len(self._tasks(job_name))

    def task_indices(self, job_name: str) -> list[int]:
        """The numbers of the tasks of a job."""
        return list(self._tasks(job_name))

    def task_address(self, job_name: str, task_index: int) -> str:
        """The address of a task.

        Raises:
            ValueError: there is no such job or task.
        """
        tasks = self._tasks(job_name)
        if task_index not in tasks:
            raise ValueError(f"No task with index {task_index!r} in job {job_name!r}")
        return tasks[task_index]

    def job_tasks(self, job_name: str) -> list[str | None]:
        """The addresses of the tasks of a job, None where a number is free."""
        tasks = self._tasks(job_name)
        return [tasks.get(i) for i in range(max(tasks, default=-1) + 1)]

    def _tasks(self, job_name: str) -> dict[int, str]:
        if job_name not in self._jobs:
            raise ValueError(f"No such job in cluster: {job_name!r}")
        return self._jobs[job_name]

    def __bool__(self) -> bool:
        return bool(self._jobs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ClusterSpec) and self._jobs == other._jobs

    __hash__ = None  # type: ignore[assignment]  # as in TensorFlow: equal by content

    def __repr__(self) -> str:
        return f"ClusterSpec({dict(sorted(self.as_dict().items()))})"


def _numbered(job: str, tasks: Tasks) -> dict[int, str]:
    if isinstance(tasks, Mapping):
        return dict(sorted(tasks.items()))
    if isinstance(tasks, list | tuple):
        return dict(enumerate(tasks))
    raise TypeError(
        f"The tasks for job {job!r} must be a list or a dictionary from integers to strings."
    )


class ClusterResolver(ABC):
    """Says which machines take part and which of them this one is."""

    task_type: str | None = None
    task_id: int | None = None
    rpc_layer: str | None = None
    environment: str | None = ""

    @abstractmethod
    def cluster_spec(self) -> ClusterSpec:
        """The addresses of all tasks."""

    @abstractmethod
    def master(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        rpc_layer: str | None = None,
    ) -> str:
        """The address of a task with its protocol, that of this one if none is named."""

    def num_accelerators(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        config_proto: object = None,
    ) -> dict[str, int]:
        """The accelerators of a task by kind."""
        del task_type, task_id, config_proto
        return {}


class SimpleClusterResolver(ClusterResolver):
    """Says what it was told."""

    def __init__(
        self,
        cluster_spec: ClusterSpec,
        master: str = "",
        task_type: str | None = None,
        task_id: int | None = None,
        environment: str = "",
        num_accelerators: Mapping[str, int] | None = None,
        rpc_layer: str | None = None,
    ) -> None:
        if not isinstance(cluster_spec, ClusterSpec):
            raise TypeError("cluster_spec must be a `tf.train.ClusterSpec`.")
        self._spec = cluster_spec
        self._master = master
        self._accelerators = dict(num_accelerators or {})
        self.task_type = task_type
        self.task_id = task_id
        self.environment = environment
        self.rpc_layer = rpc_layer

    def cluster_spec(self) -> ClusterSpec:
        """The addresses it was given."""
        return self._spec

    def master(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        rpc_layer: str | None = None,
    ) -> str:
        """The address of the named task, or the one it was given."""
        named = task_type is not None and task_id is not None
        address = self._spec.task_address(str(task_type), int(task_id or 0)) if named else None
        return _with_protocol(address or self._master, rpc_layer or self.rpc_layer)

    def num_accelerators(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        config_proto: object = None,
    ) -> dict[str, int]:
        """What it was told."""
        del task_type, task_id, config_proto
        return self._accelerators


class TFConfigClusterResolver(ClusterResolver):
    """Reads the environment variable `TF_CONFIG`."""

    def __init__(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        rpc_layer: str | None = None,
        environment: str | None = None,
    ) -> None:
        config = json.loads(os.environ.get("TF_CONFIG", "{}"))
        task = config.get("task", {})
        number = task.get("index") if task_id is None else task_id
        self._cluster = config.get("cluster", {})
        self.task_type = task_type or task.get("type")
        self.task_id = None if number is None else int(number)
        self.rpc_layer = rpc_layer or config.get("rpc_layer")
        self.environment = environment

    def cluster_spec(self) -> ClusterSpec:
        """The part `cluster` of `TF_CONFIG`."""
        return ClusterSpec(self._cluster)

    def master(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        rpc_layer: str | None = None,
    ) -> str:
        """The address of the named task, or of this one; empty where no cluster is described."""
        job = task_type if task_type is not None else self.task_type
        number = task_id if task_id is not None else self.task_id
        if not self._cluster or job is None or number is None:
            return ""
        address = self.cluster_spec().task_address(job, number)
        return _with_protocol(address, rpc_layer or self.rpc_layer)


def _with_protocol(address: str, rpc_layer: str | None) -> str:
    return f"{rpc_layer}://{address}" if rpc_layer and address else address


class TPUClusterResolver:
    """Looks for a TPU, which the runtime cannot use.

    Raises:
        ValueError: no TPU is named, as TensorFlow says on a machine without one.
        NotImplementedError: one is.
    """

    def __init__(self, tpu: str | None = None, **options: object) -> None:
        del options
        _no_tpu(tpu, "tf.distribute.cluster_resolver.TPUClusterResolver")

    @staticmethod
    def connect(
        tpu: str | None = None, zone: str | None = None, project: str | None = None
    ) -> None:
        """Look for a TPU and connect to it: fails as the constructor does."""
        del zone, project
        _no_tpu(tpu, "tf.distribute.cluster_resolver.TPUClusterResolver.connect")


def initialize_tpu_system(cluster_resolver: object = None) -> None:
    """Make TPUs ready.

    https://www.tensorflow.org/api_docs/python/tf/tpu/experimental/initialize_tpu_system

    Raises:
        ValueError: always without a resolver: no TPU is named.
        NotImplementedError: always with one.
    """
    _no_tpu(cluster_resolver, "tf.tpu.experimental.initialize_tpu_system")


def _no_tpu(named: object, caller: str) -> NoReturn:
    if not named:
        raise ValueError("Please provide a TPU Name to connect to.")
    raise NotImplementedError(
        f"{caller}({named!r}): the embedded runtime has no TPU; run on TensorFlow, or without"
    )


def experimental_connect_to_cluster(cluster_spec_or_resolver: object, *options: object) -> None:
    """Connect to the other machines of a cluster.

    https://www.tensorflow.org/api_docs/python/tf/config/experimental_connect_to_cluster

    Raises:
        NotImplementedError: always, as there is one machine here.
    """
    del options
    raise NotImplementedError(
        "tf.config.experimental_connect_to_cluster: the embedded runtime uses this machine alone;"
        f" run on TensorFlow to connect to {cluster_spec_or_resolver!r}"
    )
