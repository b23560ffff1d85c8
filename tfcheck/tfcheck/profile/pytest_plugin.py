"""Lets tests say how often Functions may be traced."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import TYPE_CHECKING

import pytest

from tfcheck.errors import ConfigError
from tfcheck.profile import on_retrace, session
from tfcheck.profile.embedded import install, require_runtime
from tfcheck.profile.model import FunctionProfile
from tfcheck.profile.retracing import from_environment

if TYPE_CHECKING:  # it needs the runtime, which tests that ask for nothing need not have
    from tfcheck.profile.watching import Session

MARK = "max_traces(n=None, /, **functions)"
POLICY_MARK = "on_retrace(policy, *, allow=0)"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--tfcheck-embedded`."""
    parser.getgroup("tfcheck").addoption(
        "--tfcheck-embedded",
        action="store_true",
        help="Resolve `import tensorflow` to the embedded runtime of tfcheck.",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Embed the runtime before any of the user's files is imported."""
    if early_config.known_args_namespace.tfcheck_embedded:
        require_runtime("--tfcheck-embedded")
        install()


def pytest_configure(config: pytest.Config) -> None:
    """Make the mark known."""
    config.addinivalue_line(
        "markers",
        f"{MARK}: fail when tf.functions are traced more than n times together, or by name",
    )
    config.addinivalue_line(
        "markers",
        f"{POLICY_MARK}: fail, warn or eager when a tf.function is about to be traced again",
    )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Count the traces of marked tests."""
    mark = item.get_closest_marker("max_traces")
    with _policies(item):
        if mark is None:
            return (yield)
        total, limits = _limits(mark)
        with session() as watched:
            result = yield
    _check(watched, total, limits)
    return result


def _policies(item: pytest.Item) -> ExitStack:
    """What the environment and the marks of a test say of retraces, the closest mark first."""
    stack = ExitStack()
    # Where nothing has imported it, there is nothing to trace, and no telling which it will be.
    if not sys.modules.keys().isdisjoint({"tensorflow", "tfcheck_runtime"}):
        stack.enter_context(from_environment())
    for mark in item.iter_markers("on_retrace"):
        try:
            stack.enter_context(on_retrace(*mark.args, **mark.kwargs))
        except (TypeError, ConfigError) as error:
            raise pytest.UsageError(f"{item.nodeid}: @pytest.mark.on_retrace: {error}") from error
    return stack


def _limits(mark: pytest.Mark) -> tuple[int | None, Mapping[str, int]]:
    given = [*mark.args, *mark.kwargs.values()]
    if not given or len(mark.args) > 1 or not all(type(each) is int for each in given):
        raise pytest.UsageError(
            f"expected @pytest.mark.max_traces(3) or (train_step=1), not {mark.args}{mark.kwargs}"
        )
    return (mark.args[0] if mark.args else None), mark.kwargs


def _check(watched: Session, total: int | None, limits: Mapping[str, int]) -> None:
    lines = []
    if total is not None and watched.traces > total:
        lines.append(f"{watched.traces} traces, at most {total} expected")
        lines += [line for each in watched.functions for line in _described(each)]
    for name, limit in limits.items():
        lines += _exceeded(watched, name, limit)
    if lines:
        pytest.fail("\n".join(lines), pytrace=False)


def _exceeded(watched: Session, name: str, limit: int) -> list[str]:
    try:
        traces = watched.traces_of(name)
    except LookupError as error:
        # A name that is misspelt must not pass.
        return [str(error)]
    if traces <= limit:
        return []
    named = [each for each in watched.functions if each.key.name == name]
    described = [line for each in named for line in _described(each)]
    return [f"{name}: {traces} traces, at most {limit} expected", *described]


def _described(function: FunctionProfile) -> Iterator[str]:
    for cause in function.causes:
        what = (
            f"`{cause.argument}` {cause.before} → {cause.after}" if cause.argument else cause.kind
        )
        place = f"{cause.site.file}:{cause.site.line}"
        yield f"  {function.key.name}: {cause.count} traced again for {what} at {place}"


@pytest.fixture
def assert_no_retrace() -> Callable[[], AbstractContextManager[Session]]:
    """A context in which no tf.function may be traced again; its first trace is free."""
    return _no_retrace


@pytest.fixture
def fail_on_retrace() -> Iterator[None]:
    """A call that would trace a tf.function again raises `RetraceError` in the test."""
    with on_retrace("fail"):
        yield


@contextmanager
def _no_retrace() -> Iterator[Session]:
    with session() as watched:
        yield watched
    lines = [line for each in watched.functions for line in _described(each)]
    if lines:
        pytest.fail("\n".join(["no tf.function may be traced again", *lines]), pytrace=False)
