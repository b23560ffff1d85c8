"""Branches, loops and calls: compiled where pure, driven from the host where not."""

import numpy as np
import pytest

from tfcheck_runtime.ops.array.joining import concat
from tfcheck_runtime.ops.math.arithmetic import add, multiply
from tfcheck_runtime.ops.math.comparison import less
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.values.convert import constant
from tfcheck_runtime.values.variable import Variable

FLAG = (dtypes.bool, ())
COUNT = (dtypes.int32, ())


def ones(*values):
    return np.array(values, np.float32)


@pytest.mark.parametrize(("flag", "expected"), [(True, [3.0]), (False, [2.0])])
def test_a_branch_uses_values_from_outside(
    build_graph, floats, run_three_ways, toy, flag, expected
):
    def f(x, p):
        y = add(x, 1.0)
        return toy.cond(p, lambda: add(y, x), lambda: y)

    assert run_three_ways(build_graph(f, floats, FLAG), ones(1), flag) == [expected]


@pytest.mark.parametrize(("flag", "contents"), [(True, ([2.0], [2.0])), (False, ([1.0], [1.0]))])
def test_variables_written_in_one_branch_keep_their_content_in_the_other(
    build_graph, floats, run_three_ways, toy, flag, contents
):
    v, w = Variable(ones(1)), Variable(ones(5))

    def f(x, p):
        def then():
            v.assign_add(x)
            w.assign(v.read_value())

        toy.cond(p, then, lambda: _assign(w, x))

    run_three_ways(build_graph(f, floats, FLAG), ones(1), flag, variables=[v, w])

    assert (v.numpy().tolist(), w.numpy().tolist()) == contents


def _assign(variable, value):
    variable.assign(value)


def test_outputs_of_a_branch_that_nobody_uses_are_dropped(build_graph, floats, executable, toy):
    def f(x, p):
        return toy.cond(p, lambda: (add(x, 1.0), toy.negative(x)), lambda: (x, x))[0]

    compiled = executable(build_graph(f, floats, FLAG))

    assert compiled.run([ones(1), np.array(True)])[0].tolist() == [2.0]
    assert compiled.host_steps == ()


@pytest.mark.parametrize(
    ("index", "expected"), [(0, [2.0]), (1, [5.0]), (2, [1.0]), (-1, [1.0]), (9, [1.0])]
)
@pytest.mark.parametrize("on_host", [False, True])
def test_an_index_out_of_range_takes_the_last_branch(
    build_graph, floats, run_three_ways, toy, index, expected, on_host
):
    keep = (lambda x: toy.negative(toy.negative(x))) if on_host else (lambda x: x)

    def f(i, x):
        branches = lambda: add(keep(x), 1.0), lambda: multiply(x, 5.0), lambda: x
        return toy.case(i, *branches)

    graph = build_graph(f, (dtypes.int64, ()), floats)

    assert run_three_ways(graph, np.array(index), ones(1)) == [expected]


@pytest.mark.parametrize(("rounds", "expected"), [(0, [0, 0]), (1, [1, 0]), (5, [5, 20])])
def test_a_loop_runs_while_its_condition_holds(build_graph, run_three_ways, toy, rounds, expected):
    def f(n):
        return toy.loop(
            lambda i, total: less(i, n),
            lambda i, total: (add(i, 1), add(total, multiply(i, 2))),
            0, 0,
        )  # fmt: skip

    assert run_three_ways(build_graph(f, COUNT), np.array(rounds, np.int32)) == expected


@pytest.mark.parametrize("on_host", [False, True])
def test_a_loop_stops_at_its_limit(build_graph, run_three_ways, toy, on_host):
    def body(i):
        if on_host:
            toy.note(i)
        return add(i, 1)

    graph = build_graph(lambda n: toy.loop(lambda i: less(i, n), body, 0, limit=3), COUNT)

    assert run_three_ways(graph, np.array(9, np.int32)) == [3]


