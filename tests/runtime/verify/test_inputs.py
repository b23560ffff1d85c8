"""Inputs that show how a graph treats the usual, the empty and the extreme."""

import numpy as np

from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.verify.inputs import Wanted, generate


def made(*wanted):
    return {each.kind: each.arrays for each in generate(wanted, seed=0)}


def test_floats_of_unknown_size_get_every_kind():
    kinds = made(Wanted(dtypes.float32, (None, 2)))

    assert {k: a[0].shape for k, a in kinds.items()} == {
        "random": (3, 2), "singleton": (1, 2), "empty": (0, 2), "zeros": (3, 2),
        "NaN": (3, 2), "infinite": (3, 2), "extremes": (3, 2),
    }  # fmt: skip
    assert all(a[0].dtype == np.float32 for a in kinds.values())
    assert int(np.isnan(kinds["NaN"][0]).sum()) == 1
    assert int(np.isinf(kinds["infinite"][0]).sum()) == 1
    assert float(kinds["extremes"][0].max()) == float(np.finfo(np.float32).max)


def test_integers_stay_in_the_range_that_was_seen():
    seen = np.array([5, 7], np.int32)

    kinds = made(Wanted(dtypes.int32, (None,), seen))

    assert list(kinds) == ["recorded", "random", "singleton", "empty"]
    assert kinds["recorded"][0] is seen
    assert set(kinds["random"][0].tolist()) <= {5, 6, 7}
    assert kinds["random"][0].dtype == np.int32


def test_texts_are_not_made_up():
    seen = np.array([b"a"], object)

    assert list(made(Wanted(dtypes.string, (None,), seen))) == ["recorded"]
    assert list(made(Wanted(dtypes.string, (None,)))) == []


def test_fixed_shapes_are_never_empty_and_seeds_repeat():
    wanted = Wanted(dtypes.float64, (2,))

    assert list(made(wanted)) == ["random", "zeros", "NaN", "infinite", "extremes"]
    assert made(wanted)["random"][0].tolist() == made(wanted)["random"][0].tolist()


def test_one_nan_does_not_swallow_the_rest():
    kinds = made(Wanted(dtypes.float32, (2,)), Wanted(dtypes.float32, ()))
    alone = made(Wanted(dtypes.float32, ()))

    assert [int(np.isnan(a).sum()) for a in kinds["NaN"]] == [1, 0]
    assert np.isnan(alone["NaN"][0])
