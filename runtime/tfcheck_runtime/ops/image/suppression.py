"""Non-maximum suppression: of overlapping boxes those with the best scores."""

from __future__ import annotations

import heapq
import math
from typing import Any, Final

import numpy as np

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Aval, Op, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.examples import f32, i32
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.shapes import Shape, are_compatible
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply, apply_n

_BOXES: Final = np.array(
    [[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, 2, 1, 3], [0.5, 0.5, 1, 1]], np.float32
)
_SCORES: Final = f32([0.9, 0.8, 0.7, 0.1])


def _upright(boxes: Array) -> Array:
    """Boxes with the lesser corner first."""
    corners = boxes.reshape(*boxes.shape[:-1], 2, 2)
    return np.concatenate([corners.min(-2), corners.max(-2)], -1)


def _overlap(box: Array, others: Array) -> Array:
    """The intersection over the union of a box with each of others; 0 for boxes without area."""
    low, high = box[:2], box[2:]
    lows, highs = others[:, :2], others[:, 2:]
    sides = np.maximum(np.minimum(high, highs) - np.maximum(low, lows), 0)
    shared = sides[:, 0] * sides[:, 1]
    area, areas = np.prod(high - low), np.prod(highs - lows, -1)
    whole = area + areas - shared
    with np.errstate(all="ignore"):
        ratio = np.where(whole > 0, shared / whole, 0)
    return np.where((area <= 0) | (areas <= 0), 0, ratio)


def _selected(
    scores: Array,
    overlaps: Any,  # of a candidate and a list of selected ones, an array
    *,
    most: int,
    limits: tuple[float, float],
    sigma: float = 0.0,
) -> tuple[list[int], list[float]]:
    """The boxes that stay, best first, and their scores.

    Args:
        scores: of the boxes.
        overlaps: of `(candidate, selected)`, how much each selected one overlaps.
        most: how many to select at most.
        limits: the overlap and the score that must be exceeded to suppress or to be considered.
        sigma: suppressed boxes are not dropped but get lower scores, the lower the smaller it is.
    """
    overlap_limit, score_limit = limits
    queue = [(-float(s), i, 0) for i, s in enumerate(scores.tolist()) if s > score_limit]
    heapq.heapify(queue)
    chosen: list[int] = []
    kept: list[float] = []
    while queue and len(chosen) < most:
        negative, candidate, begin = heapq.heappop(queue)
        score = before = np.float32(-negative)
        dropped = False
        against = overlaps(candidate, chosen[begin:]) if begin < len(chosen) else ()
        for overlap in reversed(against):
            if sigma > 0:
                score *= np.float32(math.exp(-0.5 / sigma * float(overlap) ** 2))
            elif overlap > overlap_limit:
                dropped = True
                break
            if score <= score_limit:
                break
        if dropped:
            continue
        if score == before:
            chosen.append(candidate)
            kept.append(float(score))
        elif score > score_limit:
            heapq.heappush(queue, (-float(score), candidate, len(chosen)))
    return chosen, kept


def _check(boxes: Aval, scores: Aval, *, width: int | None = 4) -> None:
    known.check_rank(boxes, 2, "boxes")
    known.check_rank(scores, 1, "scores")
    count = (boxes.shape or (None, None))[0]
    if not are_compatible(scores.shape, (count,)):
        raise ValueError(
            f"boxes and scores must be as many, got shapes {boxes.shape} and {scores.shape}"
        )
    if width is not None and not are_compatible((boxes.shape or (None, 4))[1:], (width,)):
        raise ValueError(f"boxes must have 4 columns, got shape {boxes.shape}")


def _check_counts(boxes: Array, scores: Array, op_type: str) -> None:
    if len(boxes) != len(scores):
        raise invalid_argument(
            f"scores has incompatible shape: there are {len(boxes)} boxes and {len(scores)} scores",
            op_type,
        )


