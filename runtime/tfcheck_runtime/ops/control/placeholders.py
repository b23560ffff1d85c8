"""Graphs made by hand: parameters added one at a time.

Follows https://www.tensorflow.org/api_docs/python/tf/compat/v1/placeholder.
"""

from __future__ import annotations

from typing import cast

from tfcheck_runtime import dispatch
from tfcheck_runtime.site import user_site
from tfcheck_runtime.specs.dtypes import as_dtype
from tfcheck_runtime.specs.shapes import as_shape
from tfcheck_runtime.values.naming import scoped
from tfcheck_runtime.values.parameters import placeholder_op
from tfcheck_runtime.values.tensor import Tensor


def placeholder(dtype: object, shape: object = None, name: str | None = None) -> Tensor:
    """A tensor of the graph being built, whose value comes when the graph runs.

    Args:
        dtype: its element type.
        shape: what is known of its shape; nothing by default.
        name: of the node.

    Raises:
        RuntimeError: no graph is being built.
    """
    graph = dispatch.current_graph()
    if graph is None:
        raise RuntimeError("tf.placeholder() is not compatible with eager execution.")
    made = graph.placeholder(
        placeholder_op,
        as_dtype(dtype),
        as_shape(shape),
        name=scoped(name or "Placeholder"),
        site=user_site(),
    )
    return cast("Tensor", made)


def reset_default_graph() -> None:
    """Forget the graph that ops go to without any `with`: there is none, they run at once.

    Raises:
        AssertionError: a graph is being built.
    """
    if dispatch.current_graph() is not None:
        raise AssertionError(
            "Do not use tf.reset_default_graph() to clear nested graphs. If you need a cleared"
            " graph, exit the nesting and create a new graph."
        )
