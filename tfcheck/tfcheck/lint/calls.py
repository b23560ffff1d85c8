"""What calls give: functions of the file, of libraries, built-ins and methods."""

from __future__ import annotations

import ast
from dataclasses import replace

from tfcheck.lint import entries
from tfcheck.lint.expressions import CallContext, Surroundings
from tfcheck.lint.kinds import (
    DATASET,
    KERAS,
    MANY,
    NONE,
    OBJECT,
    SCALAR,
    SYMBOLIC,
    TENSOR,
    UNKNOWN,
    Kind,
    Value,
    container,
    display,
    join,
    literal,
)
from tfcheck.lint.resolve import ClassTarget
from tfcheck.lint.vocabulary import is_keras, method_result, result_of


def call_result(call: ast.Call, context: CallContext, outside: Surroundings) -> Value:
    """The value of `call`; tensors made in traced code are symbolic."""
    qualified = outside.names.qualified(call.func)
    if qualified is None:
        value = _of_file(call, context, outside)
    elif qualified.startswith("builtins."):
        value = _builtin(qualified.removeprefix("builtins."), context)
    elif qualified == "tensorflow.executing_eagerly" and context.trace is not None:
        value = literal(False)
    elif qualified.startswith("tensorflow.data.Dataset."):
        value = _dataset(qualified, context)
    elif qualified in _PASSING_ON:
        value = context.arguments[0] if context.arguments else UNKNOWN
    elif qualified in _COUNTING:
        value = container("iterator", element=_counter())
    else:
        value = result_of(qualified)
    return _located(value, traced=context.trace is not None)


def _located(value: Value, *, traced: bool) -> Value:
    if value is TENSOR:
        return SYMBOLIC if traced else TENSOR
    if value.kind is Kind.TENSOR and value.graph != traced:
        return replace(value, graph=traced)
    if traced and value.element is not None and value.element.kind is Kind.TENSOR:
        return replace(value, element=replace(value.element, graph=True))
    return value


def _of_file(call: ast.Call, context: CallContext, outside: Surroundings) -> Value:
    functions = outside.resolver.functions(call.func)
    if functions:
        return join(*(outside.returned(function) for function in functions))
    for target in outside.resolver.symbols(call.func):
        if isinstance(target, ClassTarget):
            bases = outside.resolver.external_bases(target.owner)
            keras = any(entries.is_keras_base(base) for base in bases)
            return replace(KERAS if keras else OBJECT, origin=target.owner.qualname)
    if isinstance(call.func, ast.Attribute):
        return _method(call.func.attr, context)
    return TENSOR if is_keras(context.receiver) else UNKNOWN


def _method(name: str, context: CallContext) -> Value:
    receiver = context.receiver
    if receiver.origin == "tensorflow.GradientTape" and name in {"gradient", "jacobian"}:
        return _gradient(context)
    return method_result(receiver, name)


def _gradient(context: CallContext) -> Value:
    """Gradients have the structure of the sources; None, where nothing connects, aside."""
    sources = context.keywords.get("sources", UNKNOWN)
    if len(context.arguments) > 1:
        sources = context.arguments[1]
    if sources.is_tensor:
        return TENSOR
    if sources.items is not None:
        parts = tuple(TENSOR if part.is_tensor else UNKNOWN for part in sources.items)
        return display("builtins.list", parts)
    return container("builtins.list", element=TENSOR) if sources.kind is Kind.CONTAINER else UNKNOWN


def _dataset(qualified: str, context: CallContext) -> Value:
    name = qualified.rpartition(".")[2]
    first = context.arguments[0] if context.arguments else UNKNOWN
    match name:
        case "range":
            return replace(DATASET, element=TENSOR)
        case "from_tensor_slices" | "from_tensors":
            return replace(DATASET, element=_sliced(first))
        case "zip" if first.items is not None:
            parts = tuple(part.each() for part in first.items)
            return replace(DATASET, element=display("builtins.tuple", parts))
    return result_of(qualified)