class _Suppression(Op):
    """The boxes that stay, their scores, and how many they are."""

    type = "NonMaxSuppressionV5"

    def infer(
        self, boxes: Aval, scores: Aval, most: Aval, overlap: Aval, least: Aval, sigma: Aval
    ) -> tuple[Aval, Aval, Aval]:
        _check(boxes, scores)
        return Aval(dtypes.int32, (None,)), Aval(scores.dtype, (None,)), Aval(dtypes.int32, ())

    def eager(
        self, boxes: Array, scores: Array, most: Array, overlap: Array, least: Array, sigma: Array
    ) -> tuple[Array, Array, Array]:
        _check_counts(boxes, scores, self.type)
        if not 0 <= overlap <= 1:
            raise invalid_argument(f"iou_threshold must be in [0, 1], got {overlap}", self.type)
        places = _upright(boxes)
        found, kept = _selected(
            scores, lambda one, others: _overlap(places[one], places[others]),
            most=int(most), limits=(float(overlap), float(least)), sigma=float(sigma),
        )  # fmt: skip
        return (
            np.array(found, np.int32),
            np.array(kept, scores.dtype),
            np.array(len(found), np.int32),
        )

    cases = (
        case(_BOXES, _SCORES, i32(3), f32(0.5), f32(-math.inf), f32(0), differentiable=False),
        case(_BOXES, _SCORES, i32(4), f32(0.5), f32(0.2), f32(0.5), differentiable=False),
    )


class _ByOverlaps(Op):
    """The boxes that stay, by overlaps that are given."""

    type = "NonMaxSuppressionWithOverlaps"

    def infer(self, overlaps: Aval, scores: Aval, most: Aval, limit: Aval, least: Aval) -> Aval:
        _check(overlaps, scores, width=None)
        shape = overlaps.shape or (None, None)
        if not are_compatible(shape[:1], shape[1:]):
            raise ValueError(f"overlaps must be square, got shape {overlaps.shape}")
        return Aval(dtypes.int32, (None,))

    def eager(
        self, overlaps: Array, scores: Array, most: Array, limit: Array, least: Array
    ) -> Array:
        _check_counts(overlaps, scores, self.type)
        found, _ = _selected(
            scores, lambda one, others: overlaps[one, others],
            most=int(most), limits=(float(limit), float(least)),
        )  # fmt: skip
        return np.array(found, np.int32)

    cases = (
        case(np.eye(3, dtype=np.float32), f32([3, 1, 2]), i32(2), f32(0.5), f32(-1),
             differentiable=False),
    )  # fmt: skip


class _Padded(Op):
    """For each image the boxes that stay, then zeros; boxes of zeros alone never do."""

    type = "NonMaxSuppressionPaddedV2"

    def infer(
        self, boxes: Aval, scores: Aval, most: Aval, overlap: Aval, least: Aval
    ) -> tuple[Aval, Aval]:
        lead: Shape = None if boxes.shape is None else boxes.shape[:-2]
        if boxes.shape is not None and not are_compatible(scores.shape, boxes.shape[:-1]):
            raise invalid_argument(
                f"boxes and scores must be as many, got shapes {boxes.shape} and {scores.shape}",
                self.type,
            )
        places = None if lead is None else (*lead, known.scalar(most))
        return Aval(dtypes.int32, places), Aval(dtypes.int32, lead)

    def eager(
        self, boxes: Array, scores: Array, most: Array, overlap: Array, least: Array
    ) -> tuple[Array, Array]:
        if not boxes.size:
            raise invalid_argument("there are no boxes to choose from", self.type)
        lead, count = boxes.shape[:-2], int(most)
        flat = boxes.reshape(math.prod(lead), *boxes.shape[-2:])
        out = np.zeros((len(flat), count), np.int32)
        valid = np.zeros(len(flat), np.int32)
        # As in TensorFlow, the first box tells whether all have the greater corner first.
        turned = (flat[0, 0, :2] > flat[0, 0, 2:])[[0, 1, 0, 1]]
        flat = np.where(turned, flat[..., [2, 3, 0, 1]], flat)
        # Where overlaps reach the limit, boxes are suppressed already.
        limit = float(np.nextafter(np.float32(overlap), np.float32(-1)))
        for i, (places, marks) in enumerate(zip(flat, scores.reshape(len(flat), -1), strict=True)):
            considered = np.where((places > 0).any(-1), marks, -np.inf)
            found, _ = _selected(
                considered, lambda one, others, p=places: _overlap(p[one], p[others]),
                most=count, limits=(limit, float(least)),
            )  # fmt: skip
            out[i, : len(found)], valid[i] = found, len(found)
        return out.reshape(*lead, count), valid.reshape(lead)

    cases = (case(_BOXES, _SCORES, i32(3), f32(0.5), f32(-math.inf), differentiable=False),)


