"""Strategies of one replica."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tfcheck_runtime as tf


def test_without_a_strategy_code_runs_on_the_default_replica() -> None:
    context = tf.distribute.get_replica_context()

    assert context is not None
    assert (context.num_replicas_in_sync, int(context.replica_id_in_sync_group)) == (1, 0)
    assert (tf.distribute.has_strategy(), tf.distribute.in_cross_replica_context()) == (
        False,
        False,
    )


def test_a_scope_is_outside_of_replicas_and_run_is_inside() -> None:
    strategy = tf.distribute.Strategy()

    with strategy.scope():
        outside = tf.distribute.get_replica_context()
        inside = strategy.run(tf.distribute.get_replica_context)
        current = tf.distribute.get_strategy()

    assert outside is None
    assert inside is not None
    assert inside.strategy is strategy
    assert current is strategy
    assert not tf.distribute.has_strategy()


def test_the_value_of_the_one_replica_is_reduced_along_an_axis() -> None:
    strategy = tf.distribute.get_strategy()
    value = tf.constant([1.0, 3.0])

    assert strategy.reduce("sum", value, axis=0).numpy() == 4.0
    assert strategy.reduce(tf.distribute.ReduceOp.MEAN, value, axis=0).numpy() == 2.0
    assert strategy.reduce("SUM", value, axis=None) is value


def test_merging_leaves_the_replica() -> None:
    strategy = tf.distribute.Strategy()

    def step() -> bool:
        context = tf.distribute.get_replica_context()
        assert context is not None
        crossed: bool = context.merge_call(lambda _: tf.distribute.in_cross_replica_context())
        return crossed

    assert strategy.run(step)


@pytest.mark.parametrize(
    "make",
    [
        tf.distribute.MirroredStrategy,
        tf.distribute.MultiWorkerMirroredStrategy,
        lambda: tf.distribute.OneDeviceStrategy("/cpu:0"),
    ],
)
def test_strategies_of_one_device_hand_out_the_whole_dataset(make: Callable[[], Any]) -> None:
    strategy = make()
    dataset = tf.data.Dataset.range(4).batch(2)

    distributed = strategy.experimental_distribute_dataset(dataset)

    @tf.function
    def total(batches: Any) -> Any:
        found = tf.constant(0, tf.int64)
        for batch in batches:
            found += tf.reduce_sum(strategy.run(lambda x: 2 * x, args=(batch,)))
        return found

    assert isinstance(distributed, tf.distribute.DistributedDataset)
    assert isinstance(iter(distributed), tf.distribute.DistributedIterator)
    assert [batch.numpy().tolist() for batch in distributed] == [[0, 1], [2, 3]]
    assert (strategy.num_replicas_in_sync, total(distributed).numpy()) == (1, 12)


def test_a_dataset_made_for_an_input_context_is_that_of_the_one_pipeline() -> None:
    strategy = tf.distribute.MirroredStrategy()

    def make(context: tf.distribute.InputContext) -> Any:
        return tf.data.Dataset.range(4).batch(context.get_per_replica_batch_size(4))

    made = strategy.distribute_datasets_from_function(make)

    assert [batch.numpy().tolist() for batch in made] == [[0, 1, 2, 3]]


def test_several_devices_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NotImplementedError, match="the embedded runtime has one replica"):
        tf.distribute.MirroredStrategy(["/gpu:0", "/gpu:1"])
    with pytest.raises(NotImplementedError, match="no TPU"):
        tf.distribute.TPUStrategy()
    monkeypatch.setenv("TF_CONFIG", '{"cluster": {"worker": ["a:1", "b:1"]}}')
    with pytest.raises(NotImplementedError, match="TF_CONFIG names 2 workers"):
        tf.distribute.MultiWorkerMirroredStrategy()
