"""Where a program is cut."""

import pytest

from tfcheck_runtime.events import Site
from tfcheck_runtime.graph.ir import Node
from tfcheck_runtime.graph.program import Block, Slot, Step
from tfcheck_runtime.lower.schedule import schedule
from tfcheck_runtime.op import Aval, Op
from tfcheck_runtime.specs import dtypes

NOWHERE = Site("f.py", 1, "f")


class _Fake(Op):
    def __init__(self, op_type, *, lowered, stateful):
        self.type = op_type
        self.stateful = stateful
        self._lowered = lowered

    def lowers(self, inputs, outputs, attrs):
        return self._lowered


@pytest.fixture
def cut():
    """The runs of a program written as `out = KIND in in`; the kind is one of the letters below.

    P pure and lowered, H pure on the host, N note on the host, W write of the variable `v`.
    """

    def run(*lines):
        slots = {"v": Slot(Aval(dtypes.resource, ()), "v")}
        steps = [_step(line, slots) for line in lines]
        runs = schedule(Block((), tuple(steps), ()))
        return [
            ("onnx" if r.lowered else "host", " ".join(s.node.name for s in r.steps)) for r in runs
        ]

    return run


def _step(line, slots):
    out, kind, *inputs = line.replace("=", " ").split()
    for name in (out, *inputs):
        slots.setdefault(name, Slot(Aval(dtypes.float32, ()), name))
    op = _Fake(kind, lowered=kind in "PW", stateful=kind in "NW")
    node = Node(op, (), {}, name=out, site=NOWHERE)
    return Step(node, tuple(slots[i] for i in inputs), (slots[out],))


def test_pure_steps_are_one_run(cut):
    assert cut("a = P x", "b = P a") == [("onnx", "a b")]


def test_a_host_step_that_needs_nothing_computed_goes_first(cut):
    assert cut("a = P x", "b = H x", "c = P a b") == [("host", "b"), ("onnx", "a c")]


def test_a_host_step_splits_what_it_needs_from_what_needs_it(cut):
    assert cut("a = P x", "b = H a", "c = P b", "d = P x") == [
        ("onnx", "a d"),
        ("host", "b"),
        ("onnx", "c"),
    ]


def test_pure_steps_that_a_note_does_not_need_wait(cut):
    assert cut("a = P x", "n = N x", "b = P a") == [("host", "n"), ("onnx", "a b")]


def test_no_step_moves_before_a_note_that_precedes_it(cut):
    assert cut("n = N x", "a = P x", "m = N a") == [
        ("host", "n"),
        ("onnx", "a"),
        ("host", "m"),
    ]


def test_writes_and_notes_keep_their_order(cut):
    assert cut("a = W v x", "n = N x", "b = W v x", "c = W v x") == [
        ("onnx", "a"),
        ("host", "n"),
        ("onnx", "b c"),
    ]


def test_notes_in_a_row_are_one_run(cut):
    assert cut("n = N x", "m = N x", "a = P x") == [("host", "n m"), ("onnx", "a")]
