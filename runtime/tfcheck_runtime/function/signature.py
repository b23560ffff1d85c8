"""Signatures: which trace type each parameter of a traced function has, and how calls bind to it.

A polymorphic signature is the Python function's own; a `FunctionType` is the monomorphic one of a
trace, in which `*args` and `**kwargs` have become one parameter per value.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from inspect import Parameter
from typing import Any, Final

from tfcheck_runtime.function.key import Casts, TracingContext, from_value
from tfcheck_runtime.specs import nest
from tfcheck_runtime.specs.tensor_spec import TensorSpec, TypeSpec
from tfcheck_runtime.specs.trace_type import Literal, TraceType, supertypes

_POSITIONAL: Final = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)


@dataclass(frozen=True, slots=True)
class TypedParameter:
    """One parameter of a trace."""

    name: str
    kind: Any  # inspect's `_ParameterKind`, which it does not export
    type: TraceType

    @property
    def by_keyword(self) -> bool:
        """Whether the value is passed by keyword."""
        return bool(self.kind is Parameter.KEYWORD_ONLY)


class FunctionType:
    """The parameters of a trace in order; the key under which it is cached."""

    def __init__(
        self, parameters: Sequence[TypedParameter], *, output: TraceType | None = None
    ) -> None:
        self.parameters = tuple(parameters)
        self.output = output
        self._key = tuple((p.name, p.kind, p.type) for p in self.parameters)
        self._hash = hash(self._key)

    @property
    def types(self) -> tuple[TraceType, ...]:
        """The trace types in order."""
        return tuple(p.type for p in self.parameters)

    @property
    def outline(self) -> tuple[tuple[str, Any], ...]:
        """What must be equal for two function types to correspond parameter by parameter."""
        return tuple((p.name, p.kind) for p in self.parameters)

    @property
    def fixed(self) -> Hashable:
        """What must be equal for one of two function types to be a subtype of the other."""
        values = tuple(p.type if isinstance(p.type, Literal) else None for p in self.parameters)
        return self.outline, values

    def is_supertype_of(self, other: FunctionType) -> bool:
        """Whether calls of type `other` fit this trace."""
        return self.outline == other.outline and all(
            theirs.is_subtype_of(mine) for theirs, mine in zip(other.types, self.types, strict=True)
        )

    def generalized(self, other: FunctionType) -> FunctionType | None:
        """The narrowest function type that serves both, or None."""
        if self.outline != other.outline:
            return None
        types = supertypes(self.types, [other.types])
        return None if types is None else self.with_types(types)

    def with_types(self, types: Sequence[TraceType]) -> FunctionType:
        """The same parameters with other types."""
        pairs = zip(self.parameters, types, strict=True)
        return FunctionType([TypedParameter(p.name, p.kind, t) for p, t in pairs])

    def returning(self, output: TraceType) -> FunctionType:
        """The same parameters, and the type of what the function returns."""
        return FunctionType(self.parameters, output=output)

    def structured(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Positional and keyword arguments, tensors as named specs, Python values as they are."""
        args = tuple(_structured(p.type, p.name) for p in self.parameters if not p.by_keyword)
        kwargs = {p.name: _structured(p.type, p.name) for p in self.parameters if p.by_keyword}
        return args, kwargs

    def text(self, output: TraceType | None = None) -> str:
        """`(x: TensorSpec(…), n: Literal[3]) -> …`."""
        parts = [f"{p.name}: {p.type!r}" for p in self.parameters]
        inside = ", ".join(_separated(parts, [p.kind for p in self.parameters]))
        return f"({inside})" + (f" -> {output!r}" if output is not None else "")

    def lines(self) -> list[str]:
        """One line per parameter, as concrete functions print them."""
        return [f"  {p.name} ({p.kind.name}): {p.type!r}" for p in self.parameters]

    def inspected(self) -> inspect.Signature:
        """The signature that Python can bind calls to."""
        parameters = [Parameter(p.name, p.kind) for p in self.parameters]
        return inspect.Signature(parameters)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FunctionType) and self._key == other._key

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return self.text(self.output)


def _separated(parts: Sequence[str], kinds: Sequence[Any]) -> list[str]:
    """The parameters of a signature with the `/` and `*` between their kinds."""
    shown: list[str] = []
    before: Any = None
    for text, kind in zip(parts, kinds, strict=True):
        if before is Parameter.POSITIONAL_ONLY and kind is not before:
            shown.append("/")
        if kind is Parameter.KEYWORD_ONLY and before in (None, *_POSITIONAL):
            shown.append("*")
        shown.append(text)
        before = kind
    return [*shown, "/"] if before is Parameter.POSITIONAL_ONLY else shown


