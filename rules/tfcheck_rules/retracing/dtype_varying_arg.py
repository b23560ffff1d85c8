"""TFC106: one argument in several dtypes."""

from __future__ import annotations

import ast

from tfcheck.diagnostics import Confidence, Severity
from tfcheck.lint.form_flow import FormFlow
from tfcheck.lint.forms import Form, Sort
from tfcheck.lint.rule import Rule
from tfcheck.lint.test_files import is_test_file


class DtypeVaryingArg(Rule):
    """Calls pass tensors of different dtypes for one argument.

    Why:
        The dtype is part of the key under which a trace is kept: each traces the function again.
        NumPy makes `float64` and `int64` where TensorFlow makes `float32` and `int32`.

    Bad:
        import numpy as np
        import tensorflow as tf

        @tf.function
        def total(x):
            return tf.reduce_sum(x)

        total(tf.ones([3]))
        total(np.ones(3))  # TFC106

    Good:
        import numpy as np
        import tensorflow as tf

        @tf.function
        def total(x):
            return tf.reduce_sum(x)

        total(tf.ones([3]))
        total(np.ones(3, np.float32))

    Not flagged:
        Further calls with the same dtype; dtypes the source does not tell; functions with an
        `input_signature`; files of tests.
        Integers beside floats, and two dtypes without NumPy, may be meant: they are reported
        with low confidence.
    """

    code = "TFC106"
    since = "0.1"
    severity = Severity.WARNING
    confidence = Confidence.MEDIUM

    def check_file(self) -> None:
        """Compare the dtypes of all calls, parameter by parameter."""
        if is_test_file(self.model.source.filename):
            return
        forms = FormFlow(self.model)
        known: dict[ast.arg, tuple[Form, ast.expr]] = {}
        told: set[tuple[ast.arg, str]] = set()
        sites = sorted(self.model.eager_calls(), key=lambda s: (s.call.lineno, s.call.col_offset))
        for site in sites:
            creation = site.target.creation
            if creation is None or creation.is_set("input_signature"):
                continue
            for parameter, given in site.arguments():
                form = forms.of(given)
                if form is None or form.dtype is None:
                    continue
                if form.sort not in {Sort.TENSOR, Sort.ARRAY}:
                    continue
                before, first = known.setdefault(parameter, (form, given))
                if before.dtype != form.dtype and (parameter, form.dtype) not in told:
                    told.add((parameter, form.dtype))
                    self._report(parameter, given, forms=(before, form), first=first)

    def _report(
        self, parameter: ast.arg, given: ast.expr, *, forms: tuple[Form, Form], first: ast.expr
    ) -> None:
        dtypes = [form.dtype or "" for form in forms]
        alike = len({dtype.rstrip("0123456789") for dtype in dtypes}) == 1
        by_numpy = Sort.ARRAY in {form.sort for form in forms}
        self.report(
            given,
            f"`{parameter.arg}` is {dtypes[1]} here and {dtypes[0]} at {self.line(first)}: each"
            " dtype has a trace of its own",
            hint="convert it to one dtype, or give an `input_signature`",
            related=[self.related(first, f"here it is {dtypes[0]}")],
            confidence=Confidence.MEDIUM if alike and by_numpy else Confidence.LOW,
        )
