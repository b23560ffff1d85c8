"""Seeds, streams and generators: which draws repeat, eagerly and in graphs."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import tfcheck_runtime as tf


def bits(tensor: Any) -> list[int]:
    """The bit pattern of each element."""
    array = tensor.numpy()
    flat: list[int] = array.reshape(-1).view(f"u{array.dtype.itemsize}").tolist()
    return flat


def all_bits(tensors: Any) -> list[list[int]]:
    return [bits(t) for t in tf.nest.flatten(tensors)]


def test_ops_of_a_graph_get_seeds_by_their_number() -> None:
    tf.random.set_seed(7)

    @tf.function
    def draw() -> Any:
        return tf.random.uniform([2]), tf.random.normal([1]), tf.random.uniform([1], seed=3)

    nodes = draw.get_concrete_function().graph.as_graph_def().node

    seeds = [(n.op, n.attr["seed"], n.attr["seed2"]) for n in nodes if "seed" in n.attr]
    assert seeds == [
        ("RandomUniform", 7, 0),
        ("RandomStandardNormal", 7, 1),
        ("RandomUniform", 7, 3),
    ]


def test_calls_of_a_function_continue_its_streams() -> None:
    tf.random.set_seed(7)

    @tf.function
    def draw() -> Any:
        return tf.random.uniform([2]), tf.random.normal([1]), tf.random.uniform([1], seed=3)

    first, second = all_bits(draw()), all_bits(draw())

    assert first == [[1061221466, 1033870784], [3205132857], [1053645668]]
    assert second == [[1053511912, 1060067304], [1065358464], [1060423984]]


def test_set_seed_sends_the_streams_of_functions_back() -> None:
    tf.random.set_seed(7)

    @tf.function
    def draw() -> Any:
        return tf.random.uniform([2])

    first = bits(draw())
    draw()
    tf.random.set_seed(8)

    assert bits(draw()) == first


def test_branches_count_their_own_ops() -> None:
    tf.random.set_seed(7)

    @tf.function
    def draw(x: Any) -> Any:
        before = tf.random.uniform([1])
        chosen = tf.cond(x > 0, lambda: tf.random.uniform([1]), lambda: tf.random.normal([1]))
        return before, chosen, tf.random.uniform([1])

    positive, negative = all_bits(draw(tf.constant(1))), all_bits(draw(tf.constant(-1)))

    assert positive == [[1061221466], [1061221466], [1055635008]]
    assert negative == [[1058434318], [1052055296], [1057282932]]


def test_rounds_of_a_loop_continue_one_stream() -> None:
    tf.random.set_seed(7)

    @tf.function
    def draw() -> Any:
        drawn = tf.TensorArray(tf.float32, 3)
        for i in tf.range(3):
            drawn = drawn.write(i, tf.random.uniform([]))
        return drawn.stack(), tf.random.uniform([1])

    first, second = all_bits(draw()), all_bits(draw())

    assert first == [[1061221466, 1058434318, 1053511912], [1061221466]]
    assert second == [[1061855226, 1043754848, 1063138852], [1058434318]]


def test_a_generator_draws_what_tensorflows_does() -> None:
    generator = tf.random.Generator.from_seed(1234)

    normal = generator.normal([3])
    state = generator.state.numpy().tolist()
    truncated = generator.truncated_normal([3])
    uniform = generator.uniform([3], 2.0, 4.0)
    integers = generator.uniform([3], 1, 9, tf.int64)
    full = generator.uniform_full_int([2], tf.uint64)

    assert bits(normal) == [1064273785, 1066069859, 3211794726]
    assert state == [2002, 0, 0]
    assert bits(truncated) == [1066413742, 3213120644, 1048814472]
    assert bits(uniform) == [1079205000, 1081539795, 1078009393]
    assert integers.numpy().tolist() == [5, 2, 6]
    assert bits(full) == [6684997737015905965, 17874969876196819646]


def test_skipping_moves_the_state_and_returns_the_old_one() -> None:
    generator = tf.random.Generator.from_seed(10)

    before = generator.skip(3)

    assert before.numpy().tolist() == [10, 0, 0]
    assert generator.state.numpy().tolist() == [10 + 3 * 256, 0, 0]


def test_the_counter_carries_into_its_upper_half() -> None:
    generator = tf.random.Generator.from_state([-1, 5, 7], alg="philox")

    generator.skip(1)

    assert generator.state.numpy().tolist() == [255, 6, 7]


@pytest.mark.parametrize(
    ("make", "state"),
    [
        (lambda g: g.from_seed([1, 2]), [0, 1, 2]),
        (lambda g: g.from_seed(2**70 + 5), [5, 64, 0]),
        (lambda g: g.from_seed(-1), [-1, -1, -1]),
        (lambda g: g.from_key_counter(5, [6, 7], "philox"), [6, 7, 5]),
        (lambda g: g.from_state([1, 2, 3], alg=1), [1, 2, 3]),
    ],
)
def test_generators_are_made_in_many_ways(make: Any, state: list[int]) -> None:
    assert make(tf.random.Generator).state.numpy().tolist() == state


def test_resetting_replaces_the_state() -> None:
    generator = tf.random.Generator.from_seed(1)

    states = []
    for reset in (
        lambda: generator.reset([4, 5, 6]),
        lambda: generator.reset_from_seed(9),
        lambda: generator.reset_from_key_counter(1, [2, 3]),
    ):
        reset()
        states.append(generator.state.numpy().tolist())

    assert states == [[4, 5, 6], [9, 0, 0], [2, 3, 1]]


def test_functions_and_eager_code_share_a_generators_state() -> None:
    generator = tf.random.Generator.from_seed(7)
    twin = tf.random.Generator.from_seed(7)

    @tf.function
    def draw() -> Any:
        return generator.uniform([2])

    drawn = [bits(draw()), bits(generator.uniform([2])), bits(draw())]

    assert drawn == [bits(twin.uniform([2])) for _ in range(3)]


def test_split_generators_differ() -> None:
    children = tf.random.Generator.from_seed(3).split(2)

    states = [c.state.numpy().tolist() for c in children]

    assert states == [[0, 0, 7657373526131797801], [0, 0, 7872641813117997903]]


def test_another_algorithm_is_refused_by_name() -> None:
    with pytest.raises(NotImplementedError) as error:
        tf.random.Generator.from_seed(1, alg="threefry")

    assert str(error.value) == (
        "random numbers by 'threefry' are not supported; use 'philox' or 'auto_select'"
    )


def test_without_seeds_draws_differ() -> None:
    first = tf.random.Generator.from_non_deterministic_state()
    second = tf.random.Generator.from_non_deterministic_state()

    assert first.state.numpy().tolist() != second.state.numpy().tolist()


@pytest.mark.parametrize(
    ("draw", "kind", "message"),
    [
        (
            lambda: tf.random.uniform([2], dtype=tf.int32),
            ValueError,
            "Must specify maxval for integer dtype tf.int32",
        ),
        (
            lambda: tf.random.uniform([2], 3, 3, tf.int32),
            tf.errors.InvalidArgumentError,
            "Need minval < maxval, got 3 >= 3 [Op:RandomUniformInt]",
        ),
        (
            lambda: tf.random.uniform([-1]),
            tf.errors.InvalidArgumentError,
            "Dimension -1 must be >= 0 [Op:RandomUniform]",
        ),
        (
            lambda: tf.random.stateless_uniform([2], [1, 2, 3]),
            tf.errors.InvalidArgumentError,
            "seed must have shape [2], not [3] [Op:StatelessRandomGetKeyCounter]",
        ),
        (
            lambda: tf.random.set_seed("a"),
            TypeError,
            "the global seed must be an integer, got 'a'",
        ),
    ],
)
def test_wrong_arguments_are_named(draw: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind) as error:
        draw()

    assert str(error.value) == message


def test_an_empty_draw_is_empty() -> None:
    assert tf.random.normal([0, 3]).numpy().tolist() == np.zeros((0, 3)).tolist()


def test_without_a_seed_nothing_is_drawn_once_determinism_is_enabled() -> None:
    program = """
