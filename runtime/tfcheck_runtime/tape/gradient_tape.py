"""`tf.GradientTape`: records ops as they are applied, eagerly or in a graph.

Follows https://www.tensorflow.org/api_docs/python/tf/GradientTape.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

from tfcheck_runtime import dispatch
from tfcheck_runtime.op import Op
from tfcheck_runtime.specs import nest
from tfcheck_runtime.tape.backprop import Record, is_differentiable
from tfcheck_runtime.tape.composites import closed
from tfcheck_runtime.tape.derivatives import (
    Recorded,
    UnconnectedGradients,
    batch_jacobian,
    gradients_of,
    jacobian,
)
from tfcheck_runtime.values.tensor import is_tensor
from tfcheck_runtime.values.variable import Variable, is_resource_variable

_log = logging.getLogger("tensorflow")


class GradientTape:
    """Records ops for automatic differentiation.

    Args:
        persistent: whether `gradient` may be called more than once.
        watch_accessed_variables: whether trainable variables are watched when they are read.
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._persistent = persistent
        self._watches_variables = watch_accessed_variables
        self._recording = False
        self._used = True  # nothing to give before the tape was entered
        self._records: list[Record] = []
        # Values are kept beside their ids, so that no id is used again.
        self._watched: dict[int, Any] = {}
        self._variables: dict[int, Variable] = {}

    def __enter__(self) -> Self:
        self._start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._recording:
            self._stop()

    def _start(self) -> None:
        if self._recording:
            raise ValueError(
                "Tape is still recording, This can happen if you try to re-enter an"
                " already-active tape."
            )
        self._recording, self._used = True, False
        dispatch.start_recording(self)

    def _stop(self) -> None:
        if not self._recording:
            raise ValueError("Tape is not recording.")
        self._recording = False
        dispatch.stop_recording(self)

    @property
    def persistent(self) -> bool:
        """Whether `gradient` may be called more than once."""
        return self._persistent

    @property
    def records(self) -> Sequence[Record]:
        """The ops recorded so far, oldest first."""
        return self._records

    def record(
        self, op: Op, inputs: tuple[Any, ...], outputs: tuple[Any, ...], attrs: Mapping[str, Any]
    ) -> None:
        """Note an applied op if it depends on something watched."""
        watched = self._watched
        if not any(id(value) in watched for value in inputs):
            return
        self._records.append(Record(op, inputs, outputs, attrs))
        for output in outputs:
            if is_differentiable(output):
                watched[id(output)] = output

    def watch_variable(self, variable: Variable) -> None:
        """Watch a trainable variable that is being read."""
        if self._watches_variables:
            self._watch_variable(variable)

    def is_watching(self, value: Any) -> bool:
        """Whether gradients can flow to a tensor or handle."""
        return id(value) in self._watched

    def watch(self, tensor: Any) -> None:
        """Record the ops that depend on a tensor, variable or structure of these.

        Raises:
            ValueError: something else is passed.
        """
        for leaf in nest.flatten(tensor, expand_composites=True):
            if not is_tensor(leaf):
                raise ValueError(
                    f"Passed in object {leaf} of type {type(leaf).__name__!r}, not tf.Tensor or"
                    " tf.Variable or ExtensionType."
                )
            self._watch(leaf)

    def _watch(self, leaf: Any) -> None:
        if is_resource_variable(leaf):
            self._watch_variable(leaf)
            return
        if not is_differentiable(leaf):
            _log.warning(
                "The dtype of the watched tensor must be floating (e.g. tf.float32), got %r",
                leaf.dtype,
            )
        self._watched[id(leaf)] = leaf

    def _watch_variable(self, variable: Variable) -> None:
        self._watched[id(variable.handle)] = variable.handle
        self._variables.setdefault(id(variable.handle), variable)

    def watched_variables(self) -> tuple[Variable, ...]:
        """The variables watched, in the order of first use."""
        return tuple(self._variables.values())

    @contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Hide ops from the tape while the context is open.

        Raises:
            RuntimeError: the tape is not recording.
        """
        if not self._recording:
            raise RuntimeError("Trying to stop recording a tape which is not recording.")
        self._stop()
        try:
            yield
        finally:
            self._start()

    def reset(self) -> None:
        """Forget everything recorded and watched.

        Raises:
            ValueError: the tape is not recording.
        """
        if not self._recording:
            raise ValueError("Tape is not recording.")
        self._records, self._watched, self._variables = [], {}, {}
        self._used = False

    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
    ) -> Any:
        """The gradients of `target`, summed, with respect to `sources`, in their structure.

        Args:
            target: tensor, variable or structure of these.
            sources: tensor, variable or structure of these; each must be watched.
            output_gradients: what to start from for each target; ones by default.
            unconnected_gradients: whether a source without influence gives None or zeros.

        Raises:
            RuntimeError: a non-persistent tape is used again.
            TypeError: there is no target.
        """
        mode = UnconnectedGradients.checked(unconnected_gradients)
        with self._recorded_once() as recorded:
            flat = gradients_of(
                recorded, target, sources, output_gradients=output_gradients, unconnected=mode
            )
        return closed(sources, flat)

    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """The derivative of each element of `target` with respect to each element of `sources`.

        The last two parameters say how TensorFlow runs it; they change nothing here.

        Returns:
            Per source a tensor of shape `target.shape + source.shape`.

        Raises:
            RuntimeError: a non-persistent tape is used again.
        """
        mode = UnconnectedGradients.checked(unconnected_gradients)
        with self._recorded_once() as recorded:
            flat = jacobian(recorded, target, sources, unconnected=mode)
        return nest.pack_sequence_as(sources, flat, expand_composites=True)

    def batch_jacobian(
        self,
        target: Any,
        source: Any,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """The jacobian of each example of a batch: element `i` of target with that of source.

        The last two parameters say how TensorFlow runs it; they change nothing here.

        Returns:
            A tensor of shape `[batch] + target.shape[1:] + source.shape[1:]`.

        Raises:
            RuntimeError: a non-persistent tape is used again.
            ValueError: the first dimensions differ.
        """
        mode = UnconnectedGradients.checked(unconnected_gradients)
        with self._recorded_once() as recorded:
            return batch_jacobian(recorded, target, source, unconnected=mode)

    @contextmanager
    def _recorded_once(self) -> Iterator[Recorded]:
        """What was recorded, which a non-persistent tape gives away only once."""
        if self._used:
            raise RuntimeError(
                "A non-persistent GradientTape can only be used to compute one set of gradients"
                " (or jacobians)"
            )
        if self._recording and self._persistent:
            _log.warning(
                "Calling GradientTape.gradient on a persistent tape inside its context is"
                " significantly less efficient than calling it outside the context (it causes the"
                " gradient ops to be recorded on the tape, leading to increased CPU and memory"
                " usage). Only call GradientTape.gradient inside the context if you actually want"
                " to trace the gradient in order to compute higher order derivatives."
            )
        elif self._recording:
            self._stop()
        # A copy: gradients of a persistent tape inside its context are recorded while they run.
        yield Recorded(list(self._records), self._watched)
        if not self._persistent:
            self._used = True
            self._records, self._watched = [], {}
