"""TFC203: attributes that change after the trace that read them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import cached_property

from tfcheck.diagnostics import Severity
from tfcheck.lint.kinds import Kind
from tfcheck.lint.places import AttributeChange, Places, receiver_text
from tfcheck.lint.repeats import making_loops
from tfcheck.lint.resolve import ClassTarget, InstanceTarget
from tfcheck.lint.rule import Rule
from tfcheck.lint.scopes import ClassInfo, FunctionInfo, How

_FROZEN = {Kind.LITERAL, Kind.SCALAR, Kind.CONTAINER, Kind.NUMPY, Kind.TENSOR, Kind.KERAS}
_KERAS_CALLS = {
    *("fit", "evaluate", "predict"),
    *("train_on_batch", "test_on_batch", "predict_on_batch"),
}


class MutableAttributeCapture(Rule):
    """A Python attribute read in traced code changes between calls.

    Why:
        The trace holds the value that the attribute had while tracing. Later calls on the same
        object reuse it and never look at the attribute again.

    Bad:
        import tensorflow as tf

        class Loss:
            def __init__(self):
                self.beta = 0.0

            @tf.function
            def __call__(self, kl):
                return tf.reduce_sum(kl) * self.beta  # TFC203

        loss = Loss()
        for epoch in range(3):
            loss.beta = 10.0 * epoch
            loss(tf.constant([1.0, 1.0]))

    Good:
        import tensorflow as tf

        class Loss:
            def __init__(self):
                self.beta = tf.Variable(0.0, trainable=False)

            @tf.function
            def __call__(self, kl):
                return tf.reduce_sum(kl) * self.beta

        loss = Loss()
        for epoch in range(3):
            loss.beta.assign(10.0 * epoch)
            loss(tf.constant([1.0, 1.0]))

    Not flagged:
        An attribute that changes before the first call only, or on an object that is made anew
        before each call; attributes that hold variables; objects passed as arguments (TFC206).
    """

    code = "TFC203"
    since = "0.1"
    severity = Severity.ERROR

    def check_file(self) -> None:
        """Compare the reads in traced code with the changes in plain Python."""
        seen: set[tuple[FunctionInfo, str]] = set()
        for read in self._reads():
            function = self.model.function_around(read)
            if function is None or (function, ast.unparse(read)) in seen:
                continue
            for owner in self._owners(read.value):
                late = next((c for c in self._changes(owner, read) if self._is_late(c, read)), None)
                if late is not None:
                    seen.add((function, ast.unparse(read)))
                    self._report(read, late)
                    break

    def _reads(self) -> Iterator[ast.Attribute]:
        changed = {change.attr for change in self._all_changes}
        for node in self.model.traced_nodes:
            if not isinstance(node, ast.Attribute) or node.attr not in changed:
                continue
            if isinstance(node.ctx, ast.Load) and self.model.trace_around(node) is not None:
                yield node

    def _owners(self, receiver: ast.expr) -> list[ClassInfo]:
        """The classes of the object; a class that is named stands for itself."""
        found = list(self.model.targets(receiver))
        if not found and isinstance(receiver, ast.Attribute):
            given = self._places.constructed(receiver)
            found = [target for part in given for target in self.model.targets(part)]
        known = InstanceTarget | ClassTarget
        return [target.owner for target in found if isinstance(target, known)]

    def _is_class(self, receiver: ast.expr) -> bool:
        return any(isinstance(target, ClassTarget) for target in self.model.targets(receiver))

    @cached_property
    def _all_changes(self) -> list[AttributeChange]:
        """What plain Python binds or edits, constructors aside."""
        changes = self._places.attribute_changes()
        return [change for change in changes if self._is_plain(change.node)]

    @cached_property
    def _places(self) -> Places:
        return Places(self.model)

    def _is_plain(self, node: ast.expr) -> bool:
        function = self.model.function_around(node)
        made = function is not None and function.name in {"__init__", "__new__", "build"}
        return not made and function not in self.model.traces

    def _changes(self, owner: ClassInfo, read: ast.Attribute) -> Iterator[AttributeChange]:
        """The changes of that attribute on objects of the class, if it holds no variable."""
        family = {*self.model.resolver.lineage(owner), *self.model.resolver.derived(owner)}
        alike = [
            store
            for store in self.model.index.stores
            if isinstance(store.target, ast.Attribute)
            and store.target.attr == read.attr
            and family & set(self._owners(store.target.value))
        ]
        values = [store.value for store in alike if store.value and store.how is How.ASSIGN]
        values += [
            binding.value
            for info in family
            for binding in info.scope.bindings.get(read.attr, ())
            if binding.value is not None
        ]
        kinds = {self.model.kind(value) for value in values}
        kinds |= {Kind.CONTAINER for value in values if isinstance(value, ast.List | ast.Dict)}
        if kinds & _FROZEN and not kinds & {Kind.VARIABLE, Kind.DATASET, Kind.OBJECT}:
            own = any(not self._is_class(store.target.value) for store in alike)
            for change in self._all_changes:
                if change.attr != read.attr or not family & set(self._owners(change.receiver)):
                    continue
                # What an object has itself hides what its class has.
                if self._is_class(change.receiver) is self._is_class(read.value) or not own:
                    yield change

    def _is_late(self, change: AttributeChange, read: ast.Attribute) -> bool:
        function = self.model.function_around(read)
        if function is None:
            return False
        for root in self.model.roots(function):
            calls = list(self._calls(root))
            remade = making_loops(self.model, root.owner) if root.owner is not None else set()
            for group, receiver in _by_object(calls, change, read, root):
                if self.model.runs_between(change.node, group, remade=remade, receiver=receiver):
                    return True
        return False

    def _calls(self, root: FunctionInfo) -> Iterator[ast.Call]:
        """The calls in plain Python that may trace the root or run an earlier trace."""
        for site in self.model.calls_to(root):
            if site.caller not in self.model.traces:
                yield site.call
        if not self.model.traces[root].keras or root.owner is None:
            return
        for call in self.model.index.calls():
            method = call.func
            if not isinstance(method, ast.Attribute) or method.attr not in _KERAS_CALLS:
                continue
            if root.owner in self._owners(method.value):
                yield call

    def _report(self, read: ast.Attribute, change: AttributeChange) -> None:
        self.report(
            read,
            f"`{self.text(read)}` is read while tracing only, but changes later"
            f" ({self.line(change.node)}): calls go on with the old value",
            hint="pass it as a tensor argument, or make it a `tf.Variable` and assign to it",
            related=[self.related(change.node, "changed here")],
            trace=self.model.trace_around(read),
        )


def _by_object(
    calls: list[ast.Call], change: AttributeChange, read: ast.Attribute, root: FunctionInfo
) -> Iterator[tuple[list[ast.Call], Callable[[ast.AST], str | None]]]:
    """The calls that share traces, with what has to be the same as in the change.

    Each object has its own traces: only changes of it, or of an object that it holds, count.
    """
    held = isinstance(read.value, ast.Attribute) and isinstance(change.receiver, ast.Name)
    if held and root.owner is not None:
        for name in dict.fromkeys(map(receiver_text, calls)):
            yield [call for call in calls if receiver_text(call) == name], lambda _: None
    else:
        yield calls, receiver_text if root.owner is not None else lambda _: None
