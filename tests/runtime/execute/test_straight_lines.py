"""Graphs without control flow: regions, host steps and variables between them."""

import numpy as np
import pytest

from tfcheck_runtime.errors import FailedPreconditionError, InvalidArgumentError
from tfcheck_runtime.ops.math.arithmetic import add, multiply, subtract
from tfcheck_runtime.ops.math.comparison import less
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.values.convert import constant
from tfcheck_runtime.values.variable import Variable


def ones(*values):
    return np.array(values, np.float32)


def test_a_pure_graph_is_one_region(build_graph, floats, executable):
    compiled = executable(build_graph(lambda x: multiply(add(x, 1.0), x), floats))

    outputs = compiled.run([ones(1, 2)])

    assert [o.tolist() for o in outputs] == [[2.0, 6.0]]
    assert (compiled.regions, compiled.host_steps) == (1, ())
    assert (compiled.nodes_before, compiled.nodes_after) == (4, 2)


def test_values_that_only_pass_through_need_no_session(build_graph, floats, executable, arguments):
    v = Variable(ones(1, 2))

    def swap(x):
        before = v.read_value()
        v.assign(x)
        return before, x, constant(7)

    graph = build_graph(swap, floats)
    compiled = executable(graph)

    outputs = compiled.run(arguments(graph, ones(5, 6)))

    assert [o.tolist() for o in outputs] == [[1.0, 2.0], [5.0, 6.0], 7]
    assert v.numpy().tolist() == [5.0, 6.0]
    assert compiled.regions == 0


def test_a_value_used_twice_as_output_is_given_twice(build_graph, floats, run_three_ways):
    def twice(x):
        y = add(x, 1.0)
        return y, x, y, x

    assert run_three_ways(build_graph(twice, floats), ones(1)) == [[2.0], [1.0], [2.0], [1.0]]


def test_reads_see_the_assignments_before_them(build_graph, floats, run_three_ways):
    v = Variable(ones(1, 2))

    def f(x):
        first = v.read_value()
        v.assign_add(x)
        second = v.read_value()
        v.assign_sub(multiply(second, 2.0))
        return first, second, v

    outputs = run_three_ways(build_graph(f, floats), ones(1, 1), variables=[v])

    assert outputs == [[1.0, 2.0], [2.0, 3.0], [-2.0, -3.0]]


def test_swapping_two_variables_keeps_both_contents(build_graph, run_three_ways):
    v, w = Variable(ones(1)), Variable(ones(2))

    def swap():
        kept = v.read_value()
        v.assign(w.read_value())
        w.assign(kept)

    run_three_ways(build_graph(swap), variables=[v, w])

    assert (v.numpy().tolist(), w.numpy().tolist()) == ([2.0], [1.0])


def test_unused_pure_nodes_are_dropped(build_graph, floats, executable, toy):
    def f(x):
        toy.negative(x)
        subtract(x, 5.0)
        return add(x, 1.0)

    compiled = executable(build_graph(f, floats))

    assert (compiled.nodes_after, compiled.host_steps) == (1, ())


def test_what_follows_from_constants_is_not_computed_again(build_graph, floats, executable):
    compiled = executable(build_graph(lambda x: add(x, add(constant(1.0), 2.0)), floats))

    assert compiled.nodes_after == 1
    assert compiled.run([ones(1)])[0].tolist() == [4.0]


def test_host_ops_split_the_graph_only_where_values_flow(build_graph, floats, executable, toy):
    def f(x):
        a = add(x, 1.0)
        b = toy.negative(a)
        c = toy.negative(x)
        return add(add(b, a), multiply(c, a))

    compiled = executable(build_graph(f, floats))

    assert compiled.run([ones(1, 2)])[0].tolist() == [-2.0, -6.0]
    assert (compiled.regions, compiled.host_steps) == (2, ("HostNegative", "HostNegative"))


def test_a_note_between_pure_nodes_costs_no_extra_region(build_graph, floats, executable, toy):
    def f(x):
        y = add(x, 1.0)
        toy.note(x)
        return multiply(y, y)

    compiled = executable(build_graph(f, floats))

    assert compiled.run([ones(1, 2)])[0].tolist() == [4.0, 9.0]
    assert toy.notes == [[1.0, 2.0]]
    assert compiled.regions == 1


def test_what_does_not_wait_for_a_failed_check_is_written(
    build_graph, floats, executable, arguments, toy
):
    v = Variable(ones(0))

    def f(x):
        v.assign_add(x)
        toy.note(v.read_value())
        v.assign_add(x)
        toy.check(less(constant(2.0), 1.0))
        v.assign_add(x)

    graph = build_graph(f, floats)

    with pytest.raises(InvalidArgumentError, match="check failed"):
        executable(graph).run(arguments(graph, ones(1)))

    assert v.numpy().tolist() == [3.0]
    assert toy.notes == [[1.0]]


def test_a_note_comes_before_the_failure_of_a_later_node(build_graph, toy, executable):
    def f(x, n):
        toy.note(n)
        return add(x, multiply(n, n))

    spec = dtypes.float32, (None,)
    graph = build_graph(f, spec, spec)

    with pytest.raises(InvalidArgumentError):
        executable(graph).run([ones(1, 2, 3), ones(1, 2)])

    assert toy.notes == [[1.0, 2.0]]


def test_types_onnxruntime_lacks_run_on_the_host(build_graph, run_three_ways, executable):
    graph = build_graph(lambda x: add(add(x, x), x), (dtypes.complex64, (2,)))

    assert run_three_ways(graph, np.array([1j, 2], np.complex64)) == [[3j, 6]]
    assert executable(graph).host_steps == ("AddV2", "AddV2")


def test_a_variable_of_a_type_onnxruntime_lacks_is_assigned_on_the_host(
    build_graph, run_three_ways
):
    v = Variable(np.array(["a"], object))

    def f(x):
        before = v.read_value()
        v.assign(x)
        return before

    outputs = run_three_ways(
        build_graph(f, (dtypes.string, (1,))), np.array([b"b"], object), variables=[v]
    )

    assert outputs == [[b"a"]]
    assert v.numpy().tolist() == [b"b"]


def test_a_variable_never_assigned_says_so(build_graph, executable, arguments):
    v = Variable(ones(1), name="weights")
    graph = build_graph(lambda: add(v, 1.0))
    v.handle.replace(None)

    with pytest.raises(FailedPreconditionError) as caught:
        executable(graph).run(arguments(graph))

    assert str(caught.value) == (
        "Could not find variable weights: it was used before it was assigned"
    )


def test_two_parameters_bound_to_one_variable_share_its_content(build_graph, executable):
    v, w = Variable(ones(1)), Variable(ones(10))
    resource = dtypes.resource, ()

    def f(a, b):
        first, second = (
            Variable.from_handle(h, dtype=dtypes.float32, shape=(1,), trainable=True)
            for h in (a, b)
        )
        first.assign_add(second.read_value())
        second.assign_add(first.read_value())
        return first.read_value()

    compiled = executable(build_graph(f, resource, resource))

    apart = compiled.run([v.handle, w.handle])
    together = compiled.run([v.handle, v.handle])

    assert (apart[0].tolist(), together[0].tolist()) == ([11.0], [44.0])
    assert (v.numpy().tolist(), w.numpy().tolist()) == ([44.0], [21.0])


def test_scalars_stay_arrays_of_rank_zero(build_graph, executable):
    compiled = executable(build_graph(lambda x: add(x, 1), (dtypes.int32, ())))

    (output,) = compiled.run([np.array(4, np.int32)])

    assert (type(output), output.shape, output.dtype) == (np.ndarray, (), np.int32)
