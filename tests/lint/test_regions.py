"""The walk over traced code: every node once, at its place, and nothing else."""

from __future__ import annotations

import ast
from textwrap import dedent

import libcst as cst
import pytest

from tfcheck.config import Settings
from tfcheck.diagnostics import Severity
from tfcheck.lint.regions import Region, anchors
from tfcheck.lint.rule import FileView, Rule
from tfcheck.lint.semantics import FileModel
from tfcheck.lint.source import Source
from tfcheck.lint.visits import Walker


class Calls(Rule):
    """Notes the calls it is shown."""

    code = "TFC999"
    since = "0.1"
    severity = Severity.INFO

    def __init__(self, view: FileView) -> None:
        super().__init__(view)
        self.seen: list[tuple[int, str, str]] = []

    def visit_Call(self, node: cst.Call) -> None:
        """Note the place, the text and the function around a call."""
        twin = self.expression(node)
        assert isinstance(twin, ast.Call)
        assert self.text(node) == ast.get_source_segment(self.model.source.text, twin)
        self.seen.append((self.span(node).start.row, self.text(node), self.trace.function.name))


def calls(code: str) -> list[tuple[int, str, str]]:
    text = dedent(code).lstrip("\n")
    view = FileView(FileModel(Source("code.py", text), ast.parse(text)), Settings())
    rule = Calls(view)

    def crashed(_rule: Rule, error: Exception) -> None:
        raise error

    walker = Walker(view, [rule], crashed=crashed)
    for anchor in anchors(view.model):
        walker.walk(Region(view.model, anchor))
    return rule.seen


def test_only_traced_code_is_visited_in_source_order() -> None:
    seen = calls(
        """
        import tensorflow as tf

        before()

        @tf.function(jit_compile=decide())
        def step(x, y=default()):
            first(x)
            return second(third(x))

        class Model:
            attribute()

            @tf.function
            def step(self, x):
                fourth()

            def plain(self):
                never()
        """
    )

    assert seen == [
        (7, "first(x)", "step"),
        (8, "second(third(x))", "step"),
        (8, "third(x)", "step"),
        (15, "fourth()", "step"),
    ]


def test_inner_functions_are_visited_once_and_under_their_own_name() -> None:
    seen = calls(
        """
        import tensorflow as tf

        @tf.function
        def step(x):
            def traced(y):
                return one(y)

            def python(y):
                return two(y)

            tf.py_function(python, [x], [])
            return traced(x)
        """
    )

    assert seen == [
        (6, "one(y)", "traced"),
        (11, "tf.py_function(python, [x], [])", "step"),
        (12, "traced(x)", "step"),
    ]


PLACES = {
    "in an argument": "ds.map(lambda x: f(x))",
    "in parentheses": "y = (ds\n     .map(lambda x: f(x)))",
    "after a semicolon": "a = 1; b = ds.map(lambda x: f(x)); c = 2",
    "on the line of an if": "if ds: ds.map(lambda x: f(x))",
    "under an elif": "if a:\n    pass\nelif b:\n    ds.map(lambda x: f(x))\nelse:\n    pass",
    "in the test of an elif": "if a:\n    pass\nelif ds.map(lambda x: f(x)):\n    pass",
    "in a decorator": "@use(ds.map(lambda x: f(x)))\ndef g():\n    pass",
    "in a default": "def g(a=ds.map(lambda x: f(x))):\n    pass",
    "in a for": "for a in ds.map(lambda x: f(x)):\n    pass",
    "in a with": "with use(ds.map(lambda x: f(x))):\n    pass",
    "with a comment": "ds.map(lambda x: f(x))  # why",
    "in a class": "class A:\n    b = ds.map(lambda x: f(x))",
    "after words": "s = 'äöü€😀'; b = ds.map(lambda x: f(x))",
    "in a try": "try:\n    ds.map(lambda x: f(x))\nexcept E:\n    pass",
    "in a match": "match a:\n    case 1:\n        ds.map(lambda x: f(x))",
    "in tabs": "if a:\n\tif b:\n\t\tds.map(lambda x: f(x))",
    "over lines": "ds.map(\n    lambda x: f(\n        x)\n)",
}


@pytest.mark.parametrize("code", PLACES.values(), ids=PLACES)
def test_lambdas_are_found_wherever_they_stand(code: str) -> None:
    seen = calls(f"import tensorflow as tf\nds = tf.data.Dataset.range(3)\n{code}\n")

    assert [(text.split("(")[0], name) for _, text, name in seen] == [("f", "lambda")]


def test_several_functions_on_a_line_are_told_apart() -> None:
    seen = calls(
        """
        import tensorflow as tf

        a, b = tf.function(lambda x: f(x)), tf.function(lambda x: g(x))
        """
    )

    assert seen == [(3, "f(x)", "lambda"), (3, "g(x)", "lambda")]


def test_blocks_outside_of_the_graph_are_left_out() -> None:
    seen = calls(
        """
        import tensorflow as tf

        @tf.function
        def step(x):
            with tf.init_scope():
                one()
            if tf.executing_eagerly():
                two()
            else:
                three()
        """
    )

    assert [text for _, text, _ in seen] == [
        "tf.init_scope()",
        "tf.executing_eagerly()",
        "three()",
    ]
