"""`tf.custom_gradient`: a function that brings its own gradient.

Follows https://www.tensorflow.org/api_docs/python/tf/custom_gradient.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, overload

from tfcheck_runtime import dispatch
from tfcheck_runtime.op import Array, Attributes, Aval, Call, Emitter, Op, Term, define
from tfcheck_runtime.ops.array.filling import zeros_like
from tfcheck_runtime.ops.array.identity import identity_op
from tfcheck_runtime.specs import nest
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply_n, is_tensor
from tfcheck_runtime.values.variable import Variable

Function = TypeVar("Function", bound=Callable[..., Any])


class _IdentityN(Op):
    """The first `count` inputs, whose gradient with respect to the others a function gives.

    Inputs: results of the function, its tensor arguments, the values of variables it reads.
    """

    type = "IdentityN"

    def infer(self, *values: Aval, count: int, grad: object) -> tuple[Aval, ...]:
        del grad
        return tuple(Aval(v.dtype, v.shape, partial=v.partial) for v in values[:count])

    def eager(self, *values: Array, count: int, grad: object) -> tuple[Array, ...]:
        del grad
        return values[:count]

    def lower(self, onnx: Emitter, *values: Term, count: int, grad: object) -> tuple[object, ...]:
        del grad
        return tuple(onnx.op("Identity", v) for v in values[:count])

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        return all(identity_op.lowers([o], [o], attrs) for o in outputs)

    def gradient(self, call: Call[Tensor], *grads: Tensor | None) -> list[Tensor | None]:
        count: int = call.attrs["count"]
        from_user: Sequence[Tensor | None] = call.attrs["grad"](call.outputs, grads)
        return [None] * count + list(from_user)


identity_n_op = define(_IdentityN())


class _VariableWatcher:
    """A tape that only notes which trainable variables are read."""

    def __init__(self) -> None:
        self.variables: dict[int, Variable] = {}

    def record(
        self, op: Op, inputs: tuple[Any, ...], outputs: tuple[Any, ...], attrs: Mapping[str, Any]
    ) -> None:
        """Ops do not matter here."""

    def watch_variable(self, variable: Variable) -> None:
        """A trainable variable is read."""
        self.variables.setdefault(id(variable.handle), variable)


@overload
def custom_gradient(f: Function) -> Function: ...
@overload
def custom_gradient(f: None = None) -> Callable[[Function], Function]: ...
def custom_gradient(f: Any = None) -> Any:
    """Decorate a function that returns its result and a function that computes its gradient.

    The gradient function takes the gradient of each result and returns that of each argument; with
    a keyword `variables` it also returns those of the variables that were read.

    Raises:
        ValueError: when differentiated, the gradient function returns the wrong number.
        TypeError: variables are read and the gradient function does not take `variables`.
    """
    if f is None:
        return custom_gradient

    @functools.wraps(f)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        return _call(f, args, kwargs)

    return decorated


def _call(f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    # Kept as given, not converted: `f` sees a variable as a variable.
    args = nest.map_structure(_as_argument, args)
    inputs = [a for a in nest.flatten((args, kwargs), expand_composites=True) if is_tensor(a)]
    watcher = _VariableWatcher()
    with dispatch.recording(watcher):
        result, grad_fn = f(*args, **kwargs)
    given = {id(i.handle) for i in inputs if isinstance(i, Variable)}
    variables = [v for key, v in watcher.variables.items() if key not in given]
    if variables and not _takes_variables(grad_fn):
        raise TypeError(
            "@tf.custom_gradient grad_fn must accept keyword argument 'variables', since function"
            f" uses variables: {variables}"
        )
    flat = [convert_to_tensor(r) for r in nest.flatten(result, expand_composites=True)]
    values = [i.read_value() if isinstance(i, Variable) else i for i in (*inputs, *variables)]
    outputs = apply_n(
        identity_n_op,
        *flat,
        *values,
        count=len(flat),
        grad=_gradient_of(grad_fn, len(inputs), variables),
    )
    return nest.pack_sequence_as(result, outputs, expand_composites=True)


def _as_argument(value: Any) -> Any:
    if isinstance(value, Tensor | Variable) or value is None or callable(value):
        return value
    return convert_to_tensor(value)


def _takes_variables(grad_fn: Callable[..., Any]) -> bool:
    parameters = inspect.signature(grad_fn).parameters.values()
    return any(p.name == "variables" or p.kind is p.VAR_KEYWORD for p in parameters)


def _gradient_of(
    grad_fn: Callable[..., Any], count: int, variables: list[Variable]
) -> Callable[[Sequence[Tensor], Sequence[Tensor | None]], list[Any]]:
    def gradient(outputs: Sequence[Tensor], grads: Sequence[Tensor | None]) -> list[Any]:
        whole = [zeros_like(o) if g is None else g for o, g in zip(outputs, grads, strict=True)]
        if variables:
            from_user, of_variables = grad_fn(*whole, variables=variables)
        else:
            from_user, of_variables = grad_fn(*whole), []
        flat = nest.flatten(from_user)
        if len(flat) != count:
            raise ValueError(
                f"custom_gradient function expected to return {count} gradients, but returned"
                f" {len(flat)} instead."
            )
        return [*flat, *nest.flatten(of_variables)]

    return gradient
