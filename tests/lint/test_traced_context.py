"""Which functions count as traced, and the chain that says why."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from tfcheck.diagnostics import TracedStep
from tfcheck.lint.semantics import FileModel
from tfcheck.lint.source import Source
from tfcheck.lint.tracing import Trace

FILE = "train.py"


def traces(code: str) -> dict[str, Trace]:
    text = dedent(code).lstrip("\n")
    model = FileModel(Source(FILE, text), ast.parse(text))
    return {function.qualname: trace for function, trace in model.traces.items()}


DECORATORS = {
    "bare": ("import tensorflow as tf", "@tf.function"),
    "called": ("import tensorflow as tf", "@tf.function()"),
    "configured": ("import tensorflow as tf", "@tf.function(jit_compile=True)"),
    "whole name": ("import tensorflow", "@tensorflow.function"),
    "imported name": ("from tensorflow import function", "@function"),
    "renamed": ("from tensorflow import function as graph", "@graph"),
    "compat.v2": ("import tensorflow.compat.v2 as tf", "@tf.function"),
    "from compat": ("from tensorflow.compat import v2 as tf", "@tf.function"),
    "alias": ("import tensorflow as tf\nfn = tf.function", "@fn"),
    "in a variable": ("import tensorflow as tf\njit = tf.function(jit_compile=True)", "@jit"),
    "partial": (
        "import functools\nimport tensorflow as tf\njit = functools.partial(tf.function)",
        "@jit",
    ),
    "partial in place": (
        "from functools import partial\nimport tensorflow as tf",
        "@partial(tf.function, jit_compile=True)",
    ),
    "func=None": ("import tensorflow as tf", "@tf.function(func=None)"),
    "under another": ("import tensorflow as tf\nimport other", "@other.timed\n@tf.function"),
    "over another": ("import tensorflow as tf\nimport other", "@tf.function\n@other.timed"),
    "home-made": (
        "import tensorflow as tf\ndef jit(f):\n    return tf.function(f, jit_compile=True)",
        "@jit",
    ),
    "either import": (
        "try:\n    import tensorflow.compat.v2 as tf\nexcept E:\n    import tensorflow as tf",
        "@tf.function",
    ),
}


@pytest.mark.parametrize(("head", "decorator"), DECORATORS.values(), ids=DECORATORS)
def test_decorator_is_recognised_in_all_spellings(head: str, decorator: str) -> None:
    found = traces(f"{head}\n\n{decorator}\ndef step(x):\n    return x\n")

    assert list(found) == ["step"]
    assert [step.reason for step in found["step"].steps] == ["step is decorated @tf.function"]


NOT_DECORATORS = {
    "another function": ("def function(f):\n    return f", "@function"),
    "another module": ("import torch as tf", "@tf.function"),
    "rebound": ("import tensorflow as tf\ntf = object()", "@tf.function"),
    "another attribute": ("import tensorflow as tf", "@tf.Module.with_name_scope"),
}


@pytest.mark.parametrize(("head", "decorator"), NOT_DECORATORS.values(), ids=NOT_DECORATORS)
def test_what_only_looks_like_the_decorator_traces_nothing(head: str, decorator: str) -> None:
    assert traces(f"{head}\n\n{decorator}\ndef step(x):\n    return x\n") == {}


WRAPPED = {
    "call": "g = tf.function(step)",
    "call by keyword": "g = tf.function(func=step)",
    "configured call": "g = tf.function(jit_compile=True)(step)",
    "configured in a variable": "jit = tf.function(autograph=False)\ng = jit(step)",
    "partial of the function": "import functools\ng = tf.function(functools.partial(step, 1))",
    "through a name": "chosen = step\ng = tf.function(chosen)",
    "either": "g = tf.function(step if flag else step)",
    "rebound": "step = tf.function(step)",
    "in a dict": "fs = {'a': tf.function(step)}",
    "as an argument": "run(tf.function(step))",
    "returned": "def make():\n    return tf.function(step)",
}


@pytest.mark.parametrize("line", WRAPPED.values(), ids=WRAPPED)
def test_wrapping_call_is_recognised(line: str) -> None:
    code = f"import tensorflow as tf\n\ndef step(x):\n    return x\n\n{line}\n"

    found = traces(code)

    assert list(found) == ["step"]
    assert [step.reason for step in found["step"].steps] == ["step is wrapped by tf.function"]


def test_lambda_can_be_wrapped() -> None:
    found = traces(
        """
        import tensorflow as tf

        double = tf.function(lambda x: x * 2)
        """
    )

    assert list(found) == ["lambda"]


def test_helpers_are_reached_through_any_number_of_calls() -> None:
    found = traces(
        """
        import tensorflow as tf

        def weighted(x):
            return x

        def loss(x):
            return weighted(x)

        @tf.function
        def step(x):
            return loss(x)

        def unrelated(x):
            return x
        """
    )

    assert list(found) == ["weighted", "loss", "step"]
    assert found["weighted"].steps == (
        TracedStep("weighted is called from loss", FILE, 7),
        TracedStep("loss is called from step", FILE, 11),
        TracedStep("step is decorated @tf.function", FILE, 9),
    )


def test_methods_are_reached_through_self_super_and_derived_classes() -> None:
    found = traces(
        """
        import tensorflow as tf

        class Base:
            def prepare(self, x):
                return x

            def loss(self, x):
                raise NotImplementedError

        class Trainer(Base):
            @tf.function
            def step(self, x):
                return self.loss(self.prepare(x))

            def loss(self, x):
                return super().loss(x)

        class Other(Trainer):
            def loss(self, x):
                return x
        """
    )

    assert set(found) == {
        "Trainer.step",
        "Base.prepare",
        "Trainer.loss",
        "Base.loss",
        "Other.loss",
    }


def test_objects_made_in_the_file_are_followed() -> None:
    found = traces(
        """
        import tensorflow as tf

        class Net:
            def __call__(self, x):
                return self.inner(x)

            def inner(self, x):
                return x

        class Trainer:
            def __init__(self):
                self.net = Net()
                self.fast = tf.function(self.step)

            def step(self, x):
                return self.net(x)
        """
    )

    assert set(found) == {"Trainer.step", "Net.__call__", "Net.inner"}


def test_inner_functions_count_only_when_they_are_called() -> None:
    found = traces(
        """
        import tensorflow as tf

        @tf.function
        def step(x):
            def used(y):
                return y

            def unused(y):
                return y

            return used(x)
        """
    )

    assert set(found) == {"step", "step.used"}


TRACING_CALLS = {
    "map": "ds.map(step)",
    "map by keyword": "ds.map(map_func=step, num_parallel_calls=4)",
    "lambda that calls": "ds.map(lambda x: step(x))",
    "filter": "ds.filter(step)",
    "reduce": "ds.reduce(0, step)",
    "flat_map": "ds.flat_map(step)",
    "interleave": "ds.interleave(step, cycle_length=2)",
    "scan": "ds.scan(0, step)",
    "take_while": "ds.take_while(step)",
    "chain": "tf.data.Dataset.range(3).shuffle(3).batch(2).map(step)",
    "made in a function": "def make():\n    return tf.data.Dataset.range(3)\nmake().map(step)",
    "annotated": "def f(d: tf.data.Dataset):\n    return d.map(step)",
    "only a dataset prefetches": "def f(d):\n    return d.map(step).prefetch(1)",
    "only a dataset maps in parallel": "def f(d):\n    return d.map(step, num_parallel_calls=4)",
    "vectorized_map": "tf.vectorized_map(step, xs)",
}


@pytest.mark.parametrize("line", TRACING_CALLS.values(), ids=TRACING_CALLS)
def test_functions_handed_to_tensorflow_are_traced(line: str) -> None:
    code = (
        "import tensorflow as tf\n\nds = tf.data.Dataset.range(3)\n\n"
        f"def step(*x):\n    return x\n\n{line}\n"
    )

    assert "step" in traces(code)


PYTHON_CALLS = {
    "pool": "pool.map(step, xs)",
    "dataset of another library": "def f(d):\n    return d.shuffle(seed=1).map(step).batch(2)",
    "built-in map": "list(map(step, xs))",
    "eager map_fn": "tf.map_fn(step, xs)",
    "eager cond": "tf.cond(flag, step, step)",
    "eager while_loop": "tf.while_loop(step, step, [0])",
    "py_function": "ds.map(lambda x: tf.py_function(step, [x], tf.int64))",
    "from_generator": "tf.data.Dataset.from_generator(step, tf.int64)",
}


@pytest.mark.parametrize("line", PYTHON_CALLS.values(), ids=PYTHON_CALLS)
def test_functions_that_run_as_python_are_not_traced(line: str) -> None:
    code = (
        "import tensorflow as tf\n\nds = tf.data.Dataset.range(3)\n\n"
        f"def step(*x):\n    return x\n\n{line}\n"
    )

    assert "step" not in traces(code)


IN_TRACED = {
    "cond": "tf.cond(x > 0, step, step)",
    "while_loop": "tf.while_loop(lambda i: i < 3, body=step, loop_vars=[x])",
    "case": "tf.case([(x > 0, step)], default=step)",
    "switch_case": "tf.switch_case(x, {0: step})",
    "map_fn": "tf.map_fn(step, x)",
    "scan": "tf.scan(fn=step, elems=x)",
    "strategy.run": "strategy.run(step, args=(x,))",
    "built-in map": "list(map(step, [x]))",
    "map_structure": "tf.nest.map_structure(step, x)",
}


@pytest.mark.parametrize("line", IN_TRACED.values(), ids=IN_TRACED)
def test_functions_handed_over_in_traced_code_are_traced(line: str) -> None:
    code = (
        "import tensorflow as tf\n\nstrategy = tf.distribute.MirroredStrategy()\n\n"
        f"def step(*x):\n    return x\n\n@tf.function\ndef outer(x):\n    return {line}\n"
    )

    assert "step" in traces(code)


def test_keras_methods_are_traced_without_autograph() -> None:
    found = traces(
        """
        from tensorflow import keras
        from tensorflow.keras import layers

        class Head(layers.Layer):
            def build(self, shape):
                pass

            def call(self, x):
                return x

        class Model(keras.Model):
            def train_step(self, data):
                return data

        class Deeper(Model):
            def call(self, x):
                return x
        """
    )

    assert set(found) == {"Head.call", "Model.train_step", "Deeper.call"}
    assert [trace.converted for trace in found.values()] == [False, False, False]
    assert found["Model.train_step"].steps == (
        TracedStep("Model.train_step is traced by fit()", FILE, 12),
    )


def test_keras_methods_run_as_python_when_the_file_compiles_so() -> None:
    found = traces(
        """
        import keras

        class Model(keras.Model):
            def train_step(self, data):
                return data

        Model().compile(run_eagerly=True)
        """
    )

    assert found == {}


def test_autograph_can_be_switched_off() -> None:
    found = traces(
        """
        import tensorflow as tf

        def helper(x):
            return x

        @tf.function(autograph=False)
        def plain(x):
            return helper(x)

        @tf.autograph.experimental.do_not_convert
        def opaque(x):
            return x

        @tf.function
        def converted(x):
            return opaque(x)
        """
    )

    assert {name: trace.converted for name, trace in found.items()} == {
        "helper": False,
        "plain": False,
        "opaque": False,
        "converted": True,
    }


def test_code_lifted_out_of_the_graph_reaches_nothing() -> None:
    found = traces(
        """
        import tensorflow as tf

        def setup():
            pass

        def debug():
            pass

        @tf.function
        def step(x):
            with tf.init_scope():
                setup()
            if tf.executing_eagerly():
                debug()
            return x
        """
    )

    assert list(found) == ["step"]


def test_recursion_and_cycles_come_to_an_end() -> None:
    found = traces(
        """
        import tensorflow as tf

        class A(A):
            pass

        def even(x):
            return odd(x)

        def odd(x):
            return even(x)

        x = y
        y = x

        @tf.function
        def step(x):
            return even(y(x))
        """
    )

    assert set(found) == {"even", "odd", "step"}


def test_a_class_that_traced_code_calls_has_its_constructor_traced() -> None:
    found = traces(
        """
        import tensorflow as tf

        class Scale:
            def __init__(self, by):
                self.by = self.checked(by)

            def checked(self, by):
                return by

        class Layer(tf.keras.layers.Layer):
            def __init__(self):
                super().__init__()

        class Apart:
            def __init__(self):
                self.x = 1

        apart = Apart()

        @tf.function
        def step(x):
            return Layer()(x) * Scale(2).by
        """
    )

    assert set(found) == {"Scale.__init__", "Scale.checked", "step"}
    assert found["Scale.__init__"].steps[0].reason == "__init__ is called from step"


def test_what_a_switch_that_is_off_leaves_out_is_not_traced() -> None:
    found = traces(
        """
        import tensorflow as tf

        def dump(x):
            return x

        @tf.function
        def step(x, verbose=False):
            if verbose:
                dump(x)
            return x
        """
    )

    assert set(found) == {"step"}


def test_a_decorator_that_makes_a_py_function_keeps_the_code_in_python() -> None:
    found = traces(
        """
        import tensorflow as tf

        def hosted(func):
            def wrapper(x):
                return tf.py_function(func, [x], tf.float32)
            return wrapper

        @hosted
        def parse(x):
            return x

        @tf.py_function(Tout=tf.float32)
        def rotate(x):
            return x

        def both(x):
            return rotate(x)

        tf.data.Dataset.range(3).map(parse).map(both)
        """
    )

    assert "parse" not in found
    assert "rotate" not in found
    assert "both" in found
