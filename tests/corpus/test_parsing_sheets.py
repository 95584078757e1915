"""Excel and CSV: rows keep their header and say where they stand, values read as people see them."""

import io
import zipfile
from collections.abc import Callable
from datetime import date, datetime, time, timedelta

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.comments import Comment
from openpyxl.styles import Font

from corpus.ingestion.chunking import chunk
from corpus.ingestion.parsing import Parsed, UnreadableDocument, parse
from corpus.ingestion.readers.office.cell_values import display_value
from corpus.ingestion.readers.rows import MAX_CELLS
from engines.embedding import get_embedder
from tests import documents

STRUCK = InlineFont(strike=True)
CLASS: list[list[object]] = [["Name", "Mark"], ["Ada", 1], ["Ben", 2.5]]


def csv(text: str | bytes) -> Parsed:
    return parse(text.encode() if isinstance(text, str) else text, filename="table.csv")


def rewritten(data: bytes, change: Callable[[str, bytes], bytes]) -> bytes:
    """The package with every part passed through `change`."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, change(name, old.read(name)))
    return buffer.getvalue()


def test_a_sheet_is_a_section_and_its_rows_a_table() -> None:
    parsed = parse(documents.workbook({"Term 1": CLASS, "Term 2": [CLASS[0], ["Cleo", 3]]}, title="Marks"))
    assert (parsed.title, parsed.pages, parsed.notes) == ("Marks", None, ())
    assert [(section.heading_path, section.text) for section in parsed.sections] == [
        (("Term 1",), "| Name | Mark |\n| --- | --- |\n| Ada | 1 |\n| Ben | 2.5 |"),
        (("Term 2",), "| Name | Mark |\n| --- | --- |\n| Cleo | 3 |"),
    ]


def test_a_long_sheet_repeats_its_header_and_says_which_rows() -> None:
    rows: list[list[object]] = [
        ["Name", "Mark"],
        *([f"Pupil {number}", number % 6 + 1] for number in range(2, 52)),
    ]
    sections = parse(documents.workbook({"Term 2": rows})).sections
    assert all(section.text.startswith("| Name | Mark |\n| --- | --- |\n") for section in sections)
    assert [section.heading_path for section in sections] == [
        ("Term 2", "Rows 2–21"),
        ("Term 2", "Rows 22–41"),
        ("Term 2", "Rows 42–51"),
    ]
    assert sections[1].text.splitlines()[2] == "| Pupil 22 | 5 |"


def test_every_piece_that_is_embedded_has_the_header() -> None:
    names = ["Pupil", "German", "Mathematics", "Geography", "Remarks of the class teacher"]
    rows: list[list[object]] = [
        [f"Surname{number}, First", 2.75, "good", number, "is often late, helps others"] for number in range(99)
    ]
    embedder = get_embedder()
    pieces = chunk(
        parse(documents.workbook({"Reports": [names, *rows]})).sections,
        count_tokens=embedder.count_tokens,
        max_tokens=embedder.max_tokens,
    )
    assert len(pieces) > 5
    assert all(piece.text.startswith("| Pupil | German |") for piece in pieces)
    assert sum(piece.text.count("Surname") for piece in pieces) == 99


def test_a_row_too_long_for_a_table_names_each_of_its_cells() -> None:
    [section] = csv("Term,Meaning\nOsmosis," + "water passes through a skin " * 40 + "\n").sections
    assert section.text.startswith("- Term: Osmosis\n- Meaning: water passes")


def test_a_long_text_on_top_is_not_repeated_with_every_row() -> None:
    long = "Please fill in every line of this form and hand it in at the office. " * 20
    first, second = csv(f"{long},Name\n1,Ada\n2,Ben\n").sections
    assert (first.text, second.text) == ("- 1\n- Name: Ada", "- 2\n- Name: Ben")


def test_lines_above_the_table_and_empty_rows_and_columns() -> None:
    rows: list[list[object]] = [
        ["Class 7b", None, None],
        [],
        ["Name", None, "Mark"],
        [None],
        ["Ada", None, 1],
    ]
    [section] = parse(documents.workbook({"Marks": rows})).sections
    assert section.text == "Class 7b\n\n| Name | Mark |\n| --- | --- |\n| Ada | 1 |"


def test_numbers_alone_have_no_header_and_one_column_no_table() -> None:
    assert csv("1,2\n3,4\n").sections[0].text == "| A | B |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |"
    assert csv("Bring boots\nBring lunch\n").sections[0].text == "Bring boots\nBring lunch"
    assert csv("Name,Mark\n").sections[0].text == "| Name | Mark |\n| --- | --- |"


@pytest.mark.parametrize(
    ("value", "number_format", "text"),
    [
        (datetime(2026, 3, 12), "dd.mm.yyyy", "12.03.2026"),
        (datetime(2026, 3, 12), "mm-dd-yy", "2026-03-12"),
        (datetime(2026, 3, 12, 14, 5), "d mmmm yyyy h:mm AM/PM", "12 March 2026 2:05 PM"),
        (date(2026, 3, 2), '[$-809]dddd "the" d', "Monday the 2"),
        (time(7, 45), "hh:mm", "07:45"),
        (timedelta(hours=30, minutes=5), "[h]:mm", "30:05"),
        (0.853, "0.0%", "85.3%"),
        (1234.5, '#,##0.00 "€"', "1,234.50 €"),
        (-12.5, "#,##0.00 [$€-407]", "-12.50 €"),
        (-3, "0;[Red](0)", "(3)"),
        (7, "0000", "0007"),
        (1234, "# ##0", "1 234"),
        (-1234, "# ##0", "-1 234"),
        (12, "# ##0", "12"),
        (-123, "# ##0", "-123"),
        (1234567.5, "# ### ##0.00", "1 234 567.50"),
        (1234567, "# ##0", "1234 567"),
        (1234.5, '#\\ ##0.00\\ "€"', "1 234.50 €"),
        (1234, "#'##0", "1'234"),
        (123456, "00 00 00", "12 34 56"),
        (12.5, "0 %", "1250 %"),
        (0, "# ##0", "0"),
        (2.5, "0.0#", "2.5"),
        (1.1 + 2.2, "General", "3.3"),
        (1234567, "General", "1234567"),
        (491511234567, "General", "491511234567"),
        (9783161484100, "@", "9783161484100"),
        (12345678901.5, "General", "12345678901.5"),
        (2.5, "0", "3"),
        (-2.5, "0", "-3"),
        (2.675, "0.00", "2.68"),
        (0.285, "0%", "29%"),
        (1234567, "#,##0,", "1,235"),
        (1234567, '0.0,, "M"', "1.2 M"),
        (1234567, "0,.00", "1234.57"),
        (1234, '#,##0", net"', "1,234, net"),
        (True, "General", "TRUE"),
    ],
)
def test_values_as_people_see_them(value: object, number_format: str, text: str) -> None:
    book = openpyxl.Workbook()
    book.active.append(["What", "Value"])
    book.active.append(["It", value])
    book.active["B2"].number_format = number_format
    assert parse(documents.saved(book)).sections[0].text.splitlines()[2] == f"| It | {text} |"


@given(
    st.floats(allow_nan=False, allow_infinity=False) | st.datetimes() | st.times() | st.timedeltas(),
    st.text('0#?.,%;[]"\\ymdhs:/AMP_*$€- @E+', max_size=20),
)
def test_no_number_format_fails(value: object, number_format: str) -> None:
    assert isinstance(display_value(value, number_format), str)


def test_results_of_formulas_are_read_and_missing_ones_noted() -> None:
    data = documents.workbook({"Sum": [["What", "Value"], ["Total", "=1+2"]]})
    parsed = parse(data)
    assert "Some formulas have no result" in parsed.notes[0]

    def change(name: str, part: bytes) -> bytes:
        return part.replace(b"<v></v>", b"<v>3</v>").replace(b"<v />", b"<v>3</v>").replace(b"<v/>", b"<v>3</v>")

    parsed = parse(rewritten(data, change))
    assert (parsed.sections[0].text.splitlines()[2], parsed.notes) == ("| Total | 3 |", ())


def test_hidden_sheets_are_left_out_and_noted() -> None:
    book = openpyxl.load_workbook(io.BytesIO(documents.workbook({"Shown": CLASS, "Keys": [["a", "b"], [1, 2]]})))
    book["Keys"].sheet_state = "hidden"
    parsed = parse(documents.saved(book))
    assert [section.heading_path for section in parsed.sections] == [("Shown",)]
    assert parsed.notes == ("The sheet “Keys” is hidden and was left out.",)


def test_what_exceeds_the_bound_on_cells_is_noted() -> None:
    rows = MAX_CELLS // 2
    parsed = csv("Name,Mark\n" + "Ada,1\n" * rows)
    assert sum(section.text.count("Ada") for section in parsed.sections) == rows - 1
    assert parsed.notes == (f"Rows from {rows + 1} on were left out: at most 100,000 filled cells are read.",)


def test_cells_at_the_far_end_of_a_sheet_cost_nothing() -> None:
    book = openpyxl.Workbook()
    book.active.append(["Name", "Mark"])
    book.active["XFD1048576"] = "far"
    parsed = parse(documents.saved(book))
    assert "far" not in parsed.sections[0].text
    assert "only the first 256 columns" in parsed.notes[0]


def test_entities_are_refused() -> None:
    def change(name: str, part: bytes) -> bytes:
        return b'<!DOCTYPE x [<!ENTITY a "haha">]>' + part if name == "xl/worksheets/sheet1.xml" else part

    with pytest.raises(UnreadableDocument, match="Excel file is damaged"):
        parse(rewritten(documents.workbook({"Marks": CLASS}), change))


def test_a_damaged_or_empty_workbook_is_named() -> None:
    data = documents.workbook({"Marks": CLASS})
    cut = rewritten(data, lambda name, part: part[:100] if name == "xl/worksheets/sheet1.xml" else part)
    for broken in (data[: len(data) // 2], cut):
        with pytest.raises(UnreadableDocument, match="Excel file is damaged"):
            parse(broken)
    with pytest.raises(UnreadableDocument, match="no text"):
        parse(documents.workbook({"Marks": []}))


@pytest.mark.parametrize("cell", ["1", "12.5 %", "€ 3,00", "(12:30)", "1 / 2", "...", "5€"])
def test_amounts_are_no_header(cell: str) -> None:
    assert csv(f"{cell};{cell}\nx;y\n").sections[0].text.startswith("| A | B |")


@pytest.mark.parametrize("cell", ["x1", "1st", "1-2", "€", "." * 30_000 + "x"])
def test_words_and_long_leaders_are_a_header(cell: str) -> None:
    assert "| A | B |" not in csv(f"{cell};{cell}\nx;y\n").sections[0].text


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_separator_is_guessed(separator: str) -> None:
    text = separator.join(["Name", "Mark"]) + "\n" + separator.join(["Ada", '"1' + separator + ' good"']) + "\n"
    assert csv(text).sections[0].text.splitlines()[0] == "| Name | Mark |"
    assert "good" in csv(text).sections[0].text.splitlines()[2]


def test_decimal_commas_do_not_separate() -> None:
    assert csv("1,5;2,5\n3,5;4,5\n").sections[0].text.splitlines()[2] == "| 1,5 | 2,5 |"


def test_tables_from_excel_in_older_encodings() -> None:
    parsed = csv("sep=;\r\nSchüler;Straße\r\nJörg Müller;Übergang 3\r\nGünther;Größe\r\n".encode("cp1252"))
    assert parsed.sections[0].text.splitlines()[2] == "| Jörg Müller | Übergang 3 |"


def test_a_missing_quotation_mark_is_named() -> None:
    with pytest.raises(UnreadableDocument, match="quotation mark"):
        csv('Name,Mark\n"Ada,1\n' + "Ben,2\n" * 30_000)


def read(text: str) -> list[tuple[tuple[str, ...], str]]:
    return [(section.heading_path, section.text) for section in csv(text).sections]


def head(text: str) -> str:
    return csv(text).sections[-1].text.splitlines()[0]


def test_tables_below_and_beside_each_other_keep_their_own_names() -> None:
    assert read("Book,Copies\nAtlas,3\nMoss,1\n\nRoom,Seats\nLab,28\nHall,180\n") == [
        (("Rows 2–3",), "| Book | Copies |\n| --- | --- |\n| Atlas | 3 |\n| Moss | 1 |"),
        (("Rows 6–7",), "| Room | Seats |\n| --- | --- |\n| Lab | 28 |\n| Hall | 180 |"),
    ]
    assert read("Clubs;\nClub;Leader\nChess;Ms Oak\n\nDuties;\nDay;Teacher\nMonday;Ms Ash\n") == [
        (("Clubs",), "| Club | Leader |\n| --- | --- |\n| Chess | Ms Oak |"),
        (("Duties",), "| Day | Teacher |\n| --- | --- |\n| Monday | Ms Ash |"),
    ]
    beside = read("Book,Copies,,Room,Seats\nAtlas,3,,Lab,28\nMoss,1,,Hall,180\nFern,4,,,\n")
    assert [text.splitlines()[0] for _, text in beside] == ["| Book | Copies |", "| Room | Seats |"]
    assert "Seats" not in beside[0][1]


def test_blank_rows_and_columns_within_a_table_do_not_end_it() -> None:
    [(_, rows)] = read("Name,Points\nAda,3\n\nCleo,5\n")
    assert rows.splitlines()[2:] == ["| Ada | 3 |", "| Cleo | 5 |"]
    assert head("Name,Class,,Test,Project\nAda,7a,,12,3\nBen,7b,,4,\n") == "| Name | Class | Test | Project |"
    [(_, labelled)] = read("Name;Points\nTeam red;\nAda;3\nTeam blue;\nCleo;5\n")
    assert labelled.splitlines()[2:] == ["| Team red |  |", "| Ada | 3 |", "| Team blue |  |", "| Cleo | 5 |"]


@pytest.mark.parametrize(
    ("rows", "header"),
    [
        (";Term 1;;Term 2;\nTeam;Test;Project;Test;Project\nFox;12;15;9;14\n", "Team|Term 1 Test|Term 1 Project"),
        (";2021;2022\nPupils;512;530\nClasses;20;21\n", "|2021|2022"),
        ("Figure;2021;2022\nPupils;512;530\nClasses;20;21\n", "Figure|2021|2022"),
        ("Pupil;12.03.;19.03.\nAda;1;2\nBen;3;1\n", "Pupil|12.03.|19.03."),
        ("Day;1;2;3\nMonday;4;5;6\nFriday;7;8;9\n", "Day|1|2|3"),
        ("Oak;Quercus;30,5 m\nElm;Ulmus;40 m\nFir;Abies;50 m\n", "A|B|C"),
        ("B-101;Atlas;A1.01\nB-102;Moss;A1.02\n", "A|B|C"),
        ("owl;die Eule\nfox;der Fuchs\nbear;der Bär\n", "A|B"),
    ],
)
def test_the_header_is_what_names_the_columns(rows: str, header: str) -> None:
    assert head(rows).strip("| ").replace(" | ", "|").startswith(header.strip("|"))


def test_a_first_cell_that_stands_for_several_rows_is_repeated() -> None:
    [(_, rows)] = read("Day;Period;Subject\nMonday;1;Maths\n;2;Art\nTuesday;1;French\n;2;Bio\n")
    assert rows.splitlines()[3:] == ["| Monday | 2 | Art |", "| Tuesday | 1 | French |", "| Tuesday | 2 | Bio |"]
    total = csv("Code;Title;Copies;Price\nG-1;Atlas;3;12,90\nB-2;Moss;1;8,50\n;;Sum;31,40\n")
    assert total.sections[0].text.splitlines()[-1] == "|  |  | Sum | 31,40 |"


def test_what_excel_hides_is_left_out_and_noted() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Plan"
    for row in (["Name", "Mark", "Remark", "Fee"], ["Ada", 1, "late", 5], ["Ben", 2, "x", 6], ["Cleo", 3, "y", 7]):
        sheet.append(row)
    sheet.row_dimensions[3].hidden = True
    sheet.column_dimensions["C"].hidden = True
    sheet["A4"].font, sheet["B4"].font = Font(strike=True), Font(color="FFFFFFFF")
    sheet["D2"].number_format = ";;;"
    sheet["A2"].value, sheet["A2"].font = "þ", Font(name="Wingdings")
    sheet["D4"].value = CellRichText(
        "7 m", TextBlock(InlineFont(vertAlign="superscript"), "2"), TextBlock(STRUCK, " 8")
    )
    parsed = parse(documents.saved(book))
    assert parsed.sections[0].text.splitlines()[2:] == ["| ☑ | 1 |  |", "|  |  | 7 m^2 |"]
    assert parsed.notes == (
        "1 row and 1 column of “Plan” are hidden and were left out.",
        "Hidden text was left out.",
        "Crossed-out text was left out.",
    )


def test_merged_cells_comments_and_the_header_of_the_page() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    for row in (
        ["Plan"],
        ["Day", "Dish", None],
        [None, "Main", "Vegan"],
        ["Monday", "Soup", "Rice"],
        [None, "Pie", "Dal"],
    ):
        sheet.append(row)
    for cells in ("A1:C1", "A2:A3", "B2:C2", "A4:A5"):
        sheet.merge_cells(cells)
    sheet["B4"].comment = Comment("Contains milk", "Cook")
    sheet.oddHeader.center.text = "Valid from 1 August"
    sheet.oddFooter.right.text = "Page &P of &N"
    first, second = parse(documents.saved(book)).sections
    assert first.text == "Valid from 1 August"
    assert second.text.split("\n\n") == [
        "Plan",
        "| Day | Dish Main | Dish Vegan |\n| --- | --- | --- |\n| Monday | Soup | Rice |\n| Monday | Pie | Dal |",
        "B4: Contains milk",
    ]


def test_text_boxes_and_threaded_comments_are_read() -> None:
    relation = '<Relationship Id="r{0}" Type="http://x/{1}" Target="../{2}"/>'
    drawing = (
        '<x:wsDr xmlns:x="x" xmlns:a="a"><x:sp><x:cNvPr name="Box"/><a:p><a:r><a:t>Bring boots</a:t></a:r></a:p></x:sp>'
        '<x:pic><x:cNvPr descr="Map of the yard"/></x:pic><x:sp><x:cNvPr hidden="1"/><a:p><a:t>no</a:t></a:p>'
        "</x:sp></x:wsDr>"
    )
    more = {
        "xl/worksheets/_rels/sheet1.xml.rels": "<Relationships>"
        + relation.format(1, "drawing", "drawings/drawing1.xml")
        + relation.format(2, "threadedComment", "threadedComments/t1.xml")
        + "</Relationships>",
        "xl/drawings/drawing1.xml": drawing,
        "xl/threadedComments/t1.xml": '<ThreadedComments><threadedComment ref="B2"><text>Retake</text>'
        "</threadedComment></ThreadedComments>",
    }
    buffer = io.BytesIO(documents.workbook({"Marks": CLASS}))
    with zipfile.ZipFile(buffer, "a") as archive:
        for name, part in more.items():
            archive.writestr(name, part)
    sections = parse(buffer.getvalue()).sections
    assert sections[0].text.endswith("\n\nB2: Retake")
    assert sections[1].text == "Bring boots\n\n[Picture: Map of the yard]"
