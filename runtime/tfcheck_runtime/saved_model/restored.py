"""Functions of a loaded model: calls go to the saved concrete function that fits.

Follows https://www.tensorflow.org/guide/saved_model#loading_and_using_a_custom_model.
"""

from __future__ import annotations

import inspect
import pprint
from collections.abc import Sequence
from typing import Any

from tfcheck_runtime.function.concrete import ConcreteFunction
from tfcheck_runtime.function.function import Function, Options
from tfcheck_runtime.specs.shapes import are_compatible
from tfcheck_runtime.specs.tensor_spec import TensorSpec, TypeSpec
from tfcheck_runtime.specs.trace_type import Literal, RecordType, Structure, TraceType
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor
from tfcheck_runtime.values.variable import Variable


class RestoredFunction(Function):
    """A Function whose Python function is gone: what was traced before is all it can do.

    Args:
        signature: the parameters of the Python function, with defaults.
        input_signature: what the Function was restricted to, if it was.
        concretes: what was saved, oldest first.
    """

    def __init__(
        self, signature: inspect.Signature, input_signature: tuple[Any, ...] | None,
        concretes: Sequence[ConcreteFunction],
    ) -> None:  # fmt: skip
        self.concrete_functions = list(concretes)

        def restored_function_body(*args: Any, **kwargs: Any) -> Any:
            """Calls a restored function or raises an error if no matching function."""
            return _call(self.concrete_functions, args, kwargs)

        restored_function_body.__signature__ = signature  # type: ignore[attr-defined]  # for inspect
        super().__init__(
            restored_function_body, Options(input_signature=input_signature, autograph=False)
        )

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """The signatures of all saved concrete functions, oldest first."""
        separator = "\n\n" if verbose else "\n"
        return separator.join(c.pretty_printed_signature(verbose) for c in self.concrete_functions)

    def __repr__(self) -> str:
        return f"<RestoredFunction {self.name} at 0x{id(self):x}>"


def _call(
    concretes: Sequence[ConcreteFunction], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    if not concretes:
        raise ValueError("Found zero restored functions for caller function.")
    for convert in (False, True):
        for concrete in concretes:
            values = _fitted(concrete, args, kwargs, convert=convert)
            if values is not None:
                return concrete.call_inputs(concrete.inputs_of(values))
    raise ValueError(_mismatch(concretes, args, kwargs))


def _fitted(
    concrete: ConcreteFunction, args: tuple[Any, ...], kwargs: dict[str, Any], *, convert: bool
) -> list[Any] | None:
    """The arguments in the order of the parameters, or None where they are not what is taken."""
    positional = [p for p in concrete.type.parameters if not p.by_keyword]
    named = {p.name: p for p in concrete.type.parameters if p.by_keyword}
    if len(args) != len(positional) or set(kwargs) != set(named):
        return None
    pairs = [
        *zip(positional, args, strict=True),
        *((named[name], kwargs[name]) for name in named),
    ]
    values: list[Any] = []
    for parameter, value in pairs:
        fitted = _fit(parameter.type, value, convert=convert)
        if fitted is None:
            return None
        values.append(fitted[0])
    return values


def _fit(kind: TraceType, value: Any, *, convert: bool) -> tuple[Any] | None:
    """A value in the form of a type, in a tuple of one; None where it does not fit."""
    if isinstance(kind, TensorSpec):
        return _fit_tensor(kind, value, convert=convert)
    if isinstance(kind, Structure):
        return _fit_structure(kind, value, convert=convert)
    if isinstance(kind, Literal):
        is_same = not isinstance(value, Tensor | Variable) and kind.value == value
        return (value,) if is_same else None
    fits = isinstance(kind, TypeSpec) and kind.is_compatible_with(value)
    return (value,) if fits else None


def _fit_tensor(spec: TensorSpec, value: Any, *, convert: bool) -> tuple[Any] | None:
    if convert and not isinstance(value, Tensor):
        try:
            value = convert_to_tensor(value, dtype_hint=spec.dtype)
        except (TypeError, ValueError):  # not a tensor: another option may take it
            return None
    if isinstance(value, Variable):
        value = value.value()
    if not isinstance(value, Tensor) or value.dtype is not spec.dtype:
        return None
    return (value,) if are_compatible(value.static_shape, spec.static_shape) else None


def _fit_structure(kind: Structure, value: Any, *, convert: bool) -> tuple[Any] | None:
    if not _is_like(kind, value):
        return None
    fitted = [
        _fit(part, inside, convert=convert)
        for part, inside in zip(kind.parts, kind.split(value), strict=True)
    ]
    if any(part is None for part in fitted):
        return None
    return (kind.rebuild([part[0] for part in fitted if part is not None]),)


def _is_like(kind: Structure, value: Any) -> bool:
    if isinstance(kind, RecordType):  # the class itself is not saved
        same_class = type(value).__name__ == kind.kind.__name__
        return same_class and getattr(value, "_fields", None) == kind.fields
    try:
        kind.checked(value)
    except (TypeError, ValueError):
        return False
    return True


def _mismatch(
    concretes: Sequence[ConcreteFunction], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> str:
    options = "\n\n".join(
        f"Option {i}:\n  {_listed(*concrete.structured_input_signature)}"
        for i, concrete in enumerate(concretes, 1)
    )
    return (
        "Could not find matching concrete function to call loaded from the SavedModel. Got:\n"
        f"  {_listed(args, kwargs)}\n\n Expected these arguments to match one of the following"
        f" {len(concretes)} option(s):\n\n{options}"
    )


def _listed(args: Sequence[Any], kwargs: dict[str, Any]) -> str:
    lines = "\n    * ".join(pprint.pformat(value) for value in args)
    return (
        f"Positional arguments ({len(args)} total):\n    * {lines}\n  Keyword arguments: {kwargs}"
    )
