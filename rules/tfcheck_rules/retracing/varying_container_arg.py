"""TFC102: lists, tuples and dicts of varying length or content as arguments."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Sequence

from tfcheck.diagnostics import Severity
from tfcheck.lint.callgraph import CallSite
from tfcheck.lint.kinds import Kind
from tfcheck.lint.rule import Rule
from tfcheck.lint.scopes import Binding
from tfcheck.lint.vocabulary import MUTATORS

_LENGTH = "has another length at each call"


class VaryingContainerArg(Rule):
    """A list, tuple or dict that varies is passed to a `tf.function`.

    Why:
        The length of a container and the Python values in it are part of the key under which a
        trace is kept: each new length or value traces the function again.

    Bad:
        import tensorflow as tf

        @tf.function
        def average(tensors):
            return tf.add_n(tensors) / float(len(tensors))

        window = []
        for value in range(6):
            window.append(tf.fill([2], float(value)))
            average(window)  # TFC102

    Good:
        import tensorflow as tf

        @tf.function(reduce_retracing=True)
        def average(stacked):
            return tf.reduce_mean(stacked, axis=0)

        window = []
        for value in range(6):
            window.append(tf.fill([2], float(value)))
            average(tf.stack(window))

    Not flagged:
        Containers of tensors whose length stays the same; a few different lengths or values, as
        many as `scalar-limit` allows; a function with an `input_signature`.
    """

    code = "TFC102"
    since = "0.1"
    severity = Severity.ERROR

    def check_file(self) -> None:
        """Look at the arguments of each call of a Function from plain Python."""
        lengths: defaultdict[ast.arg, set[int]] = defaultdict(set)
        for site in self.model.eager_calls():
            creation = site.target.creation
            if creation is None or creation.is_set("input_signature") or self._is_remade(site):
                continue
            for parameter, given in site.arguments():
                reason = self._reason(given) or self._one_more(given, lengths[parameter])
                if reason is not None:
                    self._report(site, given, reason)
            for given in site.call.args:
                if isinstance(given, ast.Starred) and self._grows(given.value):
                    self._report(site, given, _LENGTH)

    def _grows(self, unpacked: ast.expr) -> bool:
        """Whether `*args` in a call gives more arguments from round to round."""
        if not isinstance(unpacked, ast.Name | ast.Attribute):
            return False
        loops = set(self.model.loops_around(unpacked))
        edits = [edit for edit in self._edits(unpacked) if isinstance(edit, ast.Call)]
        inside = [edit for edit in edits if loops & set(self.model.loops_around(edit))]
        methods = {edit.func.attr for edit in inside if isinstance(edit.func, ast.Attribute)}
        return bool(methods) and methods <= {"append", "extend", "insert"}

    def _one_more(self, given: ast.expr, known: set[int]) -> str | None:
        """Whether the parameter takes one length too many here, over all call sites."""
        if not isinstance(given, ast.List | ast.Tuple) or len(given.elts) in known:
            return None
        known.add(len(given.elts))
        return _LENGTH if len(known) == self.settings.scalar_limit + 1 else None

    def _is_remade(self, site: CallSite) -> bool:
        around = set(self.model.loops_around(site.target.function.node))
        return bool(around & set(self.model.loops_around(site.call)))

    def _reason(self, given: ast.expr) -> str | None:
        """How the argument differs from call to call."""
        match given:
            case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Dict(values=parts):
                return self._holding(parts)
            case ast.Subscript(value=source, slice=ast.Slice() as cut):
                if self.model.kind(source) is not Kind.CONTAINER:
                    return None
                return _LENGTH if self._any_varies([cut.lower, cut.upper]) else self._part(source)
            case ast.BinOp(op=ast.Mult(), left=left, right=right):
                repeated = Kind.CONTAINER in {self.model.kind(left), self.model.kind(right)}
                return _LENGTH if repeated and self._any_varies([left, right]) else None
            case ast.ListComp() | ast.GeneratorExp():
                return self._length_of(given.generators[0].iter)
            case ast.Call():
                return self._made_by(given)
            case ast.Name() | ast.Attribute() if self.model.kind(given) is Kind.CONTAINER:
                return self._named(given)
        return None

    def _holding(self, parts: list[ast.expr]) -> str | None:
        varying = [part for part in parts if self._any_varies([part])]
        return f"holds `{self.text(varying[0])}`, a Python value that changes" if varying else None

    def _made_by(self, call: ast.Call) -> str | None:
        name = self.model.qualified_name(call.func)
        if name == "builtins.dict":
            return self._holding([keyword.value for keyword in call.keywords])
        if name in {"builtins.list", "builtins.tuple"} and call.args:
            return self._reason(call.args[0])
        return self._length_of(call)

    def _length_of(self, source: ast.expr) -> str | None:
        """Whether it is `range(n)` with an `n` that changes."""
        if not isinstance(source, ast.Call):
            return None
        counted = self.model.qualified_name(source.func) == "builtins.range"
        return _LENGTH if counted and self._any_varies(source.args) else None

    def _any_varies(self, nodes: Sequence[ast.expr | None]) -> bool:
        values = [self.model.value(node) for node in nodes if node is not None]
        limit = self.settings.scalar_limit
        return any(value.is_scalar and value.varies > limit for value in values)

    def _named(self, given: ast.Name | ast.Attribute) -> str | None:
        """How a loop around the call changes what a name holds."""
        loops = set(self.model.loops_around(given))
        if isinstance(given, ast.Name):
            for binding in self.model.bindings(given):
                if loops & set(self.model.loops_around(binding.node)):
                    return self._bound(binding)
        for node in self._edits(given):
            if loops & set(self.model.loops_around(node)):
                return "changes from call to call"
        return None

    def _bound(self, binding: Binding) -> str | None:
        """How the value bound in each round differs from that of the last one."""
        value = binding.value
        if value is None:
            return None
        if isinstance(value, ast.BinOp) and isinstance(value.left, ast.Name):
            return "grows from call to call" if value.left.id == binding.name else None
        return None if isinstance(value, ast.Name | ast.Attribute) else self._reason(value)

    def _part(self, source: ast.expr) -> str | None:
        """How the items in a part of a list differ, whose length stays the same."""
        if not isinstance(source, ast.Name | ast.Attribute):
            return None
        loops = set(self.model.loops_around(source))
        for node in self._edits(source):
            added = node.args if isinstance(node, ast.Call) else []
            if loops & set(self.model.loops_around(node)) and self._any_varies(added[-1:]):
                return f"holds `{self.text(added[-1])}`, a Python value that changes"
        return None

    def _edits(self, given: ast.Name | ast.Attribute) -> Iterator[ast.expr]:
        """The places that change the length of the container or the Python values in it."""
        spelled = ast.unparse(given)
        for call in self.model.index.calls():
            if not isinstance(call.func, ast.Attribute) or call.func.attr not in MUTATORS:
                continue
            if ast.unparse(call.func.value) == spelled:
                yield call
        for store in self.model.index.stores:
            target = store.target
            if not isinstance(target, ast.Subscript) or ast.unparse(target.value) != spelled:
                continue
            if self._any_varies([store.value]):
                yield target

    def _report(self, site: CallSite, given: ast.expr, reason: str) -> None:
        self.report(
            given,
            f"`{self.text(given)}` {reason}: each traces `{site.target.function.name}` again",
            hint="pass one tensor, such as `tf.stack(...)`, or a container of fixed length",
            trace=self.model.traces.get(site.target.function),
        )
