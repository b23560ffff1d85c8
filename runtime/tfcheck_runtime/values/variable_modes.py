"""How copies of a variable on several devices would stay together; kept, without effect here.

Follows https://www.tensorflow.org/api_docs/python/tf/VariableSynchronization.
"""

from __future__ import annotations

import enum
from typing import Any


class VariableSynchronization(enum.Enum):
    """When the copies of a variable are brought together."""

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregation(enum.Enum):
    """How the copies of a variable are brought together."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3

    def __eq__(self, other: object) -> bool:
        value = other.value if isinstance(other, VariableAggregation | Unset) else other
        return bool(self.value == value)

    def __hash__(self) -> int:
        return hash(self.value)


VariableAggregation.__name__ = "VariableAggregationV2"  # as TensorFlow prints what users give


class Unset(enum.Enum):
    """The aggregation of variables that were not given one: equal to `VariableAggregation.NONE`."""

    NONE = 0

    __eq__ = VariableAggregation.__eq__
    __hash__ = VariableAggregation.__hash__


Unset.__name__ = "VariableAggregation"  # as TensorFlow prints its default


def aggregation_of(value: Any) -> VariableAggregation | Unset:
    """An aggregation that a user gave.

    Raises:
        ValueError: there is none of this value.
    """
    if value is None or isinstance(value, Unset):
        return Unset.NONE
    return value if isinstance(value, VariableAggregation) else VariableAggregation(value)
