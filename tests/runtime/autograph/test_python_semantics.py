"""Converted code on Python values does what the original does."""

import pytest

from tfcheck_runtime.autograph.api import convert


def loops_with_all_jumps(n):
    seen = []
    for i in range(n):
        if i == 2:
            continue
        j = 0
        while True:
            j += 1
            if j > i:
                break
            seen.append((i, j))
        if i > 4:
            return seen, "early"
    return seen, "late"


def try_with_else_and_finally(n):
    log = []
    for i in range(n):
        try:
            if i == 1:
                continue
            if i == 3:
                raise KeyError(i)
            if i == 5:
                return log
        except KeyError as error:
            log.append(error.args)
        else:
            log.append("else")
        finally:
            log.append("finally")
    return log


def lazy_operators(n):
    log = []

    def say(value):
        log.append(value)
        return value

    result = (say(n) and say(n - 1)) or say(7)
    return result, not say(0), log


def chained_comparisons(n):
    calls = []

    def next_one(value):
        calls.append(value)
        return value

    return 0 < next_one(n) < next_one(3), calls


def iterators_are_not_read_too_far(n):
    source = iter(range(10))
    for i in source:
        if i == n:
            break
    return next(source)


def closures_see_later_changes(n):
    y = 0

    def read():
        return y

    if n > 0:
        y = 5
    before = read()
    for y in range(n):  # the closure reads it
        pass
    return before, read()


def unpacking_and_starred(n):
    first, *rest = range(n)
    total = 0
    for a, (b, c) in [(1, (2, 3)), (4, (5, 6))]:
        total += a * b * c
    return first, rest, total


def comprehensions(n):
    x = 3
    return [x for x in range(n) if x % 2], {k: v for k, v in zip("ab", [x, n], strict=True)}


def with_statements(n):
    class Manager:
        def __enter__(self):
            return n

        def __exit__(self, *error):
            return True

    with Manager() as value:
        if n > 1:
            return value, "returned"
        raise ValueError("swallowed")
    return value, "swallowed"


def deletes(n):
    y = 1
    if n > 1:
        del y
    try:
        return y
    except UnboundLocalError:
        return "gone"


def frames(n):
    x = 1
    return sorted(locals()), eval("x + n")


def imports_in_branches(n):
    if n > 1:
        import math as m
    else:
        import cmath as m
    return m.__name__


def defaults_and_keywords(n, a=1, *args, k=2, **rest):
    if n:
        return n, a, args, k, rest
    return None


@pytest.mark.parametrize("n", [0, 1, 2, 3, 6])
@pytest.mark.parametrize(
    "function",
    [
        loops_with_all_jumps,
        try_with_else_and_finally,
        lazy_operators,
        chained_comparisons,
        iterators_are_not_read_too_far,
        closures_see_later_changes,
        comprehensions,
        with_statements,
        deletes,
        frames,
        imports_in_branches,
        defaults_and_keywords,
    ],
)
def test_python_values_take_python_ways(function, n):
    assert convert(function)(n) == function(n)


def test_unpacking_takes_python_ways():
    assert convert(unpacking_and_starred)(3) == unpacking_and_starred(3)


class Base:
    __secret = 4

    def area(self, x):
        return x * self.__secret


class Derived(Base):
    def area(self, x):
        if x > 2:
            return super().area(x)
        return super().area(10)

    def __call__(self, x):
        return self.area(x) if x else None


def test_methods_keep_super_and_private_names():
    shape = Derived()

    assert (convert(shape.area)(3), convert(shape.area)(1), convert(shape)(3)) == (12, 40, 12)


def test_closures_write_through():
    total = 0

    def add(n):
        nonlocal total
        for i in range(n):
            if i % 2:
                total += i

    convert(add)(6)

    assert total == 9


def test_recursion_through_a_global_name_works():
    assert convert(_factorial)(5) == 120


def _factorial(n):
    if n < 2:
        return 1
    return n * _factorial(n - 1)


def test_an_exception_keeps_its_type_and_its_lines():
    def fails(n):
        for i in range(n):
            if i == 2:
                raise LookupError("two")

    with pytest.raises(LookupError, match="two") as caught:
        convert(fails)(5)

    own = [e for e in caught.traceback if e.path.name == "test_python_semantics.py"]
    first = fails.__code__.co_firstlineno
    assert [(e.name, e.lineno + 1 - first) for e in own[1:]] == [
        ("fails", 1),
        ("fails", 2),
        ("fails", 3),
    ]
