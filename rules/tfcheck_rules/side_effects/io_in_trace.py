"""TFC307: logging, files and other input and output in traced code."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tfcheck.diagnostics import Confidence, Severity
from tfcheck.lint.places import Places
from tfcheck.lint.rule import Rule

_LEVELS = {"debug", "info", "warning", "warn", "error", "exception", "critical", "fatal", "log"}
_QUIET = {"warning", "warn", "error", "exception", "critical", "fatal"}
_FUNCTIONS = {
    *("builtins.open", "builtins.input", "io.open", "os.write", "os.system"),
    *("os.makedirs", "os.mkdir", "os.remove", "os.rename", "os.replace", "os.rmdir", "os.unlink"),
    *("json.dump", "pickle.dump", "pickle.load", "json.load", "joblib.dump", "joblib.load"),
    *("numpy.save", "numpy.savez", "numpy.savetxt", "numpy.load", "numpy.loadtxt"),
    *("sys.stdout.write", "sys.stderr.write", "time.sleep", "pprint.pprint"),
    *("wandb.log", "mlflow.log_metric", "mlflow.log_metrics", "tqdm.tqdm.write", "tqdm.tqdm"),
}
_MODULES = ("logging.", "absl.logging.", "subprocess.", "shutil.", "requests.", "urllib.request.")
_LOGGERS = {"logging.getLogger", "logging.Logger", "tensorflow.get_logger", "loguru.logger"}
_PATHS = {"read_text", "write_text", "read_bytes", "write_bytes", "mkdir", "touch", "unlink"}
_FILES = {"write", "writelines", "read", "readline", "readlines", "flush", "writerow", "writerows"}


class IoInTrace(Rule):
    """Logging, files or other input and output in traced code.

    Why:
        The call is Python and runs while tracing: the log has one line for each trace, a file is
        read once and what it held then stays in the graph.

    Bad:
        import logging
        import tensorflow as tf

        log = logging.getLogger("train")

        @tf.function
        def clip(g):
            log.info("clipping")  # TFC307
            return tf.clip_by_norm(g, 1.0)

    Good:
        import logging
        import tensorflow as tf

        log = logging.getLogger("train")

        @tf.function
        def clip(g):
            return tf.clip_by_norm(g, 1.0)

        def train(gradients):
            for g in gradients:
                log.info("clipping")
                clip(g)

    Not flagged:
        `tf.print`, `tf.summary` and `tf.io`, which are part of the graph. A message that speaks
        of tracing: it is meant for the trace. Warnings and errors under a test, which tell of the
        code and not of the data, shapes that a Keras layer logs, and lines that name the setting of
        `if kind == "focal":`, have low confidence. `print` is TFC301.
    """

    code = "TFC307"
    since = "0.1"
    severity = Severity.WARNING

    def check_file(self) -> None:
        """Look at each call in traced code."""
        self._places = Places(self.model)
        for call in self.model.traced_calls:
            if self.model.trace_around(call) is None or "trac" in self.text(call).lower():
                continue
            if self._is_io(call):
                self._report(call)

    def _is_io(self, call: ast.Call) -> bool:
        name = self.model.qualified_name(call.func)
        if name is not None:
            method = name.rpartition(".")[2]
            logs = name.startswith(("logging.", "absl.logging.", "loguru.logger."))
            others = name in _FUNCTIONS or name.startswith(_MODULES[2:])
            return others or (logs and method in _LEVELS)
        if not isinstance(call.func, ast.Attribute):
            return False
        makers = self._makers(call.func.value)
        return (
            (call.func.attr in _LEVELS and bool(makers & _LOGGERS))
            or (call.func.attr in _PATHS and "pathlib.Path" in makers)
            or (call.func.attr in _FILES and bool(makers & {"builtins.open", "csv.writer"}))
        )

    def _makers(self, receiver: ast.expr) -> set[str]:
        """The functions whose result the receiver may be, where it comes from outside."""
        made = [receiver]
        if isinstance(receiver, ast.Name | ast.Attribute):
            made = list(self._places.stored(receiver))
        elif isinstance(receiver, ast.Call) and self._is_io(receiver):
            return set()  # `open(path).read()` is one finding
        parts = [value for each in made for value in self._joined(each)]
        calls = [value for value in parts if isinstance(value, ast.Call)]
        return {self.model.qualified_name(value.func) or "" for value in calls}

    def _joined(self, value: ast.expr) -> Iterator[ast.expr]:
        """What a path such as `folder / "name"` begins with."""
        if not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.Div):
            yield value
        elif isinstance(value.left, ast.Name | ast.Attribute):
            yield from self._places.stored(value.left)
        else:
            yield from self._joined(value.left)

    def _report(self, call: ast.Call) -> None:
        method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        trace = self.model.trace_around(call)
        shown = trace is not None and trace.keras and any(map(_is_static, ast.walk(call)))
        if method in _LEVELS and self._tells_a_choice(call):
            shown = True
        tested = any(isinstance(parent, ast.If) for parent, _ in self.model.index.ancestors(call))
        self.report(
            call,
            f"`{self.text(call.func)}` runs only while tracing, not in each call",
            hint="do it where the Function is called, or use `tf.print`, `tf.summary` or `tf.io`",
            confidence=Confidence.LOW
            if shown or (method in _QUIET and tested)
            else Confidence.HIGH,
            trace=trace,
        )

    def _tells_a_choice(self, call: ast.Call) -> bool:
        """Whether a log line says which of several named settings the code was made for."""
        if any(isinstance(part, ast.Name | ast.Attribute) for part in call.args):
            return False
        tests = [
            parent.test
            for parent, child in self.model.index.ancestors(call)
            if isinstance(parent, ast.If) and child is not parent.test
        ]
        return any(
            isinstance(test, ast.Compare) and any(map(_is_text, test.comparators)) for test in tests
        )


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _is_static(node: ast.AST) -> bool:
    """`x.shape` and alike, which a layer tells of while Keras builds the model."""
    return isinstance(node, ast.Attribute) and node.attr in {"shape", "get_shape", "dtype"}
