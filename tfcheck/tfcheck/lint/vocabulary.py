"""What the functions of TensorFlow, Keras, NumPy and Python return, by dotted name."""

from __future__ import annotations

from functools import lru_cache

from tfcheck.lint.kinds import (
    DATASET,
    KERAS,
    MANY,
    NUMPY,
    OBJECT,
    SCALAR,
    TENSOR,
    UNKNOWN,
    Kind,
    Value,
    container,
)

_TENSORS = container("builtins.list", element=TENSOR)

_MANY_TENSORS = frozenset(
    [
        "split",
        "unstack",
        "meshgrid",
        "unique",
        "unique_with_counts",
        "dynamic_partition",
        "top_k",
        "moments",
        "svd",
        "eig",
        "eigh",
        "qr",
        "slogdet",
        "required_space_to_batch_paddings",
        "weighted_moments",
        "sufficient_statistics",
        "normalize_moments",
        "sampled_distorted_bounding_box",
    ]
)
"""Last names of functions that return several tensors."""

_NO_TENSOR = frozenset(
    [
        "function",
        "device",
        "name_scope",
        "init_scope",
        "control_dependencies",
        "executing_eagerly",
        "get_static_value",
        "broadcast_static_shape",
        "clip_by_global_norm",
        "is_tensor",
        "is_symbolic_tensor",
        "inside_function",
        "group",
        "no_op",
        "print",
        "as_dtype",
        "type_spec_from_value",
        "variable_creator_scope",
        "get_logger",
        "load_library",
        "load_op_library",
        "register_tensor_conversion_function",
        "custom_gradient",
        "recompute_grad",
        "grad_pass_through",
        "case",
        "while_loop",
        "cond",
        "switch_case",
        "scan",
        "map_fn",
        "foldl",
        "foldr",
        "vectorized_map",
        "make_ndarray",
        "make_tensor_proto",
        "py_function",
        "numpy_function",
        "gradients",
        "hessians",
        "set_seed",
        "create_rng_state",
        "get_global_generator",
        "set_global_generator",
        "experimental",
    ]
)
"""Functions whose result is no tensor, or has a structure that the call alone does not tell."""

_TENSOR_MODULES = frozenset(
    [
        "math",
        "nn",
        "linalg",
        "random",
        "strings",
        "image",
        "signal",
        "bitwise",
        "audio",
        "quantization",
        "sets",
        "dtypes",
    ]
)

_READERS = frozenset(["read_file", "decode_", "serialize_", "matching_files", "parse_tensor"])

_TENSOR_KERAS = frozenset(["losses", "activations", "ops", "metrics"])

_NO_TENSOR_OPS = frozenset(
    {
        *("associative_scan", "cond", "convert_to_numpy", "custom_gradient", "dtype", "fori_loop"),
        *("get", "is_tensor", "map", "ndim", "scan", "serialize", "shape", "switch"),
        *("vectorized_map", "while_loop"),
    }
)
"""Functions of `keras.ops` and the like with another result, such as a tuple for `shape`."""

_TENSOR_BACKEND = frozenset(
    {
        *("abs", "all", "any", "arange", "argmax", "argmin", "batch_dot", "binary_crossentropy"),
        *("cast", "categorical_crossentropy", "clip", "concatenate", "constant", "cos", "cumsum"),
        *("dot", "dropout", "equal", "exp", "expand_dims", "flatten", "gather", "greater"),
        *("l2_normalize", "less", "log", "max", "maximum", "mean", "min", "minimum", "not_equal"),
        *("one_hot", "ones_like", "permute_dimensions", "pow", "prod", "random_normal"),
        *("random_uniform", "relu", "repeat", "reshape", "reverse", "round", "sigmoid", "sign"),
        *("sin", "softmax", "softplus", "sparse_categorical_crossentropy", "sqrt", "square"),
        *("squeeze", "stack", "std", "sum", "tanh", "tile", "transpose", "var", "zeros_like"),
    }
)
"""Functions of `keras.backend` that compute; others ask for settings."""

