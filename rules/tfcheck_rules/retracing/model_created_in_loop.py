"""TFC111: Keras models made again and again."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tfcheck.diagnostics import Confidence, Severity
from tfcheck.lint import entries
from tfcheck.lint.data_sizes import DataSizes
from tfcheck.lint.repeats import repeating_loops
from tfcheck.lint.resolve import ClassTarget, FunctionTarget
from tfcheck.lint.rule import Rule
from tfcheck.lint.scopes import FunctionInfo, How, LoopNode
from tfcheck.lint.test_files import is_test_file

_COMPILED = {"predict", "evaluate", "fit"}
_MAKERS = {"keras.models.clone_model", "keras.Model", "keras.Sequential"}
_LOADERS = {"keras.models.load_model", "keras.models.model_from_json"}
_CACHES = {"functools.cache", "functools.lru_cache"}
_USES = {*_COMPILED, "train_on_batch", "predict_on_batch", "save", "save_weights", "get_weights"}
_MAX_DEPTH = 3


class ModelCreatedInLoop(Rule):
    """A Keras model is made anew for each `predict`, `evaluate` or `fit`.

    Why:
        A model compiles its own step at the first call. One made for a single `predict` traces
        and compiles in each round, and Keras keeps what it built: time and memory grow.

    Bad:
        import numpy as np
        import keras

        base = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3)])
        for layer in base.layers * 4:
            probe = keras.Model(base.inputs, layer.output)
            probe.predict(np.ones((2, 4)))  # TFC111

    Good:
        import numpy as np
        import keras

        base = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3)])
        probe = keras.Model(base.inputs, [layer.output for layer in base.layers])
        for x in np.ones((4, 2, 4)):
            probe.predict(x)

    Not flagged:
        Models that are trained in the loop for several epochs, as in a search over settings;
        models made before the loop, or loaded from another place in each round; `model(x)`, which
        compiles nothing; loops of up to `scalar-limit` rounds; files of tests.
    """

    code = "TFC111"
    since = "0.1"
    severity = Severity.WARNING
    confidence = Confidence.MEDIUM
    everywhere = True
    words = (".predict(", ".evaluate(", ".fit(")

    def check_file(self) -> None:
        """Look at the calls of Keras methods that a loop repeats."""
        self._sizes = DataSizes(self.model)
        if is_test_file(self.model.source.filename):
            return
        for call in self.model.index.calls():
            method = call.func
            if not isinstance(method, ast.Attribute) or method.attr not in _COMPILED:
                continue
            made = self._made(method.value)
            loops = repeating_loops(self.model, made) if made is not None else []
            if made is None or not loops or not self._is_remade(made, call, loops[0]):
                continue
            if not self._is_trained(method.value, call):
                self._report(call, method, made)

    def _made(self, receiver: ast.expr) -> ast.Call | None:
        """Where the model is made, if the name holds only that."""
        if isinstance(receiver, ast.Call):
            return receiver if self._makes(receiver) else None
        if not isinstance(receiver, ast.Name):
            return None
        bindings = list(self.model.bindings(receiver))
        if len(bindings) > 1:
            bindings = self.model.index.reaching(receiver, bindings)
        if len(bindings) != 1 or bindings[0].how is not How.ASSIGN:
            return None
        value = bindings[0].value
        return value if isinstance(value, ast.Call) and self._makes(value) else None

    def _makes(self, call: ast.Call, *, depth: int = _MAX_DEPTH) -> bool:
        """Whether a call gives a new model."""
        name = self.model.qualified_name(call.func)
        if name is not None:
            return (
                name in _MAKERS
                or name.startswith("keras.applications.")
                or (name.startswith("keras.models.") and name.rpartition(".")[2][:1].isupper())
                or (name in _LOADERS and self._is_always_the_same(call))
            )
        targets = self.model.targets(call.func)
        return bool(targets) and all(
            any(map(entries.is_keras_base, self.model.resolver.external_bases(target.owner)))
            if isinstance(target, ClassTarget)
            else isinstance(target, FunctionTarget) and self._builds(target.function, depth)
            for target in targets
        )

    def _is_always_the_same(self, call: ast.Call) -> bool:
        """Whether what is loaded follows neither a loop nor a parameter, and is not made here."""
        if any(map(self._makes_or_saves, self.model.index.scope_of(call).owner().calls)):
            return False
        names = [node for node in ast.walk(call) if isinstance(node, ast.Name)]
        bindings = [binding for name in names for binding in self.model.bindings(name)]
        return all(
            binding.how is How.IMPORT
            or (
                binding.how is How.ASSIGN
                and binding.scope.parent is None
                and not self.model.loops_around(binding.node)
            )
            for binding in bindings
        )

    def _makes_or_saves(self, call: ast.Call) -> bool:
        saves = isinstance(call.func, ast.Attribute) and call.func.attr in {"save", "fit"}
        return saves or self.model.qualified_name(call.func) in _MAKERS

    def _builds(self, function: FunctionInfo, depth: int) -> bool:
        """Whether a function returns a model that it makes itself."""
        names = (self.model.qualified_name(_called(node)) for node in function.decorators)
        if not depth or any(name in _CACHES for name in names):
            return False
        values = [statement.value for statement in function.scope.returns]
        made = [value for each in values for value in self._values(each)]
        return bool(made) and all(
            isinstance(value, ast.Call) and self._makes(value, depth=depth - 1) for value in made
        )

    def _values(self, value: ast.expr | None) -> Iterator[ast.expr | None]:
        """What is returned, through local names."""
        if not isinstance(value, ast.Name):
            yield value
            return
        holder = self.model.holder(value)
        local = holder is not None and holder.parent is not None
        yield from (binding.value if local else None for binding in self.model.bindings(value))

    def _is_remade(self, made: ast.Call, call: ast.Call, loop: LoopNode) -> bool:
        if self.model.loops_around(made)[:1] != self.model.loops_around(call)[:1]:
            return False
        rounds = self._sizes.rounds(loop)
        return rounds is None or rounds > self.settings.scalar_limit

    def _is_trained(self, receiver: ast.expr, call: ast.Call) -> bool:
        """Whether the same model is fitted and then used, or fitted for several epochs."""
        spelled = ast.unparse(receiver)
        used: list[ast.Call] = []
        for other in self.model.index.scope_of(call).owner().calls:
            func = other.func
            if isinstance(func, ast.Attribute) and func.attr in _USES:
                used += [other] if ast.unparse(func.value) == spelled else []
        fitted = [other for other in used if _method(other) in {"fit", "train_on_batch"}]
        return bool(fitted) and (len(used) > 1 or any(map(_is_long, fitted)))

    def _report(self, call: ast.Call, method: ast.Attribute, made: ast.Call) -> None:
        self.report(
            call,
            f"a new model is made for each `{method.attr}`: every call traces and compiles",
            hint="make the model once, before the loop, or call it as `model(x)`",
            related=[self.related(made, "made here")],
        )


def _method(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def _is_long(fit: ast.Call) -> bool:
    """Whether it is told to run other than one epoch."""
    epochs = [word.value for word in fit.keywords if word.arg in {"epochs", None}]
    several = any(not isinstance(n, ast.Constant) or n.value != 1 for n in epochs)
    return several or len(fit.args) > 3


def _called(decorator: ast.expr) -> ast.expr:
    return decorator.func if isinstance(decorator, ast.Call) else decorator
