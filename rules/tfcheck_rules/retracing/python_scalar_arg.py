"""TFC101: Python numbers and strings that change from call to call."""

from __future__ import annotations

import ast

from tfcheck.diagnostics import Applicability, Fix, Related, Severity
from tfcheck.lint.callgraph import CallSite
from tfcheck.lint.kinds import MANY, Constant, Value
from tfcheck.lint.rule import Rule
from tfcheck.lint.scopes import FunctionInfo


class PythonScalarArg(Rule):
    """A Python number or string that varies is passed to a `tf.function`.

    Why:
        A Python value is part of the key under which a trace is kept, so every new value traces
        the function again: each costs far more than the call, and all stay in memory.

    Bad:
        import tensorflow as tf

        @tf.function
        def step(x, epoch):
            return x / tf.cast(epoch + 1, tf.float32)

        for epoch in range(100):
            step(tf.constant(1.0), epoch)  # TFC101

    Becomes:
        import tensorflow as tf

        @tf.function
        def step(x, epoch):
            return x / tf.cast(epoch + 1, tf.float32)

        for epoch in range(100):
            step(tf.constant(1.0), tf.constant(epoch))

    Not flagged:
        NumPy scalars and tensors, which share a trace; up to `scalar-limit` different values
        (3 unless configured), such as `training=True` and `training=False`; a function with an
        `input_signature`, which converts what it is given.

    Fix safety:
        Unsafe: the function may use the number where only a Python value will do, as in a shape
        or an `axis`. A number that it computes with floats becomes a float32 tensor.
    """

    code = "TFC101"
    since = "0.1"
    severity = Severity.ERROR
    fix = Applicability.UNSAFE

    def check_file(self) -> None:
        """Look at the arguments of each call of a Function from plain Python."""
        spelled: dict[ast.arg, tuple[FunctionInfo, list[tuple[ast.expr, Value]]]] = {}
        for site in self.model.eager_calls():
            if self._is_safe(site):
                continue
            for parameter, given in site.arguments():
                value = self.model.value(given)
                if not value.is_scalar:
                    continue
                if value.varies > self.settings.scalar_limit:
                    self._report_varying(site, parameter, given, value)
                else:
                    uses = spelled.setdefault(parameter, (site.target.function, []))[1]
                    uses.append((given, value))
        for parameter, (function, uses) in spelled.items():
            self._check_spelled(function, parameter, uses)

    def _is_safe(self, site: CallSite) -> bool:
        creation = site.target.creation
        if creation is None or creation.is_set("input_signature"):
            return True
        # A Function made anew in the same loop has no earlier trace to miss.
        around = self.model.loops_around(site.target.function.node)
        around += self.model.loops_around(creation.node)
        return bool(set(around) & set(self.model.loops_around(site.call)))

    def _report_varying(
        self, site: CallSite, parameter: ast.arg, given: ast.expr, value: Value
    ) -> None:
        name = site.target.function.name
        wrapped = self._wrapped(given, value, parameter, site.target.function)
        count = "every value" if value.varies >= MANY else f"each of its {value.varies} values"
        self.report(
            given,
            f"`{self.text(given)}` is {_described(value)} here: {count} traces `{name}` again",
            hint=f"pass a tensor: `{wrapped or 'tf.constant(...)'}`",
            fix=self._fix(given, wrapped),
            trace=self.model.traces.get(site.target.function),
        )

    def _check_spelled(
        self, function: FunctionInfo, parameter: ast.arg, uses: list[tuple[ast.expr, Value]]
    ) -> None:
        """Report the call that gives one value too many for a parameter."""
        known: dict[tuple[type, Constant], ast.expr] = {}
        for given, value in uses:
            fresh = [item for item in value.literals if (type(item), item) not in known]
            known.update({(type(item), item): given for item in fresh})
            if len(known) > self.settings.scalar_limit and fresh:
                places = list(dict.fromkeys(known.values()))
                wrapped = self._wrapped(given, value, parameter, function)
                self.report(
                    given,
                    f"`{parameter.arg}` takes {len(known)} different Python values:"
                    " each traces again",
                    hint=f"pass a tensor: `{wrapped or 'tf.constant(...)'}`",
                    related=self._earlier(places[:-1]),
                    fix=self._fix(given, wrapped),
                )
                return

    def _earlier(self, places: list[ast.expr]) -> list[Related]:
        return [self.related(place, f"here it is `{self.text(place)}`") for place in places]

    def _wrapped(
        self, given: ast.expr, value: Value, parameter: ast.arg, function: FunctionInfo
    ) -> str | None:
        """The tensor to pass: a float where the function computes with floats.

        A Python integer takes the dtype of what it meets there; an int32 tensor does not.
        """
        name = self.model.spelling("tensorflow.constant", given)
        if name is None:
            return None
        text = self.text(given)
        dtype = self.model.spelling("tensorflow.float32", given)
        if dtype is None or not _may_be_integer(value) or not _meets_floats(parameter, function):
            return f"{name}({text})"
        return f"{name}({text}, {dtype})"

    def _fix(self, given: ast.expr, wrapped: str | None) -> Fix | None:
        if wrapped is None:
            return None
        return self.replace(given, wrapped, message="Pass a tensor", safe=False)


_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow)


def _meets_floats(parameter: ast.arg, function: FunctionInfo) -> bool:
    """Whether a parameter is added to, multiplied with or divided by more than integers."""
    for node in ast.walk(function.node):
        if not isinstance(node, ast.BinOp) or not isinstance(node.op, _ARITHMETIC):
            continue
        for mine, other in ((node.left, node.right), (node.right, node.left)):
            if not _is_name(mine, parameter.arg) or _is_name(other, parameter.arg):
                continue
            if isinstance(node.op, ast.Div) or not _is_integer(other):
                return True
    return False


def _is_name(node: ast.expr, name: str) -> bool:
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    return isinstance(node, ast.Name) and node.id == name


def _is_integer(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int)


def _may_be_integer(value: Value) -> bool:
    types = {type(item) for item in value.literals}
    return value.origin != "builtins.float" and (not types or int in types) and bool not in types


def _described(value: Value) -> str:
    types = {type(item).__name__ for item in value.literals}
    if value.origin is not None and value.origin.startswith("builtins."):
        types.add(value.origin.removeprefix("builtins."))
    return f"a Python {types.pop()}" if len(types) == 1 else "a Python value"
