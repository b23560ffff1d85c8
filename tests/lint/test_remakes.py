"""Whether a Function is made anew for each of its calls."""

from __future__ import annotations

import ast

from tfcheck.lint.remakes import Remakes
from tfcheck.lint.semantics import FileModel
from tfcheck.lint.source import Source

HEAD = "import tensorflow as tf\ndef double(x):\n    return x * 2\n"


def repeated(program: str) -> list[str | None]:
    """For each Function, the kind of node that makes it again."""
    text = HEAD + program
    model = FileModel(Source("program.py", text), ast.parse(text))
    found = [Remakes(model).find(creation) for creation in model.creations]
    return [None if each is None else type(each.repeated).__name__ for each in found]


def test_a_function_made_and_called_in_a_loop_is_remade_by_the_loop() -> None:
    assert repeated("for i in range(3):\n    tf.function(double)(i)\n") == ["For"]


def test_a_function_made_before_the_loop_is_not_remade() -> None:
    assert repeated("f = tf.function(double)\nfor i in range(3):\n    f(i)\n") == [None]


def test_a_function_that_is_kept_is_not_remade() -> None:
    assert repeated("fs = [tf.function(double) for _ in range(3)]\n") == [None]


def test_the_loop_around_a_call_remakes_what_the_called_function_makes() -> None:
    program = (
        "def once(x):\n    return tf.function(double)(x)\n"
        "def twice(x):\n    return once(x)\n"
        "while True:\n    twice(1)\n"
    )

    assert repeated(program) == ["While"]


def test_map_remakes_what_the_mapped_function_makes() -> None:
    program = "def once(x):\n    return tf.function(double)(x)\nlist(map(once, [1, 2]))\n"

    assert repeated(program) == ["Call"]


def test_a_method_that_keras_calls_in_each_epoch_remakes_what_it_makes() -> None:
    program = (
        "class Report(tf.keras.callbacks.Callback):\n"
        "    def on_epoch_end(self, epoch, logs=None):\n"
        "        tf.function(double)(1)\n"
    )

    assert repeated(program) == ["FunctionDef"]


def test_a_cached_factory_makes_each_function_once() -> None:
    program = (
        "import functools\n"
        "@functools.cache\ndef make(k):\n    return tf.function(double)\n"
        "for i in range(3):\n    make(1)(i)\n"
    )

    assert repeated(program) == [None]
