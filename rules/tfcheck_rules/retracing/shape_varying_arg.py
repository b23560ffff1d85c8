"""TFC105: tensors of ever new shapes as arguments."""

from __future__ import annotations

import ast

from tfcheck.diagnostics import Applicability, Confidence, Edit, Fix, Severity, Span
from tfcheck.lint.batches import Batches
from tfcheck.lint.callgraph import CallSite
from tfcheck.lint.repeats import repeating_loops
from tfcheck.lint.resolve import Creation
from tfcheck.lint.rule import Rule
from tfcheck.lint.scopes import LoopNode
from tfcheck.lint.varying_shapes import VaryingShapes

_OPTION = "reduce_retracing=True"


class ShapeVaryingArg(Rule):
    """Tensors of ever new shapes are passed to a `tf.function`.

    Why:
        The shape of a tensor is part of the key under which a trace is kept, so every new length
        traces the function again, unless a signature or `reduce_retracing` leaves it open.

    Bad:
        import tensorflow as tf

        @tf.function
        def total(sequence):
            return tf.reduce_sum(sequence)

        for length in range(3, 10):
            total(tf.ones([1, length, 1]))  # TFC105

    Becomes:
        import tensorflow as tf

        @tf.function(reduce_retracing=True)
        def total(sequence):
            return tf.reduce_sum(sequence)

        for length in range(3, 10):
            total(tf.ones([1, length, 1]))

    Not flagged:
        Up to `scalar-limit` different shapes; functions with an `input_signature` or
        `reduce_retracing`; batches that are all alike. A last batch that may be smaller, where
        the size of the dataset is not known, is reported with low confidence.

    Fix safety:
        Safe: the function computes the same with an open dimension. Where it reads a static
        shape, nothing is changed.
    """

    code = "TFC105"
    since = "0.1"
    severity = Severity.WARNING
    fix = Applicability.SAFE

    def check_file(self) -> None:
        """Look at the arguments of each call of a Function that a loop repeats."""
        shapes = VaryingShapes(self.model, limit=self.settings.scalar_limit)
        batches = Batches(self.model)
        for site in self.model.eager_calls():
            creation = site.target.creation
            loops = repeating_loops(self.model, site.call)
            if creation is None or not loops or self._is_safe(site, creation, loops):
                continue
            for _, given in site.arguments():
                reason = shapes.reason(given, loops)
                if reason is not None:
                    self._report(site, given, f"{reason}: each shape traces")
                    break
                uneven = self._batch(given, batches)
                if uneven is not None:
                    message, confidence = uneven
                    self._report(site, given, f"{message}: it traces", confidence)
                    break

    def _is_safe(self, site: CallSite, creation: Creation, loops: list[LoopNode]) -> bool:
        if any(map(creation.is_set, ("input_signature", "reduce_retracing"))):
            return True
        if creation.is_set("experimental_relax_shapes"):
            return True
        # A Function made anew in the same loop has no earlier trace to miss.
        around = self.model.loops_around(site.target.function.node)
        around += self.model.loops_around(creation.node)
        return bool(set(around) & set(loops))

    def _batch(self, given: ast.expr, batches: Batches) -> tuple[str, Confidence] | None:
        """How the batches differ that a loop over a dataset binds to a name."""
        bound = self._loop_target(given) if isinstance(given, ast.Name) else None
        dataset = batches.dataset_of(bound) if bound is not None else None
        uneven = batches.uneven(dataset) if dataset is not None else None
        if uneven is None:
            return None
        return uneven.message, Confidence.MEDIUM if uneven.is_sure else Confidence.LOW

    def _loop_target(self, name: ast.Name) -> ast.Name | None:
        """Where the innermost loop around binds the name."""
        for loop in self.model.loops_around(name):
            for node in ast.walk(loop.target) if not isinstance(loop, ast.While) else ():
                if isinstance(node, ast.Name) and node.id == name.id:
                    return node
        return None

    def _report(
        self,
        site: CallSite,
        given: ast.expr,
        message: str,
        confidence: Confidence = Confidence.HIGH,
    ) -> None:
        function = site.target.function
        self.report(
            given,
            f"`{self.text(given)}`: {message} `{function.name}` again",
            hint="give an `input_signature` with None for the size, or `reduce_retracing=True`",
            confidence=confidence,
            fix=self._fix(site),
            trace=self.model.traces.get(function),
        )

    def _fix(self, site: CallSite) -> Fix | None:
        """Add the option where `tf.function` is applied."""
        creation = site.target.creation
        shapes = {"shape", "get_shape", "ndim"}
        reads = any(
            isinstance(node, ast.Attribute) and node.attr in shapes
            for node in ast.walk(site.target.function.node)
        )
        if creation is None or reads or not self.model.is_local(creation.node):
            return None
        applied = creation.node
        end = self.span(applied).end
        if not isinstance(applied, ast.Call):
            named = self.model.qualified_name(applied) == "tensorflow.function"
            if not named or not creation.decorates:
                return None
            edit = Edit(Span(end, end), f"({_OPTION})")
            return self.edits([edit], message=f"Add {_OPTION}", safe=True)
        given: list[ast.expr | ast.keyword] = [*applied.args, *applied.keywords]
        if not given or self.model.qualified_name(applied.func) != "tensorflow.function":
            return None
        last = max(given, key=lambda node: (node.lineno, node.col_offset))
        after = self.span(last).end
        edit = Edit(Span(after, after), f", {_OPTION}")
        return self.edits([edit], message=f"Add {_OPTION}", safe=True)
