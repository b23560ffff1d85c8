"""Connectionist temporal classification: the loss of label sequences under unaligned scores.

After Graves et al., "Connectionist temporal classification" (ICML 2006).
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Aval, Call, Op, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.examples import counting, i32, i64
from tfcheck_runtime.ops.array.gathering_nd import gather_nd
from tfcheck_runtime.ops.array.identity import prevent_gradient
from tfcheck_runtime.ops.array.joining import concat
from tfcheck_runtime.ops.array.masking import sequence_mask
from tfcheck_runtime.ops.array.permuting import transpose
from tfcheck_runtime.ops.array.selection import where
from tfcheck_runtime.ops.array.squeezing import expand_dims
from tfcheck_runtime.ops.math.arithmetic import multiply
from tfcheck_runtime.ops.math.operands import alike
from tfcheck_runtime.ops.nn.softmax import log_softmax_array
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply_n

Doubles = npt.NDArray[np.float64]
_IMPOSSIBLE: Final = -np.inf


class _CtcLoss(Op):
    """Losses of sparse labels, the last class being the blank, and their gradient by the scores."""

    type = "CTCLoss"
    cases = (
        case(
            np.sin(1 + 7 * counting(4, 2, 3)), i64([[0, 0], [0, 1], [1, 0]]), i32([0, 1, 1]),
            i32([4, 3]), unknown=((0, 0), (0, 1)),
        ),
    )  # fmt: skip

    def infer(
        self, inputs: Aval, labels_indices: Aval, labels_values: Aval, sequence_length: Aval
    ) -> tuple[Aval, Aval]:
        known.check_rank(inputs, 3, "inputs")
        batch = None if inputs.shape is None else inputs.shape[1:2]
        return Aval(inputs.dtype, batch), Aval(inputs.dtype, inputs.shape)

    def eager(
        self,
        inputs: Array,
        labels_indices: Array,
        labels_values: Array,
        sequence_length: Array,
    ) -> tuple[Array, Array]:
        steps, batch, classes = inputs.shape
        if sequence_length.size and int(sequence_length.max()) > steps:
            raise invalid_argument(
                f"sequence_length <= {steps} expected, got {sequence_length.tolist()}", self.type
            )
        losses, gradient = np.zeros(batch), np.zeros(inputs.shape)
        for b in range(batch):
            labels = labels_values[labels_indices[:, 0] == b].astype(np.int64)
            length = int(sequence_length[b])
            logs = log_softmax_array(inputs[:length, b].astype(np.float64))
            losses[b], gradient[:length, b] = _loss(logs, labels, classes - 1)
        return losses.astype(inputs.dtype), gradient.astype(inputs.dtype)

    def gradient(
        self, call: Call[Tensor], dloss: Tensor | None, dgradient: Tensor | None
    ) -> list[Tensor | None]:
        if dloss is None:
            return [None] * 4
        once = prevent_gradient(
            call.outputs[1], message="the second derivative of ctc_loss is not implemented"
        )
        return [multiply(expand_dims(expand_dims(dloss, -1), 0), once), None, None, None]


def _loss(logs: Doubles, labels: npt.NDArray[np.int64], blank: int) -> tuple[float, Doubles]:
    """The loss of one sequence, and its gradient by the scores behind `logs`."""
    path = np.full(2 * len(labels) + 1, blank, np.int64)
    path[1::2] = labels
    forward = _sums(logs, path, blank)
    # Read backwards, the path and the steps obey the same rules.
    backward = _sums(logs[::-1], path[::-1], blank)[::-1, ::-1]
    with np.errstate(all="ignore"):
        total = np.logaddexp.reduce(forward[-1, -2:]) if len(logs) else _IMPOSSIBLE
        # Both sums count the score of the step they meet in.
        shares = np.exp(forward + backward - logs[:, path] - total)
    gradient = np.exp(logs)
    if not np.isfinite(total):
        return np.inf, np.zeros_like(gradient)
    for place, label in enumerate(path):
        gradient[:, label] -= shares[:, place]
    return -float(total), gradient


def _sums(logs: Doubles, path: npt.NDArray[np.int64], blank: int) -> Doubles:
    """For each step and place on the path, the log probability of having come there."""
    sums = np.full((len(logs), len(path)), _IMPOSSIBLE)
    # A place may be reached from two back unless a blank is left out between equal labels.
    leaps = np.zeros(len(path), bool)
    leaps[2:] = (path[2:] != blank) & (path[2:] != path[:-2])
    for step, scores in enumerate(logs):
        if step == 0:
            sums[0, :2] = scores[path[:2]]
            continue
        before = sums[step - 1]
        come = before.copy()
        come[1:] = np.logaddexp(come[1:], before[:-1])
        come[2:] = np.where(leaps[2:], np.logaddexp(come[2:], before[:-2]), come[2:])
        sums[step] = come + scores[path]
    return sums


ctc_loss_op = define(_CtcLoss())


def ctc_loss(
    labels: object,
    logits: object,
    label_length: object,
    logit_length: object,
    logits_time_major: bool = True,
    unique: object = None,
    blank_index: int | None = None,
    name: str | None = None,
) -> Tensor:
    """The loss of each label sequence.

    https://www.tensorflow.org/api_docs/python/tf/nn/ctc_loss

    Args:
        labels: an integer matrix, a row for each sequence.
        logits: scores (steps, batch, classes), or (batch, steps, classes) if not time major.
        label_length: how many labels of each row count.
        logit_length: how many steps of each sequence count.
        logits_time_major: whether steps come first in `logits`.
        unique: an optimisation of TensorFlow's, without meaning here.
        blank_index: the class that stands for no label; 0 by default, may count from the end.
        name: of the node.

    Returns:
        The losses; infinite where the labels do not fit into the steps.

    Raises:
        NotImplementedError: the labels are sparse (there is no `label_length`).
        ValueError: the number of classes is not known.
    """
    del unique
    if label_length is None:
        raise NotImplementedError("ctc_loss of sparse labels is not supported; pass a matrix")
    scores = convert_to_tensor(logits)
    if not logits_time_major:
        scores = transpose(scores, [1, 0, 2])
    numbers = cast(convert_to_tensor(labels), dtypes.int32)
    blank = _blank(scores, blank_index)
    # The op takes the last class for the blank.
    ordered = concat(
        [scores[..., :blank], scores[..., blank + 1 :], scores[..., blank : blank + 1]], 2
    )
    moved = where(numbers > blank, numbers - 1, numbers)
    size = numbers.static_shape[1] if numbers.static_shape else None
    places = where(sequence_mask(label_length, size))
    (inputs,) = alike("CTCLoss", [ordered], allowed=("float32", "float64"))
    return apply_n(
        ctc_loss_op, inputs, places, gather_nd(moved, places),
        cast(convert_to_tensor(logit_length), dtypes.int32), name=name or "ctc_loss",
    )[0]  # fmt: skip


def _blank(scores: Tensor, blank_index: int | None) -> int:
    index = 0 if blank_index is None else int(blank_index)
    classes = scores.static_shape[-1] if scores.static_shape else None
    if index >= 0:
        return index
    if classes is None:
        raise ValueError(
            f"`blank_index` = {blank_index} counts from the end, but the number of classes in"
            f" `logits` of shape {scores.shape} is not known"
        )
    return index + classes