def _structured(kind: TraceType, path: str) -> Any:
    children = kind.children()
    if isinstance(kind, TensorSpec):
        return TensorSpec(kind.shape, kind.dtype, kind.name or path)
    if isinstance(kind, TypeSpec):
        return kind
    if not children:
        return kind.placeholder_value(None)
    parts = [_structured(part, path + _suffix(step)) for step, part in children]
    rebuild: Callable[[list[Any]], Any] = kind.rebuild  # type: ignore[attr-defined]  # structures
    return rebuild(parts)


def _suffix(step: str) -> str:
    return "_" + step.strip(".[]'\"")


@dataclass(frozen=True, slots=True)
class Bound:
    """Arguments of a call by parameter, defaults filled in, in the order of parameters."""

    names: tuple[str, ...]
    kinds: tuple[Any, ...]  # inspect's `_ParameterKind`
    values: tuple[Any, ...]


class PolymorphicSignature:
    """The Python function's parameters, and the types that an input signature gives them."""

    def __init__(self, function: Callable[..., Any], input_signature: object = None) -> None:
        self.inspected = _without_annotations(inspect.signature(function))
        self.input_signature: tuple[Any, ...] | None = None
        self.constraint: FunctionType | None = None
        if input_signature is not None:
            self.input_signature = _checked_signature(input_signature)
            self.constraint = _constrain(self.inspected, self.input_signature)
        self._binding = _binding_signature(self.inspected, self.constraint)

    def bind(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Bound:
        """The arguments of a call in canonical order.

        Raises:
            TypeError: they do not fit the parameters.
        """
        try:
            bound = self._binding.bind(*args, **kwargs)
        except TypeError as error:
            raise self.failure(error, args, kwargs) from error
        bound.apply_defaults()
        return _canonical(self._binding, bound.arguments)

    def type_of(self, bound: Bound) -> FunctionType:
        """The function type of a call.

        Raises:
            TypeError: an argument has no trace type.
        """
        if self.constraint is not None:
            return self._constrained(bound)
        context = TracingContext()
        return FunctionType(
            [
                TypedParameter(name, kind, from_value(value, context))
                for name, kind, value in zip(bound.names, bound.kinds, bound.values, strict=True)
            ]
        )

    def _constrained(self, bound: Bound) -> FunctionType:
        """The types of the input signature, and that of `self`, which is never part of it."""
        assert self.constraint is not None  # the caller asks for constrained calls only
        own = [
            TypedParameter(name, kind, from_value(value, TracingContext()))
            for name, kind, value in zip(bound.names, bound.kinds, bound.values, strict=True)
            if name == "self"
        ]
        return FunctionType([*own, *self.constraint.parameters]) if own else self.constraint

    def failure(self, error: Exception, args: object, kwargs: object) -> TypeError:
        """The error that TensorFlow raises for arguments that do not bind."""
        return binding_error(error, args, kwargs, signature=self.text())

    def text(self) -> str:
        """`(x, y=<captured_default_value>)`, with the types that an input signature gives."""
        types = {p.name: p.type for p in self.constraint.parameters} if self.constraint else {}
        parameters = self._binding.parameters.values()
        parts = [_shown(p, types.get(p.name)) for p in parameters]
        return f"({', '.join(_separated(parts, [p.kind for p in parameters]))})"


def cast_values(values: Sequence[Any], kind: FunctionType) -> list[Any]:
    """The values of a call in the form the trace `kind` expects.

    Raises:
        TypeError: a value cannot take that form, or there are too many or too few.
        ValueError: a Python value is another one.
    """
    if len(values) != len(kind.parameters):
        raise TypeError(f"expected {len(kind.parameters)} arguments, got {len(values)}")
    casts = Casts()
    return [t.cast(v, casts) for t, v in zip(kind.types, values, strict=True)]


def binding_error(error: Exception, args: object, kwargs: object, *, signature: str) -> TypeError:
    """The error that TensorFlow raises for arguments that do not bind."""
    return TypeError(
        f"Binding inputs to tf.function failed due to `{error}`. Received args: {args} and"
        f" kwargs: {kwargs} for signature: {signature}."
    )


def _shown(parameter: Parameter, kind: TraceType | None) -> str:
    text: str = parameter.name
    if parameter.kind is Parameter.VAR_POSITIONAL:
        text = f"*{text}"
    if parameter.kind is Parameter.VAR_KEYWORD:
        text = f"**{text}"
    if kind is not None:
        text += f": {kind!r}"
    if parameter.default is Parameter.empty:
        return text
    return text + (" = " if kind is not None else "=") + "<captured_default_value>"


def _without_annotations(signature: inspect.Signature) -> inspect.Signature:
    parameters = [p.replace(annotation=Parameter.empty) for p in signature.parameters.values()]
    return inspect.Signature(parameters)


def _binding_signature(
    signature: inspect.Signature, constraint: FunctionType | None
) -> inspect.Signature:
    """What calls bind to: an input signature says how many values `*args` takes, and no others."""
    if constraint is None:
        return signature
    own = signature.parameters
    defaults = {name: p.default for name, p in own.items()}
    fixed = [
        Parameter(p.name, p.kind, default=defaults.get(p.name, Parameter.empty))
        for p in constraint.parameters
    ]
    return inspect.Signature([*([own["self"]] if "self" in own else []), *fixed])


def _canonical(signature: inspect.Signature, arguments: Mapping[str, Any]) -> Bound:
    rows: list[tuple[str, Any, Any]] = []
    for parameter, kind in _with_kinds(signature):
        value = arguments[parameter.name]
        if kind is Parameter.VAR_POSITIONAL:
            rows.extend(
                (f"{parameter.name}_{i}", Parameter.POSITIONAL_ONLY, v) for i, v in enumerate(value)
            )
        elif kind is Parameter.VAR_KEYWORD:
            rows.extend((name, Parameter.KEYWORD_ONLY, value[name]) for name in sorted(value))
        else:
            rows.append((parameter.name, kind, value))
    names, kinds, values = zip(*rows, strict=True) if rows else ((), (), ())
    return Bound(names, kinds, values)


def _with_kinds(signature: inspect.Signature) -> Iterator[tuple[Parameter, Any]]:
    """The parameters with the kinds they have in a trace."""
    parameters = signature.parameters.values()
    # Values of *args need every parameter before them to be positional.
    spread = any(p.kind is Parameter.VAR_POSITIONAL for p in parameters)
    for parameter in parameters:
        turned = spread and parameter.kind in _POSITIONAL
        yield parameter, Parameter.POSITIONAL_ONLY if turned else parameter.kind


def _checked_signature(signature: object) -> tuple[Any, ...]:
    if not isinstance(signature, list | tuple):
        raise TypeError(f"input_signature must be either a tuple or a list, got {type(signature)}.")
    leaves = nest.flatten(signature)
    if all(isinstance(leaf, TypeSpec) for leaf in leaves):
        return tuple(signature)
    wrong = [leaf for leaf in leaves if not isinstance(leaf, TypeSpec)]
    raise TypeError(
        "input_signature must be a possibly nested sequence of TensorSpec objects, got invalid"
        f" args {wrong} with types {[type(leaf) for leaf in wrong]}."
    )


def _constrain(signature: inspect.Signature, specs: tuple[Any, ...]) -> FunctionType:
    context = TracingContext()
    rest = list(specs)
    typed: list[TypedParameter] = []
    for parameter, kind in _with_kinds(signature):
        name = parameter.name
        if kind is Parameter.VAR_POSITIONAL:
            typed.extend(
                TypedParameter(f"{name}_{i}", Parameter.POSITIONAL_ONLY, from_value(s, context))
                for i, s in enumerate(rest)
            )
            rest = []
        elif kind is Parameter.VAR_KEYWORD or name == "self":
            continue
        elif kind is Parameter.KEYWORD_ONLY and parameter.default is Parameter.empty:
            raise TypeError(
                f"Since input_signature is defined, keyword-only parameter `{name}` must have a"
                " default value"
            )
        elif rest:
            typed.append(TypedParameter(name, kind, from_value(rest.pop(0), context)))
        elif parameter.default is not Parameter.empty:
            typed.append(TypedParameter(name, kind, from_value(parameter.default, context)))
        else:
            raise TypeError(f"input_signature missing type constraint for {name}")
    if rest:
        raise TypeError(f"input_signature contains {len(rest)} extra type constraints.")
    return FunctionType(typed)
