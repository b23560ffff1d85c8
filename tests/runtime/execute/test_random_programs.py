"""Whatever a program does, cutting it changes nothing: outputs, notes, writes, failures."""

from functools import partial

import numpy as np
from hypothesis import HealthCheck, given, settings, strategies as st

from tfcheck_runtime.errors import InvalidArgumentError
from tfcheck_runtime.execute.interpret import interpret
from tfcheck_runtime.ops.array.shaping import reshape
from tfcheck_runtime.ops.math.arithmetic import add
from tfcheck_runtime.ops.math.comparison import less
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.values.variable import Variable

_place = st.integers(0, 4)
_simple = st.one_of(
    st.tuples(st.sampled_from(["add", "write", "write_add"]), _place, _place),
    st.tuples(st.sampled_from(["host", "note", "read", "check"]), _place),
)


def _nested(programs):
    return st.one_of(
        st.tuples(st.just("cond"), _place, programs, programs),
        st.tuples(st.just("loop"), st.integers(0, 3), programs),
    )


_programs = st.recursive(
    st.lists(_simple, max_size=5),
    lambda inner: st.lists(st.one_of(_simple, _nested(inner)), max_size=5),
    max_leaves=12,
)


class _Builder:
    """Traces a program; the values it has made so far are picked by number."""

    def __init__(self, toy, variables):
        self._toy = toy
        self._variables = variables

    def run(self, program, *values):
        values = list(values)
        for kind, *arguments in program:
            values.extend(getattr(self, f"_{kind}")(values, *arguments))
        return values[-1]

    def _add(self, values, i, j):
        return [add(_pick(values, i), _pick(values, j))]

    def _host(self, values, i):
        return [self._toy.negative(_pick(values, i))]

    def _note(self, values, i):
        self._toy.note(_pick(values, i))
        return []

    def _check(self, values, i):
        self._toy.check(_is_small(_pick(values, i)))
        return []

    def _read(self, values, i):
        return [_pick(self._variables, i).read_value()]

    def _write(self, values, i, j):
        _pick(self._variables, i).assign(_pick(values, j))
        return []

    def _write_add(self, values, i, j):
        _pick(self._variables, i).assign_add(_pick(values, j))
        return []

    def _cond(self, values, i, then, other):
        branches = [partial(self.run, p, *values) for p in (then, other)]
        return self._toy.cond(_is_small(_pick(values, i)), *branches)

    def _loop(self, values, rounds, program):
        def body(i, x):
            return add(i, 1), self.run(program, *values, x)

        return [self._toy.loop(lambda i, x: less(i, rounds), body, 0, values[-1])[1]]


def _pick(items, i):
    return items[i % len(items)]


def _is_small(x):
    return reshape(less(x, 4), [])


@settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(program=_programs)
def test_a_compiled_program_does_what_its_nodes_do_one_by_one(
    program, build_graph, toy, executable, arguments
):
    variables = [Variable(np.array([i], np.int32)) for i in (1, 2)]
    builder = _Builder(toy, variables)
    graph = build_graph(lambda x: builder.run(program, x), (dtypes.int32, (1,)))
    compiled = executable(graph)
    given_ = arguments(graph, np.array([1], np.int32))

    node_by_node = _observe(partial(interpret, graph), given_, variables, toy.notes)
    in_regions = _observe(compiled.run, given_, variables, toy.notes)

    assert in_regions == node_by_node


def _observe(run, arguments, variables, notes):
    notes.clear()
    for i, variable in enumerate(variables):
        variable.handle.replace(np.array([i + 1], np.int32))
    try:
        result = [o.tolist() for o in run(arguments)]
    except InvalidArgumentError as error:
        result = str(error)
    return result, list(notes), [v.handle.content.tolist() for v in variables]
