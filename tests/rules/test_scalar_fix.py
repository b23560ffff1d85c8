"""The tensor that takes the place of a Python number has the dtype that the function needs."""

from __future__ import annotations

import pytest

from tfcheck.testing import example, fixed

PROGRAM = """\
import tensorflow as tf

@tf.function
def step(x, n):
    return {body}

for n in range(100):
    step(tf.constant(1.0), n)
"""


@pytest.mark.parametrize(
    ("body", "given"),
    [
        ("x * (0.1 / (1.0 + n))", "tf.constant(n, tf.float32)"),
        ("x * n", "tf.constant(n, tf.float32)"),
        ("x * 0.9 ** n", "tf.constant(n, tf.float32)"),
        ("x * (n / 100)", "tf.constant(n, tf.float32)"),
        ("x / tf.cast(n + 1, tf.float32)", "tf.constant(n)"),
        ("x if n % 2 == 0 else -x", "tf.constant(n)"),
        ("x[n]", "tf.constant(n)"),
    ],
)
def test_integers_that_meet_floats_become_floats(body: str, given: str) -> None:
    after = fixed(example("TFC101", PROGRAM.format(body=body)))

    assert after.splitlines()[-1] == f"    step(tf.constant(1.0), {given})"
