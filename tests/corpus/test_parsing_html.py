"""Web pages: what people see of them, under its headings; nothing hidden or run, nothing lost in broken markup."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.ingestion.parsing import Parsed, UnreadableDocument, parse
from corpus.ingestion.readers.html.reader import decode_html
from tests import documents


def page(body: str, **parts: str) -> Parsed:
    return parse(documents.web_page(body, **parts))


def text(body: str) -> str:
    [section] = page(body).sections
    return section.text


def test_headings_paragraphs_and_title() -> None:
    parsed = page(
        "<h1>Cells</h1><p>All <b>living</b>\n things.<h3>Parts &amp; tasks</h3>Loose text<div>and a block</div>"
        "<h2>Energy</h2><blockquote>Starch.</blockquote>",
        title=" Biology\n 7 ",
    )
    assert (parsed.title, parsed.pages, parsed.notes) == ("Biology 7", None, ())
    assert [(section.heading_path, section.text) for section in parsed.sections] == [
        (("Cells",), "All living things."),
        (("Cells", "Parts & tasks"), "Loose text\n\nand a block"),
        (("Cells", "Energy"), "Starch."),
    ]
    assert page("<h1>Cells</h1><p>Small.").title == "Cells"


def test_lists_keep_their_depth_and_numbers() -> None:
    lists = (
        "<ul><li>one<ul><li>one a<li>one b</ul><li><p>two</p><p>more</p></ul>"
        "<ol start=3><li>three<ul><li>nested</ul><li>four</ol><dl><dt>Osmosis<dd>Water moves.</dl>"
    )
    assert text(lists).split("\n\n") == [
        "- one\n  - one a\n  - one b\n- two\n  more",
        "3. three\n   - nested\n4. four",
        "- Osmosis\n  Water moves.",
    ]


def test_tables_of_data_and_tables_for_looks() -> None:
    table = (
        "<table><caption>Organs</caption><tr><th colspan=2>Name<th>Ta|sk"
        "<tr><td>1<td>Root<td><p>holds</p><p>drinks</p></table>"
        "<table role=presentation><tr><td><p>Left.<td><p>Right.</table>"
        "<table><tr><td><h2>Framed</h2>Text.<td>x</table>"
    )
    parsed = page(table)
    assert parsed.sections[0].text.split("\n\n") == [
        "Organs",
        "| Name |  | Ta\\|sk |\n| --- | --- | --- |\n| 1 | Root | holds drinks |",
        "Left.",
        "Right.",
    ]
    assert (parsed.sections[1].heading_path, parsed.sections[1].text) == (("Framed",), "Text.\n\nx")


def test_cells_that_span_rows_are_repeated_in_those_below() -> None:
    table = (
        "<table><tr><th rowspan=2>Name<th colspan=2>Mark<tr><th>Oral<th>Written"
        "<tr><td>Ada<td rowspan=99999999999>1<td>2<tr><td>Ben<td>3</table>"
    )
    assert text(table).splitlines() == [
        "| Name | Mark Oral | Mark Written |",
        "| --- | --- | --- |",
        "| Ada | 1 | 2 |",
        "| Ben | 1 | 3 |",
    ]


@pytest.mark.parametrize("kind", ["", " role=presentation"])
def test_cells_of_tables_for_looks_stay_apart(kind: str) -> None:
    assert text(f"<table{kind}><tr><td>Monday</td></tr><tr><td>Maths</td></tr></table>") == "Monday\n\nMaths"


def test_a_title_that_spans_rows_takes_no_cell_with_it() -> None:
    table = "<table><tr><td rowspan=2>Trip<tr><td>June<tr><td>Bus<td>8:00<tr><td>Train<td>9:00</table>"
    assert "June" in text(table)


def test_hidden_cells_of_two_rows_around_tables_are_left_out() -> None:
    hidden = "<{0} style='display:none'>Secret</{0}>"
    inner = "<table><tr><th>Day<th>Room<tr><td>Mon<td>A1</table>"
    table = f"<table><tr><th>Plan</th>{hidden.format('th')}</tr><tr><td>{inner}</td>{hidden.format('td')}</tr></table>"
    assert text(table) == "Plan\n\n| Day | Room |\n| --- | --- |\n| Mon | A1 |"


def test_line_breaks_divide_words_in_headings_and_cells() -> None:
    parsed = page("<h1>Chapter<br>One</h1><table><tr><th>Mon<br>Tue<th><b>a<br/>b</b><tr><td>1<td>2</table>")
    assert parsed.sections[0].heading_path == ("Chapter One",)
    assert parsed.sections[0].text.startswith("| Mon Tue | a b |\n")


def test_soft_hyphens_do_not_part_words() -> None:
    assert text("<p>Photo&shy;syn&shy;these") == "Photosynthese"


def test_a_long_table_repeats_its_header() -> None:
    rows = "".join(f"<tr><td>Pupil {number}<td>{number % 6}" for number in range(50))
    parts = text(f"<table><tr><th>Name<th>Mark{rows}</table>").split("\n\n")
    assert len(parts) == 3
    assert all(part.startswith("| Name | Mark |\n| --- | --- |\n") for part in parts)


def test_code_and_formulas_are_kept() -> None:
    assert text("<pre><code>for x in y:\n    print(x)\n</code></pre>") == "```\nfor x in y:\n    print(x)\n```"
    assert text("<p>Use <code>ls -l</code>, H<sub>2</sub>O, 10<sup>3</sup>, 2<sup>10</sup>") == (
        "Use `ls -l`, H2O, 10^3, 2^(10)"
    )
    formula = "<math><semantics><mi>x</mi><annotation encoding='application/x-tex'>x^2</annotation></semantics></math>"
    assert text(f"<p>So {formula} is.") == "So $x^2$ is."
    wiki = (
        f'<span class="mwe-math-mathml-inline mwe-math-mathml-a11y" style="display: none;">{formula}</span>'
        '<img class="mwe-math-fallback-image-inline" aria-hidden="true" alt="x^2">'
    )
    assert text(f'<p>So <span class="mwe-math-element">{wiki}</span> is.') == "So $x^2$ is."
    assert text(f"<p>So <span style='display:none'>{formula}</span>it is.") == "So it is."


def test_what_people_do_not_see_is_dropped() -> None:
    body = (
        "<nav>Home</nav><script>alert('x')</script><style>p {}</style><noscript>No.</noscript><!-- remark -->"
        "<p hidden>a</p><p style='display: none'>b</p><p aria-hidden=true>c</p><div role=navigation>d</div>"
        "<p>Seen <span style='visibility:hidden'>e</span>only.</p><form><label>Name</label>"
        "<input type=hidden value=f></form>"
    )
    assert text(body) == "Seen only.\n\nName"


def test_the_main_part_is_read_where_it_is_the_page() -> None:
    words = "<p>All living things are made of cells.</p>"
    assert text(f"<div><p>Menu</div><main>{words}</main><footer><p>Imprint</footer>").startswith("All living")
    assert "Menu" not in text(f"<div><p>Menu</div><main>{words}</main>")
    assert "made of cells" in text(f"{words * 5}<main><p>Log in</main>")


@pytest.mark.parametrize(
    ("head", "encoding"),
    [
        ('<meta charset="iso-8859-1">', "cp1252"),
        ('<meta http-equiv="Content-Type" content="text/html; charset=windows-1252">', "cp1252"),
        ('<meta charset="utf-8">', "utf-8"),
        ("", "utf-8-sig"),
        ("", "utf-16"),
        ('<meta charset="nonsense">', "utf-8"),
        ('<meta charset="utf-16">', "utf-8"),
        ('<meta charset="UTF-16LE">', "cp1252"),
        ('<meta charset="utf-16">', "utf-16"),
        ('<meta charset="utf-8">', "cp1252"),
    ],
)
def test_encodings_by_mark_by_declaration_or_by_guess(head: str, encoding: str) -> None:
    sentence = "Die Schülerinnen messen größere Flüsse. Übung macht den Meister, sagt Frau Weiß."
    parsed = parse(f"<!doctype html><html><head>{head}</head><p>{sentence}</html>".encode(encoding))
    assert parsed.sections[0].text == sentence


def test_xhtml_that_closes_elements_in_themselves() -> None:
    body = b'<head><title/><script src="x.js"/></head><body><p>One.</p><a id="top"/><p>Two.</p></body></html>'
    xml = b'<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml">'
    assert parse(xml + body).sections[0].text == "One.\n\nTwo."


@pytest.mark.parametrize(
    "opening", ["<div>", "<b>", "<ul><li>", "<table><tr><td>a<td>", "<span><p>", "<blockquote><i>"]
)
def test_deep_nesting_is_read_flat(opening: str) -> None:
    assert "the end" in page(opening * 500 + "the end").sections[-1].text


def test_entities_are_not_expanded() -> None:
    bomb = b'<!DOCTYPE html [<!ENTITY a "haha"><!ENTITY c SYSTEM "/etc/passwd">]><html><p>x &a; &c; y</p></html>'
    found = " ".join(section.text for section in parse(bomb).sections)
    assert "root:" not in found
    assert found.count("haha") <= 1  # in the declaration, which is not a part of HTML and shown as text


def test_a_page_without_text_is_named() -> None:
    with pytest.raises(UnreadableDocument, match="no text"):
        page("<script>app()</script><div id=root></div>")


TAGS = [
    "<p>",
    "</p>",
    "<ul>",
    "<li>",
    "</ul>",
    "<h1>",
    "</h2>",
    "<table>",
    "<tr>",
    "<td>",
    "<b>",
    "<pre>",
    "<dt>",
]


@given(st.lists(st.sampled_from([*TAGS, "text", "&amp;", "<", "<br/>", "<sup>"]), max_size=40))
def test_no_words_are_lost_in_broken_markup(parts: list[str]) -> None:
    numbered = [part.replace("text", f"word{number}.") for number, part in enumerate(parts)]
    parsed = page("<p>Start.</p>" + " ".join(numbered))
    kept = "\n".join("\n".join([*section.heading_path, section.text]) for section in parsed.sections)
    assert all(word in kept for word in numbered if word.startswith("word"))


def test_a_codec_that_is_no_charset_of_the_web_is_not_used() -> None:
    body = b"<meta charset=punycode><p>Rainwater is kept.</p>-" + b"a" * 1_000_000
    began = time.thread_time()
    assert "Rainwater is kept." in decode_html(body)[0]
    assert time.thread_time() - began < 5


def test_marks_of_notes_are_no_digits_and_powers_are_no_notes() -> None:
    body = (
        '<p>Built in 1821<sup><a href="#n1">1</a></sup>, again in 1903<a href="#n2"><sup>2</sup></a>,'
        " 64 metres<sup>3</sup> long, 10<sup>3</sup> visitors, the 4<sup>th</sup>; v<sub>max</sub>,"
        " 2<span style='vertical-align: super'>10</span>,"
        " 10<sub>(2)</sub>.</p>"
        "<p id=n1>1 A chronicle.<p id=n2>2 A flood.<p>3 Measured."
    )
    assert text(body).split("\n\n")[0] == (
        "Built in 1821[1], again in 1903[2], 64 metres[3] long, 10^3 visitors, the 4th; v_(max), 2^(10), 10_((2))."
    )
    assert text("<p>It has 12 m<sup>3</sup> of water.</p><p>3 pumps fill it.</p>").startswith("It has 12 m^3")


def test_the_way_back_from_a_note_is_no_text() -> None:
    first, second = '<a href="#fnref1">↩︎</a>', '<a href="page.html#r2">↑</a> <a href="#top">Up ↑</a>'
    notes = f"<ol><li>Of 1821. {first}</li><li>Of 1903. {second}</li></ol>"
    assert text(f"<p>It is old.</p>{notes}<p>a <a href='/up'>↑</a> b</p>") == (
        "It is old.\n\n1. Of 1821.\n2. Of 1903. Up ↑\n\na ↑ b"
    )


def test_what_is_crossed_out_or_in_the_colour_of_its_ground_is_left_out_and_noted() -> None:
    head = (
        "<style>.old, p.gone {text-decoration: line-through} .key{display:none}"
        "@media print{.seen{display:none}}</style>"
    )
    body = (
        "<p>It costs <del>4</del> <ins>3</ins> euros.<p class=gone>We meet at 7:30.<p>Now <i class=old>six</i> seven."
        "<p class=key>Answer 63.<p class=seen>Seen.<p style='color: #FFFFFF'>Answer 64."
        "<template><p>Answer 65.</template><div style='background: #123'><span style='color:#123'>Answer 66.</span>"
        "<b style='color:white'>On dark.</b></div>"
        "<!-- The answer is 67. -->"
    )
    parsed = page(body, head=head)
    assert parsed.sections[0].text.split("\n\n") == ["It costs 3 euros.", "Now seven.", "Seen.", "On dark."]
    assert parsed.notes == ("Crossed-out text was left out.", "Hidden text was left out.", "Comments were left out.")


def test_lists_have_the_numbers_that_the_page_shows() -> None:
    lists = (
        "<ol type=a start=3><li>c<li>d<li value=9>i</ol><ol reversed><li>two<li>one</ol>"
        '<ol type=I><li>one<ol style="list-style-type: lower-alpha"><li>in</ol><li>two</ol>'
    )
    assert text(lists).split("\n\n") == ["- c. c\n- d. d\n- i. i", "2. two\n- 1. one", "- I. one\n  - a. in\n- II. two"]


def test_forms_and_pictures_say_what_they_say() -> None:
    body = (
        '<p><img alt="Map: park behind the pool"><img alt=""></p><form><label>Place <input value="Gate B"></label>'
        "<label>Language <select><option>English<option selected>French</select></label><p>"
        "<input type=checkbox checked>Lunch <input type=checkbox>Bus<p>"
        "<textarea>No nuts</textarea><input type=password value=x></form>"
    )
    assert text(body).split("\n\n") == [
        "[Picture: Map: park behind the pool]",
        "Place Gate B Language French",
        "☑ Lunch ☐ Bus",
        "No nuts",
    ]


def test_headers_of_two_rows_none_at_all_and_tables_in_tables() -> None:
    two = "<table><thead><tr><th rowspan=2>Team<th colspan=2>Term 1<tr><th>Test<th>Project</thead>"
    two += "<tr><td>Fox<td>12<td>15</table>"
    assert text(two).splitlines()[0] == "| Team | Term 1 Test | Term 1 Project |"
    titled = "<table><tr><td colspan=2>Stalls<tr><td>Place<td>Stall<tr><td>Yard<td>Waffles</table>"
    assert text(titled).split("\n\n")[0] == "Stalls"
    assert text(titled).split("\n\n")[1].startswith("| Place | Stall |")
    plain = "<table><tr><td>Oak<td>12 m<tr><td>Elm<td>30 m<tr><td>Fir<td>9 m</table>"
    assert text(plain).splitlines()[::2] == ["|  |  |", "| Oak | 12 m |", "| Fir | 9 m |"]
    inner = "<table><tr><th>Day<th>Room<tr><td>Mon<td>A1<tr><td>Fri<td>B2</table>"
    nested = f"<table><tr><th>Class<th>Plan<tr><td>7a<td>{inner}<tr><td>7b<td>none</table>"
    assert text(nested).splitlines()[2] == "| 7a | Day: Mon, Room: A1; Day: Fri, Room: B2 |"


def test_formulas_without_tex_become_tex() -> None:
    power = "<msup><mfenced><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow></mfenced><mn>2</mn></msup>"
    total = "<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><mi>i</mi>"
    rest = "<mfrac><mi>x</mi><mn>2</mn></mfrac><msqrt><mi>y</mi></msqrt><mover><mi>v</mi><mo>→</mo></mover>"
    rows = ("".join(f"<mtd><mn>{cell}</mn></mtd>" for cell in row) for row in ("10", "01"))
    grid = f"<mtable>{''.join(f'<mtr>{row}</mtr>' for row in rows)}</mtable>"
    assert text("".join(f"<p><math>{one}</math>" for one in (power, total, rest, grid))).split("\n\n") == [
        "$(a+b)^{2}$",
        "$∑_{i = 1}^{n}i$",
        r"$\frac{x}{2}\sqrt{y}\vec{v}$",
        r"$\begin{matrix}1 & 0 \\ 0 & 1\end{matrix}$",
    ]


@pytest.mark.parametrize("css", ["a", "/*", "@a", "@a{b{} ", "a{color:"])
def test_a_style_sheet_without_ends_is_read_in_time(css: str) -> None:
    source = f"<style>.b{{display:none}} {css * 200_000}</style><p>Shown</p><p class=b>Hidden</p>"
    start = time.process_time()
    assert [section.text for section in parse(source.encode(), filename="page.html").sections] == ["Shown"]
    assert time.process_time() - start < 5


@pytest.mark.parametrize("comment", ["<!--" + "ab " * 60_000, "<!--ab " * 30_000])
def test_a_comment_without_an_end_is_read_in_time(comment: str) -> None:
    start = time.process_time()
    parsed = page(f"<p>Text.</p>{comment}")
    assert parsed.sections[0].text.startswith("Text.")
    assert time.process_time() - start < 5


@pytest.mark.parametrize("levels", [300, 1000])
def test_elements_deep_in_each_other_keep_their_text(levels: int) -> None:
    body = f"<p>Before it.</p>{'<div>' * levels}Deep text.{'</div>' * levels}<p>After it.</p>"
    parsed = parse(documents.web_page(body), filename="deep.html")
    assert "".join(section.text for section in parsed.sections) == "Before it.\n\nDeep text.\n\nAfter it."


@pytest.mark.parametrize("tag", ["<div>", "<b>", "<ul><li>", "<table><tr><td>"])
def test_a_page_too_deep_for_its_parser_is_refused_in_plain_words(tag: str) -> None:
    body = f"<p>Before it.</p>{tag * 3000}Deep text.<p>After it.</p>"
    with pytest.raises(UnreadableDocument, match="more than 2,000 deep"):
        parse(documents.web_page(body), filename="deep.html")


@pytest.mark.parametrize("style", ["text-decoration:", "list-style:", "color ", "text-decoration-line: x;"])
def test_a_long_style_ends_in_its_text(style: str) -> None:
    parsed = parse(documents.web_page(f'<ol style="{style * 20_000}"><li>Item</ol>'), filename="long.html")
    assert "Item" in parsed.sections[0].text
