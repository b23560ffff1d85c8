"""`tf.Module`."""

from __future__ import annotations

import collections
from typing import Any

import pytest

import tfcheck_runtime as tf

Pair = collections.namedtuple("Pair", "p q")


class Tower(tf.Module):
    """Variables everywhere."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name=name)
        self.b = tf.Variable(1.0)
        self.a = tf.Variable(2.0, trainable=False)
        self.sub = [tf.Module(name="q")]
        self.d = {"z": tf.Variable(3.0), "y": tf.Variable(4.0)}
        self.sub[0].v = tf.Variable(5.0)

    @tf.Module.with_name_scope
    def __call__(self) -> str:
        return str(tf.Variable(1.0, name="lazy").name)


def test_variables_come_by_attribute_then_by_key_then_from_inside() -> None:
    tower = Tower()

    assert [float(v) for v in tower.variables] == [2.0, 1.0, 4.0, 3.0, 5.0]
    assert [float(v) for v in tower.non_trainable_variables] == [2.0]
    assert tower.submodules == (tower.sub[0],)


def test_paths_lead_to_the_parts() -> None:
    tower = Tower()
    tower.pair = Pair(tf.Variable(6.0), 2)

    paths = [
        path
        for path, _ in tower._flatten(
            predicate=lambda part: isinstance(part, tf.Variable), with_path=True
        )
    ]

    assert paths == [("a",), ("b",), ("d", "y"), ("d", "z"), ("pair", "p"), ("sub", 0, "v")]


def test_names_of_variables_carry_the_scope() -> None:
    with tf.name_scope("outer"):
        inner = Tower("inner")

    assert (inner(), inner.name, inner.name_scope.name) == (
        "outer/inner/lazy:0",
        "inner",
        "outer/inner/",
    )


def test_a_name_is_an_identifier_and_snake_case_by_default() -> None:
    kind = type("MyHTTPServer2", (tf.Module,), {})

    assert kind().name == "my_http_server2"
    with pytest.raises(ValueError, match="'a b' is not a valid module name"):
        kind(name="a b")


def test_a_module_that_was_not_initialized_has_no_name() -> None:
    class Hasty(tf.Module):
        def __init__(self) -> None:
            self.x = tf.Variable(1.0)

    hasty: Any = Hasty()

    assert len(hasty.variables) == 1
    with pytest.raises(AttributeError, match="_name"):
        hasty.name  # noqa: B018  # reading it is what fails
