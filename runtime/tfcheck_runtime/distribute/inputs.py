"""Datasets and values of a strategy, one part per replica.

Follows https://www.tensorflow.org/api_docs/python/tf/distribute/DistributedDataset.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tfcheck_runtime.data.base import BaseDataset
from tfcheck_runtime.data.iterator import OwnedIterator


class DistributedValues:
    """Values of several replicas; what a single replica has is that value itself."""


class DistributedIterator(OwnedIterator):
    """Hands out the elements of a distributed dataset."""


class DistributedDataset(BaseDataset):
    """A dataset whose one replica sees all of it."""

    @classmethod
    def around(cls, dataset: BaseDataset) -> DistributedDataset:
        """The same elements, for the replicas of a strategy."""
        return cls(dataset.variant, dataset.element_spec, "Distributed")

    def __iter__(self) -> DistributedIterator:
        return DistributedIterator.over(self._variant, self._spec)


@dataclass(frozen=True, slots=True)
class InputContext:
    """Which share of the input a function that makes datasets is asked for."""

    num_input_pipelines: int = 1
    input_pipeline_id: int = 0
    num_replicas_in_sync: int = 1

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        """The size of a replica's batch.

        Raises:
            ValueError: the replicas do not share a batch evenly.
        """
        if global_batch_size % self.num_replicas_in_sync:
            raise ValueError(
                f"The `global_batch_size` {global_batch_size} is not divisible by"
                f" `num_replicas_in_sync` {self.num_replicas_in_sync}"
            )
        return global_batch_size // self.num_replicas_in_sync


DatasetFunction = Callable[[InputContext], BaseDataset]
