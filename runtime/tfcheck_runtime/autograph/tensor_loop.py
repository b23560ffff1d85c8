"""Builds the graph loop of a converted `while` or `for`, and checks its variables by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, TypeAlias

from tfcheck_runtime import dispatch
from tfcheck_runtime.autograph.branches import Getter, Setter, Values
from tfcheck_runtime.autograph.places import here
from tfcheck_runtime.autograph.symbolic import difference, dtype_of, shape_of
from tfcheck_runtime.autograph.undefined import Undefined, UndefinedReturnValue
from tfcheck_runtime.ops.array.filling import zeros
from tfcheck_runtime.ops.control import bodies
from tfcheck_runtime.ops.control.asserting import assert_op
from tfcheck_runtime.ops.control.looping import Loop, build_bounded, default_invariants
from tfcheck_runtime.ops.control.tensor_array import TensorArray
from tfcheck_runtime.specs import nest
from tfcheck_runtime.specs.shapes import Shape, as_shape, is_subshape, shape_text
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.naming import outside_scopes
from tfcheck_runtime.values.parameters import add_input
from tfcheck_runtime.values.tensor import Tensor, apply_n

Names: TypeAlias = Sequence[str]
Prefix: TypeAlias = tuple[Any, ...]  # the loop's own variables: a counter, or nothing


@dataclass(frozen=True, slots=True)
class UserCode:
    """Access to the variables of the user's function that a loop changes."""

    get_state: Getter
    set_state: Setter
    names: Names


@dataclass(frozen=True, slots=True)
class Driver:
    """What makes a loop go on: its own variables, its test, and one round of it."""

    start: Prefix
    test: Callable[[Prefix], Tensor]
    step: Callable[[Prefix], Prefix]


