"""TFC110: decorated methods of objects that nobody keeps."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tfcheck.diagnostics import Severity
from tfcheck.lint.resolve import ClassTarget, FunctionTarget, is_self
from tfcheck.lint.rule import Rule
from tfcheck.lint.scopes import ClassInfo, FunctionInfo, How


class TemporaryInstanceMethod(Rule):
    """A decorated method is taken from an object that nobody keeps.

    Why:
        A Function knows the object of a method by a weak reference. When nothing else keeps the
        object, it is gone before the call: "'NoneType' object has no attribute".

    Bad:
        import tensorflow as tf

        class Doubler:
            def __init__(self):
                self.factor = 2

            @tf.function
            def apply(self, x):
                return x * self.factor

        Doubler().apply(tf.constant(3))  # TFC110

    Good:
        import tensorflow as tf

        class Doubler:
            def __init__(self):
                self.factor = 2

            @tf.function
            def apply(self, x):
                return x * self.factor

        doubler = Doubler()
        doubler.apply(tf.constant(3))

    Not flagged:
        `Doubler()(x)`, which keeps the object for the call; static methods and class methods;
        methods that do not use their object;
        methods that return the object, as in `Doubler().scaled(3).apply(x)`; classes whose
        constructor stores the object; bound methods wrapped by `tf.function(obj.method)`.
    """

    code = "TFC110"
    since = "0.1"
    severity = Severity.ERROR

    def check_file(self) -> None:
        """Look at each place that takes a decorated method."""
        decorated = {
            function.name
            for function in self.model.index.functions
            if function.owner is not None and self.model.creation_of(function) is not None
        }
        for node in ast.walk(self.model.tree) if decorated else ():
            if isinstance(node, ast.Attribute) and node.attr in decorated:
                self._check(node)

    def _check(self, node: ast.Attribute) -> None:
        for method in self._methods(node):
            if self._uses_object(method) and self._is_temporary(node, method):
                self.report(
                    node,
                    f"nothing keeps the object of `{self.text(node)}`: the Function, which holds"
                    " it weakly, finds None",
                    hint="bind the object to a name that lives as long as its method is used",
                    trace=self.model.traces.get(method),
                )
                return

    def _uses_object(self, method: FunctionInfo) -> bool:
        parts = (part for part in ast.walk(method.node) if isinstance(part, ast.expr))
        return any(is_self(part, method) for part in parts)

    def _methods(self, node: ast.Attribute) -> Iterator[FunctionInfo]:
        for target in self.model.targets(node):
            if not isinstance(target, FunctionTarget) or not target.bound:
                continue
            function, creation = target.function, target.creation
            names = map(self.model.qualified_name, function.decorators)
            if creation is not None and creation.decorates and "builtins.classmethod" not in names:
                yield function

    def _is_temporary(self, node: ast.Attribute, method: FunctionInfo) -> bool:
        match node.value:
            case ast.Call() as made:
                return self._is_fresh(made)
            case ast.Name() as name:
                parent = self.model.index.parents.get(node)
                return isinstance(parent, ast.Return) and self._is_local(name)
        return False

    def _is_fresh(self, call: ast.Call) -> bool:
        """Whether the call makes an object and keeps no reference."""
        targets = self.model.targets(call.func)
        if not targets:
            return False
        return all(
            self._forgets(target.owner)
            if isinstance(target, ClassTarget)
            else isinstance(target, FunctionTarget) and self._is_factory(target.function)
            for target in targets
        )

    def _is_factory(self, function: FunctionInfo) -> bool:
        """Whether a function returns an object that it has just made."""
        returns = [statement.value for statement in function.scope.returns]
        if function.decorators or not returns:
            return False
        return all(isinstance(value, ast.Call) and self._makes(value) for value in returns)

    def _makes(self, call: ast.Call) -> bool:
        targets = self.model.targets(call.func)
        return bool(targets) and all(
            isinstance(target, ClassTarget) and self._forgets(target.owner) for target in targets
        )

    def _forgets(self, owner: ClassInfo) -> bool:
        """Whether no constructor hands the object to anything."""
        for info in self.model.resolver.lineage(owner):
            for name in ("__init__", "__new__", "__post_init__"):
                method = info.methods.get(name)
                for node in ast.walk(method.node) if method is not None else ():
                    if (
                        method is None
                        or not isinstance(node, ast.expr)
                        or not is_self(node, method)
                    ):
                        continue
                    parent = self.model.index.parents.get(node)
                    if not isinstance(parent, ast.Attribute | ast.arg):
                        return False
        return True

    def _is_local(self, name: ast.Name) -> bool:
        """Whether the object dies with the function that returns one of its methods."""
        function = self.model.function_around(name)
        bindings = self.model.bindings(name)
        if function is None or self.model.holder(name) is not function.scope:
            return False
        made = [binding.value for binding in bindings if binding.how is How.ASSIGN]
        if len(made) < len(bindings) or len(made) != 1:
            return False
        if not isinstance(made[0], ast.Call) or not self._makes(made[0]):
            return False
        reads = [
            node
            for node in ast.walk(function.node)
            if isinstance(node, ast.Name) and node.id == name.id and isinstance(node.ctx, ast.Load)
        ]
        parents = [self.model.index.parents.get(node) for node in reads]
        return all(isinstance(parent, ast.Attribute) for parent in parents)
