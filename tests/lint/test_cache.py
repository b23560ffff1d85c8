"""Answers from disk: the same as without, whatever happens to the files and to the disk."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings as examples, strategies as st

from tfcheck.config import Selector, Settings
from tfcheck.diagnostics import LintResult, Severity, Violation
from tfcheck.lint import recall
from tfcheck.lint.cache import Cache, cache_folder, digest
from tfcheck.lint.checker import Checker, Done, Task
from tfcheck.lint.engine import fix_paths, lint_paths
from tfcheck.lint.outcome import Outcome
from tfcheck.lint.records import pack, unpack

BAD = "import tensorflow as tf\n\n@tf.function\ndef step(x):\n    print(x)\n    return x\n"
SETTINGS = Settings(severity=Severity.INFO)


def lint(root: Path, settings: Settings = SETTINGS) -> tuple[Violation, ...]:
    return lint_paths([root], settings=settings, jobs=1).violations


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that are judged, and not remembered."""
    names: list[str] = []
    judge = Checker.judge

    def noted(self: Checker, tasks: Sequence[Task], done: Done) -> list[Outcome]:
        names.extend(task.path.name for task in tasks)
        return judge(self, tasks, done)

    monkeypatch.setattr(Checker, "judge", noted)
    return names


def test_what_has_not_changed_is_not_looked_at_again(tmp_path: Path, judged: list[str]) -> None:
    (tmp_path / "a.py").write_text(BAD)
    (tmp_path / "b.py").write_text("x = 1\n")

    first = lint(tmp_path)
    second = lint(tmp_path)

    assert second == first
    assert [violation.code for violation in first] == ["TFC301"]
    assert judged == ["a.py", "b.py"]


def test_only_what_has_changed_is_looked_at_again(tmp_path: Path, judged: list[str]) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.py").write_text(BAD)
    lint(tmp_path)
    judged.clear()
    (tmp_path / "b.py").write_text(BAD.replace("print(x)", "tf.print(x)"))

    found = lint(tmp_path)

    assert judged == ["b.py"]
    assert [Path(violation.filename).name for violation in found] == ["a.py", "c.py"]


def test_without_cache_nothing_is_written(tmp_path: Path, own_cache: Path) -> None:
    (tmp_path / "a.py").write_text(BAD)

    lint(tmp_path, Settings(cache=False))

    assert list(own_cache.iterdir()) == []


CALLS = "from model import step\n\nfor epoch in range(100):\n    step(data, epoch)\n"
FUNCTION = "import tensorflow as tf\n\n@tf.function\ndef step(x, epoch):\n    return x\n"
PLAIN = "def step(x, epoch):\n    return x\n"


