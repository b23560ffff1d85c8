"""TFC403: several optimizers through one Function."""

from __future__ import annotations

from tfcheck.diagnostics import Severity
from tfcheck.lint.keras_objects import KerasObjects, Passed
from tfcheck.lint.rule import Rule


class OptimizerShared(Rule):
    """Several optimizers are passed to one `tf.function`.

    Why:
        Each optimizer is traced by itself, and makes its variables in its first trace. A Function
        may create variables in the first call only: the second optimizer raises `ValueError`,
        "only supports singleton tf.Variables".

    Bad:
        import tensorflow as tf

        weights = tf.Variable([1.0, 2.0])
        fast, slow = tf.keras.optimizers.Adam(0.1), tf.keras.optimizers.Adam(0.001)

        @tf.function
        def apply(optimizer, grad):
            optimizer.apply_gradients([(grad, weights)])

        apply(fast, tf.constant([0.5, 0.5]))
        apply(slow, tf.constant([0.5, 0.5]))  # TFC403

    Good:
        import tensorflow as tf

        weights = tf.Variable([1.0, 2.0])
        fast, slow = tf.keras.optimizers.Adam(0.1), tf.keras.optimizers.Adam(0.001)

        def make_apply(optimizer):
            @tf.function
            def apply(grad):
                optimizer.apply_gradients([(grad, weights)])
            return apply

        make_apply(fast)(tf.constant([0.5, 0.5]))
        make_apply(slow)(tf.constant([0.5, 0.5]))

    Not flagged:
        Optimizers that `build` gave their variables before, and plain `SGD`, which has none;
        one optimizer in several calls.
    """

    code = "TFC403"
    since = "0.1"
    severity = Severity.ERROR

    def check_file(self) -> None:
        """Compare the optimizers given for each parameter."""
        objects = KerasObjects(self.model)
        for passed in objects.passed().values():
            ours = [each for each in passed if objects.kind(each.made) == "optimizer"]
            first = ours[0] if ours else None
            for each in ours:
                other = first is not None and each.made is not first.made
                if (other or each.several) and not objects.has_variables(each):
                    self._report(each)
                    break

    def _report(self, passed: Passed) -> None:
        name = passed.site.target.function.name
        self.report(
            passed.given,
            f"`{self.text(passed.given)}` is not the only optimizer that `{name}` gets: it makes"
            " its variables in a later trace, which fails",
            hint="make one Function for each optimizer, or call `optimizer.build(...)` before",
            trace=self.model.traces.get(passed.site.target.function),
        )
