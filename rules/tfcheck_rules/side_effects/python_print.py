"""TFC301: `print` in traced code."""

from __future__ import annotations

import ast

from tfcheck.diagnostics import Applicability, Fix, Severity
from tfcheck.lint.fstrings import take_apart
from tfcheck.lint.rule import Rule


class PythonPrint(Rule):
    """`print` in traced code runs while tracing, not in each call.

    Why:
        The graph keeps nothing of the call: one line appears for each trace, showing symbolic
        tensors without values, and none for the calls that reuse it. A string formatted in Python
        and handed to `tf.print` holds no values either.

    Bad:
        import tensorflow as tf

        @tf.function
        def step(x):
            print("x is", x)  # TFC301
            tf.print(f"twice: {x * 2}")  # TFC301
            return x * 2

        step(tf.constant(1.0))

    Becomes:
        import tensorflow as tf

        @tf.function
        def step(x):
            tf.print("x is", x)
            tf.print("twice: ", x * 2, sep="")
            return x * 2

        step(tf.constant(1.0))

    Not flagged:
        A message that speaks of tracing, as in `print("Tracing step")`: it is meant for the trace.

    Fix safety:
        Safe. `tf.print` writes to the standard error stream unless told otherwise. A string
        with format specifications or a `file` other than the standard streams is left alone.
    """

    code = "TFC301"
    since = "0.1"
    severity = Severity.WARNING
    fix = Applicability.SAFE

    def enter_Call(self, call: ast.Call) -> None:
        """Report calls of the built-in `print`, and of `tf.print` with text made in Python."""
        name = self.model.qualified_name(call.func)
        if name == "builtins.print":
            if "trac" not in self.text(call).lower():
                self._report(call, "`print` runs only while tracing, not in each call")
        elif name == "tensorflow.print" and any(map(self._is_formatted, call.args)):
            self._report(call, "the text is formatted while tracing: it shows no values")

    def _report(self, call: ast.Call, message: str) -> None:
        self.report(call, message, hint="print with `tf.print(...)`", fix=self._fix(call))

    def _is_formatted(self, argument: ast.expr) -> bool:
        values = [self.model.value(part) for part in _put_in(argument)]
        return any(value.is_tensor and value.graph for value in values)

    def _fix(self, call: ast.Call) -> Fix | None:
        name = self.model.spelling("tensorflow.print", call.func)
        arguments = self._arguments(call) if name is not None else None
        if arguments is None:
            return None
        content = f"{name}({', '.join(arguments)})"
        return self.replace(call, content, message="Use tf.print", safe=True)

    def _arguments(self, call: ast.Call) -> list[str] | None:
        """The arguments for `tf.print`; None where it cannot print the same."""
        plain = [self._keyword(keyword) for keyword in call.keywords]
        if any(text is None for text in plain):
            return None
        formatted = [given for given in call.args if isinstance(given, ast.JoinedStr)]
        if any(_put_in(given) for given in call.args if given not in formatted):
            return None  # the text would be made while tracing as before
        if not formatted:
            texts = [self.text(argument) for argument in call.args]
            return [*(texts or ['""']), *filter(None, plain)]
        if len(call.args) != 1 or any(text and text.startswith("sep") for text in plain):
            return None
        parts = self._parts(formatted[0])
        return None if parts is None else [*parts, 'sep=""', *filter(None, plain)]

    def _keyword(self, keyword: ast.keyword) -> str | None:
        """The keyword of `tf.print`, empty for one that is not needed, None if there is none."""
        name, text = keyword.arg or "", self.text(keyword.value)
        if name == "flush":
            return ""
        if name == "file":
            known = self.model.qualified_name(keyword.value) in {"sys.stdout", "sys.stderr"}
            return f"output_stream={text}" if known else None
        known = name in {"sep", "end", "output_stream", "summarize", "name"}
        return f"{name}={text}" if known else None

    def _parts(self, text: ast.JoinedStr) -> list[str] | None:
        """The pieces of an f-string without format specifications, as arguments."""
        string = take_apart(self.text(text))
        if string is None or len(string.quote) > 1 or "r" in string.prefix.lower():
            return None
        quote = string.quote
        return [
            piece.text if piece.is_expression else f"{quote}{piece.text}{quote}"
            for piece in string.pieces
        ]


def _put_in(text: ast.expr) -> list[ast.expr]:
    """What an f-string, `"...".format(...)`, `"..." % ...` or `"..." + str(...)` is made of."""
    match text:
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return [*_put_in(left), *_put_in(right)]
        case ast.Call(func=ast.Name(id="str" | "repr"), args=[given]):
            return [given]
        case ast.JoinedStr(values=parts):
            return [part.value for part in parts if isinstance(part, ast.FormattedValue)]
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str()), attr="format")):
            return [*text.args, *(keyword.value for keyword in text.keywords)]
        case ast.BinOp(left=ast.Constant(value=str()), op=ast.Mod(), right=ast.Tuple(elts=parts)):
            return parts
        case ast.BinOp(left=ast.Constant(value=str()), op=ast.Mod(), right=right):
            return [right]
    return []
