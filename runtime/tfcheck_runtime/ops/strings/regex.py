"""Regular expressions, in what of RE2's syntax Python can do; run on the host."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Aval, Op, case, define
from tfcheck_runtime.ops.strings.elements import each, each_as, string_tensor, strings
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.values.tensor import Tensor, apply

_POSIX: Final = {
    b"alnum": rb"0-9A-Za-z", b"alpha": rb"A-Za-z", b"ascii": rb"\x00-\x7f", b"blank": rb"\t ",
    b"cntrl": rb"\x00-\x1f\x7f", b"digit": rb"0-9", b"graph": rb"!-~", b"lower": rb"a-z",
    b"print": rb" -~", b"punct": rb"!-/:-@\[-`{-~", b"space": rb"\t\n\v\f\r ", b"upper": rb"A-Z",
    b"word": rb"0-9A-Za-z_", b"xdigit": rb"0-9A-Fa-f",
}  # fmt: skip
"""The classes that RE2 knows by name and Python does not."""


def _for_python(pattern: bytes) -> bytes:
    """A pattern of RE2's as Python writes it: named classes, quoted text, the end of the text."""
    pattern = re.sub(rb"\[:(\w+):\]", lambda m: _POSIX.get(m[1], m[0]), pattern)
    pattern = re.sub(rb"\\Q(.*?)(?:\\E|$)", lambda m: re.escape(m[1]), pattern, flags=re.DOTALL)
    return pattern.replace(b"\\z", b"\\Z")


@lru_cache(maxsize=256)
def _compiled(pattern: bytes, op_type: str) -> re.Pattern[bytes]:
    try:
        return re.compile(_for_python(pattern))
    except re.error as error:
        raise invalid_argument(
            f"Invalid pattern: {pattern.decode()}, error: {error}", op_type
        ) from None


def _template(rewrite: bytes) -> bytes:
    # RE2 writes the whole match as \0, which Python would take for a zero byte.
    return rewrite.replace(b"\\0", b"\\g<0>")


class _StaticReplace(Op):
    """What matches a pattern replaced, everywhere or once."""

    type = "StaticRegexReplace"
    cases = (
        case(strings(b"a-b-c", b"xyz"), pattern="[a-c]", rewrite="<\\0>", replace_global=True),
        case(strings(b"a-b-c"), pattern="(\\w)-(\\w)", rewrite="\\2", replace_global=False),
    )

    def infer(self, input: Aval, *, pattern: str, rewrite: str, replace_global: bool) -> Aval:
        return Aval(dtypes.string, input.shape)

    def eager(self, input: Array, *, pattern: str, rewrite: str, replace_global: bool) -> Array:
        return _replaced(
            input, pattern.encode(), rewrite.encode(), everywhere=replace_global, op_type=self.type
        )


class _Replace(Op):
    """The same with pattern and rewrite as tensors."""

    type = "RegexReplace"
    cases = (case(strings(b"a-b"), strings(b"-")[0], strings(b"+")[0], replace_global=True),)

    def infer(self, input: Aval, pattern: Aval, rewrite: Aval, *, replace_global: bool) -> Aval:
        return Aval(dtypes.string, input.shape)

    def eager(self, input: Array, pattern: Array, rewrite: Array, *, replace_global: bool) -> Array:
        return _replaced(
            input,
            bytes(pattern[()]),
            bytes(rewrite[()]),
            everywhere=replace_global,
            op_type=self.type,
        )


def _replaced(
    input: Array, pattern: bytes, rewrite: bytes, *, everywhere: bool, op_type: str
) -> Array:
    compiled, template = _compiled(pattern, op_type), _template(rewrite)
    return each(lambda text: compiled.sub(template, text, 0 if everywhere else 1), input)


class _FullMatch(Op):
    """Whether whole strings match a pattern."""

    type = "RegexFullMatch"
    cases = (case(strings(b"abc", b"abcd"), strings(b"a.c")[0], unknown=((0, 0),)),)

    def infer(self, input: Aval, pattern: Aval) -> Aval:
        return Aval(dtypes.bool, input.shape)

    def eager(self, input: Array, pattern: Array) -> Array:
        return _matched(input, bytes(pattern[()]), self.type)


class _StaticFullMatch(Op):
    """The same with the pattern as an attribute."""

    type = "StaticRegexFullMatch"
    cases = (case(strings(b"abc", b"abcd"), pattern="a.c", unknown=((0, 0),)),)

    def infer(self, input: Aval, *, pattern: str) -> Aval:
        return Aval(dtypes.bool, input.shape)

    def eager(self, input: Array, *, pattern: str) -> Array:
        return _matched(input, pattern.encode(), self.type)


def _matched(input: Array, pattern: bytes, op_type: str) -> Array:
    compiled = _compiled(pattern, op_type)
    return each_as(dtypes.bool, lambda text: compiled.fullmatch(text) is not None, input)


static_replace_op = define(_StaticReplace())
replace_op = define(_Replace())
full_match_op = define(_FullMatch())
static_full_match_op = define(_StaticFullMatch())


def regex_replace(
    input: object,
    pattern: object,
    rewrite: object,
    replace_global: bool = True,
    name: str | None = None,
) -> Tensor:
    r"""What matches `pattern` replaced by `rewrite`, in which \1 to \9 stand for groups.

    https://www.tensorflow.org/api_docs/python/tf/strings/regex_replace

    Raises:
        InvalidArgumentError: the pattern is not one.
    """
    text = string_tensor(input)
    if isinstance(pattern, str) and isinstance(rewrite, str):
        return apply(
            static_replace_op, text, name=name, pattern=pattern, rewrite=rewrite,
            replace_global=replace_global,
        )  # fmt: skip
    return apply(
        replace_op, text, string_tensor(pattern), string_tensor(rewrite), name=name,
        replace_global=replace_global,
    )  # fmt: skip


def regex_full_match(input: object, pattern: object, name: str | None = None) -> Tensor:
    """Whether whole strings match `pattern`.

    https://www.tensorflow.org/api_docs/python/tf/strings/regex_full_match

    Raises:
        InvalidArgumentError: the pattern is not one.
    """
    text = string_tensor(input)
    if isinstance(pattern, str):
        return apply(static_full_match_op, text, name=name, pattern=pattern)
    return apply(full_match_op, text, string_tensor(pattern), name=name)
