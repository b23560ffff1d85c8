"""Medians with bootstrap intervals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tfcheck.profile.model import Interval, Timing

RESAMPLES = 1000
_Floats = npt.NDArray[np.float64]


def weighted_medians(runs: Sequence[Sequence[float]], weights: Sequence[float]) -> _Floats:
    """The weighted mean of the medians of several series, once as measured, then resampled."""
    # A fixed seed: the same measurements always give the same interval.
    generator = np.random.default_rng(0)
    shares = np.asarray(weights, dtype=np.float64) / sum(weights)
    medians = [_medians(np.asarray(each, dtype=np.float64), generator) for each in runs]
    result: _Floats = np.average(np.stack(medians), axis=0, weights=shares)
    return result


def _medians(values: _Floats, generator: np.random.Generator) -> _Floats:
    drawn = generator.integers(0, len(values), size=(RESAMPLES, len(values)))
    medians: _Floats = np.median(values[drawn], axis=1)
    return np.concatenate([[np.median(values)], medians])


def interval(medians: _Floats) -> Interval:
    """The measured value and the middle 95 % of the resampled ones."""
    low, high = np.percentile(medians[1:], [2.5, 97.5])
    return Interval(float(medians[0]), float(low), float(high))


def timing(medians: _Floats, *, runs: int) -> Timing:
    """Seconds of a call, from `runs` measured ones."""
    seconds = interval(medians)
    return Timing(seconds.median, seconds.low, seconds.high, runs)
