"""OpenDocument, rich text, subtitles, e-mails and notebooks: read as the program that made them shows them."""

import json

from corpus.ingestion.parsing import Parsed, parse
from tests import documents

COST = "Crossed-out text was left out."
HIDDEN = "Hidden text was left out."
COMMENTS = "Comments were left out."


def style(name: str, family: str, properties: str) -> str:
    return f'<style:style style:name="{name}" style:family="{family}">{properties}</style:style>'


def text(parsed: Parsed) -> str:
    return "\n\n".join(section.text for section in parsed.sections)


def cells(*values: str, row: str = "") -> str:
    inner = "".join(f"<table:table-cell><text:p>{value}</text:p></table:table-cell>" for value in values)
    return f"<table:table-row {row}>{inner}</table:table-row>"


def test_an_opendocument_text_says_what_it_says() -> None:
    styles = "".join(
        style(name, "text", f"<style:text-properties {look}/>")
        for name, look in {
            "up": 'style:text-position="super 58%"',
            "down": 'style:text-position="sub 58%"',
            "out": 'style:text-line-through-style="solid"',
            "unseen": 'text:display="none"',
            "white": 'fo:color="#ffffff"',
        }.items()
    )
    styles += (
        '<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="a" '
        'text:start-value="3"/></text:list-style>'
    )
    body = (
        '<text:h text:outline-level="1">Rules</text:h><text:p>10<text:span text:style-name="up">23</text:span> H'
        '<text:span text:style-name="down">2</text:span>O costs '
        '<text:span text:style-name="out">18</text:span> 23 euros.'
        '<text:span text:style-name="unseen">Answer 7</text:span>'
        '<text:span text:style-name="white">Answer 8</text:span>'
        "<office:annotation><text:p>remark</text:p></office:annotation></text:p>"
        "<text:p>In 1648<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>After a war."
        "</text:p></text:note-body></text:note> it ended.</text:p>"
        '<text:list text:style-name="L"><text:list-item><text:p>Goggles</text:p></text:list-item>'
        "<text:list-item><text:p>Gloves</text:p></text:list-item></text:list>"
        "<table:table>" + cells("Day", "Room") + "<table:table-row><table:table-cell table:number-rows-spanned='2'>"
        "<text:p>Monday</text:p></table:table-cell><table:table-cell><text:p>A1</text:p></table:table-cell>"
        "</table:table-row><table:table-row><table:covered-table-cell/><table:table-cell><text:p>B2</text:p>"
        "</table:table-cell></table:table-row></table:table>"
        "<text:p><draw:frame><draw:text-box><text:p>Boxed words.</text:p></draw:text-box></draw:frame></text:p>"
        '<text:p>So <draw:frame><draw:object xlink:href="./Object 1"/></draw:frame>.</text:p>'
        "<text:p><draw:frame><draw:image/><svg:desc>A map of the yard</svg:desc></draw:frame></text:p>"
    )
    formula = '<math xmlns="http://www.w3.org/1998/Math/MathML"><msup><mi>x</mi><mn>2</mn></msup></math>'
    parsed = parse(documents.open_document("text", body, styles, **{"Object 1__content.xml": formula}))
    assert (parsed.title, parsed.notes) == ("Rules", (COMMENTS, COST, HIDDEN))
    assert text(parsed).split("\n\n") == [
        "10^(23) H2O costs 23 euros.",
        "In 1648[1] it ended.",
        "- c. Goggles\n- d. Gloves",
        "| Day | Room |\n| --- | --- |\n| Monday | A1 |\n| Monday | B2 |",
        "Boxed words.",
        "So $x^{2}$.",
        "[Picture: A map of the yard]",
        "1 After a war.",
    ]


def test_an_opendocument_sheet_is_read_like_one_of_excel() -> None:
    hidden = style("H", "table", '<style:table-properties table:display="false"/>')
    hidden += style("out", "table-cell", '<style:text-properties style:text-line-through-style="solid"/>')
    blank = '<table:table-row table:number-rows-repeated="1000000"><table:table-cell/></table:table-row>'
    body = (
        '<table:table table:name="Plan"><table:table-column/><table:table-column/>'
        '<table:table-column table:visibility="collapse"/>'
        + cells("Room", "Seats", "Remark")
        + cells("Lab", "28", "secret")
        + cells("Gym", "999", "", row='table:visibility="filter"')
        + blank
        + cells("Club", "Fee")
        + cells("Chess", "0", "")
        + cells("Golf", "9").replace("<table:table-cell>", '<table:table-cell table:style-name="out">')
        + cells("Judo", "15")
        + f'</table:table><table:table table:name="Keys" table:style-name="H">{cells("a", "b")}</table:table>'
    )
    parsed = parse(documents.open_document("spreadsheet", body, hidden))
    assert [(section.heading_path, section.text) for section in parsed.sections] == [
        (("Plan", "Row 2"), "| Room | Seats |\n| --- | --- |\n| Lab | 28 |"),
        (("Plan", "Rows 1000005–1000007"), "| Club | Fee |\n| --- | --- |\n| Chess | 0 |\n| Judo | 15 |"),
    ]
    assert parsed.notes == (
        COST,
        "1 row and 1 column of “Plan” are hidden and were left out.",
        "The sheet “Keys” is hidden and was left out.",
    )