import tfcheck_runtime as tf
tf.config.experimental.enable_op_determinism()
for draw in (lambda: tf.random.normal([1]), tf.function(lambda: tf.random.uniform([1]))):
    try:
        draw()
    except RuntimeError as error:
        print(str(error)[:60])
print(tf.random.normal([1], seed=1).shape)
tf.random.set_seed(1)
print(tf.random.normal([1]).shape)
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    refused = "Random ops require a seed to be set when determinism is enab"
    assert run.stdout.splitlines() == [refused, refused, "(1,)", "(1,)"]


@pytest.mark.parametrize(
    ("seed", "state"),
    [(5, [5, 0, 0]), (np.int64(5), [0, 0, 5]), ([5, 6], [0, 5, 6]), (1 << 70, [0, 64, 0])],
)
def test_only_a_python_integer_is_the_first_word_of_a_generator(
    seed: Any, state: list[int]
) -> None:
    assert tf.random.Generator.from_seed(seed).state.numpy().tolist() == state


def test_a_scalar_tensor_is_the_key_of_a_generator() -> None:
    made = tf.random.Generator.from_seed(tf.constant(5, tf.int64), alg=tf.random.Algorithm.PHILOX)

    assert made.state.numpy().tolist() == [0, 0, 5]
    assert bits(made.uniform([3])) == [1044070632, 1060152104, 1059870838]


def test_stateless_draws_have_types_of_32_and_64_bits() -> None:
    with pytest.raises(ValueError, match="Accepted dtypes are"):
        tf.random.stateless_uniform([2], [1, 2], None, None, tf.int8)
