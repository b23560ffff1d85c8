"""What gets converted, what does not and why, and what converted code looks like."""

import functools
import logging

import pytest

from tfcheck_runtime.autograph.api import convert, do_not_convert, to_code
from tfcheck_runtime.autograph.calls import conversion_of


def small(x):
    if x > 0:
        y = abs(x)
    else:
        y = 2
    return y


def test_the_code_of_a_branch_goes_through_operators():
    assert to_code(small) == "\n".join(
        [
            "def small(x):",
            "    y = ag__.Undefined('y')",
            "",
            "    def set_state__ag(new__ag):",
            "        nonlocal y",
            "        y, = new__ag",
            "",
            "    def if_body__ag():",
            "        nonlocal y",
            "        y = ag__.converted(abs)(x)",
            "",
            "    def else_body__ag():",
            "        nonlocal y",
            "        y = 2",
            "    ag__.if_stmt(x > 0, if_body__ag, else_body__ag, lambda *__ag: (y,),"
            " set_state__ag, ('y',), 1)",
            "    return ag__.read(y)",
        ]
    )


def test_a_function_is_converted_once_per_code_object():
    def make(n):
        def inner(x):
            return n if x else -n

        return inner

    first, second = make(1), make(2)

    assert conversion_of(first) is conversion_of(second)
    assert (convert(first)(True), convert(second)(False)) == (1, -2)


def test_converted_code_is_not_converted_again():
    made = convert(small)

    assert convert(made) is made


def test_names_and_places_are_the_originals():
    made = convert(small)

    assert made.__code__.co_filename == small.__code__.co_filename
    assert (made.__name__, made.__qualname__, made.__module__) == (
        "small", "small", small.__module__,
    )  # fmt: skip
    assert made.__code__.co_firstlineno == small.__code__.co_firstlineno


def test_partials_and_library_functions():
    bound = convert(functools.partial(small, 3))

    assert bound() == 3
    assert convert(functools.reduce) is functools.reduce
    assert convert(len).__module__ != "builtins"


def test_do_not_convert_reaches_what_the_function_calls():
    @do_not_convert
    def outer(x):
        return small(x)

    assert convert(outer) is outer
    assert outer(3) == 3


def walrus(x):
    return y if (y := x) else None


def matches(x):
    match x:
        case 1:
            return 2
    return 3


def loop_with_else(x):
    for i in range(x):
        pass
    else:
        i = 10
    return i


def while_with_else(x):
    while x > 0:
        x -= 1
    else:
        x = 10
    return x


def holds_a_generator(x):
    def inner():
        yield x

    return list(inner())


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (walrus, "`:=` is not supported by AutoGraph (FILE:1); assign on a line of its own"),
        (matches, "match is not supported by AutoGraph (FILE:1); write `if`/`elif` instead"),
        (loop_with_else, "for/else is not supported by AutoGraph (FILE:1); set a flag in the loop"
         " and test it after the loop"),
        (while_with_else, "while/else is not supported by AutoGraph (FILE:1); set a flag in the"
         " loop and test it after the loop"),
        (holds_a_generator, "generator is not supported by AutoGraph (FILE:2); collect the values"
         " in a list"),
    ],
)  # fmt: skip
def test_what_cannot_be_converted_runs_as_it_is_with_a_warning(function, reason, caplog):
    with caplog.at_level(logging.WARNING, logger="tensorflow"):
        made = convert(function)

    first = function.__code__.co_firstlineno
    message = caplog.records[-1].getMessage().replace(__file__, "FILE")
    for offset in (1, 2):
        message = message.replace(f"FILE:{first + offset}", f"FILE:{offset}")
    assert made is function
    assert f"Cause: {reason} [unconverted-control-flow]" in message
    assert "will run it as-is" in message


def test_two_alike_lambdas_on_a_line_cannot_be_told_apart(caplog):
    pair = (lambda x: 1 if x else 2, lambda x: 3 if x else 4)

    with caplog.at_level(logging.WARNING, logger="tensorflow"):
        made = convert(pair[0])

    assert made is pair[0]
    assert "2 lambdas with the same parameters stand on one line" in caplog.text


def test_lambdas_that_differ_in_parameters_are_told_apart():
    pair = (lambda x: 1 if x else 2, lambda y: 3 if y else 4)

    made = [convert(f) for f in pair]

    assert all(m is not f for m, f in zip(made, pair, strict=True))
    assert [m(0) for m in made] == [2, 4]


def test_code_without_source_runs_as_it_is_with_a_warning(caplog):
    space = {}
    exec("def made_up(x):\n    return 1 if x else 2", space)

    with caplog.at_level(logging.WARNING, logger="tensorflow"):
        made = convert(space["made_up"])

    assert made is space["made_up"]
    assert "is not available; functions made by the interactive shell, exec or eval" in caplog.text


def test_generator_functions_are_left_alone_without_a_warning(caplog):
    def numbers(n):
        yield from range(n)

    assert convert(numbers) is numbers
    assert caplog.records == []
