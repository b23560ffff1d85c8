"""The dtype and shape of what functions of TensorFlow and NumPy give."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from tfcheck.lint.forms import Form, Shape, Sort, joined, operated

_SAME = frozenset(
    {
        *("abs", "identity", "square", "sqrt", "rsqrt", "exp", "log", "log1p", "expm1", "sin"),
        *("cos", "tan", "tanh", "sigmoid", "negative", "sign", "floor", "ceil", "round", "cumsum"),
        *("relu", "relu6", "elu", "selu", "gelu", "silu", "swish", "softmax", "log_softmax"),
        *("softplus", "softsign", "leaky_relu", "l2_normalize", "dropout", "stop_gradient"),
        *("zeros_like", "ones_like", "clip_by_value", "clip_by_norm", "sort", "reverse", "roll"),
        *("reciprocal", "cumprod", "erf", "copy"),
    }
)
"""Elementwise functions: dtype and shape are those of the first argument."""

_SAME_DTYPE = frozenset(
    {
        *("gather", "gather_nd", "tile", "pad", "repeat", "broadcast_to", "slice", "strided_slice"),
        *("squeeze", "matmul", "matvec", "tensordot", "einsum", "unstack", "transpose", "reshape"),
        *("expand_dims", "boolean_mask", "ensure_shape", "reduce_logsumexp", "reduce_std", "diag"),
    }
)
_REDUCTIONS = frozenset({"reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod"})
_TESTS = frozenset(
    {
        *("equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "logical_and"),
        *("logical_or", "logical_not", "logical_xor", "is_nan", "is_inf", "is_finite"),
    }
)
_PAIRS = frozenset({"add", "subtract", "multiply", "maximum", "minimum", "pow", "floordiv"})
_FILLED = frozenset({"zeros", "ones", "empty", "truncated_normal", "normal", "uniform", "full"})
_FILLED |= {"fill", "stateless_normal", "stateless_uniform"}
_DRAWN = frozenset({"rand", "randn"})
_SIZED = frozenset({"random", "random_sample", "standard_normal"})
"""Draws of NumPy that take their size first."""
_WRAPPED = frozenset({"constant", "convert_to_tensor", "array", "asarray", "Variable"})


@dataclass(frozen=True, slots=True)
class Called:
    """A call of a library function with the forms of its arguments."""

    package: str
    name: str
    """The last part of the dotted name."""
    arguments: Sequence[Form | None]
    keywords: Mapping[str, Form | None]
    dtype: str | None
    """The dtype asked for by `dtype=` or in its place."""
    dims: Callable[[int, str], Shape | None]
    """A list of numbers given at a position or by keyword, as a shape."""
    axis: Callable[[int], int | None]
    """A number given as `axis=` or at a position."""

    def first(self) -> Form | None:
        """The first argument."""
        return self.arguments[0] if self.arguments else None


def library_form(call: Called) -> Form | None:
    """The form of the result, None when nothing is known of it."""
    sort = Sort.TENSOR if call.package == "tensorflow" else Sort.ARRAY
    made = _made(call)
    if made is None:
        return Form(sort, call.dtype) if call.dtype is not None else None
    return replace(made, sort=sort, items=None, dtype=call.dtype or made.dtype)


def _made(call: Called) -> Form | None:
    name, first = call.name, call.first()
    if name in _SAME:
        return first
    if name == "cast" or name in _SAME_DTYPE:
        return _rearranged(call, first)
    if name in _REDUCTIONS or name in {"reduce_any", "reduce_all"}:
        return _reduced(call, first)
    if name in _TESTS:
        return Form(Sort.TENSOR, "bool", first.shape if first is not None else None)
    if name in _PAIRS and len(call.arguments) > 1:
        return operated(first, call.arguments[1])
    if name in _WRAPPED and first is not None:
        return Form(Sort.TENSOR, _widened(call, first), literal_shape(first))
    if name in _FILLED or name in _DRAWN or name in _SIZED:
        return _filled(call)
    return _shaped(call, first)


def _widened(call: Called, first: Form) -> str | None:
    """NumPy makes 64 bits of Python numbers."""
    dtype = leaf_dtype(first)
    if call.package == "numpy" and dtype in {"int32", "float32"} and first.sort is not Sort.ARRAY:
        return f"{dtype[:-2]}64"
    return dtype


def _shaped(call: Called, first: Form | None) -> Form | None:
    match call.name:
        case "shape" | "size" | "rank":
            return Form(Sort.TENSOR, "int32", () if call.name != "shape" else None)
        case "argmax" | "argmin":
            return Form(Sort.TENSOR, "int64", None)
        case "where" if len(call.arguments) == 3:
            return joined(call.arguments[1], call.arguments[2])
        case "stack" | "concat" | "concatenate" | "vstack" | "hstack":
            return _collected(call, first)
        case "range" | "arange":
            return _counted(call)
        case "linspace":
            return Form(Sort.TENSOR, None, call.dims(2, "num"))
        case "eye":
            dims = call.dims(0, "num_rows")
            return Form(Sort.TENSOR, "float32", dims * 2 if dims is not None else None)
    return None


def literal_shape(form: Form) -> Shape | None:
    """The shape of a list of lists as a tensor."""
    if form.items is None:
        return form.shape
    inner = [None if part is None else literal_shape(part) for part in form.items]
    if not inner:
        return (0,)
    first = inner[0]
    return None if first is None or any(s != first for s in inner) else (len(inner), *first)


def leaf_dtype(form: Form) -> str | None:
    """The dtype of a list of lists as a tensor."""
    if form.items is None:
        return form.dtype
    if not form.items:
        return "float32"
    found = {None if part is None else leaf_dtype(part) for part in form.items}
    if found == {"int32", "float32"}:
        return "float32"
    return found.pop() if len(found) == 1 else None


def _filled(call: Called) -> Form:
    drawn = call.name in _DRAWN
    position = 2 if call.package == "numpy" and call.name in {"normal", "uniform"} else 0
    sized = position or call.name in _SIZED
    dims = call.dims(-1 if drawn else position, "size" if sized else "shape")
    dtype = None
    if call.name in {"fill", "full"} and len(call.arguments) > 1:
        value = call.arguments[1]
        dtype = _widened(call, value) if value is not None else None
    elif call.package == "tensorflow":
        dtype = "float32"
    return Form(Sort.TENSOR, dtype or (None if call.package == "tensorflow" else "float64"), dims)


def _rearranged(call: Called, first: Form | None) -> Form | None:
    if first is None:
        return None
    shape, known = None, first.shape
    match call.name:
        case "cast":
            return replace(first, sort=Sort.TENSOR, dtype=call.dtype)
        case "transpose" if known is not None and len(call.arguments) == 1 and not call.keywords:
            shape = known[::-1]
        case "expand_dims" if known is not None:
            shape = _expanded(known, call.axis(1))
        case "boolean_mask" if known is not None:
            shape = (None, *known[1:])
        case "reshape":
            shape = _reshaped(first, call.dims(1, "shape"))
    return Form(Sort.TENSOR, first.dtype, shape)


def _expanded(shape: Shape, axis: int | None) -> Shape | None:
    if axis is None:
        return None
    place = axis if axis >= 0 else len(shape) + 1 + axis
    return (*shape[:place], 1, *shape[place:])


def _reshaped(first: Form, dims: Shape | None) -> Shape | None:
    if dims is None or -1 not in dims:
        return dims
    size = first.size
    rest = [dim for dim in dims if dim != -1]
    if size is None or None in rest or 0 in rest:
        return None
    for dim in rest:
        size //= dim or 1
    return tuple(size if dim == -1 else dim for dim in dims)


def _reduced(call: Called, first: Form | None) -> Form | None:
    dtype = "bool" if call.name in {"reduce_any", "reduce_all"} else None
    if first is None:
        return Form(Sort.TENSOR, dtype) if dtype else None
    shape: Shape | None = None
    if len(call.arguments) == 1 and not call.keywords:
        shape = ()
    elif "keepdims" not in call.keywords and first.shape is not None:
        axis = call.axis(1)
        if axis is not None and -len(first.shape) <= axis < len(first.shape):
            place = axis % len(first.shape)
            shape = (*first.shape[:place], *first.shape[place + 1 :])
    return Form(Sort.TENSOR, dtype or first.dtype, shape)


def _collected(call: Called, first: Form | None) -> Form | None:
    if first is None or not first.items:
        return None
    each = first.items[0]
    shape: Shape | None = None
    axis = call.axis(1) if len(call.arguments) > 1 or "axis" in call.keywords else 0
    whole = literal_shape(first)
    if call.name == "stack" and axis == 0:
        shape = whole
    elif call.name in {"concat", "concatenate"} and axis is not None:
        shape = _concatenated(first.items, axis)
    dtypes = {None if part is None else leaf_dtype(part) for part in first.items}
    dtype = leaf_dtype(each) if each is not None and len(dtypes) == 1 else None
    return Form(Sort.TENSOR, dtype, shape)


def _concatenated(items: Sequence[Form | None], axis: int) -> Shape | None:
    shapes = [None if part is None else literal_shape(part) for part in items]
    known = [shape for shape in shapes if shape is not None]
    if len(known) < len(shapes) or len({len(shape) for shape in known}) != 1:
        return None
    place = axis % len(known[0]) if known[0] else 0
    dims = [shape[place] for shape in known if shape]
    whole = [dim for dim in dims if dim is not None]
    total = sum(whole) if len(whole) == len(items) else None
    return (*known[0][:place], total, *known[0][place + 1 :])


def _counted(call: Called) -> Form:
    dtypes = {None if part is None else part.dtype for part in call.arguments}
    dtype = dtypes.pop() if len(dtypes) == 1 else None
    return Form(Sort.TENSOR, dtype, call.dims(-2, ""))