def test_a_change_in_a_file_counts_in_those_that_import_it(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(FUNCTION)
    (tmp_path / "train.py").write_text(CALLS)

    before = lint(tmp_path)
    (tmp_path / "model.py").write_text(PLAIN)
    after = lint(tmp_path)

    assert [violation.code for violation in before] == ["TFC101"]
    assert after == ()


def test_a_new_file_can_change_what_a_name_means(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "model.py").write_text(FUNCTION)
    (tmp_path / "sub" / "train.py").write_text(CALLS)

    before = lint(tmp_path)
    (tmp_path / "sub" / "model.py").write_text(PLAIN)
    after = lint(tmp_path)

    assert [violation.code for violation in before] == ["TFC101"]
    assert after == ()


def test_a_file_that_is_traced_from_another_place_gets_another_chain(tmp_path: Path) -> None:
    (tmp_path / "helpers.py").write_text("def helper(x):\n    print(x)\n")
    train = (
        "import tensorflow as tf\nimport helpers\n\n"
        "@tf.function\ndef f(x):\n    helpers.helper(x)\n"
    )
    (tmp_path / "train.py").write_text(train)

    before = lint(tmp_path)
    (tmp_path / "train.py").write_text("\n" + train)
    after = lint(tmp_path)

    assert [violation.traced[0].row for violation in before] == [6]
    assert [violation.traced[0].row for violation in after] == [7]


def test_other_settings_find_other_things(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(BAD)

    everything = lint(tmp_path)
    nothing = lint(tmp_path, Settings(ignore=(Selector("TFC301", "test"),)))

    assert (len(everything), nothing) == (1, ())


def test_other_rules_ask_again(
    tmp_path: Path, judged: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.py").write_text(BAD)
    lint(tmp_path)
    monkeypatch.setattr(recall, "signature", lambda: ["another rule"])

    lint(tmp_path)

    assert judged == ["a.py", "a.py"]


def test_what_went_wrong_is_tried_again(tmp_path: Path, judged: list[str]) -> None:
    (tmp_path / "a.py").write_bytes(b"\xff import tensorflow")

    first = lint_paths([tmp_path], settings=SETTINGS)
    second = lint_paths([tmp_path], settings=SETTINGS)

    assert first.problems == second.problems != ()
    assert judged == ["a.py", "a.py"]


def test_fixes_are_the_same_with_what_is_remembered(tmp_path: Path) -> None:
    for folder in ("first", "second"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.py").write_text(BAD)
        lint(tmp_path / folder)

    fix_paths([tmp_path / "first"], settings=SETTINGS)
    fix_paths([tmp_path / "second"], settings=Settings(cache=False, severity=Severity.INFO))

    fixed = (tmp_path / "first" / "a.py").read_text()
    assert fixed == (tmp_path / "second" / "a.py").read_text() == BAD.replace(" print", " tf.print")


BROKEN = {
    "no database": lambda file: file.write_bytes(b"what is this?" * 100),
    "cut short": lambda file: file.write_bytes(file.read_bytes()[: file.stat().st_size // 2]),
    "empty": lambda file: file.write_bytes(b""),
    "other bytes inside": lambda file: file.write_bytes(
        file.read_bytes()[:5000] + b"\x00" * 3000 + file.read_bytes()[8000:]
    ),
}


@pytest.mark.parametrize("harm", BROKEN.values(), ids=BROKEN)
def test_a_broken_cache_is_made_anew(harm: object, tmp_path: Path, own_cache: Path) -> None:
    (tmp_path / "a.py").write_text(BAD)
    expected = lint(tmp_path)
    (file,) = own_cache.iterdir()
    harm(file)  # type: ignore[operator]  # the functions of the table above

    again = [lint(tmp_path) for _ in range(3)]

    assert again == [expected] * 3


def test_values_that_do_not_fit_are_as_if_they_were_not_there(
    tmp_path: Path, own_cache: Path
) -> None:
    (tmp_path / "a.py").write_text(BAD)
    expected = lint(tmp_path)
    (file,) = own_cache.iterdir()
    for value in ("[[1]]", "null", "{", '[[["x", 1]], 2, [3]]'):
        connection = sqlite3.connect(file)
        with connection:
            connection.execute("UPDATE entries SET value = ?", [value])
        connection.close()

        assert lint(tmp_path) == expected


def test_a_place_that_cannot_be_written_costs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text(BAD)
    monkeypatch.setenv("TFCHECK_CACHE_DIR", str(tmp_path / "file" / "below"))

    assert [violation.code for violation in lint(tmp_path / "src")] == ["TFC301"]


def test_the_folder_is_that_of_the_environment(own_cache: Path) -> None:
    assert cache_folder() == own_cache


def test_many_writers_get_in_nobodys_way(own_cache: Path) -> None:
    keys = [digest(str(number)) for number in range(200)]

    def write(start: int) -> None:
        for key in keys[start::8]:
            Cache(own_cache).put({key: key})

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(8)))

    assert Cache(own_cache).get(keys) == {key: key for key in keys}


def test_records_come_back_as_they_were(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(BAD)
    outcome = Outcome(lint(tmp_path), traced=True)

    assert unpack(Outcome, pack(outcome)) == outcome
    with pytest.raises(ValueError, match="expected 5 fields of Outcome"):
        unpack(Outcome, [1, 2])


# The same in all ways: a project of a few files that refer to each other is edited again and again.

PIECES = {
    "model.py": [FUNCTION, PLAIN, "from helpers import step\n", "from helpers import *\n", "x ("],
    "helpers.py": [
        "import tensorflow as tf\nstep = tf.function(lambda x, epoch: print(x))\n",
        "def step(x, epoch):\n    print(x)\n    return x\n",
        "from model import step\n",
        "class Base:\n    def loss(self, x):\n        return self.inner(x)\n",
    ],
    "train.py": [
        CALLS,
        "import tensorflow as tf\nimport model\n\n"
        "@tf.function\ndef go(x):\n    return model.step(x, 1)\n",
        "import tensorflow as tf\nfrom helpers import Base\n\nclass Net(Base, tf.keras.Model):\n"
        "    def call(self, x):\n        return self.loss(x)\n\n"
        "    def inner(self, x):\n        print(x)\n        return x\n",
    ],
    "other.py": [BAD, "# tfcheck: ignore[TFC301]\n", CALLS.replace("model", "helpers"), None],
}
EDITS = st.sampled_from([(name, text) for name, texts in PIECES.items() for text in texts])


def comparable(result: LintResult) -> tuple[object, ...]:
    return result.violations, result.files, result.traced_files, result.problems, result.internal


@examples(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(EDITS, min_size=2, max_size=6))
def test_results_do_not_depend_on_what_is_remembered(
    tmp_path: Path, edits: list[tuple[str, str | None]]
) -> None:
    root = tmp_path / "project"
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir()
    for name, text in edits:
        if text is None:
            (root / name).unlink(missing_ok=True)
        else:
            (root / name).write_text(text)

        remembered = lint_paths([root], settings=SETTINGS, jobs=1)
        fresh = lint_paths([root], settings=Settings(severity=Severity.INFO, cache=False), jobs=1)

        assert comparable(remembered) == comparable(fresh)


@examples(
    max_examples=4, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.tuples(*(st.sampled_from(texts) for texts in PIECES.values())), st.integers(2, 4))
def test_results_do_not_depend_on_the_number_of_workers(
    tmp_path: Path, texts: tuple[str | None, ...], jobs: int
) -> None:
    for name, text in zip(PIECES, texts, strict=True):
        (tmp_path / name).write_text(text or "")
    plain = Settings(severity=Severity.INFO, cache=False)

    alone = lint_paths([tmp_path], settings=plain, jobs=1)
    shared = lint_paths([tmp_path], settings=plain, jobs=jobs)

    assert comparable(shared) == comparable(alone)
