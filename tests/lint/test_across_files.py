"""What a file knows of the others: Functions, classes, decorators and instances, by spelling."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from tfcheck.config import Selector, Settings
from tfcheck.diagnostics import TracedStep
from tfcheck.lint.engine import lint_paths


def settings(*codes: str) -> Settings:
    return Settings(select=tuple(Selector(code, "test") for code in codes), cache=False)


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text).lstrip("\n"))


def found(root: Path, files: dict[str, str], *codes: str) -> list[tuple[str, int]]:
    write(root, files)
    result = lint_paths([root], settings=settings(*codes), jobs=1)
    assert result.internal == ()
    return [
        (Path(v.filename).relative_to(root).as_posix(), v.span.start.row) for v in result.violations
    ]


MODEL = """
    import tensorflow as tf

    @tf.function
    def step(x, epoch):
        return x

    def plain(x, epoch):
        return x

    class Model:
        @tf.function
        def train(self, x, epoch):
            return x

    model = Model()
    fast = tf.function(plain)

    def make():
        return tf.function(plain)
"""

CALLS = {
    "from": ("from model import step", "step"),
    "module": ("import model", "model.step"),
    "module under another name": ("import model as m", "m.step"),
    "function under another name": ("from model import step as go", "go"),
    "wrapped by the module": ("from model import fast", "fast"),
    "star": ("from model import *", "step"),
    "method of an instance": ("from model import model", "model.train"),
    "method of an instance made here": ("from model import Model\nmine = Model()", "mine.train"),
    "made by a factory": ("from model import make\nmade = make()", "made"),
    "wrapped here": (
        "import tensorflow as tf\nimport model\nhere = tf.function(model.plain)",
        "here",
    ),
    "in one of two branches": (
        "try:\n    from missing import step\nexcept ImportError:\n    from model import step",
        "step",
    ),
    "passed on": ("from passing import step", "step"),
    "passed on by a star": ("from passing_all import step", "step"),
    "passed on under another name": ("from passing import go", "go"),
    "from a package": ("from package import step", "step"),
    "from inside a package": ("import package.inner", "package.inner.step"),
}
PASSING = {
    "model.py": MODEL,
    "passing.py": "from model import step\nfrom model import step as go\n",
    "passing_all.py": "from model import *\n",
    "package/__init__.py": "from .inner import step\n",
    "package/inner.py": MODEL,
}


@pytest.mark.parametrize(("imports", "call"), CALLS.values(), ids=CALLS)
def test_numbers_given_to_functions_of_other_files_are_found(
    imports: str, call: str, tmp_path: Path
) -> None:
    train = f"{imports}\n\nfor epoch in range(100):\n    {call}(data, epoch)\n"

    places = found(tmp_path, {**PASSING, "train.py": train}, "TFC101")

    assert places == [("train.py", train.count("\n"))]


def test_calls_of_plain_functions_of_other_files_are_none_of_functions(tmp_path: Path) -> None:
    train = "from model import plain\n\nfor epoch in range(100):\n    plain(data, epoch)\n"

    assert found(tmp_path, {"model.py": MODEL, "train.py": train}, "TFC101") == []


def test_a_class_that_is_imported_for_types_alone_is_known(tmp_path: Path) -> None:
    train = """
        from __future__ import annotations
        from typing import TYPE_CHECKING

        if TYPE_CHECKING:
            from model import Model

        def run(model: Model, data):
            for epoch in range(100):
                model.train(data, epoch)
    """

    assert found(tmp_path, {"model.py": MODEL, "train.py": train}, "TFC101") == [("train.py", 9)]


DECORATORS = {
    "wraps it": "def graph(function):\n    return tf.function(function, jit_compile=True)\n",
    "another name": "graph = tf.function\n",
    "configured": "graph = tf.function(jit_compile=True)\n",
    "partial": "import functools\ngraph = functools.partial(tf.function, jit_compile=True)\n",
    "imported under another name": "from tensorflow import function as graph\n",
}


@pytest.mark.parametrize("code", DECORATORS.values(), ids=DECORATORS)
@pytest.mark.parametrize("imports", ["from tools import graph", "from tools import *"])
def test_decorators_of_other_files_make_functions(code: str, imports: str, tmp_path: Path) -> None:
    files = {
        "tools.py": f"import tensorflow as tf\n{code}",
        "train.py": f"{imports}\n\n@graph\ndef step(x):\n    print(x)\n    return x\n",
    }

    assert found(tmp_path, files, "TFC301") == [("train.py", 5)]


def test_tensorflow_is_known_by_the_name_under_which_a_file_passes_it_on(tmp_path: Path) -> None:
    files = {
        "compat.py": "import tensorflow.compat.v2 as tf\n",
        "train.py": "from compat import tf\n\n@tf.function\ndef step(x):\n    print(x)\n",
    }

    assert found(tmp_path, files, "TFC301") == [("train.py", 5)]


def test_a_class_is_a_keras_model_when_its_base_in_another_file_is(tmp_path: Path) -> None:
    files = {
        "base.py": "import tensorflow as tf\n\nclass Base(tf.keras.Model):\n    pass\n",
        "middle.py": "from base import Base\n\nclass Middle(Base):\n    pass\n",
        "net.py": """
            import middle

            class Net(middle.Middle):
                def call(self, x):
                    print(x)
                    return x
        """,
    }

    assert found(tmp_path, files, "TFC301") == [("net.py", 5)]


HELPERS = """
    class Loss:
        def __call__(self, x):
            print(x)
            return x

        def value(self, x):
            print(x)
            return x

    def factory():
        return Loss()
