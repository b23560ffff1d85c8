"""Tells which expressions are `tf.data` datasets."""

from __future__ import annotations

import ast

from tfcheck.lint.kinds import Kind
from tfcheck.lint.names import Names
from tfcheck.lint.resolve import FunctionTarget, InstanceTarget, Resolver
from tfcheck.lint.scopes import FileIndex, How
from tfcheck.lint.vocabulary import DATASET_METHODS, DATASET_ONLY_METHODS, result_of


class Datasets:
    """Looks at how names are bound, without following values through code."""

    def __init__(self, index: FileIndex, names: Names, resolver: Resolver) -> None:
        self._index = index
        self._names = names
        self._resolver = resolver
        self._known: dict[ast.expr, bool] = {}

    def is_dataset(self, expression: ast.expr) -> bool:
        """Whether `expression` is surely a dataset."""
        if expression not in self._known:
            self._known[expression] = False  # what refers to itself ends here
            self._known[expression] = self._find(expression)
        return self._known[expression]

    def _find(self, expression: ast.expr) -> bool:
        match expression:
            case ast.Call():
                return self._call(expression) or self._is_chained(expression)
            case ast.Name():
                return self._name(expression) or self._is_chained(expression)
            case ast.Attribute():
                return self._attribute(expression) or self._is_chained(expression)
        return False

    def _call(self, call: ast.Call) -> bool:
        qualified = self._names.qualified(call.func)
        if qualified is not None and result_of(qualified).kind is Kind.DATASET:
            return True
        if isinstance(call.func, ast.Attribute) and call.func.attr in DATASET_METHODS:
            # `num_parallel_calls` is an argument of nothing else that maps.
            words = {keyword.arg for keyword in call.keywords}
            return "num_parallel_calls" in words or self.is_dataset(call.func.value)
        found = self._resolver.symbols(call.func)
        returned = [
            statement.value
            for target in found
            if isinstance(target, FunctionTarget) and self._resolver.is_local(target.function)
            for statement in target.function.scope.returns
        ]
        return any(value is not None and self.is_dataset(value) for value in returned)

    def _is_chained(self, expression: ast.expr) -> bool:
        """Whether a method is called on it that only datasets have."""
        parent = self._index.parents.get(expression)
        called = isinstance(parent, ast.Attribute) and isinstance(
            self._index.parents.get(parent), ast.Call
        )
        return called and isinstance(parent, ast.Attribute) and parent.attr in DATASET_ONLY_METHODS

    def _name(self, name: ast.Name) -> bool:
        holder = self._index.scope_of(name).lookup(name.id)
        for binding in holder.bindings[name.id] if holder else ():
            if binding.how is How.ASSIGN and binding.value is not None:
                if self.is_dataset(binding.value):
                    return True
            elif isinstance(binding.node, ast.arg) and binding.node.annotation is not None:
                qualified = self._names.qualified(binding.node.annotation) or ""
                if qualified.startswith("tensorflow.data.") and qualified.endswith("Dataset"):
                    return True
        return False

    def _attribute(self, attribute: ast.Attribute) -> bool:
        owners = [
            target.owner
            for target in self._resolver.symbols(attribute.value)
            if isinstance(target, InstanceTarget)
        ]
        scopes = {method.scope for owner in owners for method in owner.methods.values()}
        return any(
            store.value is not None and self.is_dataset(store.value)
            for store in self._index.stores
            if store.scope in scopes
            and isinstance(store.target, ast.Attribute)
            and store.target.attr == attribute.attr
        )
