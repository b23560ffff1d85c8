"""What the runtime is timed on. Each workload is made with a `tf`, ours or TensorFlow's.

A workload returns the call to time and, for those that one ONNX model can stand for, the Function
and its arguments, so that the call can be held against onnxruntime alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass
class Workload:
    """A call to time; `model` is a Function and its arguments."""

    call: Callable[[], object]
    model: tuple[Any, tuple[Any, ...]] | None = None


def _plain(function: Any, *arguments: Any) -> Workload:
    return Workload(lambda: function(*arguments), (function, arguments))


def _floats(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32) * 0.1


def one_op(tf: Any, options: dict[str, Any]) -> Workload:
    """One addition of two vectors of 8."""
    return _plain(tf.function(lambda x: x + 1.0, **options), tf.constant(_floats(8)))


def nested_arguments(tf: Any, options: dict[str, Any]) -> Workload:
    """A dictionary of lists of 12 tensors as the argument."""
    batch = {k: [tf.constant(_floats(8)) for _ in range(4)] for k in ("a", "b", "c")}
    return _plain(tf.function(lambda b: b["a"][0] + b["c"][3], **options), batch)


def elementwise_60(tf: Any, options: dict[str, Any]) -> Workload:
    """60 elementwise ops on 1000 elements."""

    def f(x):
        for _ in range(15):
            x = tf.tanh(x * 1.01 + 0.1) - 0.2
        return x

    return _plain(tf.function(f, **options), tf.constant(_floats(1000)))


def scalar_loop_1000(tf: Any, options: dict[str, Any]) -> Workload:
    """A tf.range loop of 1000 rounds that adds to a scalar."""

    def f(x):
        for i in tf.range(1000):
            x += tf.cast(i, tf.float32) * 0.5
        return x

    return _plain(tf.function(f, **options), tf.constant(1.0))


def rnn(tf: Any, options: dict[str, Any]) -> Workload:
    """An RNN cell of 64 over 50 steps of a batch of 16, its states in a TensorArray."""
    w, u = tf.constant(_floats(32, 64)), tf.constant(_floats(64, 64, seed=1))

    def f(x):
        states = tf.TensorArray(tf.float32, size=50)
        h = tf.zeros([16, 64])
        for t in tf.range(50):
            h = tf.tanh(x[t] @ w + h @ u)
            states = states.write(t, h)
        return states.stack()

    return _plain(tf.function(f, **options), tf.constant(_floats(50, 16, 32, seed=2)))


def variable_update(tf: Any, options: dict[str, Any]) -> Workload:
    """A variable of 1000 elements that each call adds to."""
    v = tf.Variable(_floats(1000))
    f = tf.function(lambda x: v.assign_add(x), **options)
    x = tf.constant(_floats(1000, seed=1))
    return Workload(lambda: f(x))


def _mlp(tf: Any) -> tuple[list[Any], Callable[..., Any]]:
    weights = [
        tf.Variable(_floats(*shape, seed=n))
        for n, shape in enumerate([(784, 128), (128,), (128, 10), (10,)])
    ]
    moments = [[tf.Variable(tf.zeros_like(w)) for w in weights] for _ in range(2)]
    count = tf.Variable(0.0)

    def step(x, y):
        with tf.GradientTape() as tape:
            h = tf.nn.relu(x @ weights[0] + weights[1])
            logits = h @ weights[2] + weights[3]
            loss = tf.reduce_mean(
                tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits)
            )
        count.assign_add(1.0)
        rate = 0.001 * tf.sqrt(1.0 - 0.999**count) / (1.0 - 0.9**count)
        for w, g, m, v in zip(weights, tape.gradient(loss, weights), *moments, strict=True):
            m.assign(0.9 * m + 0.1 * g)
            v.assign(0.999 * v + 0.001 * g * g)
            w.assign_sub(rate * m / (tf.sqrt(v) + 1e-7))
        return loss

    return weights, step


def _digits(tf: Any, *shape: int) -> tuple[Any, Any]:
    labels = np.random.default_rng(9).integers(0, 10, 32).astype(np.int32)
    return tf.constant(_floats(32, *shape, seed=8)), tf.constant(labels)


def mlp_step(tf: Any, options: dict[str, Any]) -> Workload:
    """A training step of an MLP 784-128-10 on a batch of 32, with Adam."""
    _, step = _mlp(tf)
    f, (x, y) = tf.function(step, **options), _digits(tf, 784)
    return Workload(lambda: f(x, y))


def mlp_first_call(tf: Any, options: dict[str, Any]) -> Workload:
    """The first call of that step: tracing, building, running."""
    x, y = _digits(tf, 784)

    def call():
        _, step = _mlp(tf)
        return tf.function(step, **options)(x, y)

    return Workload(call)


def convnet_step(tf: Any, options: dict[str, Any]) -> Workload:
    """A training step of two convolutions, a pool and a dense layer on 32 images of 28x28."""
    filters = [tf.Variable(_floats(3, 3, 1, 16)), tf.Variable(_floats(3, 3, 16, 32, seed=1))]
    dense = tf.Variable(_floats(14 * 14 * 32, 10, seed=2))
    weights = [*filters, dense]

    def step(x, y):
        with tf.GradientTape() as tape:
            h = x
            for f in filters:
                h = tf.nn.relu(tf.nn.conv2d(h, f, strides=1, padding="SAME"))
            h = tf.nn.max_pool2d(h, 2, 2, "VALID")
            logits = tf.reshape(h, [32, -1]) @ dense
            loss = tf.reduce_mean(
                tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits)
            )
        for w, g in zip(weights, tape.gradient(loss, weights), strict=True):
            w.assign_sub(0.01 * g)
        return loss

    f, (x, y) = tf.function(step, **options), _digits(tf, 28, 28, 1)
    return Workload(lambda: f(x, y))


def conv_forward(tf: Any, options: dict[str, Any]) -> Workload:
    """Conv2D forward: one image of 200x200x100, 100 filters of 3x3."""
    filters = tf.constant(_floats(3, 3, 100, 100))
    f = tf.function(lambda x: tf.nn.conv2d(x, filters, strides=1, padding="SAME"), **options)
    return _plain(f, tf.constant(_floats(1, 200, 200, 100, seed=1)))


def matmul_512(tf: Any, options: dict[str, Any]) -> Workload:
    """The product of two matrices of 512x512."""
    a, b = tf.constant(_floats(512, 512)), tf.constant(_floats(512, 512, seed=1))
    return _plain(tf.function(lambda x, y: x @ y, **options), a, b)


def attention(tf: Any, options: dict[str, Any]) -> Workload:
    """Self-attention of 8 heads over 128 tokens of 256, batch 4."""
    w = [tf.constant(_floats(256, 256, seed=n)) for n in range(4)]

    def f(x):
        q, k, v = (
            tf.transpose(tf.reshape(x @ each, [4, 128, 8, 32]), [0, 2, 1, 3]) for each in w[:3]
        )
        scores = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) / 5.657)
        mixed = tf.transpose(tf.matmul(scores, v), [0, 2, 1, 3])
        return tf.reshape(mixed, [4, 128, 256]) @ w[3]

    return _plain(tf.function(f, **options), tf.constant(_floats(4, 128, 256, seed=5)))


def embedding_step(tf: Any, options: dict[str, Any]) -> Workload:
    """A gradient step on 128 rows of an embedding of 10000x64."""
    table = tf.Variable(_floats(10000, 64))
    ids = tf.constant(np.random.default_rng(3).integers(0, 10000, 128).astype(np.int32))

    def step(ids):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.nn.embedding_lookup(table, ids) ** 2)
        g = tape.gradient(loss, table)
        table.scatter_sub(tf.IndexedSlices(0.1 * g.values, g.indices))
        return loss

    f = tf.function(step, **options)
    return Workload(lambda: f(ids))


def retraced_200(tf: Any, options: dict[str, Any]) -> Workload:
    """200 traces of a Function of three ops, one for each Python number."""

    def call():
        f = tf.function(lambda x, n: tf.reduce_sum(x * n + 1.0), **options)
        for n in range(200):
            f.get_concrete_function(tf.TensorSpec([None]), float(n))

    return Workload(call)


def dataset_step(tf: Any, options: dict[str, Any]) -> Workload:
    """100 batches of 32 through map, shuffle and batch into a Function."""
    data = tf.data.Dataset.from_tensor_slices(_floats(3200, 16))
    data = data.map(lambda x: x * 2.0).shuffle(256, seed=1).batch(32)
    f = tf.function(lambda x: tf.reduce_sum(x), **options)

    def call():
        for x in data:
            f(x)

    return Workload(call)


def eager_chain(tf: Any, options: dict[str, Any]) -> Workload:
    """60 ops one by one, without a Function."""
    x = tf.constant(_floats(1000))

    def call():
        y = x
        for _ in range(15):
            y = tf.tanh(y * 1.01 + 0.1) - 0.2
        return y

    return Workload(call)


WORKLOADS = {
    each.__name__: each
    for each in (
        one_op, nested_arguments, elementwise_60, scalar_loop_1000, rnn, variable_update,
        mlp_step, mlp_first_call, convnet_step, conv_forward, matmul_512, attention,
        embedding_step, retraced_200, dataset_step, eager_chain,
    )
}  # fmt: skip
