"""Turns the code of a function into code whose control flow can be traced.

The result keeps the file name, lines and function name of the original, so tracebacks and
provenance point at the user's code.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from types import CodeType

from tfcheck_runtime.autograph import source, support
from tfcheck_runtime.autograph.rewrite import rewrite
from tfcheck_runtime.autograph.source import FunctionTree
from tfcheck_runtime.autograph.support import ConversionError
from tfcheck_runtime.autograph.syntax import GENERATED, OPERATORS, parameters

_FACTORY = "factory" + GENERATED
_DEFINITION = "definition" + GENERATED


@dataclass(frozen=True, slots=True)
class Conversion:
    """Converted code with the tree it was compiled from."""

    code: CodeType
    tree: FunctionTree


def convert_code(code: CodeType, qualified_name: str) -> Conversion:
    """Convert the code of the function `qualified_name`.

    Raises:
        ConversionError: the function holds what AutoGraph does not convert, or has no source.
    """
    tree = source.tree_of(code)
    support.check(tree, code.co_filename)
    rewrite(tree)
    _strip(tree)
    module = _module(tree, code, _class_of(qualified_name))
    try:
        compiled = compile(
            module, code.co_filename, "exec", flags=_future_flags(code), dont_inherit=True
        )
    except SyntaxError as error:
        # As in TensorFlow, annotated variables cannot be shared with a branch or loop.
        raise ConversionError(
            f"{error.msg} ({code.co_filename}:{error.lineno}): a branch or loop that changes"
            f" `{code.co_name}`'s variable annotates it; leave out the annotation there"
            " [unconverted-control-flow]"
        ) from error
    if isinstance(tree, ast.FunctionDef):
        tree.name = code.co_name
    return Conversion(_renamed(_find(compiled), code), tree)


def is_converted(code: CodeType) -> bool:
    """Whether code came out of a conversion."""
    return OPERATORS in code.co_freevars


def _strip(tree: FunctionTree) -> None:
    """Leave out what is evaluated where the function is defined: it keeps its own."""
    tree.args.defaults = []
    tree.args.kw_defaults = [None] * len(tree.args.kwonlyargs)
    if isinstance(tree, ast.FunctionDef):
        # Under its own name it would hide the global that a recursive call means.
        tree.name = _DEFINITION
        tree.decorator_list = []
        tree.returns = None
        a = tree.args
        for p in (*a.posonlyargs, *a.args, *a.kwonlyargs, *(x for x in (a.vararg, a.kwarg) if x)):
            p.annotation = None


def _module(tree: FunctionTree, code: CodeType, class_name: str | None) -> ast.Module:
    """The definition inside a function that binds its free variables.

    It also stands in a class when the original did, for private names and `super()`.
    """
    inner: ast.stmt = ast.Return(tree) if isinstance(tree, ast.Lambda) else tree
    free = [*code.co_freevars, OPERATORS]
    body = [inner]
    if class_name is not None and isinstance(tree, ast.FunctionDef):
        inner = ast.ClassDef(class_name, bases=[], keywords=[], body=[tree], decorator_list=[])
        # A method that names its own class means the global, not the class of this factory.
        body = [inner] if class_name in free else [ast.Global([class_name]), inner]
    factory = ast.FunctionDef(
        _FACTORY, args=parameters(free), body=body, decorator_list=[], returns=None
    )
    ast.copy_location(factory, tree)
    ast.copy_location(inner, tree)
    return ast.fix_missing_locations(ast.Module([factory], type_ignores=[]))


def _class_of(qualified_name: str) -> str | None:
    outer = qualified_name.split(".")[:-1]
    return outer[-1] if outer and outer[-1] != "<locals>" else None


def _future_flags(code: CodeType) -> int:
    return code.co_flags & 0x1000000  # `from __future__ import annotations`


def _find(code: CodeType) -> CodeType:
    """The code of the definition inside the factory, and inside its class if there is one."""
    inner = [c for c in code.co_consts if isinstance(c, CodeType)]
    found = next((c for c in inner if c.co_name in (_DEFINITION, "<lambda>")), None)
    return found if found is not None else _find(inner[0])


def _renamed(code: CodeType, original: CodeType) -> CodeType:
    """`code` in which the functions that conversion added go by the user's function name."""
    constants = tuple(
        _renamed(c, original if _is_generated(c) else c) if isinstance(c, CodeType) else c
        for c in code.co_consts
    )
    return code.replace(
        co_consts=constants, co_name=original.co_name, co_qualname=original.co_qualname
    )


def _is_generated(code: CodeType) -> bool:
    return code.co_name.endswith(GENERATED) or GENERATED in code.co_varnames[:1]
