"""`tf.train`, as far as the runtime has it."""

from __future__ import annotations

from tfcheck_runtime.api.missing import lacking as _lacking
from tfcheck_runtime.checkpoint.checkpoint import (
    Checkpoint as Checkpoint,
    CheckpointOptions as CheckpointOptions,
)
from tfcheck_runtime.checkpoint.manager import CheckpointManager as CheckpointManager
from tfcheck_runtime.checkpoint.reading import (
    checkpoint_exists as checkpoint_exists,
    list_variables as list_variables,
    load_checkpoint as load_checkpoint,
    load_variable as load_variable,
)
from tfcheck_runtime.checkpoint.state_file import (
    CheckpointState as CheckpointState,
    get_checkpoint_state as get_checkpoint_state,
    latest_checkpoint as latest_checkpoint,
)
from tfcheck_runtime.distribute.cluster import (
    ClusterSpec as ClusterSpec,
)
from tfcheck_runtime.ops.files.messages import (
    BytesList as BytesList,
    Example as Example,
    Feature as Feature,
    FeatureList as FeatureList,
    FeatureLists as FeatureLists,
    Features as Features,
    FloatList as FloatList,
    Int64List as Int64List,
    SequenceExample as SequenceExample,
)

__getattr__ = _lacking("tf.train", globals())
