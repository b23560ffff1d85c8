"""`tf.distribute`, as far as the runtime has it: strategies of one replica."""

from __future__ import annotations

from tfcheck_runtime.api import (
    distribute_cluster_resolver as cluster_resolver,
    distribute_experimental as experimental,
)
from tfcheck_runtime.api.missing import lacking as _lacking
from tfcheck_runtime.distribute.inputs import (
    DistributedDataset as DistributedDataset,
    DistributedIterator as DistributedIterator,
    DistributedValues as DistributedValues,
    InputContext as InputContext,
)
from tfcheck_runtime.distribute.strategy import (
    MirroredStrategy as MirroredStrategy,
    MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy,
    OneDeviceStrategy as OneDeviceStrategy,
    ReduceOp as ReduceOp,
    ReplicaContext as ReplicaContext,
    Strategy as Strategy,
    TPUStrategy as TPUStrategy,
    get_replica_context as get_replica_context,
    get_strategy as get_strategy,
    has_strategy as has_strategy,
    in_cross_replica_context as in_cross_replica_context,
)

__getattr__ = _lacking("tf.distribute", globals())