class _Combined(Op):
    """For each image the best boxes of all classes: places, scores, classes, and how many."""

    type = "CombinedNonMaxSuppression"

    def infer(
        self,
        boxes: Aval,
        scores: Aval,
        per_class: Aval,
        total: Aval,
        overlap: Aval,
        least: Aval,
        *,
        pad_per_class: bool,
        clip_boxes: bool,
    ) -> tuple[Aval, Aval, Aval, Aval]:
        known.check_rank(boxes, 4, "boxes")
        known.check_rank(scores, 3, "scores")
        places, marks = boxes.shape or (None,) * 4, scores.shape or (None,) * 3
        if not are_compatible(places[:2], marks[:2]) or not are_compatible(places[3:], (4,)):
            raise ValueError(
                f"boxes must be [batch, n, 1 or classes, 4] and scores [batch, n, classes], got"
                f" shapes {boxes.shape} and {scores.shape}"
            )
        count = known.scalar(total)
        each = known.scalar(per_class)
        if each is not None and each <= 0:
            raise invalid_argument(f"max_size_per_class must be positive, got {each}", self.type)
        if pad_per_class:
            unknown = None in (count, each, marks[2])
            count = None if unknown else min(count or 0, (each or 0) * (marks[2] or 0))
        kinds = (dtypes.float32, dtypes.float32, dtypes.float32)
        shapes = ((places[0], count, 4), (places[0], count), (places[0], count))
        found = [Aval(k, s) for k, s in zip(kinds, shapes, strict=True)]
        return found[0], found[1], found[2], Aval(dtypes.int32, (places[0],))

    def eager(
        self,
        boxes: Array,
        scores: Array,
        per_class: Array,
        total: Array,
        overlap: Array,
        least: Array,
        *,
        pad_per_class: bool,
        clip_boxes: bool,
    ) -> tuple[Array, ...]:
        most, classes = int(total), scores.shape[2]
        if pad_per_class:
            most = min(most, int(per_class) * classes)
        out = np.zeros((len(boxes), most, 4), np.float32)
        marks, kinds = np.zeros((2, len(boxes), most), np.float32)
        valid = np.zeros(len(boxes), np.int32)
        if boxes.shape[:2] != scores.shape[:2]:
            raise invalid_argument(
                f"boxes and scores must be as many, got shapes {boxes.shape} and {scores.shape}",
                self.type,
            )
        for i, (image, given) in enumerate(zip(boxes, scores, strict=True)):
            rows: list[tuple[float, int, int]] = []
            for kind in range(classes):
                places = _upright(image[:, kind if image.shape[1] > 1 else 0])
                found, kept = _selected(
                    given[:, kind], lambda one, others, p=places: _overlap(p[one], p[others]),
                    most=int(per_class), limits=(float(overlap), float(least)),
                )  # fmt: skip
                rows += [(-s, kind, b) for b, s in zip(found, kept, strict=True)]
            best = sorted(rows, key=lambda r: r[0])[:most]
            valid[i] = len(best)
            for j, (mark, kind, box) in enumerate(best):
                place = image[box, kind if image.shape[1] > 1 else 0]
                out[i, j] = np.clip(place, 0, 1) if clip_boxes else place
                marks[i, j], kinds[i, j] = -mark, kind
        return out, marks, kinds, valid

    cases = (
        case(_BOXES[None, :, None], _SCORES[None, :, None], i32(2), i32(3), f32(0.5), f32(0),
             pad_per_class=False, clip_boxes=True, differentiable=False),
    )  # fmt: skip


suppression_op = define(_Suppression())
by_overlaps_op = define(_ByOverlaps())
padded_op = define(_Padded())
combined_op = define(_Combined())


def _floats(*values: object) -> list[Tensor]:
    return [convert_to_tensor(v, dtypes.float32) for v in values]


def _count(value: object) -> Tensor:
    return known.integer_tensor(value, what="max_output_size")


def non_max_suppression(
    boxes: object,
    scores: object,
    max_output_size: object,
    iou_threshold: object = 0.5,
    score_threshold: object = -math.inf,
    name: str | None = None,
) -> Tensor:
    """Which boxes stay, best first, when those that overlap a better one are dropped.

    https://www.tensorflow.org/api_docs/python/tf/image/non_max_suppression

    Args:
        boxes: of shape [n, 4]: two opposite corners.
        scores: of shape [n].
        max_output_size: how many may stay.
        iou_threshold: up to which ratio of intersection and union boxes stay.
        score_threshold: above which score boxes are considered.
        name: of the node.

    Raises:
        InvalidArgumentError: shapes do not fit (ValueError in a graph), or a threshold is none.
    """
    return non_max_suppression_with_scores(
        boxes, scores, max_output_size, iou_threshold, score_threshold, name=name
    )[0]


