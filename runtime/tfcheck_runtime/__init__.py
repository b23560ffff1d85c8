"""A `tf`-compatible tracing runtime: `import tfcheck_runtime as tf` needs no TensorFlow."""

from tfcheck_runtime.api import internal as _internal
from tfcheck_runtime.api.root import *  # noqa: F403  # the names users write after `tf.`
from tfcheck_runtime.api.root import __getattr__ as __getattr__, __version__ as __version__

__internal__ = _internal
