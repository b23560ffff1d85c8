"""What libraries reach for below `tf.__internal__` and `tensorflow.python`."""

from __future__ import annotations

import subprocess
import sys

import pytest

import tfcheck_runtime as tf
from tfcheck_runtime.ops.math.slice_updating import dynamic_update_slice

_IMPORTS = """
from tfcheck_runtime.api.importing import install
install()
from tensorflow.compiler.tf2xla.python.xla import dynamic_update_slice
from tensorflow.python.ops.math_ops import is_nan
from tensorflow.python.eager import context
from tensorflow.python.framework.config import is_op_determinism_enabled
from tensorflow.python.ops.linalg.sparse import sparse_csr_matrix_ops
from tensorflow.python.trackable.data_structures import ListWrapper, wrap_or_unwrap
from tensorflow.experimental import dtensor
import tensorflow as tf
print(wrap_or_unwrap([1, {"a": (2,)}]), isinstance(wrap_or_unwrap([]), (ListWrapper, list)))
print(context.context().executing_eagerly(), is_op_determinism_enabled())
try:
    dtensor.Layout
except NotImplementedError as error:
    print(error)
print(is_nan(tf.constant([1.0, float('nan')])).numpy())
try:
    import tensorflow.python.nothing
except ImportError as error:
    print(error)
"""


def test_internal_modules_are_imported_under_the_paths_of_tensorflow() -> None:
    run = subprocess.run([sys.executable, "-c", _IMPORTS], capture_output=True, text=True)

    assert run.stderr == ""
    assert run.stdout.splitlines() == [
        "ListWrapper([1, DictWrapper({'a': (2,)})]) True",
        "True False",
        "tf.experimental.dtensor.Layout (<string>:15) is not in the embedded runtime",
        "[False  True]",
        "tensorflow.python.nothing is internal to TensorFlow and not in the embedded runtime",
    ]


@pytest.mark.parametrize("call", [dynamic_update_slice, tf.function(dynamic_update_slice)])
def test_a_block_is_moved_so_that_it_fits_inside(call) -> None:
    result = call(tf.zeros([3, 3], tf.int32), tf.constant([[1, 2], [3, 4]]), [-1, 2])

    assert result.numpy().tolist() == [[0, 1, 2], [0, 3, 4], [0, 0, 0]]


def test_a_known_condition_takes_its_branch_at_once() -> None:
    smart_cond = tf.__internal__.smart_cond.smart_cond

    assert smart_cond(True, lambda: "then", lambda: "else") == "then"
    assert smart_cond(tf.constant(False), lambda: "then", lambda: "else") == "else"
    with pytest.raises(TypeError, match="Argument `true_fn` must be callable"):
        smart_cond(1, None, lambda: "else")


def test_what_an_object_tracks_by_name_is_among_its_children() -> None:
    tracking = tf.__internal__.tracking
    holder, part = tracking.AutoTrackable(), tf.Variable(1.0)

    holder._track_trackable(part, "part")

    assert holder._trackable_children() == {"part": part}
    with pytest.raises(ValueError, match="already declared as a dependency"):
        holder._track_trackable(tf.Variable(2.0), "part")


def test_ops_go_to_a_graph_that_is_the_default() -> None:
    with tf.__internal__.FuncGraph("scratch").as_default():
        symbolic = tf.constant(1.0) + 2.0

    assert symbolic.graph.name == "scratch"
    assert tf.executing_eagerly()


def test_a_graph_made_by_hand_has_placeholders() -> None:
    v1 = tf.compat.v1

    with tf.__internal__.FuncGraph("scratch").as_default():
        made = v1.placeholder(tf.float32, [None, 2], name="x") * 2.0
        with pytest.raises(AssertionError, match="nested graphs"):
            v1.reset_default_graph()

    assert (made.shape.as_list(), made.op.inputs[0].name) == ([None, 2], "x:0")
    v1.reset_default_graph()
    with pytest.raises(RuntimeError, match="not compatible with eager execution"):
        v1.placeholder(tf.float32)


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (tf.Tensor, "tensorflow.python.framework.tensor.Tensor"),
        (tf.RaggedTensor, "tensorflow.python.ops.ragged.ragged_tensor.RaggedTensor"),
        (tf.SparseTensor, "tensorflow.python.framework.sparse_tensor.SparseTensor"),
        (tf.data.Dataset, "tensorflow.python.data.ops.dataset_ops.DatasetV2"),
    ],
)
def test_classes_that_libraries_tell_by_name_have_tensorflows(kind: type, name: str) -> None:
    assert f"{kind.__module__}.{kind.__name__}" == name
