from __future__ import annotations

from dataclasses import replace

from tfcheck.profile.model import (
    CallSite,
    Device,
    Excerpt,
    FunctionKey,
    FunctionProfile,
    Place,
    Profile,
    Retrace,
    Script,
    Totals,
)
from tfcheck.profile.relocate import relocate
from tfcheck.profile.sources import Sources, read_bodies

SOURCE = """\
import tensorflow as tf

@tf.function
def step(x, n):
    return x * n

for n in range(3):
    step(tf.ones([]), n)
"""
STEP = FunctionProfile(
    FunctionKey("step", "train.py", 3),
    instances=1,
    calls=3,
    traces=3,
    trace_s=0.3,
    build_s=0.0,
    run_s=0.1,
    causes=(Retrace("python-value", "n", "0", "1", 2, 0.2, Place("train.py", 8), "TFC101"),),
    sites=(CallSite(Place("train.py", 8), 3, 0.1, 3, 0.3),),
)
PROFILE = Profile(
    tool="tfcheck",
    script=Script("train.py", ("train.py",), 0, None),
    device=Device("CPU", "onnxruntime"),
    totals=Totals(1.0, 0.3, 0.0, 0.1, 0.6, 3, 3),
    functions=(STEP,),
    sources=(Excerpt("train.py", 1, tuple(SOURCE.splitlines())),),
)


def sources_of(texts: dict[str, str]) -> Sources:
    return Sources({name: read_bodies(text) for name, text in texts.items()})


def test_lines_of_a_file_that_is_the_same_stay() -> None:
    texts = {"train.py": SOURCE}

    now = relocate(PROFILE, texts, sources=sources_of(texts))

    assert (now.functions, now.changed) == ((STEP,), ())


def test_lines_that_moved_are_found() -> None:
    texts = {"train.py": SOURCE.replace("import", '"""Trains."""\n\nimport', 1)}

    (moved,) = relocate(PROFILE, texts, sources=sources_of(texts)).functions

    assert (moved.key.line, moved.causes[0].site.line, moved.sites[0].place.line) == (5, 10, 10)


def test_a_function_with_another_body_is_changed() -> None:
    texts = {"train.py": "\n" + SOURCE.replace("x * n", "x + n")}

    now = relocate(PROFILE, texts, sources=sources_of(texts))

    assert (now.functions, now.changed) == ((), (FunctionKey("step", "train.py", 4),))


def test_a_call_that_is_gone_is_no_site_of_the_cause_any_more() -> None:
    texts = {"train.py": SOURCE.replace("step(tf.ones([]), n)", "step(tf.ones([]), 2)")}

    (moved,) = relocate(PROFILE, texts, sources=sources_of(texts)).functions

    assert (moved.causes[0].site, moved.sites) == (Place("train.py", 0), ())


def test_a_profile_of_another_folder_names_the_file_by_the_end_of_its_path() -> None:
    texts = {"src/train.py": SOURCE, "src/other.py": SOURCE}

    (moved,) = relocate(PROFILE, texts, sources=sources_of(texts)).functions

    assert moved.key.file == moved.sites[0].place.file == "src/train.py"


def test_a_file_that_could_be_two_is_none() -> None:
    texts = {"a/train.py": SOURCE, "b/train.py": SOURCE}

    assert relocate(PROFILE, texts, sources=sources_of(texts)).functions == ()


def test_a_function_of_a_file_that_is_not_there_is_left_out() -> None:
    elsewhere = replace(STEP, key=FunctionKey("step", "model.py", 3))

    now = relocate(
        replace(PROFILE, functions=(elsewhere,)), {"train.py": SOURCE}, sources=Sources()
    )

    assert (now.functions, now.changed) == ((), ())
