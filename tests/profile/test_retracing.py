from __future__ import annotations

import os
import subprocess
import sys
import warnings
from importlib.util import find_spec
from pathlib import Path

import pytest

import tfcheck_runtime as tf
from tfcheck import profile
from tfcheck.errors import ConfigError
from tfcheck.profile import RetraceError, RetraceWarning, on_retrace

HERE = __file__


def made() -> object:
    """A Function of its own for each test, with one trace."""

    @tf.function
    def double(x: object) -> object:
        return x * 2  # type: ignore[operator]  # a tensor or a number

    double(tf.constant(1.0))
    return double


def test_a_call_that_would_trace_again_fails() -> None:
    double = made()

    with on_retrace("fail"), pytest.raises(RetraceError) as raised:
        double(tf.ones([2]))

    line = raised.traceback[0].lineno + 1
    assert str(raised.value) == (
        f"double would be traced again: `x` float32[] → float32[2] ({HERE}:{line})"
    )
    assert double.experimental_get_tracing_count() == 1


def test_first_traces_and_known_ones_are_free() -> None:
    double = made()

    with on_retrace("fail"):
        double(tf.constant(3.0))
        tf.function(lambda x: x)(1)

    assert double.experimental_get_tracing_count() == 1


def test_code_that_is_wrapped_again_is_traced_again() -> None:
    def plain(x: object) -> object:
        return x

    tf.function(plain)(1)

    with (
        on_retrace("fail"),
        pytest.raises(RetraceError, match="plain would be traced again: new-function"),
    ):
        tf.function(plain)(1)


def test_a_call_that_would_trace_again_warns_at_its_line() -> None:
    double = made()

    with on_retrace("warn"), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        double(7)

    (warning,) = caught
    assert (warning.category, warning.filename) == (RetraceWarning, HERE)
    assert double.experimental_get_tracing_count() == 2


def test_a_call_that_would_trace_again_runs_eagerly() -> None:
    double = made()

    with on_retrace("eager"):
        result = double(tf.constant([1.0, 2.0]))

    assert result.numpy().tolist() == [2.0, 4.0]
    assert double.experimental_get_tracing_count() == 1


def test_a_function_inside_another_is_inlined_instead() -> None:
    double = made()
    outer = tf.function(lambda x: double(x) + 1)

    with on_retrace("eager"):
        result = outer(tf.constant([1.0, 2.0]))

    assert result.numpy().tolist() == [3.0, 5.0]
    assert double.experimental_get_tracing_count() == 1


def test_some_traces_may_be_allowed_for_each_function() -> None:
    one, other = made(), made()

    with on_retrace("fail", allow=1):
        one(1)
        other(1)
        with pytest.raises(RetraceError):
            one(2)


def test_a_decorated_function_is_watched_for_good_and_others_are_not() -> None:
    other = made()

    @on_retrace("fail")
    @tf.function
    def triple(x: object) -> object:
        return x * 3  # type: ignore[operator]  # a tensor or a number

    triple(1)
    other(1)

    with pytest.raises(RetraceError, match="triple would be traced again"):
        triple(2)


def test_a_method_is_watched_on_each_object() -> None:
    class Model:
        @on_retrace("fail")
        @tf.function
        def step(self, x: object) -> object:
            return x

    model = Model()
    model.step(1)

    with pytest.raises(RetraceError, match="step would be traced again"):
        model.step(2)
    with pytest.raises(RetraceError, match="step would be traced again: new-function"):
        Model().step(1)


def test_a_session_sees_calls_that_failed() -> None:
    double = made()

    with profile.session() as watched, on_retrace("fail"), pytest.raises(RetraceError):
        double(1)

    assert (watched.traces, watched.functions[0].calls) == (0, 1)


def test_a_policy_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(ConfigError) as raised:
        on_retrace("explode")

    assert str(raised.value) == "no policy on retraces `explode`; known are fail, warn, eager"


def test_what_is_no_function_cannot_be_decorated() -> None:
    with pytest.raises(ConfigError, match="on_retrace decorates Functions, not 3"):
        on_retrace("fail")(3)


SCRIPT = """\
import tensorflow as tf
from tfcheck.profile import on_retrace

@tf.function
def f(x):
    return x * 2

f(tf.constant(1.0))
f(tf.constant(2.0))
try:
    with on_retrace("fail"):
        f(tf.ones([2]))
except Exception as error:
    print(type(error).__name__, str(error).splitlines()[0])
with on_retrace("eager"):
    print(f(tf.ones([2])).numpy())

class Model(tf.Module):
    def __init__(self):
        self.w = None

    @tf.function
    def step(self, x):
        if self.w is None:
            self.w = tf.Variable(1.0)
        return self.w * x

with on_retrace("fail"):
    model = Model()
    print(model.step(tf.ones([2])).numpy(), model.step(tf.ones([2])).numpy())
    g = tf.function(lambda x: f(x))
    print(g(tf.constant(3.0)).numpy())
"""
OUTPUT = """\
RetraceError f would be traced again: `x` float32[] → float32[2] (script.py:12)
[2. 2.]
[1. 1.] [1. 1.]
6.0
"""
BACKENDS = [
    pytest.param("onnx"),
    pytest.param(
        "tensorflow",
        marks=[
            pytest.mark.tensorflow,
            pytest.mark.skipif(find_spec("tensorflow") is None, reason="no TensorFlow here"),
        ],
    ),
]


def profiled(folder: Path, backend: str, **environment: str) -> subprocess.CompletedProcess[str]:

    return subprocess.run(
        [sys.executable, "-m", "tfcheck", "profile", "--backend", backend, "script.py"],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.mark.parametrize("backend", BACKENDS)
def test_policies_are_the_same_on_both_backends(tmp_path: Path, backend: str) -> None:
    (tmp_path / "script.py").write_text(SCRIPT, encoding="utf-8")

    ended = profiled(tmp_path, backend)

    assert ended.stdout.replace(f"{tmp_path}/", "").startswith(OUTPUT)


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_environment_sets_a_policy_for_the_program(tmp_path: Path, backend: str) -> None:
    script = "import tensorflow as tf\nf = tf.function(lambda x: x)\nf(1)\nf(2)\n"
    (tmp_path / "script.py").write_text(script, encoding="utf-8")

    ended = profiled(tmp_path, backend, TFCHECK_ON_RETRACE="fail")

    assert ended.returncode == 1
    assert "`x` Literal[1] → Literal[2]" in ended.stderr.splitlines()[-1]


def test_an_unknown_policy_in_the_environment_is_wrong_use(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text("", encoding="utf-8")

    ended = profiled(tmp_path, "onnx", TFCHECK_ON_RETRACE="maybe")

    assert ended.returncode == 2
    assert ended.stderr == (
        "error: TFCHECK_ON_RETRACE: no policy on retraces `maybe`; known are fail, warn, eager\n"
    )
