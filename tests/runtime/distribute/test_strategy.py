"""Strategies of one replica."""

from __future__ import annotations

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
