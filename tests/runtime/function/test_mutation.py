"""Functions that change their arguments."""

from __future__ import annotations

from typing import Any

import pytest

import tfcheck_runtime as tf


class Holder:
    """Has a method that changes its argument."""

    @tf.function
    def drop(self, items: Any) -> Any:
        return items.pop()


def message(call: Any, *args: Any) -> str:
    with pytest.raises(ValueError, match=r"list|dict|chang|mutat") as caught:
        call(*args)
    return str(caught.value)


def test_a_changed_list_is_named() -> None:
    @tf.function
    def f(kept: Any, changed: Any) -> Any:
        changed.append(kept[0])
        return changed[0]

    assert message(f, [1], [2]) == (
        f"{f.python_function.__qualname__}(kept: 'Any', changed: 'Any') -> 'Any' should not modify"
        " its Python input arguments: it changed `changed`. Change a copy, or return the new value"
        " [container-mutation]"
    )
    assert f.experimental_get_tracing_count() == 0


def test_methods_and_inner_containers_count_too() -> None:
    @tf.function
    def f(nested: Any) -> Any:
        nested["k"][0] += 1
        return nested["k"][0]

    assert "it changed `items`" in message(Holder().drop, [1, 2])
    assert "it changed `nested`" in message(f, {"k": [tf.constant(1)]})


def test_a_copy_may_be_changed_and_so_may_what_stays_equal() -> None:
    @tf.function
    def f(values: Any) -> Any:
        mine = list(values)
        mine.append(3)
        values[0] = values[0]
        return len(mine)

    argument = [1, 2]

    assert f(argument).numpy() == 3
    assert argument == [1, 2]
