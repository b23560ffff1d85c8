"""The gradient of Python functions that graphs call: by a tape, while the graph runs."""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from tfcheck_runtime.ops.array.filling import zeros_like
from tfcheck_runtime.tape.gradient_tape import GradientTape
from tfcheck_runtime.tape.slices import dense
from tfcheck_runtime.values.tensor import Tensor

_MOST: Final = 1024
"""Calls kept for gradients that may never come."""


@dataclass(frozen=True, slots=True)
class _Kept:
    """A call that was made under a tape."""

    arguments: Sequence[Tensor]
    result: Any
    tape: GradientTape


class DifferentiablePython:
    """A Python function that keeps what it did until its gradient is computed.

    Args:
        function: what is called.
        results: how many values it returns.
    """

    def __init__(self, function: Callable[..., Any], results: int) -> None:
        functools.update_wrapper(self, function, updated=())
        self._function = function
        self._results = results
        self._keeps = False
        self._kept: deque[_Kept] = deque(maxlen=_MOST)

    def __call__(self, *arguments: Tensor) -> Any:
        """Call the function."""
        if not self._keeps:
            return self._function(*arguments)
        kept = self._run(arguments)
        self._kept.append(kept)
        return kept.result

    def keep(self) -> None:
        """A gradient will be asked for: what the next calls do is to be kept."""
        self._keeps = True

    def backward(self, *operands: Tensor) -> list[Tensor]:
        """The gradients of the floating-point arguments.

        Takes the arguments of a call, then the gradients of its results.
        """
        kept = self._last(operands)
        arguments, seeds = kept.arguments, operands[len(kept.arguments) :]
        wanted = [a for a in arguments if a.dtype.is_floating]
        results = kept.result if isinstance(kept.result, list | tuple) else [kept.result]
        found = kept.tape.gradient(list(results), wanted, output_gradients=list(seeds))
        return [
            zeros_like(a) if (gradient := dense(g)) is None else gradient
            for a, g in zip(wanted, found, strict=True)
        ]

    def _run(self, arguments: Sequence[Tensor]) -> _Kept:
        with GradientTape() as tape:
            tape.watch([a for a in arguments if a.dtype.is_floating])
            return _Kept(arguments, self._function(*arguments), tape)

    def _last(self, operands: Sequence[Tensor]) -> _Kept:
        # Gradients come in the reverse order of calls; a call that was not kept is made again.
        if self._kept and _same(self._kept[-1].arguments, operands):
            return self._kept.pop()
        return self._run(operands[: len(operands) - self._results])


def _same(arguments: Sequence[Tensor], operands: Sequence[Tensor]) -> bool:
    pairs = zip(arguments, operands, strict=False)
    return all(np.array_equal(np.asarray(a), np.asarray(o)) for a, o in pairs)
