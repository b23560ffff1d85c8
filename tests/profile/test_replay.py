from __future__ import annotations

import tfcheck_runtime as tf
from tfcheck.profile.embedded_backend import EmbeddedBackend
from tfcheck.profile.replay import Replay
from tfcheck.profile.samples import Sample


def test_variables_that_a_call_is_given_are_restored_as_captured_ones_are() -> None:
    given, captured = tf.Variable(1.0), tf.Variable(2.0)

    @tf.function
    def step(weight: tf.Variable, more: dict[str, tf.Variable]) -> object:
        weight.assign_add(10.0)
        more["w"].assign_add(10.0)
        return captured.assign_add(10.0)

    sample = Sample(1, 1, step, (given, {"w": given}), {})

    replay = Replay(sample, EmbeddedBackend().eagerly)
    results = replay.results(replay.prepare())
    replay.restore()

    assert [float(each) for each in results] == [12.0, 12.0, 21.0]
    assert (float(given.numpy()), float(captured.numpy())) == (1.0, 2.0)
