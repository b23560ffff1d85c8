"""TFC305: symbolic tensors kept after the trace that made them."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from tfcheck.diagnostics import Confidence, Severity
from tfcheck.lint.guards import Guards
from tfcheck.lint.kinds import Kind
from tfcheck.lint.lifetimes import Lifetimes, Mutation, OuterStore, holds_tensor
from tfcheck.lint.places import Places
from tfcheck.lint.rule import Rule


class TensorLeak(Rule):
    """A tensor of the trace is stored where it outlives the trace.

    Why:
        While tracing a tensor is a symbol of the graph that is being built. Kept in a list, an
        attribute or a global it has no value, and using it later fails: "out of scope".

    Bad:
        import tensorflow as tf

        activations = []

        @tf.function
        def forward(x):
            h = tf.nn.relu(x)
            activations.append(h)  # TFC305
            return tf.reduce_sum(h)

        forward(tf.constant([1.0, -1.0]))
        print(activations[0])

    Good:
        import tensorflow as tf

        activations = []

        @tf.function
        def forward(x):
            h = tf.nn.relu(x)
            return tf.reduce_sum(h), h

        total, h = forward(tf.constant([1.0, -1.0]))
        activations.append(h)
        print(activations[0])

    Not flagged:
        A container made in the traced code itself. An attribute that only traced code reads
        after it was stored, as in `self.mask = ...` for a helper of the same call. `tf.Variable`s.
        An attribute that nothing in the file reads is reported with low confidence.
    """

    code = "TFC305"
    since = "0.1"
    severity = Severity.ERROR

    def check_file(self) -> None:
        """Look at what traced code puts into containers, attributes and outer names."""
        lifetimes, self._places = Lifetimes(self.model), Places(self.model)
        for mutation in lifetimes.mutations():
            if any(holds_tensor(self.model.value(part)) for part in mutation.added):
                self._report(mutation.node, mutation.container, self._collected(mutation))
        stores = [store for store in lifetimes.stores() if self._takes_tensor(store)]
        for store in stores:
            confidence = self._use(store, stores)
            if confidence is not None:
                self._report(store.target, store.target, confidence)

    def _collected(self, mutation: Mutation) -> Confidence:
        """How surely something reads the container after the trace."""
        place = mutation.container
        if not mutation.replaces or Guards(self.model).is_tested(mutation.node, place):
            return Confidence.HIGH
        if not isinstance(place, ast.Name | ast.Attribute):
            return Confidence.HIGH
        return Confidence.HIGH if self._places.is_read_by_python(place) else Confidence.LOW

    def _takes_tensor(self, store: OuterStore) -> bool:
        """Whether a tensor is stored; to rebind what holds a variable is TFC207's business."""
        kinds = {self.model.kind(value) for value in self._places.stored(store.target)}
        return holds_tensor(self.model.value(store.value)) and Kind.VARIABLE not in kinds

    def _use(self, store: OuterStore, stores: list[OuterStore]) -> Confidence | None:
        """How surely the tensor is used after its trace; None where the trace alone reads it."""
        target = store.target
        if isinstance(target, ast.Attribute) and not self.model.targets(target.value):
            return Confidence.LOW  # as where a wrapper swaps the kernel of another layer
        reads = list(self._places.reads(target))
        if (
            self._is_read_before(store, stores, reads)
            or Guards(self.model).is_tested(target, target)
            or self._places.is_read_by_python(target)
        ):
            return Confidence.HIGH
        traced = any(self.model.trace_around(read) is not None for read in reads)
        return None if traced else Confidence.LOW

    def _is_read_before(
        self, store: OuterStore, stores: list[OuterStore], reads: Sequence[ast.expr]
    ) -> bool:
        """Whether the function reads what an earlier trace stored."""
        function = self.model.function_around(store.target)
        first = next(
            other
            for other in stores
            if ast.unparse(other.target) == ast.unparse(store.target)
            and self.model.function_around(other.target) is function
        )
        started = self.model.index.statement_of(first.target).end_lineno or 0
        here = [read for read in reads if self.model.function_around(read) is function]
        return first.in_place or any(read.lineno <= started for read in here)

    def _report(self, node: ast.expr, place: ast.expr, confidence: Confidence) -> None:
        self.report(
            node,
            f"`{self.text(place)}` keeps a tensor of the trace: it has no value afterwards",
            hint="return the tensor and store it where the Function is called",
            confidence=confidence,
            trace=self.model.trace_around(node),
        )
