"""Documents and answers are written by others: what they say is shown, what they try is not done."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.rendering import LONGEST, render_markdown, render_passage

ATTACKS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "<iframe src=//evil.example></iframe>",
    "<style>body{display:none}</style>",
    '<p style="position:fixed" id="main" class="message">x</p>',
    "<a href='javascript:alert(1)'>x</a>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](vbscript:x)",
    "[x](//evil.example)",
    "[x](/accounts/logout/)",
    "[x](\x01javascript:alert(1))",
    "![x](http://evil.example/pixel.png)",
    "![x](javascript:alert(1))",
    '[x](http://a.example "><script>alert(1)</script>")',
    '<http://a.example/"onmouseover=alert(1)>',
    '```"><script>alert(1)</script>\ncode\n```',
    "<!-- --><form action=//evil.example><input name=password></form>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "\ue000<script>\ue001",
]
PLAIN = {
    *[
        "p",
        "br",
        "hr",
        "strong",
        "em",
        "s",
        "code",
        "pre",
        "blockquote",
        "ul",
        "ol",
        "li",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "a",
        "mark",
    ]
}
TAG = re.compile(r"<(/?)(\w+)((?: \w+=\"[^\"<>]*\")*)>")


def harmful(html: str) -> list[str]:
    """Tags that are not known, or that carry an attribute that is not known."""
    return [tag for tag in re.findall(r"<[^>]*>", html) if not is_harmless(tag)]


def is_harmless(tag: str) -> bool:
    match = TAG.fullmatch(tag)
    if not match or match[2] not in PLAIN:
        return False
    attributes = dict(re.findall(r' (\w+)="([^"]*)"', match[3]))
    href = attributes.pop("href", "https://")
    if match[2] == "a" and not match[1]:
        assert attributes.pop("target") == "_blank"
        assert attributes.pop("rel") == "noopener noreferrer"
    if match[2] == "ol" and attributes.get("start", "").isdecimal():
        del attributes["start"]
    if match[2] == "mark" and attributes.get("id") == "passage":
        del attributes["id"]
    return not attributes and href.lower().startswith(("http://", "https://", "mailto:"))


@pytest.mark.parametrize("attack", ATTACKS)
def test_attacks_come_out_harmless(attack: str) -> None:
    for html in (
        render_markdown(attack),
        render_passage(attack, 0, len(attack)),
        render_passage(attack, 1, 3),
    ):
        assert harmful(html) == []


SIGNS = st.sampled_from("<>[](){}!\"'`#*_-|\\/&;:=\n\t \ue000\ue001ax1")


@given(st.text(SIGNS | st.characters(), max_size=80), st.data())
def test_nothing_but_plain_tags_comes_out_of_any_text(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    for html in (render_markdown(text), render_passage(text, start, end)):
        assert harmful(html) == []
        assert "\ue000" not in html
        assert "\ue001" not in html


def test_markdown_is_rendered() -> None:
    text = "## Head\n\n**bold** `code` H~~2~~\n\n3. three\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n[site](https://a.example)"
    html = render_markdown(text)
    for part in (
        "<p><strong>Head</strong></p>",
        "<strong>bold</strong> <code>code</code>",
        '<ol start="3">',
        "<td>1</td>",
        'href="https://a.example"',
    ):
        assert part in html


def test_a_picture_becomes_its_description() -> None:
    assert render_markdown("![a *flask*](x.png)") == "<p>[Picture: a flask]</p>\n"


def test_indented_paragraphs_are_not_code() -> None:
    assert render_markdown("    Once upon a time") == "<p>Once upon a time</p>\n"


def test_what_is_too_long_is_cut() -> None:
    assert len(render_markdown("word " * 20_000)) < LONGEST + 100


@pytest.mark.parametrize(
    ("text", "passage", "expected"),
    [
        ("One. Two. Three.", "Two.", ['<mark id="passage">Two.</mark>']),
        (
            "- one\n- two\n- three",
            "- two\n- three",
            ['<li><mark id="passage">two</mark></li>', "<li><mark>three"],
        ),
        ("| a |\n|---|\n| 1 |\n| 2 |", "| 2 |", ["<td>1</td>", '<td><mark id="passage">2</mark></td>']),
        (
            "| a |\n|---|\n| 1 |",
            "| a |\n|---|\n| 1 |",
            ['<th><mark id="passage">a</mark></th>', "<td><mark>1"],
        ),
        (
            "a\n\n```py\nx = 1\n```\n\nb",
            "```py\nx = 1\n```",
            ['<pre><code><mark id="passage">x = 1</mark>\n</code>'],
        ),
        (
            "# Head\n\ntext",
            "# Head\n\ntext",
            ['<strong><mark id="passage">Head</mark></strong>', "<mark>text</mark>"],
        ),
        ("> quoted\n> more", "> more", ['<mark id="passage">more</mark>']),
        ("a **b c** d", "b c** d", ['<strong><mark id="passage">b c</mark></strong><mark> d</mark>']),
        ("at 2.5 mol/l", "2.5 mol/l", ['<mark id="passage">2.5 mol/l</mark>']),
        ("2. second\n3. third", "3. third", ['<li><mark id="passage">third</mark></li>']),
    ],
)
def test_the_passage_is_marked_without_breaking_what_it_stands_in(
    text: str, passage: str, expected: list[str]
) -> None:
    start = text.index(passage)
    html = render_passage(text, start, start + len(passage))
    for part in expected:
        assert part in html
    assert html.count('id="passage"') == 1
    assert re.sub("</?mark[^>]*>", "", html) == render_markdown(text)


def test_a_passage_that_cuts_through_a_link_is_marked_all_the_same() -> None:
    text = "See [here](https://a.example/page) and there."
    start = text.index("page")
    assert "and there." in render_passage(text, start, len(text)).partition('<mark id="passage">')[2]
