"""Finds the form of expressions: through names, statements and calls of libraries."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from tfcheck.lint.forms import (
    NOTHING,
    TENSOR_FORM,
    Form,
    Shape,
    Sort,
    broadcast,
    joined,
    number,
    operated,
)
from tfcheck.lint.kinds import Kind, Value
from tfcheck.lint.library_forms import Called, library_form
from tfcheck.lint.scopes import Binding, FunctionInfo, How, place_of
from tfcheck.lint.semantics import FileModel
from tfcheck.lint.spelled_shapes import SpelledShapes

Environment = Mapping[str, Form | None]
_SECOND_IS_DTYPE = frozenset(
    {"cast", "constant", "convert_to_tensor", "zeros", "ones", "array", "asarray", "zeros_like"}
)
_EMPTY: Environment = {}


class FormFlow:
    """Answers what form an expression has where it stands."""

    def __init__(self, model: FileModel) -> None:
        self._model = model
        self._spelled = SpelledShapes(model)
        self._known: dict[ast.expr, Form | None] = {}
        self._running: set[ast.AST] = set()

    def of(self, node: ast.expr, env: Environment = _EMPTY) -> Form | None:
        """The form of an expression; `env` has the names whose form is known better."""
        if env:
            return self._find(node, env)
        if node not in self._known:
            if node in self._running:
                return None
            self._running.add(node)
            self._known[node] = self._find(node, env)
            self._running.discard(node)
        return self._known[node]

    def _find(self, node: ast.expr, env: Environment) -> Form | None:
        handler = _HANDLERS.get(type(node))
        found = None if handler is None else handler(self, node, env)
        return found if found is not None else self._fallback(node)

    def _fallback(self, node: ast.expr) -> Form | None:
        return by_value(self._model.value(node))

    # Statements

    def before(self, name: str, statement: ast.stmt, function: FunctionInfo) -> Form | None:
        """What a local name holds when a statement is reached for the first time."""
        inside = set(ast.walk(statement))
        place = place_of(statement)
        kept: list[Binding] = []
        for binding in function.scope.bindings.get(name, ()):
            if binding.node in inside or place_of(binding.node) > place:
                continue
            around = self._model.index.parents.get(self._statement(binding.node))
            kept = [binding] if around is function.node else [*kept, binding]
        return self._joined(kept)

    def _statement(self, node: ast.AST) -> ast.AST:
        return self._model.index.statement_of(node) if not isinstance(node, ast.arg) else node

    def after(self, block: Sequence[ast.stmt], env: Environment) -> dict[str, Form | None]:
        """What the names hold after the statements of a block."""
        end = dict(env)
        for statement in block:
            self._step(statement, end)
        return end

    def _step(self, statement: ast.stmt, env: dict[str, Form | None]) -> None:
        match statement:
            case ast.Assign(targets=[ast.Name() as name], value=value):
                env[name.id] = self.of(value, env)
            case ast.AnnAssign(target=ast.Name() as name, value=ast.expr() as value):
                env[name.id] = self.of(value, env)
            case ast.AugAssign(target=ast.Name() as name, op=op, value=value):
                before = env[name.id] if name.id in env else self.of(name)
                division = isinstance(op, ast.Div)
                env[name.id] = operated(before, self.of(value, env), division=division)
            case ast.If():
                body, other = self.after(statement.body, env), self.after(statement.orelse, env)
                for name_ in bound_names(statement):
                    env[name_] = joined(body.get(name_), other.get(name_))
            case _:
                env.update(dict.fromkeys(bound_names(statement)))

    # Names

    def _name(self, node: ast.Name, env: Environment) -> Form | None:
        if node.id in env:
            return env[node.id]
        holder = self._model.holder(node)
        if holder is None or holder.is_class:
            return None
        bindings = holder.bindings.get(node.id, [])
        if len(bindings) > 1 and holder is self._model.index.scope_of(node).owner():
            bindings = self._model.index.reaching(node, bindings)
        return self._joined(bindings)

    def _joined(self, bindings: Sequence[Binding]) -> Form | None:
        found = [self._bound(each) for each in bindings if each.node not in self._running]
        if not found:
            return None
        result = found[0]
        for form in found[1:]:
            result = joined(result, form)
        return result

    def _bound(self, binding: Binding) -> Form | None:
        self._running.add(binding.node)
        try:
            match binding.how:
                case How.ASSIGN if binding.value is not None:
                    return self.of(binding.value)
                case How.PARAMETER if isinstance(binding.node, ast.arg):
                    return self._parameter(binding, binding.node)
                case How.LOOP if binding.value is not None:
                    return self._element(binding)
        finally:
            self._running.discard(binding.node)
        return None

    def _element(self, binding: Binding) -> Form | None:
        if binding.value is None or not isinstance(binding.node, ast.Name):
            return None
        whole = self.of(binding.value)
        if whole is not None and whole.is_numeric and whole.sort is not Sort.NUMBER:
            return replace(whole, shape=whole.shape[1:] if whole.shape else None)
        return by_value(self._model.value(binding.node))

    def _parameter(self, binding: Binding, parameter: ast.arg) -> Form | None:
        function = self._model.index.function_of[binding.scope.node]
        if parameter not in function.parameters:
            return None  # `*args` and `**kwargs`
        trace = self._model.traces.get(function)
        creation = trace.creation if trace is not None else None
        if creation is not None and creation.is_set("input_signature"):
            return self._specified(function, parameter)
        sites = self._model.calls_to(function)
        given = [value for site in sites for named, value in site.arguments() if named is parameter]
        default = function.defaults().get(parameter.arg)
        if default is not None and len(given) < len(sites):
            given.append(default)
        forms = [self.of(value) for value in given]
        result = forms[0] if forms else None
        for form in forms[1:]:
            result = joined(result, form)
        if result is not None and result.sort is Sort.ARRAY and creation is not None:
            return replace(result, sort=Sort.TENSOR)
        return result

    def _specified(self, function: FunctionInfo, parameter: ast.arg) -> Form | None:
        trace = self._model.traces[function]
        entries = self._spelled.signature(trace.creation) if trace.creation is not None else None
        place = function.parameters.index(parameter) - (1 if function.owner is not None else 0)
        if entries is not None and 0 <= place < len(entries):
            return entries[place].form
        return None

    # Expressions

    def _constant(self, node: ast.Constant, _env: Environment) -> Form | None:
        return number(node.value)

    def _display(self, node: ast.List | ast.Tuple, env: Environment) -> Form | None:
        if any(isinstance(part, ast.Starred) for part in node.elts):
            return None
        sort = Sort.LIST if isinstance(node, ast.List) else Sort.TUPLE
        return Form(sort, items=tuple(self.of(part, env) for part in node.elts))

    def _dictionary(self, node: ast.Dict, _env: Environment) -> Form | None:
        keys = [key.value for key in node.keys if isinstance(key, ast.Constant)]
        texts = frozenset(key for key in keys if isinstance(key, str))
        return Form(Sort.DICT, keys=texts if len(texts) == len(node.keys) else None)

    def _binary(self, node: ast.BinOp, env: Environment) -> Form | None:
        first, second = self.of(node.left, env), self.of(node.right, env)
        listed = {Sort.LIST, Sort.TUPLE}
        if first is not None and second is not None and {first.sort, second.sort} & listed:
            return self._extended(node, first, second)
        if isinstance(node.op, ast.MatMult):
            return replace(first, shape=None) if first is not None else None
        return operated(first, second, division=isinstance(node.op, ast.Div))

    def _extended(self, node: ast.BinOp, first: Form, second: Form) -> Form | None:
        """`[0.0] * 3` and `items + [x]`."""
        if isinstance(node.op, ast.Mult):
            listed, times = (first, node.right) if first.items is not None else (second, node.left)
            count = self._spelled.integer(times)
            if listed.items is None or count is None or len(listed.items) * count > _MAX_ITEMS:
                return None
            return replace(listed, items=listed.items * max(count, 0))
        if first.sort is second.sort and first.items is not None and second.items is not None:
            return replace(first, items=first.items + second.items)
        return None

    def _unary(self, node: ast.UnaryOp, env: Environment) -> Form | None:
        operand = self.of(node.operand, env)
        if isinstance(node.op, ast.Not) and operand is not None and operand.is_numeric:
            return replace(operand, dtype="bool")
        return operand

    def _compare(self, node: ast.Compare, env: Environment) -> Form | None:
        sides = [self.of(part, env) for part in (node.left, *node.comparators)]
        tensor = any(side is not None and side.sort is Sort.TENSOR for side in sides)
        python = any(isinstance(op, ast.Is | ast.IsNot | ast.In | ast.NotIn) for op in node.ops)
        shape = None
        if len(sides) == 2 and sides[0] is not None and sides[1] is not None:
            shape = broadcast(sides[0].shape, sides[1].shape)
        return Form(Sort.TENSOR, "bool", shape) if tensor and not python else None

    def _choice(self, node: ast.IfExp, env: Environment) -> Form | None:
        return joined(self.of(node.body, env), self.of(node.orelse, env))

    def _subscript(self, node: ast.Subscript, env: Environment) -> Form | None:
        base = self.of(node.value, env)
        if base is None or base.sort not in {Sort.TENSOR, Sort.ARRAY}:
            return None
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        shape = None if base.shape is None else self._cut(base.shape, parts)
        return Form(base.sort, base.dtype, shape)

    def _cut(self, shape: Shape, parts: Sequence[ast.expr]) -> Shape | None:
        left = list(shape)
        kept: list[int | None] = []
        for part in parts:
            if isinstance(part, ast.Constant) and part.value is None:
                kept.append(1)
            elif isinstance(part, ast.Slice) and left:
                kept.append(self._length(part, left.pop(0)))
            elif left and self._is_index(part):
                left.pop(0)
            else:
                return None
        return (*kept, *left)

    def _is_index(self, part: ast.expr) -> bool:
        form = self.of(part)
        return form is not None and form.is_numeric and form.shape == () and form.dtype != "bool"

    def _length(self, cut: ast.Slice, dim: int | None) -> int | None:
        bounds = [cut.lower, cut.upper, cut.step]
        known = [None if bound is None else self._spelled.integer(bound) for bound in bounds]
        if dim is None or any(
            b is not None and k is None for b, k in zip(bounds, known, strict=True)
        ):
            return None
        return len(range(*slice(*known).indices(dim)))

    def _attribute(self, node: ast.Attribute, env: Environment) -> Form | None:
        base = self.of(node.value, env) if node.attr == "T" else None
        if base is None or base.shape is None:
            return None
        return replace(base, shape=base.shape[::-1])

    # Calls

    def _call(self, node: ast.Call, env: Environment) -> Form | None:
        qualified = self._model.qualified_name(node.func) or ""
        package, _, rest = qualified.partition(".")
        name = rest.rpartition(".")[2]
        if package == "builtins":
            return self._builtin(rest, node, env)
        if package not in {"tensorflow", "numpy"}:
            drawn = self._drawn_by(node)
            return (
                self._method(node, env) if drawn is None else self._given(node, "numpy", drawn, env)
            )
        return self._given(node, package, name, env)

    def _drawn_by(self, node: ast.Call) -> str | None:
        """The method of a NumPy random generator that is called."""
        if not isinstance(node.func, ast.Attribute):
            return None
        origin = self._model.value(node.func.value).origin or ""
        return node.func.attr if origin.startswith("numpy.random.") else None

    def _given(self, node: ast.Call, package: str, name: str, env: Environment) -> Form | None:
        """What a function of a library gives."""
        return library_form(
            Called(
                package,
                name,
                arguments=[self.of(part, env) for part in node.args],
                keywords={word.arg or "**": self.of(word.value, env) for word in node.keywords},
                dtype=self._dtype(node, name, package),
                dims=lambda place, word: self._dims(node, place, word),
                axis=lambda place: self._axis(node, place),
            )
        )

    def _builtin(self, name: str, node: ast.Call, env: Environment) -> Form | None:
        first = self.of(node.args[0], env) if node.args else None
        if first is not None and first.sort is Sort.TENSOR and name in {"int", "float"}:
            return replace(first, dtype=f"{name}32")
        if name in {"list", "tuple"} and first is not None and first.items is not None:
            return replace(first, sort=Sort[name.upper()])
        if name == "range":
            count = self._dims(node, -2, "")
            return Form(Sort.ARRAY, "int32", count)
        return None

    def _method(self, node: ast.Call, env: Environment) -> Form | None:
        """`x.astype(np.float32)`, `v.read_value()`, `ta.stack()`."""
        if not isinstance(node.func, ast.Attribute):
            return None
        base = self.of(node.func.value, env)
        if base is None or not base.is_numeric:
            return None
        match node.func.attr:
            case "astype" if node.args:
                return replace(base, dtype=self._spelled.dtype(node.args[0], numpy=True))
            case "read_value" | "copy" | "value" | "numpy":
                return base
            case "reshape" if base.sort is Sort.ARRAY:
                return Form(Sort.ARRAY, base.dtype)
        return None

    def _dtype(self, node: ast.Call, name: str, package: str) -> str | None:
        for word in node.keywords:
            if word.arg in {"dtype", "out_type", "output_type", "output_dtype"}:
                return self._spelled.dtype(word.value, numpy=package == "numpy")
        if name in _SECOND_IS_DTYPE and len(node.args) > 1:
            return self._spelled.dtype(node.args[1], numpy=package == "numpy")
        return None

    def _dims(self, node: ast.Call, place: int, word: str) -> Shape | None:
        if place == -1:
            return tuple(self._spelled.integer(part) for part in node.args)
        if place == -2:
            bounds = [self._spelled.integer(part) for part in node.args]
            known = [bound for bound in bounds if bound is not None]
            if not known or len(known) < len(bounds) or len(known) > 3 or 0 in known[2:]:
                return (None,)
            return (len(range(*known)),)
        given = node.args[place] if place < len(node.args) else None
        for keyword in node.keywords:
            if keyword.arg == word:
                given = keyword.value
        return None if given is None else self._spelled.dims(given)

    def _axis(self, node: ast.Call, place: int) -> int | None:
        given = node.args[place] if place < len(node.args) else None
        for keyword in node.keywords:
            if keyword.arg == "axis":
                given = keyword.value
        return None if given is None else self._spelled.integer(given)


_MAX_ITEMS = 10_000


def by_value(value: Value) -> Form | None:
    """What the kind of a value tells of its form."""
    if value.is_none:
        return NOTHING
    if value.is_tensor:
        return TENSOR_FORM
    if value.kind is Kind.NUMPY:
        return Form(Sort.ARRAY)
    if value.is_scalar:
        forms = {number(item) for item in value.literals}
        origin = (value.origin or "").removeprefix("builtins.")
        known = {"int": "int32", "float": "float32", "bool": "bool", "str": "string"}
        if len(forms) == 1:
            return forms.pop()
        return Form(Sort.NUMBER, known.get(origin), ())
    if value.items is not None and value.origin in {"builtins.list", "builtins.tuple"}:
        sort = Sort.LIST if value.origin == "builtins.list" else Sort.TUPLE
        return Form(sort, items=tuple(by_value(item) for item in value.items))
    return None


def bound_names(node: ast.AST) -> set[str]:
    """The names that a statement binds, those of inner functions left out."""
    found: set[str] = set()
    stack: list[ast.AST] = [node]
    while stack:
        part = stack.pop()
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store | ast.Del):
            found.add(part.id)
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(part.name)
        elif not isinstance(part, _OWN_SCOPE):
            stack.extend(ast.iter_child_nodes(part))
    return found


_OWN_SCOPE = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)

# A handler takes the node class it is listed under, which the type of the table cannot say.
_HANDLERS: Mapping[type[ast.expr], Callable[..., Form | None]] = {
    ast.Constant: FormFlow._constant,
    ast.Name: FormFlow._name,
    ast.List: FormFlow._display,
    ast.Tuple: FormFlow._display,
    ast.Dict: FormFlow._dictionary,
    ast.BinOp: FormFlow._binary,
    ast.UnaryOp: FormFlow._unary,
    ast.Compare: FormFlow._compare,
    ast.IfExp: FormFlow._choice,
    ast.Subscript: FormFlow._subscript,
    ast.Attribute: FormFlow._attribute,
    ast.Call: FormFlow._call,
}
