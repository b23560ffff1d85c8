"""TFC108: an `input_signature` that fits neither the function nor its calls."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tfcheck.diagnostics import Severity
from tfcheck.lint.form_flow import FormFlow
from tfcheck.lint.forms import Form, Sort
from tfcheck.lint.library_forms import literal_shape
from tfcheck.lint.resolve import Creation, FunctionTarget
from tfcheck.lint.rule import Rule
from tfcheck.lint.scopes import FunctionInfo
from tfcheck.lint.spelled_shapes import SpecEntry, SpelledShapes


class InputSignatureMismatch(Rule):
    """An `input_signature` does not fit the function or a call.

    Why:
        TensorFlow compares the signature with the parameters when the Function is made, and with
        the arguments in each call. Both raise `TypeError`.

    Bad:
        import tensorflow as tf

        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])  # TFC108
        def weighted_sum(x, w):
            return tf.reduce_sum(x * w)

        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def total(x):
            return tf.reduce_sum(x)

        total(tf.constant([1, 2]))  # TFC108

    Good:
        import tensorflow as tf

        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)] * 2)
        def weighted_sum(x, w):
            return tf.reduce_sum(x * w)

        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def total(x):
            return tf.reduce_sum(x)

        total(tf.constant([1.0, 2.0]))

    Not flagged:
        Fewer entries than parameters where the rest have defaults; `self`, which is not counted;
        NumPy arrays, numbers and lists of another dtype, which are converted; signatures that are
        computed; arguments of unknown dtype and shape.
    """

    code = "TFC108"
    since = "0.1"
    severity = Severity.ERROR

    def check_file(self) -> None:
        """Look at each signature, then at the calls of its function."""
        self._spelled, self._forms = SpelledShapes(self.model), FormFlow(self.model)
        seen: set[ast.expr] = set()
        for creation, target in self._applied():
            given = creation.option("input_signature")
            if given is None or not creation.is_set("input_signature"):
                continue
            wrong = self._wrong_kind(given) or self._misfit(creation, target)
            if wrong is not None:
                if wrong[0] not in seen:
                    seen.add(wrong[0])
                    self._report(wrong[0], wrong[1], target.function)
                continue
            self._check_calls(creation, target.function)

    def _applied(self) -> Iterator[tuple[Creation, FunctionTarget]]:
        """Each place that applies `tf.function` with what it is applied to."""
        for function in self.model.index.functions:
            creation = self.model.creation_of(function)
            if creation is not None:
                names = map(self.model.qualified_name, function.decorators)
                bound = function.owner is not None and "builtins.staticmethod" not in names
                yield creation, FunctionTarget(function, creation, bound)
        for call in self.model.index.calls():
            wrapped = self.model.resolver.wrapping(call)
            for target in self.model.resolver.functions(wrapped[1]) if wrapped else ():
                if wrapped is not None:
                    yield wrapped[0], target

    # The signature itself

    def _wrong_kind(self, given: ast.expr) -> tuple[ast.expr, str] | None:
        written = self._spelled.resolved(given)
        is_spec = self._spelled.spec(written) is not None
        if is_spec or isinstance(written, ast.Dict):
            what = "a single spec" if is_spec else "a dict"
            return given, f"`input_signature` is {what}: it must be a list or tuple of specs"
        return None

    def _misfit(self, creation: Creation, target: FunctionTarget) -> tuple[ast.expr, str] | None:
        entries = self._spelled.signature(creation)
        if entries is None:
            return None
        for entry in entries:
            if entry.is_wrong:
                text = self.text(entry.node)
                return entry.node, f"`{text}` in `input_signature` is not a `tf.TensorSpec`"
        message = _miscount(entries, target)
        return None if message is None else (creation.node, message)

    # Calls

    def _check_calls(self, creation: Creation, function: FunctionInfo) -> None:
        entries = self._spelled.signature(creation)
        if entries is None:
            return
        for site in self.model.calls_to(function):
            made = site.target.creation
            if made is None or made.option("input_signature") is not creation.option(
                "input_signature"
            ):
                continue
            start = 1 if site.target.bound else 0
            for parameter, given in site.arguments():
                place = function.parameters.index(parameter) - start
                if place < len(entries):
                    message = self._unfit(given, entries[place])
                else:
                    message = self._unlisted(parameter, given, function)
                if message is not None:
                    self._report(given, f"`{self.text(given)}` {message}", function)

    def _unlisted(self, parameter: ast.arg, given: ast.expr, function: FunctionInfo) -> str | None:
        """A parameter beyond the signature takes its default only."""
        default = function.defaults().get(parameter.arg)
        if default is None or ast.dump(default) == ast.dump(given):
            return None
        if not isinstance(default, ast.Constant):
            return None
        known = self.model.value(given)
        differs = known.is_tensor or (
            len(known.literals) == 1 and known.literals[0] != default.value
        )
        if not differs:
            return None
        return f"is given for `{parameter.arg}`, which the signature fixes to its default"

    def _unfit(self, given: ast.expr, entry: SpecEntry) -> str | None:
        """How an argument differs from what the signature asks for."""
        form, asked = self._forms.of(given), entry.form
        if form is None or asked is None:
            return None
        if form.sort is Sort.NONE:
            return "is None where the signature asks for a tensor"
        if form.sort is Sort.TENSOR or "string" in {form.dtype, asked.dtype}:
            known = form.dtype is not None and asked.dtype is not None
            if known and form.dtype != asked.dtype:
                return f"is {form.dtype} where the signature asks for {asked.dtype}"
        integers = (asked.dtype or "").startswith(("int", "uint"))
        if form.sort is Sort.NUMBER and form.dtype == "float32" and integers:
            return f"is a Python float where the signature asks for {asked.dtype}"
        return _misshapen(form, asked)

    def _report(self, where: ast.expr, message: str, function: FunctionInfo) -> None:
        self.report(
            where,
            f"{message}: TensorFlow raises `TypeError`",
            hint="give one `tf.TensorSpec` for each parameter, `self` aside",
            trace=self.model.traces.get(function),
        )


def _miscount(entries: list[SpecEntry], target: FunctionTarget) -> str | None:
    """How the number of entries differs from that of the parameters."""
    function = target.function
    arguments = function.node.args
    named = [*arguments.posonlyargs, *arguments.args][1 if target.bound else 0 :]
    defaults = function.defaults()
    required = [parameter for parameter in named if parameter.arg not in defaults]
    if len(entries) > len(named) and arguments.vararg is None:
        return f"`input_signature` has {len(entries)} entries for {len(named)} parameters"
    if len(entries) < len(required):
        return f"`input_signature` has no entry for `{required[len(entries)].arg}`"
    for parameter in arguments.kwonlyargs:
        if parameter.arg not in defaults:
            return f"the keyword-only `{parameter.arg}` needs a default beside an `input_signature`"
    return None


def _misshapen(form: Form, asked: Form) -> str | None:
    shape = literal_shape(form)
    if shape is None or asked.shape is None:
        return None
    fits = len(shape) == len(asked.shape) and all(
        ours is None or theirs is None or ours == theirs
        for ours, theirs in zip(shape, asked.shape, strict=True)
    )
    return None if fits else f"has shape {shape} where the signature asks for {asked.shape}"
