from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from tfcheck.profile.call_keys import Leaf, LeafKind, Shape, join_shapes, read_key


def step(batch: object, *rest: object, rate: float = 0.1, **options: object) -> None:
    """Takes arguments in every way there is."""


def test_leaves_have_the_path_that_python_would_write() -> None:
    batch = {"y": np.zeros((2, 3), np.float32), "x": [1, "a"]}

    key = read_key(step, (batch, 2.5), {"rate": 0.5, "training": True})

    assert key == (
        Leaf("batch['x'][0]", LeafKind.PYTHON, "int32", (), "1"),
        Leaf("batch['x'][1]", LeafKind.PYTHON, "string", (), "'a'"),
        Leaf("batch['y']", LeafKind.TENSOR, "float32", (2, 3), ""),
        Leaf("rest[0]", LeafKind.PYTHON, "float32", (), "2.5"),
        Leaf("rate=", LeafKind.PYTHON, "float32", (), "0.5"),
        Leaf("options['training']", LeafKind.PYTHON, "bool", (), "True"),
    )


def test_arguments_of_what_has_no_signature_are_numbered() -> None:
    key = read_key(None, (1,), {"n": 2})

    assert [leaf.path for leaf in key] == ["argument 1", "n="]


def test_variables_and_objects_are_told_apart_by_identity() -> None:
    variable = SimpleNamespace(dtype=np.dtype("float32"), shape=(2,), assign=print)

    (leaf,) = read_key(None, (variable,), {})

    assert leaf == Leaf("argument 1", LeafKind.OTHER, "", (), f"SimpleNamespace {id(variable)}")


def test_a_tensor_of_unknown_rank_has_no_shape() -> None:
    class Unknown:
        def __iter__(self) -> object:
            raise ValueError

    tensor = SimpleNamespace(dtype=np.dtype("int32"), shape=Unknown())

    (leaf,) = read_key(None, (tensor,), {})

    assert (leaf.kind, leaf.shape) == (LeafKind.TENSOR, None)


@pytest.mark.parametrize(
    ("one", "other", "joined"),
    [
        ((2, 3), (2, 3), (2, 3)),
        ((2, 3), (5, 3), (None, 3)),
        ((None, 3), (5, 3), (None, 3)),
        ((2,), (2, 3), None),
        (None, (2,), None),
    ],
)
def test_shapes_join_to_the_least_general(one: Shape, other: Shape, joined: Shape) -> None:
    assert join_shapes(one, other) == joined
