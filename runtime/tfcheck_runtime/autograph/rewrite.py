"""Rewrites a function so that its control flow and calls go through this package's operators.

    if c:                 def if_body(): nonlocal x; x = 1
        x = 1       =>    def else_body(): nonlocal x; x = 2
    else:                 ag__.if_stmt(c, if_body, else_body, get_state, set_state, ("x",), 1)
        x = 2

The operators decide while the function runs whether a value is a graph tensor.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from tfcheck_runtime.autograph import initialization, jumps, liveness, names, options, state
from tfcheck_runtime.autograph.syntax import (
    GENERATED,
    assign,
    function,
    is_operator,
    load,
    operator,
    parameters,
    placed,
    thunk,
    tuple_of,
)

_FRAME_BOUND = frozenset({"locals", "globals", "vars", "dir", "eval", "exec", "super"})
"""Builtins that look at the frame they are called from: called as they are."""

_ITEM = "item" + GENERATED


def rewrite(node: ast.FunctionDef | ast.Lambda) -> None:
    """Rewrite a function definition or lambda in place."""
    if isinstance(node, ast.Lambda):
        node.body = _Expressions(frozenset(), None).visit(node.body)
    else:
        _rewrite_definition(node, frozenset(), _fresh_names(node))


def _fresh_names(node: ast.AST) -> Callable[[str], str]:
    taken = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    taken |= {n.arg for n in ast.walk(node) if isinstance(n, ast.arg)}

    def fresh(base: str) -> str:
        name, number = base, 0
        while name in taken:
            number += 1
            name = f"{base}{number}"
        taken.add(name)
        return name

    return fresh


def _rewrite_definition(
    node: ast.FunctionDef, outer_undefined: frozenset[str], fresh: Callable[[str], str]
) -> None:
    loops = [n for s in node.body for n in _own_loops(s)]
    loop_options = {loop: options.take(loop) for loop in loops}
    options.check_taken(node.body)
    lowered = jumps.lower(node.body, fresh)
    own = names.bound(lowered.body) | names.parameter_names(node)
    declared = names.declared(lowered.body)
    spans = liveness.spans(lowered.body, lowered.extra_tests, always=frozenset(declared))
    found = initialization.analyse(lowered.body, names.parameter_names(node) | declared, spans)
    undefined = (outer_undefined - own) | found.names
    statements = _Statements(
        undefined=frozenset(undefined),
        first_parameter=_first_parameter(node),
        missing=found.missing,
        spans=spans,
        extra_tests=lowered.extra_tests,
        loop_options=loop_options,
        probed=frozenset(names.deleted(lowered.body)),
        global_names=frozenset(names.globals_of(lowered.body)),
        fresh=fresh,
    )
    node.body = statements.block(lowered.body)


def _own_loops(node: ast.AST) -> list[ast.For | ast.While]:
    if isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef):
        return []
    found = [node] if isinstance(node, ast.For | ast.While) else []
    return found + [loop for child in ast.iter_child_nodes(node) for loop in _own_loops(child)]


def _first_parameter(node: ast.FunctionDef) -> str | None:
    positional = [*node.args.posonlyargs, *node.args.args]
    return positional[0].arg if positional else None


class _Expressions(ast.NodeTransformer):
    """Calls, boolean operators, comparisons and conditional expressions."""

    def __init__(self, undefined: frozenset[str], first_parameter: str | None) -> None:
        self.undefined = undefined
        self.first_parameter = first_parameter
        self.in_conditional = False

    def visit_Name(self, node: ast.Name) -> ast.expr:  # ast's naming
        if isinstance(node.ctx, ast.Load) and node.id in self.undefined:
            return placed(operator("read", node), node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        callee = node.func
        self.generic_visit(node)
        if is_operator(callee):
            return node
        if isinstance(callee, ast.Name) and callee.id in _FRAME_BOUND:
            if callee.id == "super" and not node.args and self.first_parameter:
                # The two-argument form works in the functions that branches are made of, too.
                node.args = [load("__class__"), load(self.first_parameter)]
            return placed(operator("own_names", node), node) if callee.id == "locals" else node
        node.func = placed(operator("converted", node.func), node.func)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        self.generic_visit(node)
        name = "and_" if isinstance(node.op, ast.And) else "or_"
        return placed(operator(name, *(thunk(v) for v in node.values)), node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.op, ast.Not):
            return placed(operator("not_", node.operand), node)
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        self.generic_visit(node)
        if len(node.ops) == 1:
            return node
        steps = [
            ast.Tuple([_comparison(op), thunk(right)], ast.Load())
            for op, right in zip(node.ops, node.comparators, strict=True)
        ]
        return placed(operator("chained", node.left, *steps), node)

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        if self.in_conditional:
            # As in TensorFlow, a conditional expression inside another one stays Python's.
            self.generic_visit(node)
            return node
        shown = ast.Constant(ast.unparse(node.test))
        self.in_conditional = True
        self.generic_visit(node)
        self.in_conditional = False
        branches = thunk(node.body), thunk(node.orelse)
        return placed(operator("if_exp", node.test, *branches, shown), node)

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        node.args.defaults = [self.visit(d) for d in node.args.defaults]
        node.args.kw_defaults = [d and self.visit(d) for d in node.args.kw_defaults]
        inner = _Expressions(self.undefined - names.parameter_names(node), self.first_parameter)
        inner.in_conditional = self.in_conditional
        node.body = inner.visit(node.body)
        return node

    def visit_ListComp(self, node: ast.ListComp) -> ast.expr:
        return self._comprehension(node)

    def visit_SetComp(self, node: ast.SetComp) -> ast.expr:
        return self._comprehension(node)

    def visit_DictComp(self, node: ast.DictComp) -> ast.expr:
        return self._comprehension(node)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.expr:
        return self._comprehension(node)

    def _comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
    ) -> ast.expr:
        targets = names.bound([g.target for g in node.generators])
        before, self.undefined = self.undefined, self.undefined - targets
        self.generic_visit(node)
        self.undefined = before
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.stmt:
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.stmt:
        # Methods are converted when they are called, from their own source.
        return node


def _comparison(op: ast.cmpop) -> ast.expr:
    """The comparison as a function, so that each operand is computed once."""
    compare = ast.Compare(load("a" + GENERATED), [op], [load("b" + GENERATED)])
    return ast.Lambda(parameters(["a" + GENERATED, "b" + GENERATED]), compare)


class _Statements(_Expressions):
    """Branches and loops of one function whose jumps are lowered."""

    def __init__(
        self,
        *,
        undefined: frozenset[str],
        first_parameter: str | None,
        missing: dict[liveness.Control, initialization.Missing],
        spans: dict[liveness.Control, liveness.Span],
        extra_tests: dict[ast.For, ast.expr],
        loop_options: dict[ast.For | ast.While, ast.Dict],
        probed: frozenset[str],
        global_names: frozenset[str],
        fresh: Callable[[str], str],
    ) -> None:
        super().__init__(undefined, first_parameter)
        self.missing = missing
        self.spans = spans
        self.extra_tests = extra_tests
        self.loop_options = loop_options
        self.probed = probed
        self.global_names = global_names
        self.fresh = fresh

    def block(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        """The statements, rewritten."""
        out: list[ast.stmt] = []
        for statement in statements:
            made = self.visit(statement)
            out.extend(made if isinstance(made, list) else [made])
        return out

    def visit_If(self, node: ast.If) -> list[ast.stmt]:
        shared = state.shared(node, self.spans[node], self.probed)
        test = self.visit(node.test)
        made = [
            *self._prepare(node, shared),
            self._function(node, "if_body", node.body),
            self._function(node, "else_body", node.orelse),
        ]
        bodies = load("if_body" + GENERATED), load("else_body" + GENERATED)
        call = operator(
            "if_stmt", test, *bodies, shared.getter(), shared.setter_name(),
            shared.names_display(), ast.Constant(shared.outputs),
        )  # fmt: skip
        return self._placed([*made, ast.Expr(call)], node)

    def visit_While(self, node: ast.While) -> list[ast.stmt]:
        shared = state.shared(node, self.spans[node], self.probed)
        test = placed(ast.Return(self.visit(node.test)), node.test)
        made = [
            *self._prepare(node, shared),
            function("loop_test", [], [test]),
            self._function(node, "loop_body", node.body),
        ]
        call = operator(
            "while_stmt", load("loop_test" + GENERATED), *self._loop_arguments(node, shared)
        )
        return self._placed([*made, ast.Expr(call)], node)

    def visit_For(self, node: ast.For) -> list[ast.stmt]:
        shared = state.shared(node, self.spans[node], self.probed)
        iterated = self.visit(node.iter)
        bind = placed(ast.Assign([node.target], load(_ITEM)), node.target)
        extra = self.extra_tests.get(node)
        test = ast.Constant(None) if extra is None else thunk(self.visit(placed(extra, node)))
        made = [
            *self._prepare(node, shared),
            self._function(node, "loop_body", [bind, *node.body], takes=[_ITEM]),
        ]
        call = operator("for_stmt", iterated, test, *self._loop_arguments(node, shared))
        return self._placed([*made, ast.Expr(call)], node)

    def _loop_arguments(
        self, node: ast.For | ast.While, shared: state.State
    ) -> tuple[ast.expr, ...]:
        own = self.loop_options[node]
        if isinstance(node, ast.For):
            iterates = tuple_of(ast.Constant(n) for n in sorted(names.bound([node.target])))
            own = options.with_entry(own, "iterate_names", iterates)
        return (
            load("loop_body" + GENERATED),
            shared.getter(),
            shared.setter_name(),
            shared.names_display(),
            own,
        )

    def _prepare(self, node: liveness.Control, shared: state.State) -> list[ast.stmt]:
        missing = self.missing[node]
        return [
            *state.initialise(missing.unbound, missing.uncertain),
            *shared.setter(self._declare(shared.simple()), node),
        ]

    def _function(
        self,
        node: liveness.Control,
        name: str,
        body: Sequence[ast.stmt],
        *,
        takes: Sequence[str] = (),
    ) -> ast.stmt:
        # What does not matter outside is new in each round, also for functions made there.
        declarations = self._declare(names.bound(body) & self.spans[node].around)
        return function(name, takes, [*declarations, *self.block(body)])

    def _declare(self, bound: set[str]) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        if bound & self.global_names:
            made.append(ast.Global(sorted(bound & self.global_names)))
        if bound - self.global_names:
            made.append(ast.Nonlocal(sorted(bound - self.global_names)))
        return made

    def _placed(self, made: Sequence[ast.stmt], node: liveness.Control) -> list[ast.stmt]:
        for statement in made:
            placed(statement, node.test if not isinstance(node, ast.For) else node.iter)
        return list(made)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt | list[ast.stmt]:
        self.generic_visit(node)
        target = node.target
        if not isinstance(target, ast.Name) or target.id not in self.undefined:
            return node
        return [placed(assign(target.id, operator("read", load(target.id))), node), node]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        node.args.defaults = [self.visit(d) for d in node.args.defaults]
        node.args.kw_defaults = [d and self.visit(d) for d in node.args.kw_defaults]
        _rewrite_definition(node, self.undefined, self.fresh)
        return node

    def visit_Try(self, node: ast.Try) -> ast.stmt:
        node.body = self.block(node.body)
        for handler in node.handlers:
            handler.type = handler.type and self.visit(handler.type)
            handler.body = self.block(handler.body)
        node.orelse = self.block(node.orelse)
        node.finalbody = self.block(node.finalbody)
        return node

    def visit_With(self, node: ast.With) -> ast.stmt:
        node.items = [self.visit(item) for item in node.items]
        node.body = self.block(node.body)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        node.value = node.value and self.visit(node.value)
        return node
