"""`tf.data.Options`: settings of TensorFlow's executor, accepted and kept, without effect here.

Follows https://www.tensorflow.org/api_docs/python/tf/data/Options.
"""

from __future__ import annotations

import enum
from typing import Any, ClassVar


class AutoShardPolicy(enum.IntEnum):
    """How distributed datasets are cut."""

    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


class ExternalStatePolicy(enum.Enum):
    """What to do about state when a pipeline is serialised."""

    WARN = 0
    IGNORE = 1
    FAIL = 2


class AutotuneAlgorithm(enum.Enum):
    """How buffers and parallelism are tuned."""

    DEFAULT = 0
    HILL_CLIMB = 1
    GRADIENT_DESCENT = 2
    MAX_PARALLELISM = 3
    STAGE_BASED = 4


class _Settings:
    """Settings by name; a name that does not exist is an error."""

    _names: ClassVar[frozenset[str]] = frozenset()

    def __getattr__(self, name: str) -> Any:  # each setting has its own type
        if name in type(self)._names:
            return None
        raise AttributeError(f"{type(self).__name__!r} has no setting {name!r}")

    def __setattr__(self, name: str, value: object) -> None:
        if name not in type(self)._names:
            raise AttributeError(
                f"Cannot set the property {name} on {type(self).__name__}; it has"
                f" {', '.join(sorted(type(self)._names))}."
            )
        self.__dict__[name] = value

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return id(self)


class AutotuneOptions(_Settings):
    """Settings of autotuning."""

    _names = frozenset(
        {"autotune_algorithm", "cpu_budget", "enabled", "initial_parallelism", "min_parallelism",
         "ram_budget"}
    )  # fmt: skip


class DistributeOptions(_Settings):
    """Settings of distributed datasets."""

    _names = frozenset({"auto_shard_policy", "num_devices"})


class OptimizationOptions(_Settings):
    """Settings of graph rewrites."""

    _names = frozenset(
        {"apply_default_optimizations", "filter_fusion", "filter_parallelization",
         "inject_prefetch", "map_and_batch_fusion", "map_and_filter_fusion", "map_fusion",
         "map_parallelization", "noop_elimination", "parallel_batch", "seq_interleave_prefetch",
         "shuffle_and_repeat_fusion", "warm_start"}
    )  # fmt: skip


class ThreadingOptions(_Settings):
    """Settings of threads."""

    _names = frozenset({"max_intra_op_parallelism", "private_threadpool_size"})


class ServiceOptions(_Settings):
    """Settings of the data service."""

    _names = frozenset({"pinned"})


class Options(_Settings):
    """All settings of a dataset."""

    _names = frozenset(
        {"autotune", "dataset_name", "deterministic", "experimental_deterministic",
         "experimental_distribute", "experimental_external_state_policy",
         "experimental_optimization", "experimental_slack", "experimental_symbolic_checkpoint",
         "experimental_threading", "experimental_warm_start", "framework_type",
         "distribute", "threading", "service"}
    )  # fmt: skip

    def __init__(self) -> None:
        self.autotune = AutotuneOptions()
        self.experimental_distribute = DistributeOptions()
        self.experimental_optimization = OptimizationOptions()
        self.threading = self.experimental_threading = ThreadingOptions()
        self.service = ServiceOptions()

    def merge(self, options: Options) -> Options:
        """These settings, those of `options` first."""
        merged = Options()
        for name, value in vars(self).items():
            setattr(merged, name, value)
        for name, value in vars(options).items():
            if not isinstance(value, _Settings):
                setattr(merged, name, value)
                continue
            both = type(value)()
            both.__dict__.update({**vars(getattr(merged, name)), **vars(value)})
            setattr(merged, name, both)
        return merged
