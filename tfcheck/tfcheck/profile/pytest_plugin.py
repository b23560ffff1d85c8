"""Lets tests say how often Functions may be traced."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

import pytest

from tfcheck.profile import session
from tfcheck.profile.embedded import install, require_runtime
from tfcheck.profile.model import FunctionProfile

if TYPE_CHECKING:  # it needs the runtime, which tests that ask for nothing need not have
    from tfcheck.profile.watching import Session

MARK = "max_traces(n=None, /, **functions)"


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


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Count the traces of marked tests."""
    mark = item.get_closest_marker("max_traces")
    if mark is None:
        return (yield)
    total, limits = _limits(mark)
    with session() as watched:
        result = yield
    _check(watched, total, limits)
    return result


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


@contextmanager
def _no_retrace() -> Iterator[Session]:
    with session() as watched:
        yield watched
    lines = [line for each in watched.functions for line in _described(each)]
    if lines:
        pytest.fail("\n".join(["no tf.function may be traced again", *lines]), pytrace=False)
