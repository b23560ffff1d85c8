"""Descriptions of clusters, as TensorFlow gives them on a machine without a TPU."""

from __future__ import annotations

import json

import pytest

import tfcheck_runtime as tf

resolvers = tf.distribute.cluster_resolver


def test_a_cluster_numbers_the_tasks_of_its_jobs() -> None:
    spec = tf.train.ClusterSpec({"worker": ["a:1", "b:2"], "ps": {1: "c:3"}})

    assert spec.as_dict() == {"worker": ["a:1", "b:2"], "ps": {1: "c:3"}}
    assert (spec.jobs, spec.num_tasks("ps"), spec.task_indices("ps")) == (["worker", "ps"], 1, [1])
    assert spec.job_tasks("ps") == [None, "c:3"]
    assert spec == tf.train.ClusterSpec(spec)
    assert not tf.train.ClusterSpec({})
    assert repr(spec) == "ClusterSpec({'ps': {1: 'c:3'}, 'worker': ['a:1', 'b:2']})"
    with pytest.raises(ValueError, match="No task with index 0 in job 'ps'"):
        spec.task_address("ps", 0)
    with pytest.raises(ValueError, match="No such job in cluster: 'x'"):
        spec.job_tasks("x")


@pytest.mark.parametrize("cluster", [3, {"worker": 3}])
def test_what_is_no_cluster_is_refused(cluster: object) -> None:
    with pytest.raises(TypeError):
        tf.train.ClusterSpec(cluster)


def test_a_simple_resolver_says_what_it_was_told() -> None:
    spec = tf.train.ClusterSpec({"worker": ["a:1", "b:2"]})
    resolver = resolvers.SimpleClusterResolver(
        spec, master="x:1", task_type="worker", task_id=1, rpc_layer="grpc"
    )

    assert resolver.cluster_spec() is spec
    assert (resolver.task_type, resolver.task_id) == ("worker", 1)
    assert (resolver.master(), resolver.master("worker", 0)) == ("grpc://x:1", "grpc://a:1")
    assert resolver.num_accelerators() == {}


def test_tf_config_describes_the_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    task = {"type": "worker", "index": 1}
    config = {"cluster": {"worker": ["h:1", "i:2"]}, "task": task, "rpc_layer": "grpc"}
    monkeypatch.setenv("TF_CONFIG", json.dumps(config))

    resolver = resolvers.TFConfigClusterResolver()

    assert resolver.cluster_spec().as_dict() == {"worker": ["h:1", "i:2"]}
    assert (resolver.task_type, resolver.task_id, resolver.rpc_layer) == ("worker", 1, "grpc")
    assert resolver.master() == "grpc://i:2"


def test_without_tf_config_there_is_no_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TF_CONFIG", raising=False)
    resolver = resolvers.TFConfigClusterResolver()

    assert (resolver.cluster_spec().as_dict(), resolver.master()) == ({}, "")


def test_programs_that_look_for_a_tpu_find_none() -> None:
    for look in (resolvers.TPUClusterResolver, tf.tpu.experimental.initialize_tpu_system):
        with pytest.raises(ValueError, match="Please provide a TPU Name"):
            look()
    with pytest.raises(NotImplementedError, match=r"TPUClusterResolver\('grpc://x'\)"):
        resolvers.TPUClusterResolver("grpc://x")
    with pytest.raises(NotImplementedError, match="uses this machine alone"):
        tf.config.experimental_connect_to_cluster("x")