_CONSTRUCTORS = {
    "tensorflow.Variable": Value(Kind.VARIABLE),
    "tensorflow.TensorArray": Value(Kind.OBJECT, origin="tensorflow.TensorArray"),
    "tensorflow.GradientTape": Value(Kind.OBJECT, origin="tensorflow.GradientTape"),
    "tensorflow.executing_eagerly": SCALAR,
    "tensorflow.is_tensor": SCALAR,
    "tensorflow.py_function": UNKNOWN,
    "keras.Variable": Value(Kind.VARIABLE),
    "keras.Input": UNKNOWN,
    "collections.Counter": container("collections.Counter"),
    "collections.defaultdict": container("collections.defaultdict"),
    "collections.deque": container("collections.deque"),
    "collections.OrderedDict": container("collections.OrderedDict"),
    "time.sleep": UNKNOWN,
}

_SCALAR_MODULES = frozenset({"math", "time", "random"})


@lru_cache(maxsize=10_000)
def result_of(qualified: str) -> Value:
    """What a call of the function or class with this dotted name gives, outside a trace."""
    known = _CONSTRUCTORS.get(qualified)
    if known is not None:
        return known
    package, _, rest = qualified.partition(".")
    parts = rest.split(".")
    match package:
        case "tensorflow":
            return _tensorflow(parts, qualified)
        case "keras":
            return _keras(parts, qualified)
        case "numpy":
            return _numpy(parts, qualified)
        case _ if package in _SCALAR_MODULES and parts[-1].islower():
            return Value(Kind.SCALAR, origin=qualified)
    return UNKNOWN


def _tensorflow(parts: list[str], qualified: str) -> Value:
    last = parts[-1]
    if parts[0] == "data":
        return DATASET if any("Dataset" in part for part in parts) else UNKNOWN
    if last in _NO_TENSOR or not last[0].islower() or parts[0] == "compat":
        is_class = last[0].isupper()
        return Value(Kind.OBJECT, origin=qualified) if is_class else UNKNOWN
    if "Generator" in parts:
        return Value(Kind.OBJECT, origin="tensorflow.random.Generator")
    if last in _MANY_TENSORS:
        return _TENSORS
    if len(parts) == 1 or parts[0] in _TENSOR_MODULES:
        return TENSOR
    if parts[0] == "io" and any(last.startswith(reader) for reader in _READERS):
        return TENSOR
    return UNKNOWN


def _keras(parts: list[str], qualified: str) -> Value:
    last = parts[-1]
    if last[0].isupper() or parts[0] in {"applications", "models"}:
        return Value(Kind.KERAS, origin=qualified)
    if len(parts) == 2 and parts[0] == "backend":
        return TENSOR if last in _TENSOR_BACKEND else UNKNOWN
    if len(parts) == 2 and parts[0] in _TENSOR_KERAS and last not in _NO_TENSOR_OPS:
        return _TENSORS if last in _MANY_TENSORS else TENSOR
    if parts[0] == "datasets":
        return container("builtins.tuple", element=container("builtins.tuple", element=NUMPY))
    return UNKNOWN


def _numpy(parts: list[str], qualified: str) -> Value:
    if parts[-1] in {"default_rng", "RandomState"}:
        return Value(Kind.OBJECT, origin=qualified)
    if parts[-1] in {"seed", "save", "savez", "savetxt", "set_printoptions", "errstate"}:
        return UNKNOWN
    return Value(Kind.NUMPY, origin=qualified) if qualified in _SPACED else NUMPY


DATASET_METHODS = frozenset(
    [
        "apply",
        "batch",
        "bucket_by_sequence_length",
        "cache",
        "concatenate",
        "enumerate",
        "filter",
        "flat_map",
        "group_by_window",
        "ignore_errors",
        "interleave",
        "map",
        "padded_batch",
        "prefetch",
        "ragged_batch",
        "rebatch",
        "repeat",
        "sample_from_datasets",
        "scan",
        "shard",
        "shuffle",
        "skip",
        "snapshot",
        "sparse_batch",
        "take",
        "take_while",
        "unbatch",
        "unique",
        "window",
        "with_options",
        "zip",
    ]
)
"""Methods of a dataset that return a dataset."""

SAME_ELEMENTS = frozenset(
    [
        "batch",
        "cache",
        "filter",
        "padded_batch",
        "prefetch",
        "repeat",
        "shard",
        "shuffle",
        "skip",
        "snapshot",
        "take",
        "take_while",
        "unbatch",
        "unique",
        "with_options",
    ]
)
"""Those that keep the structure of the elements."""