def test_a_loop_variable_may_grow(build_graph, run_three_ways, toy):
    def f(n):
        return toy.loop(
            lambda i, x: less(i, n),
            lambda i, x: (add(i, 1), concat([x, x], 0)),
            0, constant([1.0]),
            shapes=[(), (None,)],
        )[1]  # fmt: skip

    assert run_three_ways(build_graph(f, COUNT), np.array(2, np.int32)) == [[1.0] * 4]


def test_loop_variables_may_change_places(build_graph, run_three_ways, toy):
    def f(n):
        return toy.loop(lambda i, a, b: less(i, n), lambda i, a, b: (add(i, 1), b, a), 0, 10, 20)

    assert run_three_ways(build_graph(f, COUNT), np.array(3, np.int32)) == [3, 20, 10]


def test_variables_are_carried_through_a_compiled_loop(
    build_graph, run_three_ways, executable, toy
):
    v, w = Variable(ones(1)), Variable(ones(10))

    def f(n):
        def body(i):
            v.assign_add(w.read_value())
            return add(i, 1)

        toy.loop(lambda i: less(i, n), body, 0)
        return v

    graph = build_graph(f, COUNT)

    assert run_three_ways(graph, np.array(3, np.int32), variables=[v, w]) == [[31.0]]
    assert executable(graph).host_steps == ()


def test_a_condition_may_write_variables(build_graph, run_three_ways, toy):
    v = Variable(np.int32(0))

    def f(n):
        def cond(i):
            v.assign_add(1)
            return less(i, n)

        toy.loop(cond, lambda i: add(i, 1), 0)

    run_three_ways(build_graph(f, COUNT), np.array(3, np.int32), variables=[v])

    assert v.numpy() == 4


def test_a_loop_with_a_host_step_is_driven_from_the_host(
    build_graph, run_three_ways, executable, toy
):
    v = Variable(ones(0))

    def f(n):
        def body(i):
            v.assign_add([1.0])
            toy.cond(less(i, 1), lambda: _assign(v, [7.0]), lambda: toy.note(v.read_value()))
            return add(i, 1)

        return toy.loop(lambda i: less(i, n), body, 0)

    graph = build_graph(f, COUNT)
    outputs = run_three_ways(graph, np.array(3, np.int32), variables=[v])

    assert outputs == [3]
    assert v.numpy().tolist() == [9.0]
    assert toy.notes == [[8.0], [9.0]] * 3
    assert executable(graph).host_steps == ("While", "If", "Note")


def test_variables_written_before_a_failure_in_a_host_loop_stay_written(
    build_graph, executable, arguments, toy
):
    v = Variable(ones(0))

    def f(n):
        def body(i):
            v.assign_add([1.0])
            toy.check(less(i, 2))
            return add(i, 1)

        return toy.loop(lambda i: less(i, n), body, 0)

    graph = build_graph(f, COUNT)

    with pytest.raises(Exception, match="check failed"):
        executable(graph).run(arguments(graph, np.array(9, np.int32)))

    assert v.numpy().tolist() == [3.0]


def test_calls_are_inlined_each_time_anew(build_graph, floats, run_three_ways, executable, toy):
    v = Variable(ones(1))

    def callee(a, b):
        v.assign_add(b)
        return multiply(a, v)

    def f(x):
        (once,) = toy.call(callee, x, x)
        return toy.call(callee, once, x)

    graph = build_graph(f, floats)

    assert run_three_ways(graph, ones(2), variables=[v]) == [[30.0]]
    assert executable(graph).regions == 1


def test_a_loop_in_a_branch_in_a_loop_compiles(build_graph, run_three_ways, executable, toy):
    def f(n):
        def inner(total):
            return toy.loop(lambda j, t: less(j, n), lambda j, t: (add(j, 1), add(t, j)), 0, total)[
                1
            ]

        def body(i, total):
            (more,) = toy.cond(less(i, 2), lambda: inner(total), lambda: total)
            return add(i, 1), more

        return toy.loop(lambda i, t: less(i, n), body, 0, 0)

    graph = build_graph(f, COUNT)

    assert run_three_ways(graph, np.array(4, np.int32)) == [4, 12]
    assert executable(graph).regions == 1
