from __future__ import annotations

import importlib.metadata

import pytest

import tfcheck_runtime as tf
from tfcheck.profile import pytest_plugin

pytest_plugins = ["pytester"]

FUNCTION = """\
import pytest
import tfcheck_runtime as tf

@tf.function
def step(n):
    return tf.constant(1) * n

"""


@pytest.fixture(scope="module", autouse=True)
def loaded() -> None:
    """Loads all of the runtime: onnxruntime cannot be loaded twice.

    What a test of a plugin imports is forgotten after it.
    """
    tf.function(abs)(tf.constant(1))


@pytest.fixture
def run(pytester: pytest.Pytester) -> object:
    """Runs tests that are given as text; answers with the outcomes and the lines of the report."""

    def run(body: str, *arguments: str) -> tuple[dict[str, int], list[str]]:
        pytester.makepyfile(FUNCTION + body)
        result = pytester.runpytest_inprocess(
            "-p", "no:hypothesispytest", *arguments, plugins=_plugins()
        )
        return result.parseoutcomes(), result.outlines

    return run


def _plugins() -> list[object]:
    """The plugin, where the installation has not registered it yet."""
    points = importlib.metadata.entry_points(group="pytest11", name="tfcheck")
    return [] if points else [pytest_plugin]


def test_a_mark_limits_the_traces_of_a_function(run: object) -> None:
    outcomes, lines = run(  # type: ignore[operator]  # a fixture
        "@pytest.mark.max_traces(step=2)\n"
        "def test_few():\n"
        "    step(1); step(2)\n"
        "@pytest.mark.max_traces(step=2)\n"
        "def test_many():\n"
        "    for n in range(10, 14): step(n)\n"
    )

    assert outcomes == {"passed": 1, "failed": 1}
    assert "step: 4 traces, at most 2 expected" in lines
    assert any("step: 4 traced again for `n` Literal[" in line for line in lines)


def test_a_mark_limits_all_traces_together(run: object) -> None:
    outcomes, lines = run(  # type: ignore[operator]  # a fixture
        "@pytest.mark.max_traces(1)\ndef test_many():\n    step(1); step(2)\n"
    )

    assert outcomes == {"failed": 1}
    assert "2 traces, at most 1 expected" in lines


def test_a_name_that_is_misspelt_does_not_pass(run: object) -> None:
    outcomes, lines = run(  # type: ignore[operator]  # a fixture
        "@pytest.mark.max_traces(stpe=1)\ndef test_it():\n    step(1)\n"
    )

    assert outcomes == {"failed": 1}
    assert "no tf.function `stpe` was traced or called; there were: step" in lines


def test_a_mark_that_says_nothing_is_wrong_use(run: object) -> None:
    outcomes, lines = run(  # type: ignore[operator]  # a fixture
        "@pytest.mark.max_traces\ndef test_it():\n    step(1)\n"
    )

    assert outcomes == {"failed": 1}
    assert any("expected @pytest.mark.max_traces(3) or (train_step=1)" in line for line in lines)


def test_the_failure_of_a_test_is_its_own(run: object) -> None:
    outcomes, lines = run(  # type: ignore[operator]  # a fixture
        "@pytest.mark.max_traces(step=0)\ndef test_it():\n    step(1)\n    raise KeyError('mine')\n"
    )

    assert outcomes == {"failed": 1}
    assert "E       KeyError: 'mine'" in lines


def test_the_first_trace_is_free_where_none_may_follow(run: object) -> None:
    outcomes, lines = run(  # type: ignore[operator]  # a fixture
        "@tf.function\n"
        "def once(n):\n"
        "    return tf.constant(1) - n\n"
        "def test_steady(assert_no_retrace):\n"
        "    with assert_no_retrace():\n"
        "        once(1); once(1)\n"
        "def test_retraced(assert_no_retrace):\n"
        "    with assert_no_retrace() as watched:\n"
        "        once(2)\n"
    )

    assert outcomes == {"passed": 1, "failed": 1}
    assert "no tf.function may be traced again" in lines
    assert any("once: 1 traced again for `n` Literal[1] → Literal[2]" in line for line in lines)


def test_tensorflow_can_mean_the_embedded_runtime(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("import tensorflow as tf\ndef test_it():\n    assert tf.__name__\n")
    arguments = ["-p", "tfcheck.profile.pytest_plugin"] if _plugins() else []

    result = pytester.runpytest_subprocess(
        "-p", "no:hypothesispytest", *arguments, "--tfcheck-embedded"
    )

    assert result.parseoutcomes() == {"passed": 1}


def test_a_mark_fails_at_the_call_that_would_trace_again(run: object) -> None:
    outcomes, lines = run(  # type: ignore[operator]  # a fixture
        "@pytest.mark.on_retrace('fail', allow=1)\n"
        "def test_few():\n"
        "    step(1); step(2)\n"
        "@pytest.mark.on_retrace('fail')\n"
        "def test_many():\n"
        "    step(3); step(4)\n"
    )

    assert outcomes == {"passed": 1, "failed": 1}
    assert any("RetraceError: step would be traced again: `n` Literal" in each for each in lines)


def test_a_mark_with_an_unknown_policy_is_wrong_use(run: object) -> None:
    _, lines = run(  # type: ignore[operator]  # a fixture
        "@pytest.mark.on_retrace('maybe')\ndef test_it(): pass\n"
    )

    assert any("no policy on retraces `maybe`" in each for each in lines)


def test_a_fixture_fails_on_any_retrace(run: object) -> None:
    outcomes, _ = run(  # type: ignore[operator]  # a fixture
        "def test_it(fail_on_retrace):\n    step(1); step(2)\n"
    )

    assert outcomes == {"failed": 1}


def test_the_environment_sets_a_policy_for_tests(
    run: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TFCHECK_ON_RETRACE", "fail")

    outcomes, _ = run("def test_it():\n    step(1); step(2)\n")  # type: ignore[operator]  # a fixture

    assert outcomes == {"failed": 1}
