"""Linear algebra where examples do not reach: identities, symmetric inputs, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tfcheck_runtime as tf
from tfcheck_runtime.ops.linalg.decomposing import cholesky, qr
from tfcheck_runtime.ops.linalg.diagonals import diag, diag_part
from tfcheck_runtime.ops.linalg.einsum import einsum
from tfcheck_runtime.ops.linalg.inverting import inv
from tfcheck_runtime.ops.linalg.norms import norm, normalize
from tfcheck_runtime.ops.linalg.products import tensordot
from tfcheck_runtime.ops.linalg.pseudo_inverse import matrix_rank, pinv
from tfcheck_runtime.ops.linalg.solving import cholesky_solve, lstsq, solve
from tfcheck_runtime.ops.linalg.spectral import eigh, svd

INVALID = tf.errors.InvalidArgumentError


def value(tensor: Any) -> Any:
    return tensor.numpy()


SYMMETRIC = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]])
TALL = np.array([[1.0, 2.0], [3.0, 5.0], [0.5, -1.0]])


def test_the_cholesky_factor_gives_the_matrix_back() -> None:
    factor = cholesky(SYMMETRIC)

    assert np.triu(value(factor), 1).tolist() == np.zeros((3, 3)).tolist()
    np.testing.assert_allclose(value(tf.matmul(factor, factor, transpose_b=True)), SYMMETRIC)


def test_the_gradient_of_cholesky_is_its_slope_in_symmetric_directions() -> None:
    weights = tf.constant(np.arange(9.0).reshape(3, 3))
    direction = np.array([[1.0, 2.0, 0.5], [2.0, -1.0, 0.3], [0.5, 0.3, 0.7]])

    def total(matrix: Any) -> Any:
        return tf.reduce_sum(cholesky(matrix) * weights)

    x = tf.constant(SYMMETRIC)
    with tf.GradientTape() as tape:
        tape.watch(x)
        result = total(x)
    slope = (total(SYMMETRIC + 1e-6 * direction) - total(SYMMETRIC - 1e-6 * direction)) / 2e-6

    along = float((value(tape.gradient(result, x)) * direction).sum())
    assert along == pytest.approx(float(slope), rel=1e-6)


def test_a_matrix_that_is_not_positive_definite_has_no_factor() -> None:
    factor = cholesky(tf.constant([[0.0, 1.0], [1.0, 0.0]]))

    assert bool(np.isnan(value(factor)[0, 0]))


def test_a_singular_matrix_has_no_inverse() -> None:
    with pytest.raises(INVALID) as raised:
        inv(tf.constant([[0.0, 0.0], [1.0, 0.0]]))

    assert raised.value.message == "Input is not invertible. [Op:MatrixInverse]"


def test_an_oblong_matrix_is_refused() -> None:
    with pytest.raises(INVALID, match="Input matrix must be square"):
        inv(TALL)


def test_solutions_solve() -> None:
    rhs = np.array([[1.0], [2.0], [3.0]])

    np.testing.assert_allclose(SYMMETRIC @ value(solve(SYMMETRIC, rhs)), rhs)
    np.testing.assert_allclose(SYMMETRIC @ value(cholesky_solve(cholesky(SYMMETRIC), rhs)), rhs)


def test_least_squares_are_those_of_numpy() -> None:
    rhs = np.array([[1.0], [2.0], [3.0]])

    np.testing.assert_allclose(value(lstsq(TALL, rhs)), np.linalg.lstsq(TALL, rhs)[0])


def test_decompositions_multiply_back() -> None:
    q, r = qr(TALL)
    singular: Any = svd(TALL)
    s, u, v = singular
    values, vectors = eigh(SYMMETRIC)

    np.testing.assert_allclose(value(q @ r), TALL)
    np.testing.assert_allclose(value(u @ diag(s) @ tf.transpose(v)), TALL)
    np.testing.assert_allclose(value(vectors @ diag(values) @ tf.transpose(vectors)), SYMMETRIC)


def test_the_pseudo_inverse_is_that_of_numpy() -> None:
    np.testing.assert_allclose(value(pinv(TALL)), np.linalg.pinv(TALL))
    assert value(matrix_rank(TALL)) == 2


@pytest.mark.parametrize("order", ["euclidean", 1, 2, np.inf, 3])
def test_vector_norms_are_those_of_numpy(order: Any) -> None:
    expected = np.linalg.norm(TALL, 2 if order == "euclidean" else order, axis=1)

    np.testing.assert_allclose(value(norm(TALL, order, axis=1)), expected)


@pytest.mark.parametrize("order", ["fro", 1, 2, np.inf])
def test_matrix_norms_are_those_of_numpy(order: Any) -> None:
    found = norm(TALL, order, axis=[-2, -1])

    np.testing.assert_allclose(value(found), np.linalg.norm(TALL, order))


def test_an_unknown_norm_is_refused() -> None:
    with pytest.raises(ValueError, match="'ord' must be a supported vector norm"):
        norm(TALL, -1)


def test_normalize_returns_the_norm_with_its_axis() -> None:
    unit, length = normalize(tf.constant([3.0, 4.0]))

    assert value(unit).tolist() == pytest.approx([0.6, 0.8])
    assert value(length).tolist() == [5.0]


def test_bands_of_diagonals_come_back() -> None:
    packed = tf.constant([[0, 8, 9], [1, 2, 3], [4, 5, 0]])

    assert value(diag_part(diag(packed, k=(-1, 1)), k=(-1, 1))).tolist() == value(packed).tolist()


@pytest.mark.parametrize(
    ("equation", "message"),
    [
        ("ij,jk->il", "Output subscripts contain the label l not present"),
        ("ij->ij", "Got 2 inputs for equation `ij->ij`, expecting 1"),
        ("i1,1j->ij", "Subscripts of einsum are letters"),
    ],
)
def test_a_malformed_equation_is_refused(equation: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        einsum(equation, TALL, TALL)


def test_einsum_says_which_axis_does_not_fit() -> None:
    with pytest.raises(INVALID) as raised:
        einsum("ij,jk->ik", TALL, TALL)

    assert raised.value.message == (
        "Dimensions must be equal, but are 2 and 3 for the axis `j` [Op:Einsum]"
    )


@pytest.mark.parametrize("axes", [1, [[1], [0]], (1, 0)], ids=str)
def test_tensordot_contracts_pairs_of_axes(axes: Any) -> None:
    found = tensordot(TALL, TALL.T, axes)

    np.testing.assert_allclose(value(found), TALL @ TALL.T)


def test_the_at_operator_names_its_node_in_lower_case() -> None:
    function = tf.function(lambda x: x @ x, autograph=False)

    concrete = function.get_concrete_function(tf.TensorSpec([2, 2]))

    assert [n.name for n in concrete.graph.as_graph_def().node if n.op == "MatMul"] == ["matmul"]
