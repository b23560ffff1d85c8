"""Shapes, dtypes and signatures as they are written in the source."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from tfcheck.lint.forms import Form, Shape, Sort
from tfcheck.lint.resolve import Creation
from tfcheck.lint.scopes import How
from tfcheck.lint.semantics import FileModel

_DTYPES = frozenset(
    {
        *("bool", "string", "float16", "bfloat16", "float32", "float64", "half", "double"),
        *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
        *("complex64", "complex128"),
    }
)
_SPELLINGS = {"half": "float16", "double": "float64", "float": "float32", "int": "int32"}
_MAX_DEPTH = 4


@dataclass(frozen=True, slots=True, eq=False)
class SpecEntry:
    """One entry of an `input_signature`."""

    node: ast.expr
    form: Form | None
    """What it asks for, where it is a `TensorSpec` that is written out."""
    is_wrong: bool
    """Whether it is surely no spec."""


class SpelledShapes:
    """Reads what is written out, through names that are bound once."""

    def __init__(self, model: FileModel) -> None:
        self._model = model

    def dims(self, node: ast.expr) -> Shape | None:
        """`[2, n]` as `(2, None)` and `3` as `(3,)`; None when the rank is not known."""
        node = self.resolved(node)
        if isinstance(node, ast.List | ast.Tuple):
            if any(isinstance(part, ast.Starred) for part in node.elts):
                return None
            return tuple(self.integer(part) for part in node.elts)
        if isinstance(node, ast.Call) and node.args:
            name = self._model.qualified_name(node.func)
            return self.dims(node.args[0]) if name == "tensorflow.TensorShape" else None
        alone = self.integer(node)
        return None if alone is None else (alone,)

    def integer(self, node: ast.expr) -> int | None:
        """The one number that an expression can be."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            inner = self.integer(node.operand)
            return None if inner is None else -inner
        if isinstance(node, ast.Constant):
            value = node.value
            return value if isinstance(value, int) and not isinstance(value, bool) else None
        known = self._model.value(node)
        if known.varies == 1 and len(known.literals) == 1:
            only = known.literals[0]
            return only if isinstance(only, int) and not isinstance(only, bool) else None
        return None

    def dtype(self, node: ast.expr, *, numpy: bool = False) -> str | None:
        """`float32` for `tf.float32`, `np.float32`, `"float32"` and `float`."""
        node = self.resolved(node)
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return _SPELLINGS.get(node.value, node.value) if node.value in _DTYPES else None
        package, _, last = (self._model.qualified_name(node) or "").rpartition(".")
        if package == "builtins":
            if last == "bool":
                return "bool"
            if last in {"int", "float"}:
                return f"{last}64" if numpy else f"{last}32"
        known = last in _DTYPES and package.partition(".")[0] in {"tensorflow", "numpy", "keras"}
        return _SPELLINGS.get(last, last) if known else None

    def resolved(self, node: ast.expr, *, depth: int = _MAX_DEPTH) -> ast.expr:
        """What stands behind a name that is bound once, or once above in the same scope."""
        if not isinstance(node, ast.Name) or not depth:
            return node
        index, bindings = self._model.index, list(self._model.bindings(node))
        if len(bindings) > 1 and self._model.holder(node) is index.scope_of(node).owner():
            bindings = index.reaching(node, bindings)
        if len(bindings) != 1 or bindings[0].how is not How.ASSIGN or bindings[0].value is None:
            return node
        if index.statement_of(bindings[0].node) is index.statement_of(node):
            return node  # `data = data.batch(2)`, where the first `data` comes from elsewhere
        return self.resolved(bindings[0].value, depth=depth - 1)

    # Signatures

    def signature(self, creation: Creation) -> list[SpecEntry] | None:
        """The entries of its `input_signature`; None without one, or where it is computed."""
        given = creation.option("input_signature")
        nodes = None if given is None else self._entries(given)
        return None if nodes is None else [self._entry(node) for node in nodes]

    def _entries(self, node: ast.expr) -> Sequence[ast.expr] | None:
        node = self.resolved(node)
        match node:
            case ast.List() | ast.Tuple():
                starred = any(isinstance(part, ast.Starred) for part in node.elts)
                return None if starred else node.elts
            case ast.BinOp(op=ast.Mult()):
                return self._repeated(node.left, node.right) or self._repeated(
                    node.right, node.left
                )
            case ast.BinOp(op=ast.Add()):
                first, second = self._entries(node.left), self._entries(node.right)
                return None if first is None or second is None else [*first, *second]
        return None

    def _repeated(self, parts: ast.expr, times: ast.expr) -> list[ast.expr] | None:
        count = self.integer(times)
        entries = self._entries(parts) if count is not None else None
        return None if entries is None or count is None else [*entries] * count

    def _entry(self, node: ast.expr) -> SpecEntry:
        written = self.resolved(node)
        form = self.spec(written)
        if form is not None:
            return SpecEntry(node, form, is_wrong=False)
        name = self._model.qualified_name(written) or ""
        wrong = (
            isinstance(written, ast.Constant)
            or name in {f"builtins.{kind}" for kind in ("bool", "int", "float", "str")}
            or self.dtype(written) is not None
            or (isinstance(written, ast.Call) and self._model.value(written).is_tensor)
        )
        return SpecEntry(node, None, is_wrong=wrong)

    def spec(self, node: ast.expr) -> Form | None:
        """What `tf.TensorSpec(shape, dtype)` asks for."""
        node = self.resolved(node)
        if not isinstance(node, ast.Call):
            return None
        if self._model.qualified_name(node.func) != "tensorflow.TensorSpec":
            return None
        given = dict(zip(("shape", "dtype"), node.args, strict=False))
        given |= {word.arg: word.value for word in node.keywords if word.arg}
        shape = self.dims(given["shape"]) if "shape" in given else None
        dtype = self.dtype(given["dtype"]) if "dtype" in given else "float32"
        return Form(Sort.TENSOR, dtype, shape)
