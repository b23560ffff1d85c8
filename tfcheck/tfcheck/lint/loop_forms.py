"""How the variables of a graph loop differ after a round from what entered it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from tfcheck.lint.form_flow import FormFlow, bound_names
from tfcheck.lint.forms import Form, Sort, clash, differ
from tfcheck.lint.kinds import Kind
from tfcheck.lint.scopes import FunctionInfo
from tfcheck.lint.semantics import FileModel

_OPTIONS = "tensorflow.autograph.experimental.set_loop_options"
_GROWING = {"tensorflow.concat", "tensorflow.pad", "tensorflow.tile", "tensorflow.repeat"}


@dataclass(frozen=True, slots=True, eq=False)
class LoopChange:
    """A statement, or a part of what a body returns, that changes a loop variable."""

    node: ast.stmt | ast.expr
    message: str
    is_sure: bool = True


class LoopForms:
    """Follows one round of a loop."""

    def __init__(self, model: FileModel) -> None:
        self._model = model
        self._forms = FormFlow(model)

    def of_loop(self, loop: ast.For | ast.While, function: FunctionInfo) -> Iterator[LoopChange]:
        """What one round of a tensor loop of `function` changes."""
        names = bound_names(ast.Module(loop.body, []))
        start = {name: _entering(self._forms.before(name, loop, function)) for name in names}
        env: dict[str, Form | None] = dict(start)
        last: dict[str, ast.stmt] = {}
        for statement in loop.body:
            last.update(dict.fromkeys(bound_names(statement), statement))
            clashing = self._clashing(statement, env)
            if clashing is not None:
                yield LoopChange(statement, clashing)
                return
            env = self._forms.after([statement], env)
        free = self._free(loop)
        for name, statement in sorted(last.items(), key=lambda pair: pair[1].lineno):
            message = _retyped(start.get(name), env.get(name))
            if message is None and name not in free:
                message = _reshaped(start.get(name), env.get(name))
            if message is not None:
                yield LoopChange(statement, f"`{name}` {message}")
            elif name not in free and self._grows(name, statement, start.get(name)):
                yield LoopChange(statement, f"`{name}` grows in each round", is_sure=False)

    def _clashing(self, statement: ast.stmt, env: Mapping[str, Form | None]) -> str | None:
        """An operation on a loop variable whose dtype does not fit that of the other side."""
        match statement:
            case ast.AugAssign(target=ast.Name(id=name), value=other):
                pass
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.BinOp(left=ast.Name(id=left), right=other),
            ) if name == left:
                pass
            case _:
                return None
        first, second = env.get(name), self._forms.of(other, env)
        if first is None or second is None or not clash(first, second):
            return None
        return f"`{name}` enters the loop as {first.told} and takes {second.told}"

    def _grows(self, name: str, statement: ast.stmt, before: Form | None) -> bool:
        """Whether it is concatenated to itself; what is known of the shape was compared."""
        known = before is not None and before.is_numeric and None not in (before.shape or ())
        if not known or not isinstance(statement, ast.Assign):
            return False
        call = statement.value
        if not isinstance(call, ast.Call) or self._model.qualified_name(call.func) not in _GROWING:
            return False
        compared = self._forms.of(call)
        if before is not None and before.shape and compared is not None and compared.shape:
            return False
        # A part of itself may leave it as long as it was: `tf.concat([x[1:], [y]], 0)`.
        cut = any(isinstance(part, ast.Slice) for part in ast.walk(call))
        names = (part.id for part in ast.walk(call) if isinstance(part, ast.Name))
        return name in names and not cut

    def _free(self, loop: ast.For | ast.While) -> set[str]:
        """The names whose shape may change; all in a loop over a dataset, which allows it."""
        if isinstance(loop, ast.For) and self._is_over_dataset(loop.iter):
            return bound_names(loop)
        return {
            part.id
            for node in ast.walk(loop)
            if isinstance(node, ast.Call) and self._model.qualified_name(node.func) == _OPTIONS
            for part in ast.walk(node)
            if isinstance(part, ast.Name)
        }

    def _is_over_dataset(self, iterated: ast.expr) -> bool:
        counted = isinstance(iterated, ast.Call) and bool(iterated.args)
        inner = iterated.args[0] if counted and isinstance(iterated, ast.Call) else iterated
        return Kind.DATASET in {self._model.kind(iterated), self._model.kind(inner)}

    def of_call(self, call: ast.Call) -> Iterator[LoopChange]:
        """How what enters `tf.while_loop` differs from what its body returns."""
        given = dict(zip(("cond", "body", "loop_vars"), call.args, strict=False))
        given |= {word.arg: word.value for word in call.keywords if word.arg}
        start = given.get("loop_vars")
        if not isinstance(start, ast.List | ast.Tuple) or "body" not in given:
            return
        for target in self._model.resolver.functions(given["body"]):
            function = target.function
            returned = _returned(function)
            if len(function.parameters) != len(start.elts) or len(returned) != len(start.elts):
                continue
            before = [_entering(self._forms.of(part)) for part in start.elts]
            names = [parameter.arg for parameter in function.parameters]
            env = dict(zip(names, before, strict=True))
            if not isinstance(function.node, ast.Lambda):
                env = self._forms.after(function.node.body, env)
            for name, first, part in zip(names, before, returned, strict=True):
                second = self._forms.of(part, env)
                message = _retyped(first, second)
                if message is None and "shape_invariants" not in given:
                    message = _reshaped(first, second)
                if message is not None:
                    yield LoopChange(part, f"`{name}` {message}")


def _entering(form: Form | None) -> Form | None:
    """A Python number is a tensor once it is in the loop."""
    return replace(form, sort=Sort.TENSOR) if form is not None and form.is_numeric else form


def _returned(function: FunctionInfo) -> list[ast.expr]:
    """The parts of the list or tuple that a function returns at its end."""
    value: ast.expr | None = None
    if isinstance(function.node, ast.Lambda):
        value = function.node.body
    elif len(function.scope.returns) == 1 and function.node.body[-1] in function.scope.returns:
        value = function.scope.returns[0].value
    return value.elts if isinstance(value, ast.List | ast.Tuple) else []


def _retyped(first: Form | None, second: Form | None) -> str | None:
    found = differ(first, second)
    sorts = {form.sort for form in found} if found is not None else {Sort.NONE}
    # A list that grows fails for a reason of its own.
    if found is None or Sort.NONE in sorts or sorts == {Sort.LIST}:
        return None
    return f"is {found[0].told} before the loop and {found[1].told} after a round"


def _reshaped(first: Form | None, second: Form | None) -> str | None:
    if first is None or second is None or first.shape is None or second.shape is None:
        return None
    if len(first.shape) == len(second.shape) and all(
        a is None or a == b for a, b in zip(first.shape, second.shape, strict=True)
    ):
        return None
    before, after = (str(form.shape).replace("None", "?") for form in (first, second))
    return f"has shape {before} before the loop and {after} after a round"
