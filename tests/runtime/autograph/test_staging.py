"""The types of errors that leave converted code."""

from __future__ import annotations

from typing import Any

import pytest

import tfcheck_runtime as tf
from tfcheck_runtime.autograph.staging import staged
from tfcheck_runtime.errors import InvalidArgumentError, StagingError


class OwnError(Exception):
    """One that Python makes from a message."""


class OwnValueError(ValueError):
    """One that is derived from a type that TensorFlow keeps."""


@pytest.mark.parametrize(
    "error",
    [
        ValueError("a"), TypeError("a"), KeyError("a"), StopIteration(), NotImplementedError("a"),
        OwnError("a"), InvalidArgumentError(None, None, "a"), StagingError("a"),
    ],
)  # fmt: skip
def test_types_that_tensorflow_keeps(error: Exception) -> None:
    assert staged(error) is error


@pytest.mark.parametrize("error", [IndexError("a"), ZeroDivisionError("a"), OwnValueError("a")])
def test_other_types_become_staging_errors(error: Exception) -> None:
    made = staged(error)

    assert (type(made), str(made)) == (StagingError, f"{type(error).__name__}: a")


def test_a_staging_error_names_the_users_line_and_keeps_its_cause() -> None:
    @tf.function
    def first(values: Any) -> Any:
        return values[3]

    with pytest.raises(StagingError) as caught:
        first([1, 2])

    line = first.python_function.__code__.co_firstlineno + 2
    assert str(caught.value) == (
        f'IndexError: list index out of range\n    File "{__file__}", line {line}, in first'
    )
    assert isinstance(caught.value.__cause__, IndexError)


def test_code_that_is_not_converted_raises_what_it_raises() -> None:
    @tf.function(autograph=False)
    def first(values: Any) -> Any:
        return values[3]

    with pytest.raises(IndexError):
        first([1, 2])
