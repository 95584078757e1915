"""Word: reading order, headings of any language, lists, tables, footnotes, and files that would do harm."""

import io
import zipfile
from collections.abc import Callable

import docx
import pytest
from docx.oxml.parser import parse_xml

from corpus.ingestion.parsing import UnreadableDocument, parse
from corpus.ingestion.readers.zip_package import MAX_UNPACKED
from tests import documents

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
M = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
OTHERS = {
    "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
    "wps": "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
    "wp": "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
    "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
    "v": "urn:schemas-microsoft-com:vml",
    "w14": "http://schemas.microsoft.com/office/word/2010/wordml",
}
NAMESPACES = " ".join([W, M, *(f'xmlns:{prefix}="{name}"' for prefix, name in OTHERS.items())])


def body(*xml: str) -> bytes:
    """A Word document whose body is this XML."""
    document = docx.Document()
    for element in xml:
        document.element.body.insert(len(document.element.body) - 1, parse_xml(element))
    return documents.saved(document)


def rewritten(data: bytes, change: Callable[[str, bytes], bytes]) -> bytes:
    """The package with every part passed through `change`."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, change(name, old.read(name)))
    return buffer.getvalue()


def paragraph(text: str, properties: str = "") -> str:
    return f"<w:p {W}><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def test_headings_lists_and_tables_in_order() -> None:
    parsed = parse(
        documents.word(
            ("Title", "Lesson notes"),
            ("Normal", "Before any heading."),
            ("Heading 1", "Photosynthesis"),
            ("Normal", "Plants need:"),
            ("List Bullet", "light"),
            ("List Bullet", "water"),
            [["Gas", "Formula"], ["Oxygen", "O2 | dioxygen"]],
            ("Heading 3", "Chlorophyll"),
            ("Normal", "It is green."),
            ("Heading 2", "Starch"),
            ("Normal", "It is stored."),
        )
    )
    assert parsed.title == "Lesson notes"
    assert parsed.pages is None
    assert [(section.heading_path, section.text) for section in parsed.sections] == [
        ((), "Before any heading."),
        (
            ("Photosynthesis",),
            "Plants need:\n\n- light\n- water\n\n| Gas | Formula |\n| --- | --- |\n| Oxygen | O2 \\| dioxygen |",
        ),
        (("Photosynthesis", "Chlorophyll"), "It is green."),
        (("Photosynthesis", "Starch"), "It is stored."),
    ]


def test_the_title_property_counts_when_no_paragraph_is_the_title() -> None:
    assert parse(documents.word(("Normal", "Text."), title="Field trip")).title == "Field trip"


@pytest.mark.parametrize("name", ["Überschrift 2", "Titre 2", "Título 2", "Заголовок 2", "标题 2"])
def test_heading_styles_of_other_languages(name: str) -> None:
    document = docx.Document()
    document.styles.add_style(name, docx.enum.style.WD_STYLE_TYPE.PARAGRAPH)
    document.add_paragraph("Energie", style=name)
    document.add_paragraph("Text.")
    assert parse(documents.saved(document)).sections[0].heading_path == ("Energie",)


def test_outline_levels_and_styles_based_on_headings_are_headings() -> None:
    document = docx.Document()
    own = document.styles.add_style("Our chapter", docx.enum.style.WD_STYLE_TYPE.PARAGRAPH)
    own.base_style = document.styles["Heading 1"]
    document.add_paragraph("Forces", style="Our chapter")
    document.element.body.insert(1, parse_xml(paragraph("Friction", '<w:outlineLvl w:val="1"/>')))
    document.add_paragraph("It slows things down.")
    assert parse(documents.saved(document)).sections[0].heading_path == ("Forces", "Friction")


def test_content_controls_are_read_and_tables_of_contents_are_not() -> None:
    gallery = '<w:sdtPr><w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj></w:sdtPr>'
    data = body(
        f"<w:sdt {W}>{gallery}<w:sdtContent>{paragraph('Forces 1')}</w:sdtContent></w:sdt>",
        f"<w:sdt {W}><w:sdtContent>{paragraph('A force pulls.')}</w:sdtContent></w:sdt>",
    )
    assert [section.text for section in parse(data).sections] == ["A force pulls."]


def test_tracked_changes_read_as_accepted_and_hidden_codes_stay_hidden() -> None:
    data = body(
        f"<w:p {W}><w:r><w:t>Iron melts at </w:t></w:r>"
        "<w:del><w:r><w:delText>15</w:delText></w:r></w:del><w:ins><w:r><w:t>1538</w:t></w:r></w:ins>"
        "<w:r><w:instrText> PAGEREF _x </w:instrText></w:r>"
        "<w:hyperlink><w:r><w:t> degrees</w:t></w:r></w:hyperlink><w:r><w:noBreakHyphen/><w:t>C.</w:t></w:r></w:p>"
    )
    assert parse(data).sections[0].text == "Iron melts at 1538 degrees-C."


def test_formulas_become_one_line() -> None:
    run = "<m:r><m:t>{}</m:t></m:r>"
    data = body(
        f"<w:p {W} {M}><w:r><w:t>Speed is </w:t></w:r><m:oMath>{run.format('v=')}<m:f><m:num>{run.format('d')}</m:num>"
        f"<m:den><m:sSup><m:e>{run.format('t')}</m:e><m:sup>{run.format('2')}</m:sup></m:sSup></m:den></m:f></m:oMath></w:p>"
    )
    assert parse(data).sections[0].text == "Speed is $v=(d)/(t^(2))$"


def test_cells_over_columns_are_not_repeated_and_frames_are_not_tables() -> None:
    document = docx.Document()
    table = document.add_table(2, 3)
    table.cell(0, 0).merge(table.cell(0, 1)).text = "Both"
    table.cell(0, 2).text = "Third\ncolumn"
    for index in range(3):
        table.cell(1, index).text = str(index)
    frame = document.add_table(1, 1)
    frame.cell(0, 0).text = "Framed advice."
    text = parse(documents.saved(document)).sections[0].text
    assert text.split("\n\n") == [
        "| Both |  | Third column |\n| --- | --- | --- |\n| 0 | 1 | 2 |",
        "Framed advice.",
    ]


def test_footnotes_follow_the_paragraph_that_mentions_them() -> None:
    data = body(
        f'<w:p {W}><w:r><w:t>Radium glows.</w:t><w:footnoteReference w:id="2"/></w:r></w:p>',
        paragraph("Next."),
    )
    note = f'<w:footnotes {W}><w:footnote w:id="2">{paragraph("Found in 1898.")}</w:footnote></w:footnotes>'
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes"
    override = (
        '<Override PartName="/word/footnotes.xml" ContentType="application/vnd.openxmlformats-officedocument.'
        'wordprocessingml.footnotes+xml"/></Types>'
    )

    def change(name: str, part: bytes) -> bytes:
        if name == "[Content_Types].xml":
            return part.replace(b"</Types>", override.encode())
        if name == "word/_rels/document.xml.rels":
            relation = f'<Relationship Id="rId99" Type="{kind}" Target="footnotes.xml"/></Relationships>'
            return part.replace(b"</Relationships>", relation.encode())
        return part

    buffer = io.BytesIO(rewritten(data, change))
    with zipfile.ZipFile(buffer, "a") as package:
        package.writestr("word/footnotes.xml", note)
    assert parse(buffer.getvalue()).sections[0].text == "Radium glows.[1]\n\n[1] Found in 1898.\n\nNext."


def run(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def line(*runs: str, properties: str = "") -> str:
    """A paragraph of runs; what is no element becomes one."""
    inner = "".join(one if one.startswith("<") else run(one) for one in runs)
    return f"<w:p {NAMESPACES}><w:pPr>{properties}</w:pPr>{inner}</w:p>"


def row(*cells: str, properties: str = "") -> str:
    """A row; a cell is a text, or properties and text divided by a bar."""
    pairs = [cell.rpartition("|") for cell in cells]
    inner = (f"<w:tc><w:tcPr>{own}</w:tcPr>{text if text[:1] == '<' else line(text)}</w:tc>" for own, _, text in pairs)
    return f"<w:tr><w:trPr>{properties}</w:trPr>{''.join(inner)}</w:tr>"


def table(*rows: str) -> str:
    return f"<w:tbl {NAMESPACES}><w:tblPr/><w:tblGrid/>{''.join(rows)}</w:tbl>"


def numbered(data: bytes, *levels: tuple[str, str, str], overrides: str = "") -> bytes:
    """The document with a list of number 90 whose levels have these formats, texts and other properties, and one of
    number 91 with the same levels and overrides."""
    document = docx.Document(io.BytesIO(data))
    root = document.part.numbering_part.element
    inner = "".join(
        f'<w:lvl w:ilvl="{depth}"><w:start w:val="1"/><w:numFmt w:val="{form}"/>{extra}<w:lvlText w:val="{text}"/>'
        "</w:lvl>"
        for depth, (form, text, extra) in enumerate(levels)
    )
    root.insert(0, parse_xml(f'<w:abstractNum {W} w:abstractNumId="90">{inner}</w:abstractNum>'))
    for number, own in ((90, ""), (91, overrides)):
        root.append(parse_xml(f'<w:num {W} w:numId="{number}"><w:abstractNumId w:val="90"/>{own}</w:num>'))
    return documents.saved(document)


def item(text: str, depth: int = 0, number: int = 90, more: str = "") -> str:
    return line(text, properties=f'{more}<w:numPr><w:ilvl w:val="{depth}"/><w:numId w:val="{number}"/></w:numPr>')


def text_of(*xml: str) -> str:
    return parse(body(*xml)).sections[0].text


RAISED, LOWERED = '<w:vertAlign w:val="superscript"/>', '<w:vertAlign w:val="subscript"/>'
POSITION = '<w:position w:val="6"/>'


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        (["6.022 × 10", run("23", RAISED), " per mole"], "6.022 × 10^(23) per mole"),
        (["10", run("–", RAISED), run("19", RAISED), " C"], "10^(–19) C"),
        (["H", run("2", LOWERED), "O, v", run("max", LOWERED), " 12 m", run("2", POSITION)], "H2O, v_(max) 12 m^2"),
        (["the 21", run("st", RAISED), " day"], "the 21st day"),
        ([run("All of it is raised.", RAISED)], "All of it is raised."),
        ([run("1821", RAISED), "<w:r><w:br/></w:r>", run("Vienna", RAISED)], "1821\nVienna"),
        (["1821", f'<w:hyperlink w:anchor="n1">{run("1", RAISED)}</w:hyperlink>', "."], "1821[1]."),
        ([run("x"), "<w:r><w:noBreakHyphen/></w:r>", "axis, n\u2011hexane, ha\u00adlo"], "x-axis, n-hexane, halo"),
    ],
)
def test_raised_and_lowered_signs_stay_apart_from_the_number_before(runs: list[str], expected: str) -> None:
    assert text_of(line(*runs)) == expected


@pytest.mark.parametrize(
    ("runs", "note"),
    [
        ([run("18 euros", "<w:strike/>")], "Crossed-out"),
        ([run("18 euros", "<w:dstrike/>")], "Crossed-out"),
        (["<w:del><w:r><w:delText>18 euros</w:delText></w:r></w:del>"], "Deleted"),
        ([f"<w:moveFrom>{run('18 euros')}</w:moveFrom>"], "Deleted"),
        ([run("18 euros", "<w:vanish/>")], "Hidden"),
        ([run("18 euros", '<w:color w:val="FFFFFF"/>')], "Hidden"),
        ([run("18 euros", '<w:color w:val="FFFF00"/><w:highlight w:val="yellow"/>')], "Hidden"),
        ([run("18 euros", '<w:rStyle w:val="Gone"/>')], "Hidden"),
    ],
)
def test_what_is_crossed_out_deleted_or_hidden_is_left_out_and_noted(runs: list[str], note: str) -> None:
    document = docx.Document(io.BytesIO(body(line("It costs ", *runs, " 23 euros."))))
    document.styles.add_style("Gone", docx.enum.style.WD_STYLE_TYPE.CHARACTER).font.hidden = True
    parsed = parse(documents.saved(document))
    assert parsed.sections[0].text == "It costs 23 euros."
    assert [one.split()[0] for one in parsed.notes] == [note]


@pytest.mark.parametrize(("code", "sign"), [("0001", ""), ("0000", ""), ("FFFF", ""), ("D800", "�"), ("20AC", "€")])
def test_a_sign_that_xml_forbids_costs_no_document(code: str, sign: str) -> None:
    symbol = f'<w:r><w:sym w:font="Arial" w:char="{code}"/></w:r>'
    assert text_of(line("It costs 5", symbol, " today.")) == f"It costs 5{sign} today."


@pytest.mark.parametrize("mark", ["vMerge", "hMerge"])
def test_a_cell_that_goes_on_none_is_a_cell_of_its_own(mark: str) -> None:
    cells = [f"<w:{mark}/>|Day", "Hour"] if mark == "hMerge" else ["Day", f"<w:{mark}/>|Hour"]
    deleted = row("Old", '<w:vMerge w:val="restart"/>|gone', "x", properties="<w:del/>")
    parsed = parse(body(table(deleted, row(*cells, "Room"), row("Monday", "8:00", "Lab"))))
    assert parsed.sections[0].text == "| Day | Hour | Room |\n| --- | --- | --- |\n| Monday | 8:00 | Lab |"


def test_white_text_on_a_dark_cell_and_properties_switched_off_are_read() -> None:
    dark = '<w:shd w:val="clear" w:fill="1F3864"/>|' + line(run("Head", '<w:color w:val="FFFFFF"/>'))
    parsed = parse(body(line(run("Kept.", '<w:strike w:val="0"/>')), table(row(dark, "Two"), row("x", "y"))))
    assert "Kept.\n\n| Head | Two |" in parsed.sections[0].text
    assert parsed.notes == ()


def test_deleted_rows_are_left_out() -> None:
    data = body(table(row("Day", "Room"), row("Monday", "A1", properties="<w:del/>"), row("Friday", "B2")))
    assert "Monday" not in parse(data).sections[0].text


def test_hidden_rows_of_a_frame_are_left_out() -> None:
    data = body(table(row("Task 1"), row("Solution 63", properties="<w:hidden/>"), row("Task 2")))
    parsed = parse(data)
    assert (parsed.sections[0].text, parsed.notes) == ("Task 1\n\nTask 2", ("Hidden text was left out.",))


def test_comments_are_noted() -> None:
    document = docx.Document()
    words = document.add_paragraph("The harvest was good.")
    document.add_comment(words.runs, text="It was 12 kg.")
    parsed = parse(documents.saved(document))
    assert (parsed.sections[0].text, parsed.notes) == ("The harvest was good.", ("Comments were left out.",))


BANNER = '<w:pStyle w:val="Banner"/>'
RESTART, GOES_ON = '<w:vMerge w:val="restart"/>|', "<w:vMerge/>|"


def test_cells_over_rows_are_repeated_in_each() -> None:
    text = text_of(table(row("Day", "Lesson"), row(RESTART + "Tuesday", "Art"), row(GOES_ON, "Maths")))
    assert text.endswith("| Tuesday | Art |\n| Tuesday | Maths |")


@pytest.mark.parametrize("flag", ["", "<w:tblHeader/>"])
def test_two_header_rows_become_one(flag: str) -> None:
    wide = '<w:gridSpan w:val="2"/>|Term '
    first = row(RESTART + "Team", wide + "1", wide + "2", properties=flag)
    second = row(GOES_ON, "Test", "Project", "Test", "Project", properties=flag)
    text = text_of(table(first, second, row("Heron", "8", "11", "13", "10"), row("Stork", "7", "9", "12", "14")))
    assert text.startswith("| Team | Term 1 Test | Term 1 Project | Term 2 Test | Term 2 Project |\n| --- |")


def test_a_long_table_has_its_header_in_every_part() -> None:
    text = text_of(table(row("Tag", "Tree"), *(row(f"P{n:03}", "Oak") for n in range(60))))
    assert text.count("| Tag | Tree |") == text.count("| --- | --- |") >= 3


def test_a_single_row_is_read_column_by_column() -> None:
    assert text_of(table(row(line("Left.") + line("More."), "Right."))) == "Left.\n\nMore.\n\nRight."


def test_white_text_on_the_shade_of_its_style_is_read() -> None:
    document = docx.Document(io.BytesIO(body(line(run("Banner", '<w:color w:val="FFFFFF"/>'), properties=BANNER))))
    style = document.styles.add_style("Banner", docx.enum.style.WD_STYLE_TYPE.PARAGRAPH)
    style.element.get_or_add_pPr().append(parse_xml(f'<w:shd {W} w:val="clear" w:fill="1F3864"/>'))
    assert parse(documents.saved(document)).sections[0].text == "Banner"


def test_tables_in_cells_stand_below_what_heads_them() -> None:
    inner = table(row("Object", "Mass"), row("pebble", "52 g"))
    text = text_of(table(row("Station 1", "Station 2"), row(inner + line(""), "Rest.")))
    assert text == "Station 1\n\n| Object | Mass |\n| --- | --- |\n| pebble | 52 g |\n\nStation 2\n\nRest."


def tabbed(*lines: str) -> str:
    return text_of(*(paragraph(one.replace("|", "</w:t><w:tab/><w:t>")) for one in lines))


def test_paragraphs_with_the_same_tabs_are_a_table() -> None:
    words = tabbed("bark|die Rinde|The bark is white.", "owl|die Eule|The owl hunts.").split("\n")
    assert words[0] == "|  |  |  |"
    assert words[2:] == ["| bark | die Rinde | The bark is white. |", "| owl | die Eule | The owl hunts. |"]
    assert tabbed("Dish|Price", "Soup|2.50 €", "Rice|3.80 €").startswith("| Dish | Price |")
    exam = tabbed(
        "4 Compare red and white blood cells in a table.|[6 marks]",
        *["5 Name two vessels that lead to the heart.|[2 marks]"] * 2,
    )
    assert exam.startswith("4 Compare red and white blood cells in a table. [6 marks]\n\n5 Name")
    assert tabbed("From:|Ms Vale", "To:|Mr Hill", "Date:|3 May") == "From: Ms Vale\n\nTo: Mr Hill\n\nDate: 3 May"


def symbol(font: str, code: str) -> str:
    return f'<w:r><w:sym w:font="{font}" w:char="{code}"/></w:r>'


def test_signs_of_symbol_fonts() -> None:
    fonts = '<w:rFonts w:ascii="Wingdings" w:hAnsi="Wingdings"/>'
    signs = [symbol("Wingdings", code) for code in ("F0FE", "F0A8", "F06F", "F0FC", "F0FB", "F0FD", "F04E")]
    signs += [symbol("Wingdings 2", "F052"), symbol("Webdings", "F063"), run("\u00fe", fonts), symbol("Symbol", "F0B1")]
    assert text_of(line(*signs, symbol("MS Gothic", "2610"), symbol("Arial", "F041"))) == "☑☐☐✔✘☒☑☐☑±☐"


def test_boxes_and_fields_of_forms() -> None:
    def field(form: str, result: str = "") -> str:
        begin = f'<w:r><w:fldChar w:fldCharType="begin"><w:ffData>{form}</w:ffData></w:fldChar></w:r>'
        rest = (f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in ("separate", "end"))
        return f"{begin}<w:r><w:instrText>FORM</w:instrText></w:r>{next(rest)}{result}{next(rest)}"

    def control(properties: str, text: str) -> str:
        return f"<w:sdt><w:sdtPr>{properties}</w:sdtPr><w:sdtContent>{run(text)}</w:sdtContent></w:sdt>"

    box = '<w14:checkbox><w14:checked w14:val="{}"/></w14:checkbox>'
    choices = '<w:ddList><w:result w:val="1"/><w:listEntry w:val="7a"/><w:listEntry w:val="7b"/></w:ddList>'
    lines = [
        line(control(box.format(1), "X"), " swims ", control(box.format(0), "☐"), " rides"),
        line(field('<w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox>'), " vegan"),
        line(field('<w:checkBox><w:default w:val="1"/><w:checked w:val="0"/></w:checkBox>'), " halal"),
        line("Class ", field(choices), ", allergies ", field("<w:textInput/>", run("peanuts"))),
        line("Doctor ", control("", "Dr Vale"), control("<w:showingPlcHdr/>", "Click here to enter text.")),
    ]
    assert text_of(*lines).split("\n\n") == [
        "☑ swims ☐ rides",
        "☑ vegan",
        "☐ halal",
        "Class 7b, allergies peanuts",
        "Doctor Dr Vale",
    ]


def test_text_boxes_stand_once_behind_their_paragraph() -> None:
    inner = f"<w:txbxContent>{line('The key is in the box.')}</w:txbxContent>"
    drawn = f"<mc:Choice><w:drawing><wps:txbx>{inner}</wps:txbx></w:drawing></mc:Choice>"
    old = f"<w:pict><v:textbox>{inner.replace('key', 'bell')}</v:textbox></w:pict>"
    both = f"<w:r><mc:AlternateContent>{drawn}<mc:Fallback>{old}</mc:Fallback></mc:AlternateContent></w:r>"
    lines = line("First.", both), line("Second.", f"<w:r>{old}</w:r>")
    assert text_of(*lines).split("\n\n") == ["First.", "The key is in the box.", "Second.", "The bell is in the box."]


def test_pictures_are_described_or_counted() -> None:
    picture = "<w:r><w:drawing><wp:docPr {}/><a:blip/></w:drawing></w:r>"
    shown = [picture.format(words) for words in ('descr="A heron"', 'descr="IMG_2041.jpg"', "")]
    parsed = parse(body(line("See ", *shown, ".")))
    assert parsed.sections[0].text == "See [Picture: A heron]."
    assert parsed.notes == ("2 pictures have no description; text in pictures was not read.",)


def test_headers_and_footers_stand_once_at_the_beginning() -> None:
    document = docx.Document()
    document.add_heading("Rules", 1)
    document.add_paragraph("Be quiet.")
    section = document.sections[0]
    section.first_page_header.paragraphs[0].text = "Not shown"
    section.header.paragraphs[0].text = "Riverside School\tRules"
    footer = section.footer.paragraphs[0]
    footer.text = "Version 7 of 3 May 2026\tPage "
    footer._p.append(parse_xml(f'<w:fldSimple {W} w:instr=" PAGE ">{run("3")}</w:fldSimple>'))
    document.add_section()
    [only] = parse(documents.saved(document)).sections
    assert only.heading_path == ("Rules",)
    assert only.text.split("\n\n") == ["Riverside School", "Version 7 of 3 May 2026", "Be quiet."]


CLAUSES = (("decimal", "%1.", ""), ("decimal", "%1.%2", ""), ("lowerLetter", "(%3)", ""))


def test_clauses_have_the_numbers_that_word_shows() -> None:
    heading = '<w:pStyle w:val="Heading1"/>'
    lines = [
        item("Scope", more=heading),
        item("All pupils.", 1),
        item("Use", more=heading),
        item("Off in lessons.", 1),
        item("Gone.", 1, more="<w:rPr><w:del/></w:rPr>")
        .replace("<w:r>", "<w:del><w:r>")
        .replace("</w:r>", "</w:r></w:del>"),
        item("On in breaks:", 1),
        item("in the yard,", 2),
        item("in the hall.", 2),
        line("Between."),
        item("Third.", 1),
    ]
    sections = parse(numbered(body(*lines), *CLAUSES)).sections
    assert [section.heading_path for section in sections] == [("1. Scope",), ("2. Use",)]
    first = "- 2.1 Off in lessons.\n- 2.2 On in breaks:\n  - (a) in the yard,\n  - (b) in the hall."
    assert sections[1].text == f"{first}\n\nBetween.\n\n- 2.3 Third."


def test_formats_and_restarts_of_numbers() -> None:
    levels = (
        ("upperRoman", "Article %1.", ""),
        ("decimal", "%1.%2", "<w:isLgl/>"),
        ("lowerRoman", "%3)", ""),
        ("bullet", "§", ""),
    )
    lines = [
        item("One."),
        item("Legal.", 1),
        item("Small.", 2),
        item("Four.", 0, 91),
        item("Five.", 0, 91),
        item("Dot.", 3),
    ]
    override = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="4"/></w:lvlOverride>'
    assert parse(numbered(body(*lines), *levels, overrides=override)).sections[0].text.split("\n") == [
        "- Article I One.",
        "  - 1.1 Legal.",
        "    - i) Small.",
        "- Article IV Four.",
        "- Article V Five.",
        "  - Dot.",
    ]


def test_a_number_stays_right_where_the_one_before_is_left_out() -> None:
    gone = item("Gone.").replace("<w:rPr></w:rPr>", "<w:rPr><w:strike/></w:rPr>")
    text = parse(numbered(body(item("First."), gone, item("Third."), item("Fourth.")), *CLAUSES)).sections[0].text
    assert text == "1. First.\n- 3. Third.\n4. Fourth."


def test_headings_are_numbered_by_their_style() -> None:
    levels = [("decimal", text, f'<w:pStyle w:val="Heading{n}"/>') for n, text in ((1, "%1"), (2, "%1.%2"))]
    words = (
        ("Heading 1", "Sound"),
        ("Heading 2", "Echo"),
        ("Normal", "It returns."),
        ("Heading 2", "Pitch"),
        ("Normal", "High."),
    )
    document = docx.Document(io.BytesIO(numbered(documents.word(*words), *levels)))
    for name in ("Heading 1", "Heading 2"):
        properties = document.styles[name].element.get_or_add_pPr()
        properties.append(parse_xml(f'<w:numPr {W}><w:numId w:val="90"/></w:numPr>'))
    paths = [section.heading_path for section in parse(documents.saved(document)).sections]
    assert paths == [("1 Sound", "1.1 Echo"), ("1 Sound", "1.2 Pitch")]


def math(text: str) -> str:
    return f"<m:r><m:t>{text}</m:t></m:r>"


def bracketed(inner: str, opening: str = "(", closing: str = ")") -> str:
    properties = f'<m:dPr><m:begChr m:val="{opening}"/><m:endChr m:val="{closing}"/></m:dPr>'
    return f"<m:d>{properties}<m:e>{inner}</m:e></m:d>"


SQUARE = f"<m:sSup><m:e>{math('x')}</m:e><m:sup>{math('2')}</m:sup></m:sSup>"


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (f"<m:sSup><m:e>{bracketed(math('a+b'))}</m:e><m:sup>{math('2')}</m:sup></m:sSup>", "(a+b)^(2)"),
        (bracketed(math("–7"), "|", "|"), "|–7|"),
        (
            f'<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>{math("i=1")}</m:sub><m:sup>{math("n")}</m:sup>'
            f"<m:e>{math('i')}</m:e></m:nary>",
            "∑_(i=1)^(n) i",
        ),
        (
            f"<m:nary><m:sub>{math('0')}</m:sub><m:sup>{math('3')}</m:sup><m:e>{SQUARE}</m:e></m:nary>",
            "∫_(0)^(3) x^(2)",
        ),
        (f"<m:rad><m:deg>{math('3')}</m:deg><m:e>{math('8')}</m:e></m:rad>", "^(3)√(8)"),
        (
            f"<m:func><m:fName><m:limLow><m:e>{math('lim')}</m:e><m:lim>{math('n→∞')}</m:lim></m:limLow></m:fName>"
            f"<m:e>{SQUARE}</m:e></m:func>",
            "lim_(n→∞) x^(2)",
        ),
        (
            bracketed(
                f"<m:m><m:mr><m:e>{math('1')}</m:e><m:e>{math('2')}</m:e></m:mr><m:mr><m:e>{math('3')}</m:e>"
                f"<m:e>{math('4')}</m:e></m:mr></m:m>"
            ),
            "(1, 2; 3, 4)",
        ),
        (bracketed(f"<m:eqArr><m:e>{math('x=1')}</m:e><m:e>{math('y=2')}</m:e></m:eqArr>", "{", ""), r"\{x=1; y=2"),
        (f'<m:acc><m:accPr><m:chr m:val="\u20d7"/></m:accPr><m:e>{math("AB")}</m:e></m:acc>', "vec(AB)"),
        (
            f"<m:sSup><m:e><m:f><m:num>{math('a')}</m:num><m:den>{math('b')}</m:den></m:f></m:e><m:sup>{math('2')}</m:sup>"
            "</m:sSup>",
            "((a)/(b))^(2)",
        ),
        (f"<m:groupChr><m:e>{math('a+b')}</m:e></m:groupChr>", "a+b"),
    ],
)
def test_formulas_keep_brackets_sums_and_roots(formula: str, expected: str) -> None:
    assert text_of(line(f"<m:oMath>{formula}</m:oMath>")) == f"${expected}$"


def test_entities_are_not_expanded() -> None:
    laugh, laughs = b"ha" * 50, b"&a;" * 50
    entities = b'<!ENTITY a "%s"><!ENTITY b "%s"><!ENTITY c SYSTEM "/etc/passwd">' % (laugh, laughs)

    def change(name: str, part: bytes) -> bytes:
        if name != "word/document.xml":
            return part
        declaration, _, rest = part.partition(b"?>")
        return declaration + b"?><!DOCTYPE x [" + entities + b"]>" + rest.replace(b"MARK", b"&b;&c;")

    parsed = parse(rewritten(documents.word(("Normal", "Safe text."), ("Normal", "x MARK y")), change))
    assert "haha" not in parsed.sections[0].text
    assert "root:" not in parsed.sections[0].text


def bomb(declared: int | None) -> bytes:
    """A package with a part of more than the limit in zeros, which may declare another size."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as package:
        package.writestr("[Content_Types].xml", "<Types/>")
        package.writestr("word/document.xml", "<x/>")
        with package.open("word/media/image1.png", "w") as part:
            for _ in range(MAX_UNPACKED // 2**20 + 1):
                part.write(bytes(2**20))
    data = buffer.getvalue()
    if declared is None:
        return data
    size = (MAX_UNPACKED // 2**20 + 1) * 2**20
    return data.replace(size.to_bytes(4, "little"), declared.to_bytes(4, "little"))


def test_a_package_that_unpacks_too_large_is_refused() -> None:
    with pytest.raises(UnreadableDocument, match="unpacks to more than"):
        parse(bomb(None))


def test_a_package_that_lies_about_its_size_is_refused() -> None:
    with pytest.raises(UnreadableDocument, match="is damaged"):
        parse(bomb(1000))


def test_a_damaged_file_is_named() -> None:
    data = documents.word(("Normal", "Text."))
    with pytest.raises(UnreadableDocument, match="is damaged"):
        parse(data[: len(data) // 2])
    with pytest.raises(UnreadableDocument, match="is damaged"):
        parse(rewritten(data, lambda name, part: part[:100] if name == "word/document.xml" else part))


def test_a_file_with_macros_is_named() -> None:
    def change(name: str, part: bytes) -> bytes:
        old = b"openxmlformats-officedocument.wordprocessingml.document.main+xml"
        return part.replace(b"application/vnd." + old, b"application/vnd.ms-word.document.macroEnabled.main+xml")

    with pytest.raises(UnreadableDocument, match="macros"):
        parse(rewritten(documents.word(("Normal", "Text.")), change))


def test_a_document_without_text_is_named() -> None:
    with pytest.raises(UnreadableDocument, match="no text"):
        parse(documents.word(("Normal", " ")))
