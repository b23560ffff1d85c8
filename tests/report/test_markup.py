from __future__ import annotations

import pytest

from tfcheck.report.markup import Html, join, prose, raw_element, tag, text


def test_text_is_escaped_and_markup_is_not() -> None:
    assert tag("p", "<b> & ", tag("i", "x")) == "<p>&lt;b&gt; &amp; <i>x</i></p>"


def test_attributes_are_escaped_and_quoted() -> None:
    assert tag("a", "x", href='"><script>', class_="n") == (
        '<a href="&quot;&gt;&lt;script&gt;" class="n">x</a>'
    )


def test_attributes_that_are_none_or_false_are_left_out() -> None:
    assert tag("details", open=True, id=None, hidden=False) == "<details open></details>"


def test_void_elements_have_no_end() -> None:
    assert tag("meta", name="viewport", http_equiv="x") == '<meta name="viewport" http-equiv="x">'
    assert join([tag("br"), "&"], between="<") == "<br>&lt;&amp;"


def test_controls_and_directional_overrides_are_shown_as_escapes() -> None:
    assert text("a\x00\u202eb") == "a\\x00\\u202eb"


def test_backticks_make_code() -> None:
    assert prose("pass `a<b` twice ` not") == "pass <code>a&lt;b</code> twice ` not"


def test_our_own_styles_and_scripts_cannot_end_early() -> None:
    assert raw_element("style", "a > b {}") == "<style>a > b {}</style>"
    with pytest.raises(ValueError, match="contains its end tag"):
        raw_element("script", "'</SCRIPT>'")


def test_joined_markup_is_markup() -> None:
    assert isinstance(join(["a"]), Html)
