"""Name scopes: prefixes of node names in graphs.

Follows https://www.tensorflow.org/api_docs/python/tf/name_scope.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType

from tfcheck_runtime import dispatch


class _Scopes(threading.local):
    def __init__(self) -> None:
        self.names: tuple[str, ...] = ()


_scopes = _Scopes()


def scoped(name: str) -> str:
    """`name` behind the names of the open scopes."""
    return "/".join((*_scopes.names, name))


def current_scope() -> str:
    """The names of the open scopes, with a slash behind each."""
    return "".join(f"{name}/" for name in _scopes.names)


@contextmanager
def outside_scopes() -> Iterator[None]:
    """Leave all open scopes: the graph of a function names its nodes from the start."""
    before, _scopes.names = _scopes.names, ()
    try:
        yield
    finally:
        _scopes.names = before


def _unused(names: tuple[str, ...]) -> tuple[str, ...]:
    """The scope; in a graph that has one of this name already, under another name."""
    graph = dispatch.current_graph()
    return names if graph is None else tuple(graph.unique_name("/".join(names)).split("/"))


class name_scope:  # noqa: N801  # TensorFlow's name
    """Put `name/` before the names of nodes made while the context is open.

    A name that ends in `/` is a whole scope to enter again, whatever scopes are open.
    """

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise ValueError("name for name_scope must be a string.")
        self._name = name
        self._before: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name given."""
        return self._name

    def __enter__(self) -> str:
        self._before = _scopes.names
        parts = tuple(part for part in self._name.split("/") if part)
        if not parts or self._name.endswith("/"):
            _scopes.names = parts
        else:
            _scopes.names = _unused((*self._before, *parts))
        return current_scope()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _scopes.names = self._before
