"""`tf.function` in all its spellings.

Follows https://www.tensorflow.org/api_docs/python/tf/function.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from tfcheck_runtime.autograph.features import Feature
from tfcheck_runtime.function.function import Function, Options

_log = logging.getLogger("tensorflow")


def function(
    func: Callable[..., Any] | None = None,
    input_signature: object = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: str | None = None,
    experimental_autograph_options: object = None,
    experimental_attributes: dict[str, Any] | None = None,
    experimental_relax_shapes: bool | None = None,
    experimental_compile: bool | None = None,
    experimental_follow_type_hints: bool | None = None,
) -> Any:
    """Compile a function into graphs; as a decorator with or without arguments.

    Args:
        func: what to compile; None to get a decorator.
        input_signature: specs of all arguments: there is one trace, other calls are errors.
        autograph: whether Python control flow over tensors is converted.
        jit_compile: a hint for TensorFlow's XLA; onnxruntime compiles in its own way.
        reduce_retracing: whether traces are generalised to unknown dimensions when shapes vary.
        experimental_implements: a name for TensorFlow's own optimisers.
        experimental_autograph_options: features of TensorFlow's AutoGraph, without effect.
        experimental_attributes: for TensorFlow's runtime.
        experimental_relax_shapes: deprecated, `reduce_retracing`.
        experimental_compile: deprecated, `jit_compile`.
        experimental_follow_type_hints: deprecated, without effect.

    Raises:
        TypeError: `func` is not callable, the input signature does not fit its parameters, or the
            AutoGraph options are no features.
    """
    _warn_deprecated("experimental_relax_shapes", experimental_relax_shapes, "reduce_retracing")
    _warn_deprecated("experimental_compile", experimental_compile, "jit_compile")
    Feature.check(experimental_autograph_options)
    options = Options(
        input_signature=input_signature,
        autograph=autograph,
        reduce_retracing=reduce_retracing or bool(experimental_relax_shapes),
    )

    def decorate(python_function: Callable[..., Any]) -> Function:
        if not callable(python_function):
            raise TypeError(f"{python_function!r} is not a callable object")
        return Function(python_function, options)

    return decorate if func is None else decorate(func)


def _warn_deprecated(name: str, value: object, instead: str) -> None:
    if value is not None:
        _log.warning("tf.function: the argument %s is deprecated: use %s instead", name, instead)
