"""TFC302: lists, dicts and sets changed while tracing."""

from __future__ import annotations

import ast

from tfcheck.diagnostics import Confidence, Severity
from tfcheck.lint.guards import Guards
from tfcheck.lint.lifetimes import Lifetimes, Mutation, holds_tensor
from tfcheck.lint.places import Places
from tfcheck.lint.python_state import counts_traces
from tfcheck.lint.rule import Rule


class ContainerMutation(Rule):
    """A container that outlives the trace is changed in traced code.

    Why:
        The change is Python and happens while tracing: once for each trace, and not at all in
        the calls that reuse it. A counter stays at 1 and a log keeps one entry. TensorFlow
        refuses to change a list or dict that was passed as an argument.

    Bad:
        import collections
        import tensorflow as tf

        seen = collections.Counter()

        def decode(x):
            seen["decoded"] += 1  # TFC302
            return x * 10

        dataset = tf.data.Dataset.range(5).map(decode)

    Good:
        import collections
        import tensorflow as tf

        seen = collections.Counter()

        def decode(x):
            return x * 10

        for value in tf.data.Dataset.range(5).map(decode):
            seen["decoded"] += 1

    Not flagged:
        A container made in the traced code itself. A cache that is filled under a test, as in
        `if key not in cache: cache[key] = ...`: it is meant to be filled once. A container that
        takes a tensor is left to TFC305. An item that each trace replaces, in a container that no
        plain Python of the file reads, is reported with low confidence.
    """

    code = "TFC302"
    since = "0.1"
    severity = Severity.WARNING

    def check_file(self) -> None:
        """Look at each change of a container in traced code."""
        lifetimes, guards = Lifetimes(self.model), Guards(self.model)
        for mutation in lifetimes.mutations():
            if counts_traces(mutation.container):
                continue
            takes_tensor = any(holds_tensor(self.model.value(part)) for part in mutation.added)
            if not takes_tensor and not guards.is_once(mutation.node):
                self._report(mutation)

    def _report(self, mutation: Mutation) -> None:
        place = mutation.container
        unread = False
        if mutation.replaces and isinstance(place, ast.Name | ast.Attribute):
            unread = not Places(self.model).is_read_by_python(place)
        self.report(
            mutation.node,
            f"`{self.text(mutation.container)}` changes only while tracing, not in each call",
            hint=f"count with a `tf.Variable`, or {_elsewhere(mutation)}",
            confidence=Confidence.LOW if unread else Confidence.HIGH,
            trace=self.model.trace_around(mutation.node),
        )


def _elsewhere(mutation: Mutation) -> str:
    if isinstance(mutation.node, ast.Call):
        return "return the value and collect it where the Function is called"
    return "change it where the Function is called"