_OPTIONS = {
    "parallel_iterations", "swap_memory", "maximum_iterations", "shape_invariants",
    "iterate_names",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Entry:
    """The user's variables as they enter the loop, with the shapes they keep."""

    values: Values
    invariants: tuple[tuple[Shape, ...], ...]
    late: tuple[str, ...]
    """The variables that get their first value in the loop's body."""


def run_loop(driver: Driver, code: UserCode, options: Mapping[str, Any]) -> None:
    """Build the loop in the current graph and assign the variables after it.

    Raises:
        TypeError: a variable changes its dtype or structure.
        ValueError: it changes its shape, is None, or has no value before the loop.
        NotImplementedError: the body may return from the function.
    """
    entry = _enter(driver, code, options)
    ran = convert_to_tensor(False)
    initial = (ran, driver.start, entry.values) if entry.late else (driver.start, entry.values)

    def step(variables: tuple[Any, ...]) -> tuple[Any, ...]:
        *_, prefix, values = variables
        code.set_state(values)
        following = driver.step(prefix)
        after = code.get_state()
        for i, name in enumerate(code.names):
            _check(name, entry.values[i], after[i], entry.invariants[i])
        return (convert_to_tensor(True), following, after) if entry.late else (following, after)

    def test(variables: tuple[Any, ...]) -> Tensor:
        *_, prefix, values = variables
        code.set_state(values)
        return driver.test(prefix)

    flags: list[Shape] = [()] if entry.late else []
    own = [v.static_shape for v in driver.start]
    shapes = [*flags, *own, *(s for parts in entry.invariants for s in parts)]
    loop = Loop(initial, shapes, test, step)
    final = build_bounded(loop, options.get("maximum_iterations"))
    if entry.late:
        _check_ran(final[0], entry.late)
    code.set_state(final[-1])


def _check_ran(ran: Tensor, late: Sequence[str]) -> None:
    message = f"loop must iterate at least once to initialize {', '.join(late)}"
    apply_n(assert_op, ran, convert_to_tensor(message), summarize=3, name="Assert/Assert")


def _enter(driver: Driver, code: UserCode, options: Mapping[str, Any]) -> _Entry:
    unknown = sorted(set(options) - _OPTIONS)
    if unknown:
        raise TypeError(f"set_loop_options has no argument {unknown[0]!r} ({here()})")
    before = code.get_state()
    declared = _declared(code.names, before, options.get("shape_invariants") or ())
    late = [i for i, v in enumerate(before) if v is None or isinstance(v, Undefined)]
    values, invariants = list(before), [declared.get(i) for i in range(len(before))]
    if late:
        staged = _stage(driver, code, before)
        for i in late:
            values[i], invariants[i] = _stand_in(code.names[i], before[i], staged, i)
    entered = tuple(nest.map_structure(_as_loop_value, v) for v in values)
    kept = tuple(
        tuple(default_invariants(v)) if shapes is None else shapes
        for v, shapes in zip(entered, invariants, strict=True)
    )
    own = options.get("iterate_names", ())
    needed = (i for i in late if code.names[i] not in own)
    return _Entry(entered, kept, tuple(_shown(code.names[i], before[i]) for i in needed))


def _shown(name: str, value: object) -> str:
    return value.name if isinstance(value, UndefinedReturnValue) else name


def _as_loop_value(value: object) -> object:
    if value is None:
        raise ValueError(
            "None values not supported: a loop variable holds None in its structure before the"
            f" loop ({here()}) [loop-var-type-change]"
        )
    return value if isinstance(value, nest.Composite) else bodies.as_tensor(value)


def _declared(
    names: Names, before: Values, pairs: Sequence[tuple[Any, Any]]
) -> dict[int, tuple[Shape, ...]]:
    """The shape invariants by the position of their variable.

    Raises:
        ValueError: they do not have the variable's structure, or it does not have its shape.
    """
    found: dict[int, tuple[Shape, ...]] = {}
    for variable, shapes in pairs:
        for i, value in enumerate(before):
            if value is variable and shapes is not None:
                found[i] = _invariants(names[i], value, shapes)
    return found


def _invariants(name: str, value: object, shapes: object) -> tuple[Shape, ...]:
    # A list of sizes is a structure here, as in TensorFlow.
    wrong = difference(value, shapes)
    if wrong is not None:
        raise ValueError(
            f"the shape invariant {shapes!r} of '{name}' does not have its structure; write shapes"
            f" as tf.TensorShape(...) ({here()}): {wrong}"
        )
    found = []
    for leaf, shape in zip(nest.flatten(value), nest.flatten(shapes), strict=True):
        start = shape_of(leaf)
        kept = start if shape is None else as_shape(shape)
        if not is_subshape(start, kept):
            raise ValueError(
                f"'{name}' has shape {shape_text(start)} before the loop, which does not conform"
                f" with the shape invariant {shape_text(kept)} ({here()}) [loop-var-type-change]"
            )
        found.append(kept)
    return tuple(found)


def _stage(driver: Driver, code: UserCode, before: Values) -> Values | Exception:
    """One round of the body in a graph that is thrown away, to see what variables become."""
    graph = bodies.new_graph("scratch")
    try:
        with dispatch.building(graph), outside_scopes():
            prefix = tuple(add_input(graph, v.dtype, v.static_shape, "own") for v in driver.start)
            code.set_state(before)
            driver.step(prefix)
            return code.get_state()
    except (UnboundLocalError, TypeError, ValueError, KeyError) as error:
        return error
    finally:
        code.set_state(before)


def _stand_in(
    name: str, before: object, staged: Values | Exception, position: int
) -> tuple[Any, tuple[Shape, ...]]:
    """Zeros of the type that a variable gets in the body; never read, as staging showed."""
    after = staged[position] if not isinstance(staged, Exception) else None
    if isinstance(staged, Exception) or isinstance(after, Undefined) or after is None:
        _refuse(name, before, staged)
    leaves = nest.flatten(after)
    if any(dtype_of(leaf) is None for leaf in leaves):
        _refuse(name, before, TypeError(f"{after!r} has no tensor form"))
    shapes = tuple(shape_of(leaf) for leaf in leaves)
    made = [
        zeros([d or 0 for d in shape or ()], dtype_of(leaf))
        for leaf, shape in zip(leaves, shapes, strict=True)
    ]
    return nest.pack_sequence_as(after, made), shapes


def _refuse(name: str, before: object, staged: Values | Exception) -> NoReturn:
    if isinstance(before, UndefinedReturnValue):
        raise NotImplementedError(
            "a return statement cannot be placed inside this TensorFlow loop: keep the result in a"
            f" variable, `break`, and return after the loop ({here()}) [return-in-tensor-loop]"
        )
    note = ""
    if isinstance(staged, Exception):
        note = (
            "; AutoGraph tried to define it automatically, but ran into a"
            f" {type(staged).__name__}: {staged}"
        )
    if before is None and isinstance(staged, tuple):
        raise ValueError(
            f"'{name}' is None at the end of the iteration ({here()}) [loop-var-type-change]"
        )
    state = "must not be None" if before is None else "must be defined"
    raise ValueError(f"'{name}' {state} before the loop ({here()}){note} [undefined-in-branch]")


def _check(name: str, entry: object, leave: object, invariants: Sequence[Shape]) -> None:
    if isinstance(leave, Undefined):
        raise ValueError(
            f"'{name}' has no value at the end of the iteration ({here()}) [undefined-in-branch]"
        )
    if leave is None:
        raise ValueError(
            f"'{name}' is None at the end of the iteration ({here()}) [loop-var-type-change]"
        )
    found = difference(entry, leave)
    if found is not None:
        raise TypeError(
            f"'{name}' does not have the same nested structure after one iteration ({here()}):"
            f" {found} [loop-var-type-change]"
        )
    leaves = zip(nest.flatten(entry), nest.flatten(leave), invariants, strict=False)
    for before, after, invariant in leaves:
        if not isinstance(before, TensorArray):
            _check_leaf(name, before, after, invariant)


def _check_leaf(name: str, before: object, after: object, invariant: Shape) -> None:
    kinds = dtype_of(before), dtype_of(after)
    if kinds[0] is None or kinds[1] is None:
        return
    if kinds[0] is not kinds[1]:
        raise TypeError(
            f"'{name}' has dtype {kinds[0].name} before the loop, but dtype {kinds[1].name} after"
            f" one iteration ({here()}) [loop-var-type-change]"
        )
    if not is_subshape(shape_of(after), invariant):
        raise ValueError(
            f"'{name}' has shape {shape_text(invariant)} before the loop, but shape"
            f" {shape_text(shape_of(after))} after one iteration. Use"
            f" tf.autograph.experimental.set_loop_options to set shape invariants ({here()})"
            " [loop-var-type-change]"
        )
