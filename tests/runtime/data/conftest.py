"""Shows the elements of datasets as Python data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tfcheck_runtime as tf

Values = Callable[[tf.data.Dataset], list[Any]]


@pytest.fixture
def values() -> Values:
    """All elements of a dataset, arrays as lists."""
    return _values


def _values(dataset: tf.data.Dataset) -> list[Any]:
    return [tf.nest.map_structure(_plain, element) for element in dataset.as_numpy_iterator()]


def _plain(leaf: Any) -> Any:
    return leaf.tolist() if hasattr(leaf, "tolist") else leaf
