"""How long data is and how many rounds a loop has."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from tfcheck.lint.data_sizes import DataSizes
from tfcheck.lint.scopes import LoopNode
from tfcheck.lint.semantics import FileModel
from tfcheck.lint.source import Source


def sizes_of(program: str) -> tuple[DataSizes, ast.Module]:
    text = dedent(program)
    tree = ast.parse(text)
    return DataSizes(FileModel(Source("train.py", text), tree)), tree


@pytest.mark.parametrize(
    ("loop", "rounds"),
    [
        ("for i in range(10): pass", 10),
        ("for i in range(2, 20, 3): pass", 6),
        ("for i in range(N): pass", 40),
        ("for i in range(len(ITEMS)): pass", 3),
        ("for i in enumerate(ITEMS): pass", 3),
        ("for a, b in zip(ITEMS, range(9)): pass", 3),
        ("for v in ITEMS * 5: pass", 15),
        ("for v in [k for k in range(8)]: pass", 8),
        ("for row in np.zeros((6, 2)): pass", 6),
        ("i = 0\nwhile i < N:\n    i += 2", 20),
        ("i = 9\nwhile i >= 0:\n    i = i - 1", 10),
        ("for i in range(unknown): pass", None),
        ("for v in unknown: pass", None),
        ("i = 0\nwhile i < N:\n    i += unknown", None),
        ("while True: pass", None),
    ],
)
def test_rounds_of_a_loop(loop: str, rounds: int | None) -> None:
    sizes, tree = sizes_of("import numpy as np\nN = 40\nITEMS = [1, 2, 3]\n" + loop)

    found = [sizes.rounds(node) for node in ast.walk(tree) if isinstance(node, LoopNode)]

    assert found[0] == rounds


@pytest.mark.parametrize(
    ("expression", "elements"),
    [
        ("np.ones((400, 100))", 40_000),
        ("np.arange(50)", 50),
        ("[0.5] * 70000", 70_000),
        ("list(range(1000))", 1000),
        ("np.zeros(unknown)", None),
        ("unknown", None),
    ],
)
def test_elements_of_data(expression: str, elements: int | None) -> None:
    sizes, tree = sizes_of(f"import numpy as np\nvalue = {expression}\nvalue")
    last = tree.body[-1]
    assert isinstance(last, ast.Expr)

    assert sizes.elements(last.value) == elements


def test_data_that_was_loaded_is_known_through_arithmetic() -> None:
    sizes, tree = sizes_of(
        """
        import numpy as np
        import keras

        (images, labels), _ = keras.datasets.mnist.load_data()
        scaled = images / 255.0
        made = np.ones(3)
        scaled, made
        """
    )
    last = tree.body[-1]
    assert isinstance(last, ast.Expr)
    assert isinstance(last.value, ast.Tuple)

    assert [sizes.is_loaded(part) for part in last.value.elts] == [True, False]