def test_an_opendocument_presentation_has_slides() -> None:
    hidden = style("H", "drawing-page", '<style:drawing-page-properties presentation:visibility="hidden"/>')

    def slide(title: str, words: str, look: str = "") -> str:
        named, said = (
            f"<draw:text-box><text:p>{part}</text:p></draw:text-box></draw:frame>" for part in (title, words)
        )
        return f'<draw:page {look}><draw:frame presentation:class="title">{named}<draw:frame>{said}</draw:page>'

    body = slide("Cells", "They live.") + slide("Key", "Answer 7.", 'draw:style-name="H"')
    parsed = parse(documents.open_document("presentation", body, hidden))
    assert [(s.heading_path, s.text, s.page) for s in parsed.sections] == [(("Cells",), "They live.", 1)]
    assert (parsed.pages, parsed.notes) == (2, ("Slide 2 is hidden and was left out.",))


def test_rich_text_says_what_it_says() -> None:
    rtf = rb"""{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Arial;}}{\stylesheet{\s1 heading 1;}}
\pard\s1 Rules\par \pard Cost is {\strike 18} 20 euros. 10{\super 23}, H{\sub 2}O, {\v secret}caf\'e9, \u8364?5.\par
{\listtext 2.1\tab}Wear goggles.\par In 1648{\super\chftn}{\footnote\pard {\super\chftn} After a war.} it ended.\par
\trowd\cellx1000\cellx2000\pard\intbl Day\cell Room\cell\row
\trowd\clvmgf\cellx1000\cellx2000\pard\intbl Monday\cell A1\cell\row
\trowd\clvmrg\cellx1000\cellx2000\pard\intbl\cell B2\cell\row
\pard After.{\*\annotation remark}{\pict 0a0b0c}\par}"""
    parsed = parse(rtf)
    assert (parsed.title, parsed.notes) == ("Rules", (COMMENTS, COST, HIDDEN))
    assert text(parsed).split("\n\n") == [
        "Cost is 20 euros. 10^(23), H2O, café, €5.",
        "2.1 Wear goggles.",
        "In 1648[1] it ended.",
        "| Day | Room |\n| --- | --- |\n| Monday | A1 |\n| Monday | B2 |",
        "After.",
        "1 After a war.",
    ]


def test_no_cell_of_rich_text_is_lost_that_says_to_continue_none() -> None:
    rtf = rb"""{\rtf1\ansi \trowd\clvmrg\cellx1000\cellx2000\pard\intbl Day\cell Room\cell\row
\trowd\cellx1000\cellx2000\clvmrg\cellx3000\pard\intbl Monday\cell A1\cell Late\cell\row}"""
    assert text(parse(rtf)) == "| Day | Room |  |\n| --- | --- | --- |\n| Monday | A1 | Late |"


def test_a_note_on_a_bold_word_is_a_note() -> None:
    rtf = rb"{\rtf1\ansi In a {\b war}{\super 1} and in {\b peace\super 2} too.\par 1 Of 1648.\par 2 Of 1649.\par}"
    assert text(parse(rtf)).startswith("In a war[1] and in peace[2] too.")


def test_subtitles_stand_under_their_time() -> None:
    vtt = (
        "WEBVTT\n\nNOTE for teachers\n\n00:01.000 --> 00:04.000\n<v Ms Oak>The heart has <i>four</i> chambers.\n\n"
        "00:04.000 --> 00:08.000\nThe heart has four chambers.\nBlood flows &amp; returns.\n\n"
        "7\n01:02:03.000 --> 01:02:04.000\nValves close.\n"
    )
    parsed = parse(vtt.encode())
    assert [(section.heading_path, section.text) for section in parsed.sections] == [
        (("0:01",), "Ms Oak: The heart has four chambers. The heart has four chambers. Blood flows & returns."),
        (("1:02:03",), "Valves close."),
    ]
    assert parsed.notes == (COMMENTS,)
    srt = "1\n00:00:01,000 --> 00:00:02,000\nOne two.\n\n2\n00:00:02,000 --> 00:00:03,000\nOne two.\nThree.\n"
    assert text(parse(srt.encode())) == "One two. Three."


MAIL = """\
From: Ann Oak <ann@school.example>
To: class7@school.example
Subject: =?utf-8?q?Caf=C3=A9_trip?=
Date: Thu, 12 Mar 2026 08:15:00 +0100
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="b"

--b
Content-Type: text/html; charset=utf-8

<p>We meet at <s>7:30</s> 8:00.</p>
--b
Content-Type: application/pdf
Content-Disposition: attachment; filename="plan.pdf"

x
--b--
"""


def test_an_email_says_who_wrote_and_names_what_is_attached() -> None:
    parsed = parse(MAIL.encode())
    assert parsed.title == "Café trip"
    assert parsed.sections[0].text.startswith("From: Ann Oak <ann@school.example>\nTo: class7@school.example\nDate: ")
    assert parsed.sections[1].text == "We meet at 8:00."
    assert parsed.notes == (COST, "1 attachment was not read: plan.pdf.")


