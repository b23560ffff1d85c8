"""TFC402: layers, models, optimizers and metrics created in traced code."""

from __future__ import annotations

import ast

from tfcheck.diagnostics import Severity
from tfcheck.lint import entries
from tfcheck.lint.guards import Guards
from tfcheck.lint.resolve import ClassTarget
from tfcheck.lint.rule import Rule
from tfcheck.lint.scopes import ClassInfo

_STATELESS = {
    *("Activation", "ReLU", "LeakyReLU", "ELU", "Softmax", "Flatten", "Reshape", "Permute"),
    *("RepeatVector", "Lambda", "Masking", "Add", "Subtract", "Multiply", "Average", "Maximum"),
    *("Minimum", "Concatenate", "Dot", "Identity", "InputLayer", "Rescaling", "Resizing"),
    *("CenterCrop", "UnitNormalization", "CategoryEncoding", "InputSpec", "Layer", "Wrapper"),
}
_STATELESS_PARTS = ("Pooling", "MaxPool", "AvgPool", "Padding", "Cropping", "UpSampling")
_STATEFUL_MODULES = ("keras.layers.", "keras.optimizers.", "keras.metrics.")
_PLAIN = {"Layer", "Model"}
_WEIGHTS = {"add_weight", "add_variable", "track_variable"}
_MODELS = {"keras.Model", "keras.models.Model", "keras.Sequential", "keras.models.Sequential"}


class KerasObjectCreatedInTrace(Rule):
    """A Keras layer, model, optimizer or metric is created in traced code.

    Why:
        Each trace makes a new one with new variables, which a Function may create the first time
        only: TensorFlow raises "only supports singleton tf.Variables". Where it does not, the
        weights are never trained, as nothing keeps them.

    Bad:
        import tensorflow as tf

        class Head(tf.keras.layers.Layer):
            def call(self, x):
                projection = tf.keras.layers.Dense(2)  # TFC402
                return projection(x)

    Good:
        import tensorflow as tf

        class Head(tf.keras.layers.Layer):
            def __init__(self):
                super().__init__()
                self.projection = tf.keras.layers.Dense(2)

            def call(self, x):
                return self.projection(x)

    Not flagged:
        Objects that are kept and created under a test such as `if self.head is None`. Layers
        without variables (`Flatten`, `Add`, pooling, those of the project that create none),
        losses and initializers.
    """

    code = "TFC402"
    since = "0.1"
    severity = Severity.ERROR

    def check_file(self) -> None:
        """Look at each call in traced code."""
        guards = Guards(self.model)
        for call in self.model.traced_calls:
            trace = self.model.trace_around(call)
            if trace is not None and self._creates(call) and not guards.is_created_once(call):
                self.report(
                    call,
                    f"each trace creates a new `{self.text(call.func)}` with new variables",
                    hint="create it in the constructor or in `build`, or outside the Function",
                    trace=trace,
                )

    def _creates(self, call: ast.Call) -> bool:
        name = self.model.qualified_name(call.func)
        if name is None:
            found = self.model.targets_anywhere(call.func)
            return any(
                isinstance(target, ClassTarget) and self._keeps_state(target.owner)
                for target in found
            )
        return self._is_stateful_call(name)

    def _is_stateful_call(self, name: str) -> bool:
        last = name.rpartition(".")[2]
        stateless = last in _STATELESS or any(part in last for part in _STATELESS_PARTS)
        known = name in _MODELS or name.startswith(_STATEFUL_MODULES)
        return known and last[:1].isupper() and not stateless

    def _keeps_state(self, owner: ClassInfo) -> bool:
        """Whether a Keras class of the project makes variables, as far as its code tells."""
        bases = self.model.resolver.external_bases(owner)
        if not any(map(_is_stateful, bases)):
            return False
        if any(base.rpartition(".")[2] not in _PLAIN for base in bases if _is_stateful(base)):
            return True
        return any(
            self._makes_state(node)
            for info in self.model.resolver.lineage(owner)
            for node in ast.walk(info.node)
            if isinstance(node, ast.Call)
        )

    def _makes_state(self, call: ast.Call) -> bool:
        if isinstance(call.func, ast.Attribute) and call.func.attr in _WEIGHTS:
            return True
        name = self.model.qualified_name(call.func)
        if name is None or name.startswith(("tensorflow.Variable", "tensorflow.random.Generator")):
            return name is not None or any(
                isinstance(target, ClassTarget) for target in self.model.targets(call.func)
            )
        return self._is_stateful_call(name)


def _is_stateful(base: str) -> bool:
    return entries.is_keras_base(base) or base.startswith(_STATEFUL_MODULES)
