"""TFC510: a static dimension that is None, used as a number."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tfcheck.diagnostics import Applicability, Fix, Severity
from tfcheck.lint.open_shapes import OpenShapes
from tfcheck.lint.rule import Rule
from tfcheck.lint.scopes import How, place_of

_SHAPED = frozenset(
    f"tensorflow.{name}"
    for name in (
        *("zeros", "ones", "fill", "eye", "reshape", "broadcast_to", "tile", "range", "one_hot"),
        *("slice", "pad", "stack", "constant", "cast", "linspace", "convert_to_tensor"),
        *("random.normal", "random.uniform", "random.truncated_normal", "random.stateless_normal"),
        *("random.stateless_uniform", "random.categorical"),
    )
)
_NUMBERS = frozenset({"builtins.range", "builtins.int", "builtins.float"})


class StaticShapeUse(Rule):
    """`x.shape[i]` of an open dimension is used as a number.

    Why:
        The static shape has None where the size differs from call to call. Arithmetic with it
        fails while tracing: "unsupported operand type(s) for *: 'NoneType' and 'int'".

    Bad:
        import tensorflow as tf

        @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
        def duplicate(x):
            rows = x.shape[0]
            return tf.zeros([rows * 2, 2])  # TFC510

    Becomes:
        import tensorflow as tf

        @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
        def duplicate(x):
            rows = tf.shape(x)[0]
            return tf.zeros([rows * 2, 2])

    Not flagged:
        Dimensions that the signature fixes; sizes tested for None or in `n or tf.shape(x)[0]`;
        comparison by `==`; uses that take None, such as `set_shape` and slices; tensors whose
        shape nothing in the file tells.

    Fix safety:
        Safe: `tf.shape(x)[i]` is the size in each call. Where the name is used in another way
        as well, nothing is changed.
    """

    code = "TFC510"
    since = "0.1"
    severity = Severity.ERROR
    fix = Applicability.SAFE

    def check_file(self) -> None:
        """Look at each element of a static shape in traced code."""
        self._shapes = OpenShapes(self.model)
        for node in self.model.traced_nodes:
            if isinstance(node, ast.Assign):
                self._unpacked(node)
            if not isinstance(node, ast.Subscript) or self.model.trace_around(node) is None:
                continue
            tensor, axis = _static(node.value), _integer(node.slice)
            if tensor is None or axis is None or not self._shapes.is_open(tensor, axis):
                continue
            if self._is_number(node):
                self._report(node, node, self._fix(node, tensor))
            else:
                self._follow(node, tensor)

    def _unpacked(self, node: ast.Assign) -> None:
        """`rows, columns = x.shape`."""
        tensor = _static(node.value)
        for target in node.targets if tensor is not None else ():
            names = target.elts if isinstance(target, ast.Tuple | ast.List) else []
            for axis, name in enumerate(names):
                opened = tensor is not None and self._shapes.is_open(tensor, axis)
                if opened and isinstance(name, ast.Name):
                    uses = sorted(self._uses(name), key=place_of)
                    numbers = [use for use in uses if self._is_number(use)]
                    if numbers and not any(map(self._is_tested, uses)):
                        self._report(numbers[0], name, None)

    def _follow(self, node: ast.Subscript, tensor: ast.expr) -> None:
        """Look at the uses of a name that the dimension is bound to."""
        match self.model.index.parents.get(node):
            case ast.Assign(targets=[ast.Name() as name], value=value) if value is node:
                pass
            case _:
                return
        uses = sorted(self._uses(name), key=place_of)
        if any(map(self._is_tested, uses)):
            return
        numbers = [use for use in uses if self._is_number(use)]
        if numbers:
            fix = self._fix(node, tensor) if len(numbers) == len(uses) else None
            self._report(numbers[0], node, fix)

    def _uses(self, name: ast.Name) -> Iterator[ast.Name]:
        bindings = self.model.bindings(name)
        if len(bindings) != 1 or bindings[0].how is not How.ASSIGN:
            return
        holder = self.model.holder(name)
        for node in self.model.traced_nodes:
            alike = isinstance(node, ast.Name) and node.id == name.id and node is not name
            if alike and isinstance(node, ast.Name) and self.model.holder(node) is holder:
                yield node

    def _is_tested(self, use: ast.expr) -> bool:
        """`n is None`, `if n`, `n or tf.shape(x)[0]`."""
        parent = self.model.index.parents.get(use)
        if isinstance(parent, ast.Compare):
            return any(isinstance(op, ast.Is | ast.IsNot | ast.Eq | ast.NotEq) for op in parent.ops)
        return isinstance(parent, ast.If | ast.IfExp | ast.BoolOp | ast.UnaryOp)

    def _is_number(self, use: ast.expr) -> bool:
        """Whether None will not do where the expression stands."""
        parent = self.model.index.parents.get(use)
        match parent:
            case ast.BinOp():
                return not isinstance(parent.op, ast.Add) or not isinstance(
                    parent.left, ast.List | ast.Tuple
                )
            case ast.Compare():
                order = ast.Lt | ast.LtE | ast.Gt | ast.GtE
                return all(isinstance(op, order) for op in parent.ops)
            case ast.List() | ast.Tuple():
                around = self.model.index.parents.get(parent)
                call = (
                    self.model.index.parents[around] if isinstance(around, ast.keyword) else around
                )
                return isinstance(call, ast.Call) and self._name(call) in _SHAPED
            case ast.Call() if use in parent.args:
                return self._name(parent) in _SHAPED | _NUMBERS
            case ast.keyword(arg="shape" | "size" | "dims"):
                call = self.model.index.parents.get(parent)
                return isinstance(call, ast.Call) and self._name(call) in _SHAPED
        return False

    def _name(self, call: ast.Call) -> str:
        return self.model.qualified_name(call.func) or ""

    def _report(self, use: ast.expr, size: ast.expr, fix: Fix | None) -> None:
        text = self.text(size)
        related = [] if use is size else [self.related(size, f"`{text}` is None")]
        self.report(
            use,
            f"`{text}` is None while tracing: it cannot be used as a number",
            hint="`tf.shape(x)[i]` is the size in each call",
            fix=fix,
            related=related,
            trace=self.model.trace_around(use),
        )

    def _fix(self, size: ast.Subscript, tensor: ast.expr) -> Fix | None:
        name = self.model.spelling("tensorflow.shape", size)
        if name is None:
            return None
        content = f"{name}({self.text(tensor)})[{self.text(size.slice)}]"
        return self.replace(size, content, message=f"Use {name}", safe=True)


def _static(node: ast.expr) -> ast.expr | None:
    """The tensor in `x.shape`, `x.get_shape()` and `x.shape.as_list()`."""
    match node:
        case ast.Call(func=ast.Attribute(attr="as_list", value=inner), args=[]):
            return _static(inner)
        case ast.Call(func=ast.Attribute(attr="get_shape", value=tensor), args=[]):
            return tensor
        case ast.Attribute(attr="shape", value=tensor):
            return tensor
    return None


def _integer(node: ast.expr) -> int | None:
    match node:
        case ast.Constant(value=int(number)):
            return number
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(number))):
            return -number
    return None
