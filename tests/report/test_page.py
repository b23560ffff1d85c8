from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from tfcheck.profile.model import Excerpt, Profile, Slice, SliceKind, Timeline
from tfcheck.report.page import render_page

HOSTILE = "\"'><script>alert(1)</script><img src=x onerror=alert(1)>\u202e\x1b[31m</title>"


class Page(HTMLParser):
    """The elements of a page with their attributes, its text, and whether all tags match."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.open: list[str] = []
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in {"meta", "br"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in {"style", "script"}:
            self.text += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def parsed(profile: Profile) -> Page:
    return Page(render_page(profile, urls={"TFC101": "https://example.org/TFC101"}))


def test_the_page_begins_with_what_to_do(profile: Profile) -> None:
    html = render_page(profile, urls={})

    headline = html[html.index("<h1>") : html.index("</h1>")]
    assert headline.startswith("<h1>augment: results of graph and eager differ by up to 25 %")
    assert html.index("<h1>") < html.index('class="tiles"') < html.index("Timeline")
    assert html.index("Timeline") < html.index("Graph against eager") < html.index("Source")


def test_everything_that_the_terminal_says_is_on_the_page(profile: Profile) -> None:
    text = parsed(profile).text

    for part in (
        "36 of 38 traces of train_step come from epoch (Python value) at src/train.py:41",
        "5.9× (5.4–6.3)",
        "11–12 calls a trace",
        "not compared: prints (src/train.py:77)",
        "float32[17, 784]",
        "pass epoch as a tensor",
        "@tf.function(input_signature=[tf.TensorSpec([], tf.int32)])",
        "Likely reason: rate was rebound [TFC201]",
        "augment (src/train.py:30) 0.84–1.03×",
        "called (one of 2 calls is drawn)",
        "    step(x, epoch)",
        "38 traces 4.0 s400 calls 760 ms",
    ):
        assert part in text


def test_nothing_is_loaded_from_anywhere(profile: Profile) -> None:
    html = render_page(profile, urls={"TFC101": "https://example.org/TFC101"})
    page = Page(html)

    loaded = [a for _, a in page.elements if "src" in a or "style" in a or "onclick" in a]
    links = {a["href"] for a in page.all("a")}
    assert loaded == []
    assert page.all("link") == []
    assert "url(" not in html
    assert "@import" not in html
    assert {link for link in links if link and link[0] != "#"} == {"https://example.org/TFC101"}


def test_the_policy_lets_only_our_own_style_and_script_run(profile: Profile) -> None:
    html = render_page(profile, urls={})
    page = Page(html)

    policy = next(a["content"] for a in page.all("meta") if "http-equiv" in a)
    contents = re.findall("<(style|script)>(.*?)</", html, re.DOTALL)
    digests = [
        base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        for _, content in contents
    ]
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{digests[0]}'; script-src 'sha256-{digests[1]}';"
        " base-uri 'none'; form-action 'none'"
    )


def test_links_inside_the_page_lead_somewhere(profile: Profile) -> None:
    page = parsed(profile)

    targets = {a["id"] for _, a in page.elements if "id" in a}
    inside = {a["href"][1:] for a in page.all("a") if a["href"] and a["href"][0] == "#"}
    assert inside <= targets
    assert "Lsrc/train.py:41" in inside


@pytest.mark.parametrize("url", ["javascript:alert(1)", "http://example.org", ""])
def test_pages_of_rules_are_linked_over_https_only(profile: Profile, url: str) -> None:
    page = Page(render_page(profile, urls={"TFC101": url}))

    assert {a["href"][:1] for a in page.all("a") if a["href"]} == {"#"}


def hostile(profile: Profile) -> Profile:
    """The profile with a hostile string wherever users' text goes."""
    step = profile.functions[0]
    assert step.verdict is not None
    verdict = replace(step.verdict, text=HOSTILE, cure=HOSTILE)
    step = replace(
        step,
        key=replace(step.key, name=HOSTILE, file=HOSTILE),
        signatures=(replace(step.signatures[0], text=HOSTILE, host_steps=(HOSTILE,)),),
        causes=(replace(step.causes[0], argument=HOSTILE, before=HOSTILE, after=HOSTILE),),
        policies=(replace(step.policies[0], text=HOSTILE),),
        failures=(HOSTILE,),
        verdict=verdict,
        suggested_signature=HOSTILE,
        comparison=None,
        not_compared=HOSTILE,
    )
    finding = profile.findings[0]
    return replace(
        profile,
        script=replace(profile.script, path=HOSTILE, argv=(HOSTILE,), error=HOSTILE),
        functions=(step, *profile.functions[1:]),
        findings=(replace(finding, violation=replace(finding.violation, message=HOSTILE)),),
        sources=(Excerpt(HOSTILE, 1, (HOSTILE,)),),
        gates=(replace(profile.gates[0], text=HOSTILE),),
        partial=HOSTILE,
    )


def test_hostile_text_is_shown_and_never_markup(profile: Profile) -> None:
    html = render_page(hostile(profile), urls={})
    page = Page(html)

    assert html.count("<script>") == 1
    assert page.all("img") == []
    assert not any(name.startswith("on") for _, a in page.elements for name in a)
    assert "<script>alert(1)</script>" in page.text
    assert "\u202e" not in html
    assert "\x1b" not in html


def test_a_run_without_functions_has_a_page(profile: Profile) -> None:
    empty = replace(profile, functions=(), findings=(), gates=(), sources=(), trial=None)
    empty = replace(empty, timeline=Timeline(), hot_lines=())

    page = parsed(empty)

    assert "src/train.py: no tf.function was called as a graph; 5.1 s" in page.text
    assert page.all("table") == []


def test_what_is_too_close_to_be_told_apart_is_drawn_as_one(profile: Profile) -> None:
    calls = tuple(Slice(SliceKind.CALL, 0, 0, i * 1e-4, 1e-5, 0) for i in range(1000))

    html = render_page(replace(profile, timeline=Timeline(calls)), urls={})

    assert "<title>1000 calls, 10 ms, at 0 s</title>" in html


def test_many_functions_are_cut_in_drawings_and_not_in_tables(profile: Profile) -> None:
    many = tuple(replace(profile.functions[1], instances=i) for i in range(2, 102))

    page = parsed(replace(profile, functions=many))

    assert "75 Functions more, which cost less" in page.text
    assert len([a for a in page.all("details") if "id" in a]) == 100
