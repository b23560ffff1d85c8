"""TFC306: clocks, random numbers and ids that are drawn while tracing."""

from __future__ import annotations

import ast

from tfcheck.diagnostics import Confidence, Severity
from tfcheck.lint.places import Places
from tfcheck.lint.rule import Rule
from tfcheck.lint.scopes import FunctionInfo

_CLOCKS = {
    f"time.{name}{unit}"
    for name in ("time", "perf_counter", "monotonic", "process_time", "thread_time")
    for unit in ("", "_ns")
} | {
    *("time.localtime", "time.gmtime", "time.ctime", "time.asctime", "time.strftime"),
    *("datetime.datetime.now", "datetime.datetime.utcnow", "datetime.datetime.today"),
    *("datetime.date.today", "timeit.default_timer"),
}
_IDS = {"uuid.uuid1", "uuid.uuid4", "os.urandom", "os.getrandom"}
_ENVIRONMENT = {"os.getenv", "os.environ.get"}
_GENERATORS = {
    *("random.Random", "random.SystemRandom", "numpy.random.RandomState"),
    *("numpy.random.default_rng", "numpy.random.Generator"),
}
_NO_DRAW = {"seed", "getstate", "setstate", "get_state", "set_state", "SeedSequence", "spawn"}


class FrozenNondeterminism(Rule):
    """A clock or Python's random numbers are read in traced code.

    Why:
        The call runs while tracing. Its result becomes a constant of the graph, and every later
        call computes with the same "random" number or the same point in time.

    Bad:
        import random
        import tensorflow as tf

        @tf.function
        def augment(image):
            if random.random() < 0.5:  # TFC306
                return tf.reverse(image, [0])
            return image

    Good:
        import tensorflow as tf

        @tf.function
        def augment(image):
            if tf.random.uniform([]) < 0.5:
                return tf.reverse(image, [0])
            return image

    Not flagged:
        Seeding. Draws from a generator that the traced code itself makes with a seed: they are
        the same each time by intention; so are those after a call of `seed` in the same function.
        What a name is made of, and functions that make a seed. `tf.random` and `tf.timestamp`.
        Environment variables, which seldom change, are reported with low confidence.
    """

    code = "TFC306"
    since = "0.1"
    severity = Severity.ERROR

    def check_file(self) -> None:
        """Look at each call in traced code."""
        self._places = Places(self.model)
        for call in self.model.traced_calls:
            cure = self._cure(call)
            trace = self.model.trace_around(call)
            if cure is None or trace is None or self._is_meant(call, trace.function):
                continue
            self._report(call, cure)

    def _is_meant(self, call: ast.Call, function: FunctionInfo) -> bool:
        """Whether one draw for each trace is what is wanted: of a seed or name, or seeded there."""
        if "seed" in function.name.lower():
            return True
        name = self.model.qualified_name(call.func) or ""
        statement = self.model.index.statement_of(call)
        if isinstance(statement, ast.Assign) and name in _IDS:
            names = [part.id for part in statement.targets if isinstance(part, ast.Name)]
            if any(text.endswith("_name") for text in names):
                return True
        seeder = f"{name.rpartition('.')[0]}.seed"
        return any(
            self.model.qualified_name(other.func) == seeder and other.lineno <= call.lineno
            for other in function.scope.calls
        )

    def _cure(self, call: ast.Call) -> str | None:
        """What to use instead; None for calls that draw nothing."""
        name = self.model.qualified_name(call.func)
        if name in _CLOCKS:
            return "`tf.timestamp()` reads the clock in each call"
        if name in _IDS or (name or "").startswith("secrets."):
            return "make it where the Function is called and pass it as a tensor"
        if name in _ENVIRONMENT:
            return "read it once, outside the traced code"
        if self._draws(call, name):
            return "`tf.random` draws in each call"
        return None

    def _draws(self, call: ast.Call, name: str | None) -> bool:
        if name is not None:
            last = name.rpartition(".")[2]
            known = name.startswith(("random.", "numpy.random."))
            return known and name not in _GENERATORS and last not in _NO_DRAW
        if not isinstance(call.func, ast.Attribute) or call.func.attr in _NO_DRAW:
            return False
        receiver = call.func.value
        made = [receiver]
        if isinstance(receiver, ast.Name | ast.Attribute):
            made = list(self._places.stored(receiver))
        return any(isinstance(value, ast.Call) and self._is_generator(value) for value in made)

    def _is_generator(self, value: ast.Call) -> bool:
        """Whether a generator is made there, other than one that each trace seeds alike."""
        seeded = bool(value.args or value.keywords) and self.model.trace_around(value) is not None
        return self.model.qualified_name(value.func) in _GENERATORS and not seeded

    def _report(self, call: ast.Call, cure: str) -> None:
        rarely = self.model.qualified_name(call.func) in _ENVIRONMENT
        self.report(
            call,
            f"`{self.text(call.func)}` runs only while tracing: later calls see the same value",
            hint=cure,
            confidence=Confidence.LOW if rarely else Confidence.HIGH,
            trace=self.model.trace_around(call),
        )
