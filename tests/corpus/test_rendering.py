"""Documents and answers are written by others: what they say is shown, what they try is not done."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.reading import formulas
from corpus.reading.rendering import MAX_LENGTH, render_markdown, render_marked
from tests.attacks import PAYLOADS

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
        "sup",
        "sub",
    ],
    *formulas.MATHML_TAGS,
}
BOX = re.compile(r'<div class="table-box" dir="auto" role="region" aria-label="[^"<>]*" tabindex="0">|</div>')
TAG = re.compile(r"<(/?)(\w+)((?: \w+=\"[^\"<>]*\")*)>")


def harmful(html: str) -> list[str]:
    """Tags that are not known, or that carry an attribute that is not known."""
    return [tag for tag in re.findall(r"<[^>]*>", html) if not is_harmless(tag)]


def is_harmless(tag: str) -> bool:
    if BOX.fullmatch(tag):
        return True
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
    if match[2] in ("ol", "ul", "blockquote") and attributes.get("dir") == "auto":
        del attributes["dir"]
    if match[2] == "mark" and attributes.get("id") == "passage":
        del attributes["id"]
    if match[2] in formulas.MATHML_TAGS:
        attributes = {name: value for name, value in attributes.items() if not is_of_formula(name, value)}
    return not attributes and href.lower().startswith(("http://", "https://", "mailto:"))


def is_of_formula(name: str, value: str) -> bool:
    plain = ("inline", "block", "normal", "true", "false", "0")
    return name in (
        "display",
        "mathvariant",
        "stretchy",
        "displaystyle",
        "linethickness",
        "width",
        "tabindex",
    ) and (value in plain or re.fullmatch(r"-?[0-2](\.\d+)?em", value) is not None)


@pytest.mark.parametrize("attack", PAYLOADS, ids=range(len(PAYLOADS)))
def test_attacks_come_out_harmless(attack: str) -> None:
    for html in (
        render_markdown(attack),
        render_marked(attack, [(0, len(attack))]),
        render_marked(attack, [(1, 3)]),
    ):
        assert harmful(html) == []


SIGNS = st.sampled_from("$^<>[](){}!\"'`#*_-|\\/&;:=\n\t \ue000\ue001ax1")


@given(st.text(SIGNS | st.characters(), max_size=80), st.data())
def test_nothing_but_plain_tags_comes_out_of_any_text(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    for html in (render_markdown(text), render_marked(text, [(start, end)])):
        assert harmful(html) == []
        assert "\ue000" not in html
        assert "\ue001" not in html


def test_markdown_is_rendered() -> None:
    text = (
        "## Head\n\n**bold** `code` H~~2~~\n\n3. three\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n[site](https://a.example)"
    )
    html = render_markdown(text)
    for part in (
        "<p><strong>Head</strong></p>",
        "<strong>bold</strong> <code>code</code>",
        '<ol start="3" dir="auto">',
        "<td>1</td>",
        'href="https://a.example"',
    ):
        assert part in html


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("6.022 × 10^(23) per mole", "10<sup>23</sup> per mole"),
        ("10^(–19) C, 240 m^2.", "10<sup>–19</sup> C, 240 m<sup>2</sup>."),
        ("v_(max) of H2O", "v<sub>max</sub> of H2O"),
        ("`x^(2)` and ^^ and a_b_(c", "<code>x^(2)</code> and ^^ and a_b_(c"),
        ("1^(<b>)", "1<sup>&lt;b&gt;</sup>"),
    ],
)
def test_raised_and_lowered_signs_are_shown(text: str, html: str) -> None:
    assert html in render_markdown(text)


def test_raised_signs_can_be_marked() -> None:
    text = "It is 10^(23) per mole."
    assert render_marked(text, [(6, 13)], anchor=False).count("<mark>") == 2
    assert "10" in render_marked(text, [(6, 13)])
    assert formulas.render_formulas("<i> 10^(23)") == "&lt;i&gt; 10<sup>23</sup>"


def test_a_picture_becomes_its_description() -> None:
    assert render_markdown("![a *flask*](x.png)") == "<p>[Picture: a flask]</p>\n"


def test_indented_paragraphs_are_not_code() -> None:
    assert render_markdown("    Once upon a time") == "<p>Once upon a time</p>\n"


def test_what_is_too_long_is_cut() -> None:
    assert len(render_markdown("word " * 20_000)) < MAX_LENGTH + 100


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
def test_the_passage_is_marked_without_breaking_what_it_stands_in(text: str, passage: str, expected: list[str]) -> None:
    start = text.index(passage)
    html = render_marked(text, [(start, start + len(passage))])
    for part in expected:
        assert part in html
    assert html.count('id="passage"') == 1
    assert re.sub("</?mark[^>]*>", "", html) == render_markdown(text)


def test_a_passage_that_cuts_through_a_link_is_marked_all_the_same() -> None:
    text = "See [here](https://a.example/page) and there."
    start = text.index("page")
    assert "and there." in render_marked(text, [(start, len(text))]).partition('<mark id="passage">')[2]


TABLE = "| Name | Mark |\n| --- | --- |\n| Ann | 2 |\n| Ben | 3 |\n| Cy | 2 |"


def test_a_table_scrolls_in_a_box_that_the_keyboard_reaches() -> None:
    html = render_marked(f"{TABLE}\n\nand\n\n| a <b> |\n| --- |\n| 1 |", [], tables_before=2)
    boxes = re.findall(r'<div class="table-box" dir="auto" role="region" aria-label="(.*?)" tabindex="0"><table>', html)
    assert boxes == ["Table 3: Name, Mark", "Table 4: a &lt;b&gt;"]
    assert html.count("</table></div>") == 2


def test_a_head_cell_that_says_nothing_is_no_header() -> None:
    html = render_markdown("|  | Mark |\n| --- | --- |\n| Ann | 2 |")
    assert html.count("<th>") == 1
    assert "<td></td>" in html


def test_several_places_are_marked_and_only_the_first_is_the_passage() -> None:
    rows = [(start := TABLE.index(row), start + len(row)) for row in ("| Ann | 2 |", "| Cy | 2 |")]
    html = render_marked(TABLE, rows)
    assert re.findall(r"<mark[^>]*>(.*?)</mark>", html) == ["Ann", "2", "Cy", "2"]
    assert html.count('id="passage"') == 1
    assert 'id="passage"' not in render_marked(TABLE, rows, anchor=False)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            "It is $E=mc^2$ so.",
            ['<math display="inline">', "<msup><mi>c</mi><mn>2</mn></msup></mrow></math> so."],
        ),
        ("$x$ is 5", ["<p><math", "</math> is 5"]),
        (r"with \(a_1 b_1\) in *it*", ["<msub>", "</math> in <em>it</em>"]),
        ("so\n$$\na\n= b\n- c\n$$\nthen", ['<math display="block">', "<mo>−</mo>", "<p>then</p>"]),
        (r"\[" + "\n\\frac{a}{b}\n" + r"\]", ['<math display="block">', "<mfrac>"]),
        ("$(a+b)^(2)=√(x_(1))$", [")</mo><mrow><mn>2</mn></mrow></msup>", "<msqrt><mrow><msub>"]),
        (r"$\text{a > b}$", ["<mtext>a&nbsp;&gt;&nbsp;b</mtext>"]),
    ],
)
def test_formulas_are_set(text: str, parts: list[str]) -> None:
    html = render_markdown(text)
    for part in parts:
        assert part in html


@pytest.mark.parametrize(
    "text",
    [
        r"$\ce{H2O} * x * y$",
        r"$\frac{1}{$",
        r"$\def\a{\a\a}\a * b *$",
        r"$\newcommand{\x}{y}\x$",
        "$" + "a" * 500 + "$",
        "$" + "{" * 190 + "$",
    ],
)
def test_a_formula_that_cannot_be_set_stays_whole_as_code(text: str) -> None:
    assert render_markdown(text) == f"<p><code>{text}</code></p>\n"


@pytest.mark.parametrize("text", ["from $5 to $6", "US$5, US$6", r"\$a and \$b", "`$x$`", "$ a $", "a $ b"])
def test_money_and_code_are_no_formulas(text: str) -> None:
    assert "<math" not in render_markdown(text)


def test_a_long_formula_stands_on_a_line_that_scrolls_by_keyboard() -> None:
    assert '<math display="block" tabindex="0">' in render_markdown(f"${' + '.join('abcdefghijklmnopqrstuvw')}$")
    assert "tabindex" not in render_markdown("$$x$$")


def test_only_so_many_formulas_of_one_text_are_set() -> None:
    html = render_markdown(" ".join(f"${'x+' * 150}{number}$" for number in range(20)))
    assert html.count("<math") == 5
    assert html.count("<code>") == 15


@pytest.mark.parametrize("passage", ["c^2", "mc^2$ and", "is $E", "$E=mc^2$"])
def test_a_passage_that_cuts_a_formula_marks_all_of_it(passage: str) -> None:
    text = "It is $E=mc^2$ and more."
    start = text.index(passage)
    html = render_marked(text, [(start, start + len(passage))])
    assert re.search("<mark[^>]*><math.*</math></mark>", html)
    assert re.sub("</?mark[^>]*>", "", html) == render_markdown(text)
