"""What outlives a trace, and what is changed in it."""

from __future__ import annotations

import ast

from tfcheck.lint.guards import Guards
from tfcheck.lint.lifetimes import Lifetimes
from tfcheck.lint.places import Places
from tfcheck.lint.python_state import PythonState
from tfcheck.lint.semantics import FileModel
from tfcheck.lint.source import Source

PROGRAM = """
import tensorflow as tf

log = []
count = 0

class Model:
    def __init__(self):
        self.parts = {}
        self.v = None

    @tf.function
    def __call__(self, x):
        global count
        local = []
        local.append(1)
        log.append(1)
        self.parts["x"] = x
        alias = log
        alias.append(2)
        count += 1
        if self.v is None:
            self.v = tf.Variable(0.0)
        return x

model = Model()
print(log, model.parts)
"""


def model_of(program: str) -> FileModel:
    return FileModel(Source("program.py", program), ast.parse(program))


def test_changes_of_outer_containers_are_found_and_local_ones_are_not() -> None:
    lifetimes = Lifetimes(model_of(PROGRAM))

    found = [ast.unparse(mutation.node) for mutation in lifetimes.mutations()]

    assert found == ["log.append(1)", "alias.append(2)", "self.parts['x']"]


def test_an_item_that_is_set_replaces_and_one_that_is_added_does_not() -> None:
    lifetimes = Lifetimes(model_of(PROGRAM))

    replaces = {ast.unparse(m.container): m.replaces for m in lifetimes.mutations()}

    assert replaces == {"log": False, "alias": False, "self.parts": True}


def test_stores_are_attributes_and_outer_names_bound_in_traced_code() -> None:
    lifetimes = Lifetimes(model_of(PROGRAM))

    stores = {ast.unparse(store.target): store.in_place for store in lifetimes.stores()}

    assert stores == {"self.v": False, "count": True}


def test_a_counter_is_python_state_and_what_is_set_once_is_not() -> None:
    state = PythonState(model_of(PROGRAM))

    assert [ast.unparse(change.target) for change in state.changes()] == ["count"]


def test_a_test_of_an_attribute_guards_what_it_keeps() -> None:
    model = model_of(PROGRAM)
    guards = Guards(model)
    created = [c for c in model.index.calls() if ast.unparse(c.func) == "tf.Variable"]

    assert [guards.is_created_once(call) for call in created] == [True]


def test_reads_of_plain_python_are_told_from_those_of_the_trace() -> None:
    model = model_of(PROGRAM)
    places = Places(model)
    names = {
        ast.unparse(mutation.container): mutation.container
        for mutation in Lifetimes(model).mutations()
    }

    read = {
        spelled: places.is_read_by_python(node)
        for spelled, node in names.items()
        if isinstance(node, ast.Name | ast.Attribute)
    }

    assert read == {"log": True, "alias": False, "self.parts": True}


def test_parameters_stand_for_what_the_traced_caller_gives() -> None:
    model = model_of(
        "import tensorflow as tf\n"
        "log = []\n"
        "def note(events, own):\n"
        "    events.append(1)\n"
        "    own.append(1)\n"
        "@tf.function\n"
        "def step(x):\n"
        "    note(log, [])\n"
        "    return x\n"
    )

    found = [ast.unparse(mutation.node) for mutation in Lifetimes(model).mutations()]

    assert found == ["events.append(1)"]
