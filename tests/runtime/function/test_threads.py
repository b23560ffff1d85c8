"""Functions called from several threads at once."""

import threading

import numpy as np

import tfcheck_runtime as tf


def test_calls_from_many_threads_give_their_own_results_and_lose_no_update():
    count = tf.Variable(0)

    @tf.function
    def step(x, n):
        count.assign_add(1)
        return tf.reduce_sum(tf.matmul(x, x)) * tf.cast(n, tf.float32)

    x = tf.constant(np.random.default_rng(0).normal(size=(64, 64)).astype(np.float32))
    wanted = [step(x, tf.constant(n)).numpy() for n in range(4)]
    wrong = []

    def work(number):
        for round_ in range(50):
            n = (number + round_) % 4
            if abs(step(x, tf.constant(n)).numpy() - wanted[n]) > 1e-3 * abs(wanted[n]):
                wrong.append(n)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert wrong == []
    assert count.numpy() == 4 + 8 * 50


def test_a_function_is_traced_once_however_many_threads_call_it_first():
    begin = threading.Barrier(6)
    f = tf.function(lambda x: x + 1.0)
    results = []

    def work():
        begin.wait()
        results.append(f(tf.constant([1.0])).numpy().tolist())

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert results == [[2.0]] * 6
    assert f.experimental_get_tracing_count() == 1
