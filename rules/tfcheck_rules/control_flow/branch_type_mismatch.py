"""TFC504: the sides of a tensor condition give a name different types."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from tfcheck.diagnostics import Severity
from tfcheck.lint.form_flow import FormFlow, bound_names
from tfcheck.lint.forms import Form, Sort, differ
from tfcheck.lint.liveness import Liveness
from tfcheck.lint.rule import Rule
from tfcheck.lint.scopes import FunctionInfo
from tfcheck.lint.tracing import Trace

_Pair = tuple[Form | None, Form | None]


class BranchTypeMismatch(Rule):
    """The sides of a tensor `if` bind a name to different types.

    Why:
        Both sides become parts of the graph, and what comes out of them has one dtype and one
        structure. TensorFlow raises `TypeError`: "has dtype float32 in the main branch, but dtype
        int32 in the else branch", or `ValueError`: "is None at the end of the else branch".

    Bad:
        import tensorflow as tf

        @tf.function
        def step_size(error):
            if error > 1.0:  # TFC504
                rate = 0.5
            else:
                rate = 1
            return error * rate

        step_size(tf.constant(2.0))

    Good:
        import tensorflow as tf

        @tf.function
        def step_size(error):
            if error > 1.0:
                rate = 0.5
            else:
                rate = 1.0
            return error * rate

        step_size(tf.constant(2.0))

    Not flagged:
        Names that are not read after the `if`; conditions that Python decides; tensors of
        different shapes, and tensors whose dtype the source does not tell.
    """

    code = "TFC504"
    since = "0.1"
    severity = Severity.ERROR

    def check_file(self) -> None:
        """Look at the conditions in traced code that AutoGraph rewrites."""
        self._forms, self._liveness = FormFlow(self.model), Liveness(self.model)
        for function, trace in self.model.traces.items():
            if trace.converted:
                self._check_function(function, trace)

    def _check_function(self, function: FunctionInfo, trace: Trace) -> None:
        for node in self.model.own_nodes(function):
            if not isinstance(node, ast.If | ast.IfExp):
                continue
            if not self.model.value(node.test).is_tensor:
                continue
            if not self.model.is_left_out(node):
                pairs = self._sides(node, function)
                self._compare(node.test, list(pairs), trace)

    def _sides(
        self, node: ast.If | ast.IfExp, function: FunctionInfo
    ) -> Iterator[tuple[str, _Pair]]:
        """What each name, or the result, is at the end of either side."""
        if isinstance(node, ast.IfExp):
            yield "the result", (self._forms.of(node.body), self._forms.of(node.orelse))
            return
        if _leaves(node.body) or _leaves(node.orelse):
            yield from self._returned(node)
            return
        names = sorted(bound_names(ast.Module([*node.body, *node.orelse], [])))
        live = [name for name in names if self._liveness.is_read_after(name, node, function)]
        start = {name: self._forms.before(name, node, function) for name in live}
        body, other = self._forms.after(node.body, start), self._forms.after(node.orelse, start)
        for name in live:
            yield f"`{name}`", (body.get(name), other.get(name))

    def _returned(self, node: ast.If) -> Iterator[tuple[str, _Pair]]:
        """What two plain `return`s give, the second one on the other side or right after."""
        parent = self.model.index.parents.get(node)
        rest: Sequence[ast.stmt] = node.orelse
        for name in ("body", "orelse"):
            block = getattr(parent, name, [])
            if not rest and isinstance(block, list) and node in block:
                rest = block[block.index(node) + 1 :]
        ends = [block[-1] if block else None for block in (node.body, rest)]
        values = [end.value for end in ends if isinstance(end, ast.Return) and end.value]
        if len(values) == 2 and len(rest) == 1 and len(node.body) == 1:
            first, second = (self._forms.of(value) for value in values)
            if Sort.NONE not in {form.sort for form in (first, second) if form is not None}:
                yield "what is returned", (first, second)

    def _compare(self, test: ast.expr, pairs: list[tuple[str, _Pair]], trace: Trace) -> None:
        for what, (first, second) in pairs:
            found = differ(first, second)
            if found is not None:
                self.report(
                    test,
                    f"the condition is a tensor, and {what} is {found[0].told} on one side and"
                    f" {found[1].told} on the other: tracing fails",
                    hint="give both sides the same dtype and structure",
                    trace=trace,
                )
                return


def _leaves(block: Sequence[ast.stmt]) -> bool:
    ends = (ast.Return, ast.Raise, ast.Break, ast.Continue)
    return any(isinstance(part, ends) for statement in block for part in ast.walk(statement))
