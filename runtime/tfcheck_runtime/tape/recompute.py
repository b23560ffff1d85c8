"""Functions whose gradient is not that of what they did: computed again, or passed through."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from tfcheck_runtime.specs import nest
from tfcheck_runtime.tape.custom_gradient import custom_gradient
from tfcheck_runtime.tape.gradient_tape import GradientTape


def recompute_grad(f: Callable[..., Any]) -> Callable[..., Any]:
    """`f`, which is run again when its gradient is computed, so that nothing need be kept.

    See https://www.tensorflow.org/api_docs/python/tf/recompute_grad.
    """

    @custom_gradient
    @functools.wraps(f)
    def recomputed(*args: Any, **kwargs: Any) -> Any:
        def gradient(*incoming: Any, variables: Any = ()) -> Any:
            with GradientTape() as tape:
                tape.watch(args)
                again = f(*args, **kwargs)
            seeds = nest.pack_sequence_as(again, incoming)
            found = tape.gradient(again, [*args, *variables], output_gradients=seeds)
            own, of_variables = found[: len(args)], found[len(args) :]
            return (own, of_variables) if variables else own

        return f(*args, **kwargs), gradient

    return recomputed


def grad_pass_through(f: Callable[..., Any]) -> Callable[..., Any]:
    """`f` with the gradient of the identity.

    See https://www.tensorflow.org/api_docs/python/tf/grad_pass_through.
    """

    @custom_gradient
    def passed(*args: Any, **kwargs: Any) -> Any:
        def gradient(*incoming: Any, variables: Any = None) -> Any:
            own = incoming[0] if len(incoming) == 1 else incoming
            return own if variables is None else (own, [None] * len(variables))

        return f(*args, **kwargs), gradient

    return functools.wraps(f)(lambda *args, **kwargs: passed(*args, **kwargs))