DATASET_ONLY_METHODS = frozenset(
    {"as_numpy_iterator", "group_by_window", "padded_batch", "prefetch", "unbatch"}
)
"""Methods that nothing but a dataset has: a call of one says what the receiver is.

Other libraries have datasets too, whose `map`, `filter`, `shuffle` and `batch` run Python.
"""

VARIABLE_TENSOR_METHODS = frozenset(
    [
        "assign",
        "assign_add",
        "assign_sub",
        "read_value",
        "value",
        "scatter_add",
        "scatter_nd_update",
        "scatter_update",
        "scatter_sub",
        "sparse_read",
        "gather_nd",
    ]
)


def method_result(receiver: Value, name: str) -> Value:
    """What a method of a value of a known kind returns."""
    match receiver.kind:
        case Kind.DATASET:
            return _dataset_method(receiver, name)
        case Kind.TENSOR:
            return NUMPY if name == "numpy" else UNKNOWN
        case Kind.VARIABLE:
            if name == "numpy":
                return NUMPY
            return TENSOR if name in VARIABLE_TENSOR_METHODS else UNKNOWN
        case Kind.NUMPY:
            if name == "tolist" and receiver.origin in _SPACED:
                return container("builtins.list", element=Value(Kind.SCALAR, varies=MANY))
            return _NUMPY_METHODS.get(name, NUMPY)
        case Kind.LITERAL | Kind.SCALAR:
            part = Value(Kind.SCALAR, varies=receiver.varies)
            return container("builtins.list", element=part) if name in _SPLITTING else part
        case Kind.CONTAINER:
            return _container_method(receiver, name)
        case Kind.KERAS:
            return TENSOR if name == "result" else UNKNOWN
        case Kind.OBJECT:
            return _object_method(receiver.origin or "", name)
    return UNKNOWN


_SPACED = frozenset(f"numpy.{name}" for name in ("arange", "linspace", "logspace", "geomspace"))
"""Rows of numbers that differ."""

_SPLITTING = frozenset({"split", "rsplit", "splitlines", "partition", "rpartition"})
"""Methods of text that give several texts."""

_NUMPY_METHODS = {
    "item": SCALAR,
    "tolist": container("builtins.list"),
    "tobytes": SCALAR,
    "fill": UNKNOWN,
    "sort": UNKNOWN,
}


def _dataset_method(receiver: Value, name: str) -> Value:
    if name in SAME_ELEMENTS:
        return receiver
    if name == "enumerate":
        parts = Value(Kind.CONTAINER, items=(TENSOR, receiver.each()))
        return Value(Kind.DATASET, element=parts)
    if name == "as_numpy_iterator":
        element = receiver.each()
        return container("iterator", element=NUMPY if element.is_tensor else UNKNOWN)
    return DATASET if name in DATASET_METHODS else UNKNOWN


def _container_method(receiver: Value, name: str) -> Value:
    match name:
        case "keys" | "values" | "copy":
            return container("builtins.list", element=receiver.element)
        case "items":
            parts = Value(Kind.CONTAINER, items=(UNKNOWN, receiver.element or UNKNOWN))
            return container("builtins.list", element=parts)
        case "index" | "count":
            return SCALAR
        case "pop" | "popleft" | "get" if receiver.kind is Kind.CONTAINER:
            return receiver.each() if name != "get" else UNKNOWN
    return UNKNOWN


def _object_method(origin: str, name: str) -> Value:
    if origin == "tensorflow.TensorArray":
        ends = {"stack", "concat", "gather", "read", "size"}
        return TENSOR if name in ends else Value(Kind.OBJECT, origin=origin)
    if origin == "tensorflow.random.Generator":
        return TENSOR if name not in {"split", "from_seed"} else OBJECT
    if origin.startswith("numpy.random"):
        return NUMPY
    return UNKNOWN


def is_keras(value: Value) -> bool:
    """Whether calling the value runs a Keras layer, loss or metric: one tensor comes out."""
    origin = value.origin or ""
    return value.kind is KERAS.kind and origin.startswith(("keras.layers.", "keras.losses."))


MUTATORS = {
    "add", "append", "appendleft", "clear", "difference_update", "discard", "extend", "extendleft",
    "insert", "intersection_update", "move_to_end", "pop", "popitem", "popleft", "remove",
    "reverse", "rotate", "setdefault", "sort", "subtract", "symmetric_difference_update", "update",
}  # fmt: skip
"""Methods of the containers of Python that change them."""