def test_a_notebook_has_text_code_and_results() -> None:
    outputs = [{"text": ["42\n"]}, {"data": {"image/png": "aGk="}}]
    cells = [
        {"cell_type": "markdown", "source": ["# Speed\n", "Measure once."]},
        {"cell_type": "code", "source": "print(42)", "outputs": outputs},
    ]
    parsed = parse(json.dumps({"cells": cells, "nbformat": 4}).encode(), filename="a.ipynb")
    assert (parsed.title, parsed.notes) == ("Speed", ("1 picture is among the results and not read.",))
    assert text(parsed) == "Measure once.\n\n```\nprint(42)\n```\n\n```\n42\n\n```"
    assert all(section.lines is None for section in parsed.sections)


def test_an_email_in_an_unknown_charset_is_read() -> None:
    head = b"From: a@b\nSubject: Trip\nContent-Type: text/plain%s\nContent-Transfer-Encoding: 8bit\n\n"
    for charset in (b"; charset=x-unknown", b"; charset=windows-1252", b""):
        assert (
            parse(head % charset + "Caf\u00e9 at 8.".encode("cp1252"), filename="a.eml").sections[1].text
            == "Caf\u00e9 at 8."
        )


def test_code_in_a_notebook_may_have_fences_and_errors_are_read() -> None:
    code = "a = '''\n````\n# no heading\n````\n'''"
    outputs = [{"output_type": "error", "ename": "ValueError", "evalue": "too fast", "traceback": []}]
    cells = [
        {"cell_type": "code", "source": code, "outputs": outputs},
        {"cell_type": "raw", "source": ["As it ", "stands."]},
    ]
    parsed = parse(json.dumps({"cells": cells, "nbformat": 4}).encode(), filename="a.ipynb")
    assert text(parsed) == f"`````\n{code}\n`````\n\n```\ntoo fast\n```\n\nAs it stands."
    assert [section.heading_path for section in parsed.sections] == [()]
    assert parsed.notes == ()


def test_the_bytes_of_a_picture_in_rich_text_are_no_words() -> None:
    picture = rb"{\pict\bin9 {\}}}{ \u1?}"
    assert text(parse(rb"{\rtf1 Before. " + picture + rb" After.}")) == "Before. After."
    assert text(parse(rb"{\rtf1 Before. {\pict\bin999 x} After.}")) == "Before. After."


def test_a_subtitle_may_have_a_blank_line_and_comparisons() -> None:
    srt = (
        "1\n00:00:01,000 --> 00:00:02,000\n<font color='red'>If a < b and\n\nc > d,</font> stop.\n\n"
        "2\n00:00:02,000 --> 00:00:03,000\nGo on.\n"
    )
    assert text(parse(srt.encode())) == "If a < b and c > d, stop. Go on."
    vtt = (
        "WEBVTT\n\n00:01.000 --> 00:04.000\nOne.\n\nNOTE no\n\nSTYLE\n::cue { }\n\n2\n\n00:05.000 --> 00:06.000\nTwo.\n"
    )
    assert text(parse(vtt.encode())) == "One. Two."


def test_an_opendocument_text_keeps_what_is_deep_and_says_margins_once() -> None:
    deep = f"{'<text:section>' * 240}<text:p>Deep.</text:p>{'</text:section>' * 240}"
    picture = "<text:p>Seen. <draw:frame><svg:title>A heart</svg:title><draw:image/></draw:frame></text:p>"
    header = "<s:header><s:p>School of Oaks</s:p></s:header>"
    parsed = parse(
        documents.open_document("text", deep + picture, **{"styles.xml": f'<s:a xmlns:s="s">{header * 3}</s:a>'})
    )
    assert text(parsed).split("\n\n") == ["School of Oaks", "Deep.", "Seen. [Picture: A heart]"]
    assert parsed.title is None


def test_paragraphs_with_the_same_tabs_are_a_table_in_every_format() -> None:
    rows = ("Dish", "Price"), ("Soup", "2.50 €"), ("Rice", "3.80 €")
    paragraphs = "".join(f"<text:p>{dish}<text:tab/>{price}</text:p>" for dish, price in rows)
    table = "| Dish | Price |\n| --- | --- |\n| Soup | 2.50 € |\n| Rice | 3.80 € |"
    assert text(parse(documents.open_document("text", paragraphs))) == table
    rtf = "".join(rf"{dish}\tab {price}\par ".replace("€", r"\u8364?") for dish, price in rows)
    assert text(parse(rf"{{\rtf1 {rtf}}}".encode())) == table


def test_a_header_of_merged_cells_is_found_without_being_marked() -> None:
    first = "<tr><td rowspan=2>Team<td colspan=2>Term 1<tr><td>Test<td>Project"
    page = f"<!doctype html><html><table>{first}<tr><td>Fox<td>12<td>15<tr><td>Elk<td>11<td>9</table></html>"
    assert text(parse(page.encode())).startswith("| Team | Term 1 Test | Term 1 Project |\n| --- |")
