from __future__ import annotations

from dataclasses import replace

import pytest

from tfcheck.lint.mend import amend
from tfcheck.profile.model import (
    Device,
    FunctionKey,
    FunctionProfile,
    Place,
    Profile,
    Retrace,
    Script,
    Totals,
)
from tfcheck.profile.signatures import Declared, Undeclared, declare

SHORT = "input_signature=[tf.TensorSpec([None], tf.float32)]"
LONG = (
    "input_signature=[tf.TensorSpec([None, 2], tf.float32), tf.TensorSpec([None, 2], tf.float32)]"
)


def run(key: FunctionKey, signature: str | None) -> Profile:
    function = FunctionProfile(
        key,
        instances=1,
        calls=3,
        traces=3,
        trace_s=0.3,
        build_s=0.0,
        run_s=0.1,
        causes=(Retrace("shape", "x", "[1]", "[2]", 2, 0.2, Place("train.py", 8), "TFC105"),),
        suggested_signature=signature,
    )
    return Profile(
        tool="tfcheck",
        script=Script("train.py", ("train.py",), 0, None),
        device=Device("CPU", "onnxruntime"),
        totals=Totals(1.0, 0.3, 0.0, 0.1, 0.6, 3, 3),
        functions=(function,),
    )


def declared(source: str, signature: str | None = SHORT, *, line: int = 1) -> str:
    """The source with the signature, or why it has none."""
    profile = run(FunctionKey("f", "train.py", line), signature)
    (outcome,) = declare(profile, {"train.py": source})
    if isinstance(outcome, Undeclared):
        return outcome.reason
    assert isinstance(outcome, Declared)
    return amend(source.encode(), [outcome.fix], filename="train.py").content.decode()


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "@tf.function\ndef f(x): pass\n",
            f"@tf.function({SHORT})\ndef f(x): pass\n",
        ),
        (
            "@tf.function()\ndef f(x): pass\n",
            f"@tf.function({SHORT})\ndef f(x): pass\n",
        ),
        (
            "@tf.function(\n    jit_compile=True,\n)\ndef f(x): pass\n",
            f"@tf.function(\n    jit_compile=True, {SHORT},\n)\ndef f(x): pass\n",
        ),
        (
            "@log('é')\n@tensorflow.function\ndef f(x): pass\n",
            "@log('é')\n@tensorflow.function("
            "input_signature=[tensorflow.TensorSpec([None], tensorflow.float32)])\n"
            "def f(x): pass\n",
        ),
    ],
)
def test_the_decorator_gets_the_signature(source: str, expected: str) -> None:
    assert declared(source) == expected


def test_a_long_signature_has_a_line_for_each_parameter() -> None:
    source = "class A:\n    @tf.function\n    def f(self, x, y): pass\n"

    assert (
        declared(source, LONG, line=2)
        == """\
class A:
    @tf.function(
        input_signature=[
            tf.TensorSpec([None, 2], tf.float32),
            tf.TensorSpec([None, 2], tf.float32),
        ]
    )
    def f(self, x, y): pass
"""
    )


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("f = tf.function(g)\n", "it is not made by a decorator"),
        ("@traced\ndef f(x): pass\n", "it is not decorated with tf.function itself"),
        (
            "@tf.function(input_signature=S)\ndef f(x): pass\n",
            "its decorator has an input signature already",
        ),
        ("@tf.function(**KW)\ndef f(x): pass\n", "its decorator has an input signature already"),
    ],
)
def test_what_cannot_be_declared_says_why(source: str, reason: str) -> None:
    assert declared(source) == reason


def test_calls_that_no_signature_takes_have_none() -> None:
    source = "@tf.function\ndef f(x): pass\n"

    assert declared(source, None) == "no signature of plain tensors takes all its calls"


def test_a_function_that_did_not_trace_again_for_its_arguments_stays_as_it_is() -> None:
    profile = run(FunctionKey("f", "train.py", 1), SHORT)
    (function,) = profile.functions
    sound = replace(profile, functions=(replace(function, causes=()),))

    assert list(declare(sound, {})) == []


def test_a_function_of_another_folder_is_left_alone() -> None:
    (outcome,) = declare(run(FunctionKey("f", "/lib/a.py", 1), SHORT), {})

    assert outcome == Undeclared(
        FunctionKey("f", "/lib/a.py", 1), "/lib/a.py is not a file of this folder"
    )
