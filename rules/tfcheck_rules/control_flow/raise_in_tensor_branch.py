"""TFC512: `raise` under a tensor condition, and `assert` on a tensor."""

from __future__ import annotations

import ast
import json

from tfcheck.diagnostics import Applicability, Edit, Fix, Severity
from tfcheck.lint.rule import Rule


class RaiseInTensorBranch(Rule):
    """A `raise` or `assert` depends on a tensor.

    Why:
        Both sides of a tensor condition are traced, so `raise` fires while tracing, whatever the
        values are. `assert` asks the tensor for a truth value, which it does not have yet.

    Bad:
        import tensorflow as tf

        @tf.function
        def root(x):
            if x < 0.0:
                raise ValueError("negative input")  # TFC512
            assert x < 100.0, "too large"  # TFC512
            return tf.sqrt(x)

        root(tf.constant(4.0))

    Becomes:
        import tensorflow as tf

        @tf.function
        def root(x):
            tf.debugging.Assert(tf.logical_not(x < 0.0), ["negative input"])
            tf.debugging.Assert(x < 100.0, ["too large"])
            return tf.sqrt(x)

        root(tf.constant(4.0))

    Not flagged:
        A `raise` under a condition of Python, such as a static shape, also inside of a tensor
        branch; one that a `try` in the same branch catches; `assert` on Python values.

    Fix safety:
        Unsafe: the error becomes `InvalidArgumentError`, raised by the call and not while
        tracing; code that caught the other type no longer does. The condition must be one bool.
    """

    code = "TFC512"
    since = "0.1"
    severity = Severity.ERROR
    fix = Applicability.UNSAFE

    def enter_Raise(self, node: ast.Raise) -> None:
        """Report those that a tensor decides about."""
        if not self.trace.converted:
            return  # the condition fails by itself (TFC509)
        for parent, child in self.model.index.ancestors(node):
            if isinstance(parent, ast.Try) and child in parent.body and parent.handlers:
                return
            if isinstance(parent, ast.ExceptHandler | ast.Match):
                return
            if isinstance(parent, ast.If) and child is not parent.test:
                if not self.model.value(parent.test).is_tensor:
                    return
                self._report_raise(node, parent)
                return
            if isinstance(parent, ast.For | ast.While) and child in parent.body:
                if parent in self.model.tensor_loops_around(node):
                    self.report(
                        node,
                        "`raise` fires while the tensor loop is traced, in every call",
                        hint="check with `tf.debugging.Assert`",
                    )
                return

    def _report_raise(self, node: ast.Raise, branch: ast.If) -> None:
        self.report(
            node,
            f"`raise` fires while tracing, whatever `{self.text(branch.test)}` is",
            hint="check with `tf.debugging.Assert` or `tf.debugging.assert_*`",
            fix=self._checked(node, branch),
        )

    def enter_Assert(self, node: ast.Assert) -> None:
        """Report those on tensors."""
        if self.model.value(node.test).is_tensor:
            self.report(
                node,
                "`assert` asks a symbolic tensor for a truth value: tracing fails",
                hint="check with `tf.debugging.Assert` or `tf.debugging.assert_*`",
                fix=self._asserted(node),
            )

    # Fixes

    def _checked(self, node: ast.Raise, branch: ast.If) -> Fix | None:
        """Replace an `if` that does nothing else."""
        name = self.model.spelling("tensorflow.debugging.Assert", branch)
        negated = self.model.spelling("tensorflow.logical_not", branch)
        alone = branch.body == [node] and not branch.orelse
        # An `elif` is an `if` that starts in the middle of another one.
        if not alone or name is None or negated is None or self._is_elif(branch):
            return None
        test = self.text(branch.test)
        content = f"{name}({negated}({test}), [{self._said(node.exc) or _quoted(f'not {test}')}])"
        return self.edits([Edit(self.span(branch), content)], message=f"Use {name}", safe=False)

    def _is_elif(self, branch: ast.If) -> bool:
        parent = self.model.index.parents.get(branch)
        return isinstance(parent, ast.If) and parent.orelse == [branch]

    def _said(self, raised: ast.expr | None) -> str | None:
        """What the error tells, as the data of the check."""
        if isinstance(raised, ast.Call) and len(raised.args) == 1:
            given = raised.args[0]
            if isinstance(given, ast.Constant):
                return self.text(given)
        return None

    def _asserted(self, node: ast.Assert) -> Fix | None:
        name = self.model.spelling("tensorflow.debugging.Assert", node)
        plain = node.msg is None or isinstance(node.msg, ast.Constant)
        if name is None or not plain:
            return None
        test = self.text(node.test)
        said = _quoted(test) if node.msg is None else self.text(node.msg)
        content = f"{name}({test}, [{said}])"
        return self.replace(node, content, message=f"Use {name}", safe=False)


def _quoted(source: str) -> str:
    """Code as a string: the check must say something."""
    return json.dumps(" ".join(source.split()), ensure_ascii=False)
