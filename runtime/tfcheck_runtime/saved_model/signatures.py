"""The signatures of a saved model: functions of named tensors that return a dict of tensors.

Follows https://www.tensorflow.org/guide/saved_model#specifying_signatures_during_export.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tfcheck_runtime.function.concrete import ConcreteFunction
from tfcheck_runtime.function.function import Function, Options
from tfcheck_runtime.saved_model.tags import DEFAULT_SERVING_SIGNATURE_DEF_KEY
from tfcheck_runtime.specs import nest
from tfcheck_runtime.specs.tensor_spec import TensorSpec, VariableSpec
from tfcheck_runtime.values.tensor import Tensor


class _SignatureMap(Mapping[str, ConcreteFunction]):
    """The signatures of a loaded model by key; it cannot be changed."""

    def __init__(self, signatures: Mapping[str, ConcreteFunction]) -> None:
        self._signatures = dict(signatures)

    def __getitem__(self, key: str) -> ConcreteFunction:
        return self._signatures[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._signatures)

    def __len__(self) -> int:
        return len(self._signatures)

    def __repr__(self) -> str:
        return f"_SignatureMap({self._signatures})"


SignatureMap = _SignatureMap  # prints under TensorFlow's name


def signatures_of(given: Any, functions: Iterable[Any]) -> dict[str, ConcreteFunction]:
    """The signatures to save by key.

    Args:
        given: what the user asked for: a function, functions by key, or None for the only one
            among `functions` that can be a signature.
        functions: those that the object to save holds.

    Raises:
        ValueError: a signature is no function with known inputs, or does not return tensors.
    """
    if given is None:
        found = [f for f in map(_with_known_inputs, functions) if f is not None and _is_valid(f)]
        given = found[0] if len(found) == 1 else {}
    if not isinstance(given, Mapping):
        given = {DEFAULT_SERVING_SIGNATURE_DEF_KEY: given}
    return {key: _signature(key, function) for key, function in given.items()}


def _with_known_inputs(function: Any) -> ConcreteFunction | None:
    """The one concrete function that a function can be, if it says so."""
    if isinstance(function, Function) and function.input_signature is not None:
        return function.get_concrete_function()
    return function if isinstance(function, ConcreteFunction) else None


def _is_valid(function: ConcreteFunction) -> bool:
    return not _takes_variables(function) and not isinstance(_outputs_of(function, ""), str)


def _takes_variables(function: ConcreteFunction) -> bool:
    leaves = nest.flatten(function.structured_input_signature)
    return any(isinstance(leaf, VariableSpec) for leaf in leaves)


def _signature(key: str, given: Any) -> ConcreteFunction:
    function = _with_known_inputs(given)
    if function is None:
        raise ValueError(
            "Expected a TensorFlow function for which to generate a signature, but got"
            f" {given}. Only `tf.functions` with an input signature or concrete functions can be"
            " used as a signature."
        )
    if _takes_variables(function):
        raise ValueError(
            f"The function of the signature {key!r} takes tf.Variable inputs: these cannot be"
            " exported as signatures"
        )
    outputs = _outputs_of(function, key)
    if isinstance(outputs, str):
        raise ValueError(outputs)
    keys = tuple(outputs)

    def signature_wrapper(**tensors: Tensor) -> dict[str, Any]:
        result = function(**tensors)
        parts = list(result.values()) if isinstance(result, Mapping) else _sequence(result)
        return dict(zip(keys, parts, strict=True))

    wrapper = Function(signature_wrapper, Options(autograph=False))
    specs = {v.node.name: TensorSpec(v.aval.shape, v.aval.dtype, v.node.name)
             for v in function.graph.inputs}  # fmt: skip
    return wrapper.get_concrete_function(**specs)


def _outputs_of(function: ConcreteFunction, key: str) -> dict[str, Any] | str:
    """The outputs by name, or what is wrong with them."""
    outputs = function.structured_outputs
    if not isinstance(outputs, Mapping):
        outputs = {f"output_{i}": part for i, part in enumerate(_sequence(outputs))}
    where = (
        f"in the output of the function {function.name.decode()} used to generate the SavedModel"
        f" signature {key!r}"
    )
    for name, part in outputs.items():
        if not isinstance(name, str):
            return f"Got a dictionary with a non-string key {name!r} {where}."
        if not isinstance(part, Tensor | TensorSpec | nest.Composite):
            return (
                f"Got a non-Tensor value {part!r} for key {name!r} {where}. Outputs for functions"
                " used as signatures must be a single Tensor, a sequence of Tensors, or a"
                " dictionary from string to Tensor."
            )
    return dict(outputs)


def _sequence(outputs: Any) -> list[Any]:
    return list(outputs) if isinstance(outputs, list | tuple) else [outputs]
