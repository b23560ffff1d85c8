"""`tf.data.Options`: settings of TensorFlow's executor, accepted and kept, without effect here.

Follows https://www.tensorflow.org/api_docs/python/tf/data/Options.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
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
    """Settings by name, each of a type; a name that does not exist is an error."""

    _types: ClassVar[Mapping[str, type]] = {}
    _defaults: ClassVar[Mapping[str, object]] = {}

    def __getattr__(self, name: str) -> Any:  # each setting has its own type
        if name in type(self)._types:
            return type(self)._defaults.get(name)
        raise AttributeError(f"{type(self).__name__!r} has no setting {name!r}")

    def __setattr__(self, name: str, value: object) -> None:
        kind = type(self)._types.get(name)
        if kind is None:
            raise AttributeError(
                f"Cannot set the property {name} on {type(self).__name__}; it has"
                f" {', '.join(sorted(type(self)._types))}."
            )
        if not isinstance(value, kind):
            raise TypeError(
                f'Property "{name}" must be of type {kind}, got: {value!r} (type: {type(value)})'
            )
        self.__dict__[name] = value

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return id(self)


class AutotuneOptions(_Settings):
    """Settings of autotuning."""

    _types: ClassVar = {
        "autotune_algorithm": AutotuneAlgorithm,
        "cpu_budget": int,
        "enabled": bool,
        "initial_parallelism": int,
        "min_parallelism": int,
        "ram_budget": int,
    }


class DistributeOptions(_Settings):
    """Settings of distributed datasets."""

    _types: ClassVar = {"auto_shard_policy": AutoShardPolicy, "num_devices": int}
    _defaults: ClassVar = {"auto_shard_policy": AutoShardPolicy.AUTO}


class OptimizationOptions(_Settings):
    """Settings of graph rewrites."""

    _types: ClassVar = dict.fromkeys(
        ("apply_default_optimizations", "filter_fusion", "filter_parallelization",
         "inject_prefetch", "map_and_batch_fusion", "map_and_filter_fusion", "map_fusion",
         "map_parallelization", "noop_elimination", "parallel_batch", "seq_interleave_prefetch",
         "shuffle_and_repeat_fusion", "warm_start"),
        bool,
    )  # fmt: skip


class ThreadingOptions(_Settings):
    """Settings of threads."""

    _types: ClassVar = {"max_intra_op_parallelism": int, "private_threadpool_size": int}


class ServiceOptions(_Settings):
    """Settings of the data service."""

    _types: ClassVar = {"pinned": bool}


class Options(_Settings):
    """All settings of a dataset."""

    _types: ClassVar = {
        "autotune": AutotuneOptions,
        "dataset_name": str,
        "deterministic": bool,
        "distribute": DistributeOptions,
        "experimental_deterministic": bool,
        "experimental_distribute": DistributeOptions,
        "experimental_external_state_policy": ExternalStatePolicy,
        "experimental_optimization": OptimizationOptions,
        "experimental_slack": bool,
        "experimental_symbolic_checkpoint": bool,
        "experimental_threading": ThreadingOptions,
        "experimental_warm_start": bool,
        "framework_type": list,
        "service": ServiceOptions,
        "threading": ThreadingOptions,
    }

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
