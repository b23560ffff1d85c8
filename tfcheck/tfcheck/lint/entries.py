"""Which functions of TensorFlow trace the callables they are given, and where they take them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """The places of the callables among the arguments of a function or method."""

    positions: tuple[int, ...]
    keywords: tuple[str, ...]
    eager_too: bool = False
    """Whether it traces when called from plain Python as well."""

    def callables(self, call: ast.Call) -> Iterator[ast.expr]:
        """The arguments of `call` that are traced; lists and pairs of callables are opened."""
        for position in self.positions:
            if position < len(call.args):
                yield from _opened(call.args[position])
        for keyword in call.keywords:
            if keyword.arg in self.keywords:
                yield from _opened(keyword.value)


def _opened(argument: ast.expr) -> Iterator[ast.expr]:
    """`branch_fns=[f, g]`, `[(test, f), ...]` and `{0: f}` hold callables."""
    match argument:
        case ast.List() | ast.Tuple():
            for part in argument.elts:
                yield from _opened(part)
        case ast.Dict():
            yield from argument.values
        case _:
            yield argument


_LOOP = Entry((0, 1), ("cond", "body"))
_FIRST = Entry((0,), ("fn", "f"))
_ALWAYS = Entry((0,), ("fn", "f"), eager_too=True)

FUNCTIONS = {
    "tensorflow.while_loop": _LOOP,
    "tensorflow.cond": Entry((1, 2), ("true_fn", "false_fn")),
    "tensorflow.case": Entry((0,), ("pred_fn_pairs", "default")),
    "tensorflow.switch_case": Entry((1,), ("branch_fns", "default")),
    "tensorflow.map_fn": _FIRST,
    "tensorflow.scan": _FIRST,
    "tensorflow.foldl": _FIRST,
    "tensorflow.foldr": _FIRST,
    "tensorflow.nest.map_structure": Entry((0,), ("func",)),
    "tensorflow.vectorized_map": _ALWAYS,
    "tensorflow.compat.v1.wrap_function": _ALWAYS,
    "tensorflow.autograph.to_graph": Entry((), ()),
    "builtins.map": _FIRST,
    "builtins.filter": _FIRST,
    "functools.reduce": _FIRST,
}
"""By dotted name. Those without `eager_too` run Python when they are called from plain Python."""

STRATEGY_METHODS = {
    "run": Entry((0,), ("fn",)),
    "experimental_run_v2": Entry((0,), ("fn",)),
}
"""Methods of `tf.distribute.Strategy`."""

DATASET_METHODS = {
    "map": Entry((0,), ("map_func",), eager_too=True),
    "filter": Entry((0,), ("predicate",), eager_too=True),
    "reduce": Entry((1,), ("reduce_func",), eager_too=True),
    "flat_map": Entry((0,), ("map_func",), eager_too=True),
    "interleave": Entry((0,), ("map_func",), eager_too=True),
    "scan": Entry((1,), ("scan_func",), eager_too=True),
    "take_while": Entry((0,), ("predicate",), eager_too=True),
    "group_by_window": Entry(
        (0, 1, 3), ("key_func", "reduce_func", "window_size_func"), eager_too=True
    ),
    "bucket_by_sequence_length": Entry((0,), ("element_length_func",), eager_too=True),
    "rejection_resample": Entry((0,), ("class_func",), eager_too=True),
}

LAST_NAMES = frozenset(name.rpartition(".")[2] for name in FUNCTIONS) | frozenset(
    {*STRATEGY_METHODS, *DATASET_METHODS}
)
"""What a call of one of them ends in, aliases of functions aside."""

KERAS_METHODS = {
    "call": "run by Keras while it traces the model",
    "train_step": "traced by fit()",
    "test_step": "traced by evaluate()",
    "predict_step": "traced by predict()",
}
"""Methods of Keras layers and models that Keras traces, with the words for the chain."""

_KERAS_BASES = ("keras.Model", "keras.models.Model", "keras.Sequential", "keras.models.Sequential")


def is_keras_base(qualified: str) -> bool:
    """Whether a class that derives from `qualified` is a Keras layer or model."""
    return qualified in _KERAS_BASES or qualified.startswith(
        ("keras.layers.", "keras.engine.", "keras.applications.")
    )