def _sliced(value: Value) -> Value:
    """The elements of a dataset made of `value`: its structure, with tensors for leaves."""
    if value.kind in {Kind.NUMPY, Kind.TENSOR, Kind.VARIABLE} or value.is_scalar:
        return TENSOR
    if value.origin == "builtins.tuple" and value.items is not None:
        return display("builtins.tuple", tuple(_sliced(part) for part in value.items))
    # A list is one tensor, a dict keeps its keys.
    return TENSOR if value.origin == "builtins.list" else UNKNOWN


_PASSING_ON = frozenset(
    {
        *("itertools.cycle", "itertools.islice", "rich.progress.track", "tqdm.tqdm_notebook"),
        *("tqdm.tqdm", "tqdm.auto.tqdm", "tqdm.notebook.tqdm", "tqdm.autonotebook.tqdm"),
    }
)
"""What goes over its first argument."""
_COUNTING = frozenset(
    {"itertools.count", "tqdm.trange", "tqdm.auto.trange", "tqdm.notebook.trange"}
)

_PLAIN = {
    "isinstance", "issubclass", "callable", "hasattr", "len", "str", "repr", "format", "ord",
    "chr", "hash", "id", "input", "ascii", "bin", "hex", "any", "all",
}  # fmt: skip
_TYPES = {"len": "builtins.int", "str": "builtins.str", "repr": "builtins.str"}
_NUMBERS = {"int", "float", "bool", "round", "abs", "sum", "min", "max", "pow", "complex"}
_SEQUENCES = {"list", "tuple", "sorted", "reversed", "set", "frozenset", "iter"}


def _builtin(name: str, context: CallContext) -> Value:
    arguments = context.arguments
    first = arguments[0] if arguments else UNKNOWN
    if name in _NUMBERS:
        return _number(name, context)
    if name in _PLAIN:
        tensor = name == "len" and first.is_tensor and context.trace is not None
        return TENSOR if tensor else replace(SCALAR, origin=_TYPES.get(name))
    if name in _SEQUENCES:
        if first.items is not None and name in {"list", "tuple"}:
            return display(f"builtins.{name}", first.items)
        return container(f"builtins.{name}", element=first.each() if arguments else None)
    match name:
        case "range":
            return _range(arguments, context)
        case "enumerate":
            each = display("builtins.tuple", (_counter(), first.each()))
            return container("iterator", element=each)
        case "zip":
            parts = tuple(part.each() for part in arguments)
            return container("iterator", element=display("builtins.tuple", parts))
        case "dict":
            return container("builtins.dict")
        case "next":
            return first.each()
        case "print":
            return NONE
    return UNKNOWN


def _counter() -> Value:
    return replace(SCALAR, varies=MANY, origin="builtins.int")


def _number(name: str, context: CallContext) -> Value:
    """`int(t)` and `float(t)` of a tensor is a cast where AutoGraph converts, else a number."""
    arguments = context.arguments
    if not any(argument.is_tensor for argument in arguments):
        if name in {"abs", "sum", "min", "max", "pow", "round"}:
            known = all(argument.is_scalar for argument in arguments)
            return SCALAR if known and arguments else UNKNOWN
        return replace(SCALAR, origin=f"builtins.{name}")
    if name in {"int", "float", "bool", "complex"}:
        number = replace(SCALAR, origin=f"builtins.{name}")
        return TENSOR if context.trace is not None else number
    return TENSOR


def _range(arguments: tuple[Value, ...], context: CallContext) -> Value:
    if any(argument.is_tensor for argument in arguments) and context.trace is not None:
        return TENSOR
    bounds = [argument.literals[0] for argument in arguments if len(argument.literals) == 1]
    numbers = [bound for bound in bounds if isinstance(bound, int)]
    count = MANY
    if numbers and len(numbers) == len(arguments) <= 3 and 0 not in numbers[2:]:
        count = max(1, len(range(*numbers)))
    return container("builtins.range", element=replace(_counter(), varies=count))
