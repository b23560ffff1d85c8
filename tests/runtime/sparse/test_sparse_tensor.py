"""`tf.SparseTensor` and its spec: made, opened, traced. The values are TensorFlow 2.21's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tfcheck_runtime as tf


def sparse() -> Any:
    return tf.SparseTensor([[0, 1], [2, 3]], [1.0, 2.0], [3, 4])


def test_it_prints_its_three_tensors() -> None:
    assert (
        repr(sparse())
        == str(sparse())
        == (
            "SparseTensor(indices=tf.Tensor(\n[[0 1]\n [2 3]], shape=(2, 2), dtype=int64),"
            " values=tf.Tensor([1. 2.], shape=(2,), dtype=float32),"
            " dense_shape=tf.Tensor([3 4], shape=(2,), dtype=int64))"
        )
    )


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: tf.SparseTensor([[0, 1]], [1.0, 2.0], [3, 4]),
            "Dimensions 1 and 2 are not compatible",
        ),
        (lambda: tf.SparseTensor([[0, 1]], [1.0], [3]), "Dimensions 2 and 1 are not compatible"),
        (lambda: tf.SparseTensor([0, 1], [1.0], [3]), "must have rank 2"),
        (lambda: tf.SparseTensor([[0, 1]], 1.0, [3, 4]), "must have rank 1"),
        (
            lambda: tf.SparseTensor(tf.constant([[0, 1]], tf.int32), [1], [3, 4]),
            "requested dtype int64",
        ),
        (lambda: sparse().with_values([3.0]), "Dimensions 2 and 1 are not compatible"),
        (lambda: sparse().set_shape([3, 5]), "not compatible"),
        (lambda: tf.convert_to_tensor(sparse()), "unsupported type"),
    ],
)
def test_parts_that_do_not_fit_are_refused(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def test_its_type_is_shape_and_dtype() -> None:
    spec = tf.type_spec_from_value(sparse())

    assert repr(spec) == "SparseTensorSpec(TensorShape([3, 4]), tf.float32)"
    assert spec == tf.SparseTensorSpec([3, 4])
    assert tf.SparseTensorSpec([3, None]).is_compatible_with(sparse())
    assert not tf.SparseTensorSpec([2, None]).is_compatible_with(sparse())
    assert not tf.SparseTensorSpec([3, 4], tf.int32).is_compatible_with(sparse())
    assert repr(tf.nest.flatten(tf.SparseTensorSpec([3, None]), expand_composites=True)) == (
        "[TensorSpec(shape=(None, 2), dtype=tf.int64, name=None),"
        " TensorSpec(shape=(None,), dtype=tf.float32, name=None),"
        " TensorSpec(shape=(2,), dtype=tf.int64, name=None)]"
    )


def test_it_counts_as_a_tensor_and_as_one_made_of_tensors() -> None:
    assert tf.is_tensor(sparse())
    assert isinstance(sparse(), tf.__internal__.CompositeTensor)
    assert not tf.nest.is_nested(sparse())
    assert len(tf.nest.flatten(sparse(), expand_composites=True)) == 3


def test_calls_that_differ_in_the_number_of_elements_share_a_trace() -> None:
    traces: list[str] = []

    @tf.function
    def double(x: Any) -> Any:
        traces.append(f"{x.shape} {x.indices.shape}")
        return x.with_values(x.values * 2.0)

    double(sparse())
    result = double(tf.SparseTensor([[0, 1]], [1.5], [3, 4]))
    double(tf.SparseTensor([[0, 1]], [1.5], [3, 5]))

    assert result.values.numpy().tolist() == [3.0]
    assert traces == ["(3, 4) (None, 2)", "(3, 5) (None, 2)"]


def test_a_signature_takes_any_shape_it_covers() -> None:
    identity = tf.function(lambda x: x, input_signature=[tf.SparseTensorSpec([None, None])])

    assert identity(sparse()).shape.as_list() == [3, 4]
    assert [v.dtype.name for v in identity.get_concrete_function().inputs] == [
        "int64",
        "float32",
        "int64",
    ]
    with pytest.raises(TypeError):
        identity(tf.SparseTensor([[0, 1]], [1], [3, 4]))


def test_loops_and_branches_carry_it() -> None:
    @tf.function
    def grow(x: Any, n: Any) -> Any:
        for _ in tf.range(n):
            x = tf.SparseTensor(x.indices, x.values + 1.0, x.dense_shape)
        return tf.cond(n > 1, lambda: x, lambda: -1.0 * tf.ones([3, 4]) * x)

    assert grow(sparse(), tf.constant(2)).values.numpy().tolist() == [3.0, 4.0]
    assert grow(sparse(), tf.constant(1)).values.numpy().tolist() == [-2.0, -3.0]


def test_it_is_no_source_of_gradients_but_its_values_are() -> None:
    x = sparse()
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x.values)
        loss = tf.reduce_sum(tf.sparse.to_dense(x * tf.constant([1.0, 2.0, 3.0, 4.0])) ** 2)

    assert tape.gradient(loss, x.values).numpy().tolist() == [8.0, 64.0]
    with pytest.raises(ValueError, match="Type SparseTensor is not supported as a gradient source"):
        tape.gradient(loss, x)


def test_functions_that_are_zero_for_zero_work_on_the_values() -> None:
    assert tf.square(sparse()).values.numpy().tolist() == [1.0, 4.0]
    assert tf.cast(x=sparse(), dtype=tf.int32).values.numpy().tolist() == [1, 2]
    assert tf.shape(sparse()).numpy().tolist() == [3, 4]
    assert tf.size(sparse()).numpy() == 12
    assert tf.rank(sparse()).numpy() == 2
    with pytest.raises(ValueError, match="unsupported type"):
        tf.exp(sparse())
    with pytest.raises(TypeError):
        sparse() + 1


def test_libraries_find_it_where_tensorflow_has_it() -> None:
    from tfcheck_runtime.api.internals.python.framework import indexed_slices, sparse_tensor

    assert sparse_tensor.SparseTensor is tf.SparseTensor
    assert sparse_tensor.SparseTensorSpec is tf.SparseTensorSpec
    assert indexed_slices.IndexedSlices is tf.IndexedSlices
