from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec

import pytest

import tfcheck_runtime as tf
from tfcheck import profile


@tf.function
def double(x: object) -> object:
    return x * 2  # type: ignore[operator]  # a tensor or a number


def test_a_session_knows_functions_that_were_made_before_it() -> None:
    double(tf.constant(1.0))

    with profile.session() as watched:
        double(tf.constant(2.0))
        double(1)
        double(2)

    (function,) = watched.functions
    assert (function.key.name, function.key.file) == ("double", __file__)
    assert (watched.traces, watched.retraces, watched.traces_of("double")) == (2, 2, 2)
    # Causes are in order of their cost, which no test foretells.
    assert {cause.kind for cause in function.causes} == {"structure", "python-value"}


def test_what_comes_after_a_session_is_not_in_it() -> None:
    with profile.session() as watched:
        pass

    double(3.0)

    assert watched.functions == ()


def test_a_name_that_is_not_there_is_an_error() -> None:
    with profile.session() as watched:
        double(tf.constant(1.0))

    with pytest.raises(LookupError) as raised:
        watched.traces_of("duoble")

    assert str(raised.value) == ("no tf.function `duoble` was traced or called; there were: double")


@pytest.mark.tensorflow
@pytest.mark.skipif(find_spec("tensorflow") is None, reason="no TensorFlow here")
def test_functions_of_tensorflow_are_watched_where_it_is_imported() -> None:
    script = (
        "import tensorflow as tf\n"
        "from tfcheck import profile\n"
        "f = tf.function(lambda x: x)\n"
        "with profile.session() as watched:\n"
        "    f(1), f(2), f(2)\n"
        "print(watched.traces, watched.retraces)\n"
    )

    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)

    assert result.stdout == "2 1\n"
