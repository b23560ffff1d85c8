"""The logger that TensorFlow's own warnings go through."""

from __future__ import annotations

import logging


def get_logger() -> logging.Logger:
    """The logger named `tensorflow` (https://www.tensorflow.org/api_docs/python/tf/get_logger)."""
    return logging.getLogger("tensorflow")
