"""TFC404: several models through one Function."""

from __future__ import annotations

from math import prod

from tfcheck.diagnostics import Confidence, Severity
from tfcheck.lint.data_sizes import DataSizes
from tfcheck.lint.keras_objects import KerasObjects, Passed
from tfcheck.lint.rule import Rule


class ModelShared(Rule):
    """Several Keras models are passed to one `tf.function`.

    Why:
        Each model is traced by itself. One without variables makes them in its first trace, but a
        Function may create variables in the first call only: the second model raises
        `ValueError`, "only supports singleton tf.Variables".

    Bad:
        import tensorflow as tf

        @tf.function
        def evaluate(model, x):
            return tf.reduce_sum(model(x))

        first = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        second = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        evaluate(first, tf.ones([2, 3]))
        evaluate(second, tf.ones([2, 3]))  # TFC404

    Good:
        import tensorflow as tf

        def make_evaluate(model):
            @tf.function
            def evaluate(x):
                return tf.reduce_sum(model(x))
            return evaluate

        first = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        second = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        make_evaluate(first)(tf.ones([2, 3]))
        make_evaluate(second)(tf.ones([2, 3]))

    Not flagged:
        One model in several calls. Models with variables, as those with an `Input`, cost a trace
        each and nothing more: up to `scalar-limit` of them are reported with low confidence.
    """

    code = "TFC404"
    since = "0.1"
    severity = Severity.ERROR

    def check_file(self) -> None:
        """Compare the models given for each parameter."""
        objects = KerasObjects(self.model)
        for passed in objects.passed().values():
            ours = [each for each in passed if objects.kind(each.made) == "model"]
            first = ours[0] if ours else None
            for each in ours:
                if first is not None and (each.made is not first.made or each.several):
                    self._report(each, objects)
                    break

    def _report(self, passed: Passed, objects: KerasObjects) -> None:
        fails = not objects.has_variables(passed)
        # A trace for each of a few models is what one may want.
        many = passed.several and self._rounds(passed) > self.settings.scalar_limit
        likely = Confidence.MEDIUM if many else Confidence.LOW
        name = passed.site.target.function.name
        effect = (
            "it makes its variables in a later trace, which fails" if fails else "it traces again"
        )
        self.report(
            passed.given,
            f"`{self.text(passed.given)}` is not the only model that `{name}` gets: {effect}",
            hint="make one Function for each model, or build the models before",
            confidence=Confidence.HIGH if fails else likely,
            trace=self.model.traces.get(passed.site.target.function),
        )

    def _rounds(self, passed: Passed) -> int:
        """How many models are known to be made there."""
        sizes = DataSizes(self.model)
        return prod(sizes.rounds(loop) or 1 for loop in self.model.loops_around(passed.made))