"""
RECEIVERS = {
    "kept by the constructor": ("self.loss = Loss()", "self.loss.value(x)", 7),
    "called like a function": ("self.loss = Loss()", "self.loss(x)", 3),
    "made by a factory": ("self.loss = helpers.factory()", "self.loss.value(x)", 7),
    "made where it is used": ("pass", "Loss().value(x)", 7),
    "method kept": ("self.value = Loss().value", "self.value(x)", 7),
}


@pytest.mark.parametrize(("kept", "use", "row"), RECEIVERS.values(), ids=RECEIVERS)
def test_methods_of_objects_of_other_files_are_traced(
    kept: str, use: str, row: int, tmp_path: Path
) -> None:
    train = f"""
        import tensorflow as tf
        import helpers
        from helpers import Loss

        class Trainer:
            def __init__(self):
                {kept}

            @tf.function
            def step(self, x):
                return {use}
    """

    assert found(tmp_path, {"helpers.py": HELPERS, "train.py": train}, "TFC301") == [
        ("helpers.py", row)
    ]


BASE = """
    import tensorflow as tf

    class Base:
        @tf.function
        def step(self, x):
            return self.loss(x)

        def loss(self, x):
            raise NotImplementedError

        def helper(self, x):
            print(x)
            return x
"""


def test_overrides_in_other_files_are_traced_with_the_method_that_calls_them(
    tmp_path: Path,
) -> None:
    files = {
        "base.py": BASE,
        "mine.py": """
            from base import Base

            class Mine(Base):
                def loss(self, x):
                    print(x)
                    return self.helper(x)

                def unused(self, x):
                    print(x)
        """,
    }
    write(tmp_path, files)

    violations = lint_paths([tmp_path], settings=settings("TFC301")).violations

    assert [(Path(v.filename).name, v.span.start.row) for v in violations] == [
        ("base.py", 12),
        ("mine.py", 5),
    ]
    assert violations[1].traced == (
        TracedStep("loss is called from step", f"{tmp_path}/base.py", 6),
        TracedStep("step is decorated @tf.function", f"{tmp_path}/base.py", 4),
    )


def test_super_reaches_the_base_in_another_file(tmp_path: Path) -> None:
    files = {
        "base.py": "class Base:\n    def step(self, x):\n        print(x)\n",
        "mine.py": """
            import tensorflow as tf
            from base import Base

            class Mine(Base):
                @tf.function
                def step(self, x):
                    return super().step(x)
        """,
    }

    assert found(tmp_path, files, "TFC301") == [("base.py", 3)]


def test_an_override_of_a_class_that_is_not_the_receiver_is_left_alone(tmp_path: Path) -> None:
    base = """
        class Buffer:
            def get_next(self):
                return self._get_next()
    """
    graph = """
        import tensorflow as tf
        from buffer import Buffer

        class GraphBuffer(Buffer):
            def dataset(self):
                return tf.data.Dataset.range(3).map(lambda _: self.get_next())

            def _get_next(self):
                print("in the graph")
                return 1
    """
    python = """
        from buffer import Buffer

        class PythonBuffer(Buffer):
            def _get_next(self):
                print("in Python")
                return 1
    """
    files = {"buffer.py": base, "graph_buffer.py": graph, "python_buffer.py": python}

    assert found(tmp_path, files, "TFC301") == [("graph_buffer.py", 9)]


def test_objects_of_known_classes_run_their_own_overrides_only(tmp_path: Path) -> None:
    files = {
        "block.py": """
            class Block:
                def __call__(self, x):
                    return self.call(x)
        """,
        "coder.py": """
            from block import Block

            class Coder(Block):
                def call(self, x):
                    print("in the graph")
                    return x

            class Mapper(Block):
                def call(self, x):
                    print("in the graph, too")
                    return x

            class Feedback(Block):
                def call(self, x):
                    print("in Python")
                    return x

            class LoudMapper(Mapper):
                def call(self, x):
                    print("in Python, too")
                    return x
        """,
        "system.py": """
            import tensorflow as tf
            from coder import Coder, Mapper

            class System:
                def __init__(self):
                    self.coder = Coder()

                @tf.function
                def run(self, x):
                    return self.coder(x)

            mapper = tf.function(Mapper())
        """,
    }

    assert found(tmp_path, files, "TFC301") == [("coder.py", 5), ("coder.py", 10)]


def test_recursion_through_another_file_comes_to_an_end(tmp_path: Path) -> None:
    files = {
        "a.py": """
            import tensorflow as tf
            import b

            @tf.function
            def outer(x):
                return inner(x)

            def inner(x):
                print(x)
                return b.back(x)
        """,
        "b.py": """
            import a

            def back(x):
                print(x)
                return a.inner(x)
        """,
    }

    assert found(tmp_path, files, "TFC301") == [("a.py", 9), ("b.py", 4)]


def test_functions_that_call_each_other_across_files_are_a_recursion(tmp_path: Path) -> None:
    files = {
        "a.py": """
            import tensorflow as tf
            import b

            @tf.function
            def outer(x):
                return b.back(x)

            def inner(x):
                with tf.name_scope("inner"):
                    return b.back(x)

            def sometimes(x, depth):
                return b.again(x, depth)
        """,
        "b.py": """
            import tensorflow as tf
            import a

            def back(x):
                return a.inner(x)

            @tf.function
            def again(x, depth):
                if depth == 0:
                    return x
                return a.sometimes(x, depth - 1)
        """,
    }

    assert found(tmp_path, files, "TFC508") == [("b.py", 5)]


def test_star_imports_in_a_ring_come_to_an_end(tmp_path: Path) -> None:
    files = {
        "a.py": "from b import *\n",
        "b.py": "from a import *\n",
        "train.py": """
            import tensorflow as tf
            from a import helper

            @tf.function
            def step(x):
                print(x)
                return helper(x)
        """,
    }

    assert found(tmp_path, files, "TFC301") == [("train.py", 6)]


def test_names_that_a_star_does_not_bring_are_built_in(tmp_path: Path) -> None:
    step = "@tf.function\ndef step(x):\n    print(x)\n"
    files = {
        "tools.py": "def _print(x): pass\n\ndef show(x): pass\n",
        "printing.py": "def print(x): pass\n",
        "train.py": f"import tensorflow as tf\nfrom tools import *\n\n{step}",
        "quiet.py": f"import tensorflow as tf\nfrom printing import *\n\n{step}",
    }

    assert found(tmp_path, files, "TFC301") == [("train.py", 6)]


def test_only_names_in_all_are_brought_by_a_star(tmp_path: Path) -> None:
    files = {
        "model.py": '__all__ = ["other"]\n' + dedent(MODEL),
        "train.py": "from model import *\n\nfor epoch in range(100):\n    step(data, epoch)\n",
    }

    assert found(tmp_path, files, "TFC101") == []
