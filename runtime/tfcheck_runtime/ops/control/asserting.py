"""The op `Assert` and `tf.debugging.Assert`: a check while the graph runs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tfcheck_runtime import dispatch
from tfcheck_runtime.errors import InvalidArgumentError, invalid_argument
from tfcheck_runtime.graph.operation import Operation
from tfcheck_runtime.op import Array, Aval, Op, define
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import EagerTensor, apply_n, performed


class _Assert(Op):
    """Fails with the data when the condition is false."""

    type = "Assert"
    stateful = True

    def infer(self, condition: Aval, *data: Aval, summarize: int) -> tuple[Aval, ...]:
        return ()

    def eager(self, condition: Array, *data: Array, summarize: int) -> tuple[Array, ...]:
        if not np.all(condition):
            shown = " ".join(f"[{_summary(np.asarray(d), summarize)}]" for d in data)
            raise invalid_argument(f"assertion failed: {shown}")
        return ()


def _summary(array: Array, summarize: int) -> str:
    flat = array.reshape(-1)
    count = flat.size if summarize < 0 else min(summarize, flat.size)
    shown = " ".join(_element(e) for e in flat[:count].tolist())
    return shown + ("..." if count < flat.size else "")


def _element(value: object) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return (
        str(int(value))
        if isinstance(value, bool)
        else f"{value:.9g}"
        if isinstance(value, float)
        else str(value)
    )


assert_op = define(_Assert())


def assert_(
    condition: object, data: Sequence[object], summarize: int | None = None, name: str | None = None
) -> Operation | None:
    """Check that a condition holds; in a graph, the result is the operation that does.

    See https://www.tensorflow.org/api_docs/python/tf/debugging/Assert.

    Args:
        condition: a boolean tensor; all elements must be true.
        data: tensors to show when it does not hold.
        summarize: how many elements of each to show, 3 by default.
        name: of the node.

    Raises:
        InvalidArgumentError: it does not hold; in a graph, when the graph runs.
        ValueError: there are no data, in a graph.
    """
    if dispatch.current_graph() is None:
        _check_now(condition, data, summarize)
        return None
    if not data:
        raise ValueError("Assert in a graph needs data to show: pass at least one tensor")
    tensors = [convert_to_tensor(d) for d in data]
    apply_n(
        assert_op,
        convert_to_tensor(condition),
        *tensors,
        summarize=3 if summarize is None else summarize,
        name=f"{name or 'Assert'}/Assert",
    )
    return performed()


def _check_now(condition: object, data: Sequence[object], summarize: int | None) -> None:
    if np.all(np.asarray(condition)):
        return
    limit = 3 if summarize is None else summarize
    shown = "\n".join(_listed(d, limit) for d in data)
    raise InvalidArgumentError(
        None, None, f"Expected '{condition}' to be true. Summarized data: {shown}"
    )


def _listed(value: object, limit: int) -> str:
    array = value.array if isinstance(value, EagerTensor) else np.asarray(value)
    if array.ndim == 0:
        return str(array[()])
    flat = array.reshape(-1)
    count = flat.size if limit < 0 else min(limit, flat.size)
    return ", ".join(
        [*(str(e) for e in flat[:count].tolist()), *(["..."] if count < flat.size else [])]
    )
