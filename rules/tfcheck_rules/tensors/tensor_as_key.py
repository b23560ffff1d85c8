"""TFC603: symbolic tensors as keys and members."""

from __future__ import annotations

import ast

from tfcheck.diagnostics import Severity
from tfcheck.lint.kinds import Kind
from tfcheck.lint.rule import Rule

_KEYED = {"get", "pop", "setdefault", "add", "discard", "remove"}
_SEARCHED = {"index", "count"}
_DICTS = {"builtins.dict", "collections.Counter", "collections.defaultdict", "builtins.set"}


class TensorAsKey(Rule):
    """A tensor is used as a key, a member of a set, or with `in`.

    Why:
        A tensor has no hash and, while tracing, no value to compare: `TypeError`, "Tensor is
        unhashable", or "Using a symbolic `tf.Tensor` as a Python `bool` is not allowed".

    Bad:
        import tensorflow as tf

        table = {0: 1.0, 1: 2.0}

        @tf.function
        def look_up(x):
            return table[x]  # TFC603

        look_up(tf.constant(1))

    Good:
        import tensorflow as tf

        table = tf.constant([1.0, 2.0])

        @tf.function
        def look_up(x):
            return tf.gather(table, x)

        look_up(tf.constant(1))

    Not flagged:
        `x.ref()`, which has a hash; variables, which have one too; indices of lists (TFC601);
        tests with `is`; `"name" in x`, as `x` is then a dict, whatever its annotation says.
    """

    code = "TFC603"
    since = "0.1"
    severity = Severity.ERROR

    def enter_Subscript(self, item: ast.Subscript) -> None:
        """Report tensors as the key of a dict."""
        if self._is_keyed(item.value) and self.model.is_graph_tensor(item.slice):
            self._report(item, f"`{self.text(item.value)}` is asked for a tensor as its key")

    def enter_Dict(self, node: ast.Dict) -> None:
        """Report tensors as keys of a display."""
        keys = [key for key in node.keys if key is not None and not isinstance(key, ast.Constant)]
        if any(map(self.model.is_graph_tensor, keys)):
            self._report(node, "a key is a tensor")

    def enter_Set(self, node: ast.Set) -> None:
        """Report tensors in sets."""
        if any(map(self.model.is_graph_tensor, node.elts)):
            self._report(node, "a member is a tensor")

    def enter_Compare(self, node: ast.Compare) -> None:
        """Report `x in table`."""
        if len(node.ops) != 1 or not isinstance(node.ops[0], ast.In | ast.NotIn):
            return
        inside = node.comparators[0]
        if self.model.is_graph_tensor(inside):
            if self._may_be_key(node.left):
                return  # the argument is a dict of tensors, whatever its annotation says
            self._report(node, f"`in` iterates over the tensor `{self.text(inside)}`")
        elif self.model.is_graph_tensor(node.left) and self._is_container(inside):
            self._report(node, f"`{self.text(node.left)}` is a tensor, which `in` cannot compare")

    def enter_Call(self, call: ast.Call) -> None:
        """Report `hash(x)`, `table.get(x)` and `members.add(x)`."""
        message = self._asks(call)
        if call.args and message is not None and self.model.is_graph_tensor(call.args[0]):
            self._report(call, message)

    def _asks(self, call: ast.Call) -> str | None:
        """What a call does that needs the hash or the value of its argument."""
        method = call.func
        if isinstance(method, ast.Name):
            hashed = self.model.qualified_name(method) == "builtins.hash"
            return "a tensor has no hash" if hashed else None
        if not isinstance(method, ast.Attribute):
            return None
        searched = method.attr in _SEARCHED and self._is_container(method.value)
        keyed = method.attr in _KEYED and self._is_keyed(method.value)
        if not searched and not keyed:
            return None
        return f"`{self.text(method)}` is asked for a tensor, which has no hash or value"

    def _is_container(self, node: ast.expr) -> bool:
        return self.model.kind(node) is Kind.CONTAINER

    def _may_be_key(self, node: ast.expr) -> bool:
        """Whether a value can be a name of a part, as far as the source tells."""
        value = self.model.value(node)
        text = any(isinstance(literal, str) for literal in value.literals)
        return text or value.kind in {Kind.UNKNOWN, Kind.OBJECT}

    def _is_keyed(self, node: ast.expr) -> bool:
        value = self.model.value(node)
        return value.kind is Kind.CONTAINER and value.origin in _DICTS

    def _report(self, node: ast.expr, message: str) -> None:
        if self.model.trace_around(node) is not None:
            self.report(
                node,
                f"{message}: tracing fails",
                hint="`tf.gather` looks up by a tensor, `tf.reduce_any(x == values)` searches",
            )