def non_max_suppression_with_scores(
    boxes: object,
    scores: object,
    max_output_size: object,
    iou_threshold: object = 0.5,
    score_threshold: object = -math.inf,
    soft_nms_sigma: object = 0.0,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """`non_max_suppression` with the scores in the end, lowered by overlaps if there is a sigma.

    https://www.tensorflow.org/api_docs/python/tf/image/non_max_suppression_with_scores
    """
    places, marks = convert_to_tensor(boxes), convert_to_tensor(scores)
    limits = _floats(iou_threshold, score_threshold, soft_nms_sigma)
    found = apply_n(
        suppression_op, places, marks, _count(max_output_size), *limits,
        name=name or "non_max_suppression",
    )  # fmt: skip
    return found[0], found[1]


def non_max_suppression_overlaps(
    overlaps: object,
    scores: object,
    max_output_size: object,
    overlap_threshold: object = 0.5,
    score_threshold: object = -math.inf,
    name: str | None = None,
) -> Tensor:
    """`non_max_suppression` by a matrix of overlaps.

    https://www.tensorflow.org/api_docs/python/tf/image/non_max_suppression_overlaps
    """
    limits = _floats(overlap_threshold, score_threshold)
    return apply(
        by_overlaps_op, convert_to_tensor(overlaps), convert_to_tensor(scores),
        _count(max_output_size), *limits, name=name or "non_max_suppression_overlaps",
    )  # fmt: skip


def non_max_suppression_padded(
    boxes: object,
    scores: object,
    max_output_size: object,
    iou_threshold: object = 0.5,
    score_threshold: object = -math.inf,
    pad_to_max_output_size: bool = False,
    name: str | None = None,
    sorted_input: bool = False,
    canonicalized_coordinates: bool = False,
    tile_size: int = 512,
) -> tuple[Tensor, Tensor]:
    """`non_max_suppression` for each image of a batch, filled up with zeros, and how many stay.

    https://www.tensorflow.org/api_docs/python/tf/image/non_max_suppression_padded

    Args:
        boxes: of shape [..., n, 4].
        scores: of shape [..., n].
        max_output_size: how many may stay.
        iou_threshold: from which ratio of intersection and union boxes are dropped.
        score_threshold: above which score boxes are considered.
        pad_to_max_output_size: whether to fill up; needed for batches.
        name: of the node.
        sorted_input: a hint, without effect.
        canonicalized_coordinates: a hint, without effect.
        tile_size: a hint, without effect.

    Raises:
        ValueError: a batch is not to be filled up.
        InvalidArgumentError: shapes do not fit.
    """
    del sorted_input, canonicalized_coordinates, tile_size
    places = convert_to_tensor(boxes)
    if not pad_to_max_output_size and places.ndim is not None and places.ndim > 2:
        raise ValueError(
            f"'pad_to_max_output_size' (value {pad_to_max_output_size}) must be True for batched"
            " input"
        )
    limits = _floats(iou_threshold, score_threshold)
    found, count = apply_n(
        padded_op, places, convert_to_tensor(scores), _count(max_output_size), *limits,
        name=name or "non_max_suppression_padded",
    )  # fmt: skip
    return (found if pad_to_max_output_size else found[:count]), count


def combined_non_max_suppression(
    boxes: object,
    scores: object,
    max_output_size_per_class: object,
    max_total_size: object,
    iou_threshold: object = 0.5,
    score_threshold: object = -math.inf,
    pad_per_class: bool = False,
    clip_boxes: bool = True,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """`non_max_suppression` for each image and class; the best of all classes.

    https://www.tensorflow.org/api_docs/python/tf/image/combined_non_max_suppression

    Args:
        boxes: of shape [batch, n, 1 or classes, 4].
        scores: of shape [batch, n, classes].
        max_output_size_per_class: how many may stay of each class.
        max_total_size: how many may stay of an image.
        iou_threshold: up to which ratio of intersection and union boxes stay.
        score_threshold: above which score boxes are considered.
        pad_per_class: whether to fill up no further than with all of each class.
        clip_boxes: whether to limit boxes to [0, 1].
        name: of the node.

    Returns:
        Boxes, scores, classes, each filled up with zeros, and how many there are of each image.

    Raises:
        InvalidArgumentError: shapes do not fit (ValueError in a graph).
    """
    limits = _floats(iou_threshold, score_threshold)
    found = apply_n(
        combined_op, convert_to_tensor(boxes, dtypes.float32),
        convert_to_tensor(scores, dtypes.float32), _count(max_output_size_per_class),
        _count(max_total_size), *limits, pad_per_class=bool(pad_per_class),
        clip_boxes=bool(clip_boxes), name=name or "combined_non_max_suppression",
    )  # fmt: skip
    return found[0], found[1], found[2], found[3]
