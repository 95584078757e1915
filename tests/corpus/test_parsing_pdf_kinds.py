"""Small PDFs of the kinds that schools have: powers, crossed-out text, forms, columns, printed page numbers."""

import io
import unicodedata
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from PIL import Image
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.pdfdoc import PDFArray, PDFDictionary, PDFName
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph, SimpleDocTemplate, Table

from corpus.ingestion.parsing import Parsed, parse
from corpus.ingestion.readers.pdf.lines import load_pdf
from corpus.ingestion.readers.pdf.words import tidy

BODY = getSampleStyleSheet()["BodyText"]
GRID = ("GRID", (0, 0), (-1, -1), 0.5, colors.black)
RIVER = (
    "The river rises in the hills and runs past three villages before it reaches the lake. "
    "In spring it floods the meadows beside the old mill."
)
CASTLE = (
    "The castle was built by a duke who feared his neighbours. "
    "Its walls are four metres thick, and the well is deeper than the tower is high."
)
FOREST = (
    "The forest gives wood and shade to the farmers. "
    "Deer come to the clearing at dusk, and owls hunt along the path that leads to the station."
)


def drawn(draw: Callable[[Canvas], None]) -> Parsed:
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=A4)
    draw(canvas)
    canvas.save()
    return parse(file.getvalue(), filename="file.pdf")


def flowed(*story: Any) -> Parsed:
    file = io.BytesIO()
    SimpleDocTemplate(file, pagesize=A4).build(
        [Paragraph(part, BODY) if isinstance(part, str) else part for part in story]
    )
    return parse(file.getvalue(), filename="file.pdf")


def text_of(parsed: Parsed) -> str:
    return "\n\n".join(section.text for section in parsed.sections)


def width(text: str) -> float:
    return float(pdfmetrics.stringWidth(text, "Helvetica", 11))


def write(canvas: Canvas, *lines: str, x: float = 72, y: float = 760, leading: float = 15) -> None:
    canvas.setFont("Helvetica", 11)
    for number, line in enumerate(lines):
        canvas.drawString(x, y - leading * number, line)


def wrapped(text: str, letters: int) -> list[str]:
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) + 1 > letters:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("The earth has 5.97 × 10<super>24</super> kg.", "The earth has 5.97 × 10^(24) kg."),
        ("An electron has 9.1 × 10<super>–31</super> kg.", "An electron has 9.1 × 10^(–31) kg."),
        ("Water is H<sub>2</sub>O, so is x<sub>12</sub>.", "Water is H_2O, so is x_(12)."),
        ("Sulphate is SO<sub>4</sub><super>2–</super>.", "Sulphate is SO_4^(2–)."),
        ("A cube has 15 cm<super>3</super>, and more.", "A cube has 15 cm^3, and more."),
        ("It began in 1789<super>4</super> in Paris.", "It began in 1789^4 in Paris."),
        ("The 21<super>st</super> of May.", "The 21st of May."),
    ],
)
def test_raised_and_lowered_letters_are_no_part_of_the_word_before(markup: str, text: str) -> None:
    assert text_of(flowed(markup)) == text


def test_a_raised_number_with_a_note_at_the_foot_is_its_mark() -> None:
    def draw(canvas: Canvas) -> None:
        for y, words, mark, rest in (
            (700, "It ended in 1815", "3", " in Vienna."),
            (680, "A field of 40 m", "3", " of earth."),
        ):
            write(canvas, words, y=y)
            canvas.setFont("Helvetica", 7)
            canvas.drawString(72 + width(words), y + 4, mark)
            write(canvas, rest, x=76 + width(words), y=y)
        canvas.setFont("Helvetica", 8)
        canvas.drawString(72, 60, "3 Signed by four powers.")

    text = text_of(drawn(draw))
    assert "1815[3] in Vienna." in text
    assert "40 m^3 of earth." in text


def test_crossed_out_text_is_left_out_and_noted() -> None:
    def draw(canvas: Canvas) -> None:
        write(canvas, "The trip costs 18 euros 23 euros.", "We meet at 7:30.", "This is underlined.", leading=30)
        start = 72 + width("The trip costs ")
        canvas.line(start, 763.5, start + width("18 euros"), 763.5)
        canvas.rect(72, 733, width("We meet at 7:30."), 0.8, stroke=0, fill=1)
        canvas.line(72, 698, 72 + width("This is underlined."), 698)

    parsed = drawn(draw)
    assert text_of(parsed) == "The trip costs 23 euros.\n\nThis is underlined."
    assert parsed.notes == ("Crossed-out text was left out.",)
    table = flowed(Table([["Room", "Seats"], ["Lab", Paragraph("<strike>28</strike> 30", BODY)]], style=[GRID]))
    assert "| Lab | 30 |" in text_of(table)


@pytest.mark.parametrize(
    ("text", "gone", "rest"),
    [
        ("Entry 19.99EUR/14.99EUR today", "19.99EUR", "Entry /14.99EUR today"),
        ("Entry 18/20 euros", "18/", "Entry 20 euros"),
        ("Entry (5)20000 euros", "(5)", "Entry 20000 euros"),
        ("Herr/Frau Meier", "/Frau", "Herr Meier"),
        ("学费是一百元现在是八十元请按时交费谢谢", "一百元", "学费是现在是八十元请按时交费谢谢"),
        ("学费是一百元现在是八十元请按时交费谢谢", "现在是", "学费是一百元八十元请按时交费谢谢"),
    ],
)
def test_a_crossed_out_part_of_a_word_is_left_out_alone(text: str, gone: str, rest: str) -> None:
    font = "Helvetica" if text.isascii() else "STSong-Light"
    pdfmetrics.registerFont(UnicodeCIDFont("STSong-Light"))
    start = 72 + pdfmetrics.stringWidth(text.partition(gone)[0], font, 11)

    def draw(canvas: Canvas) -> None:
        canvas.setFont(font, 11)
        canvas.drawString(72, 700, text)
        canvas.line(start, 703.5, start + pdfmetrics.stringWidth(gone, font, 11), 703.5)

    parsed = drawn(draw)
    assert text_of(parsed) == rest
    assert parsed.notes == ("Crossed-out text was left out.",)


@pytest.mark.parametrize("line", [(30, 3.5, 500), (72, 0.5, 180)], ids=["a border", "an underline at the baseline"])
def test_a_line_that_crosses_nothing_out_leaves_text(line: tuple[float, float, float]) -> None:
    start, above, stop = line

    def draw(canvas: Canvas) -> None:
        write(canvas, "Bring the permit.", y=760)
        canvas.line(start, 760 + above, stop, 760 + above)

    parsed = drawn(draw)
    assert (text_of(parsed), parsed.notes) == ("Bring the permit.", ())


def test_white_text_is_left_out_of_paper_and_read_on_a_dark_header() -> None:
    def draw(canvas: Canvas) -> None:
        write(canvas, "The question")
        canvas.setFillColor(colors.white)
        write(canvas, "The solution", y=700)

    parsed = drawn(draw)
    assert (text_of(parsed), parsed.notes) == ("The question", ("Hidden text was left out.",))
    dark = [GRID, ("BACKGROUND", (0, 0), (-1, 0), colors.navy), ("TEXTCOLOR", (0, 0), (-1, 0), colors.white)]
    table = flowed(Table([["Room", "Seats"], ["Lab", "28"]], style=dark))
    assert (text_of(table), table.notes) == ("| Room | Seats |\n| --- | --- |\n| Lab | 28 |", ())


@pytest.mark.parametrize("ground", [colors.navy, colors.white])
def test_a_page_is_drawn_only_where_text_has_the_colour_of_its_own_ground(ground: colors.Color) -> None:
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=A4)
    canvas.setFillColor(ground)
    canvas.rect(60, 690, 300, 30, stroke=0, fill=1)
    canvas.setFillColor(colors.white)
    canvas.drawString(72, 700, "The solution")
    canvas.save()
    assert load_pdf(file.getvalue()).pages[0].is_drawn == (ground == colors.white)


def test_marked_text_is_read() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setStrokeColor(colors.yellow)
        canvas.setLineWidth(12)
        canvas.line(72, 764, 72 + width("Bring the permit."), 764)
        write(canvas, "Bring the permit.", y=760)

    parsed = drawn(draw)
    assert (text_of(parsed), parsed.notes) == ("Bring the permit.", ())


def test_what_people_do_not_see_is_left_out_and_noted() -> None:
    def draw(canvas: Canvas) -> None:
        write(canvas, "How fast does it fall?", "The end.")
        canvas.setFillColor(colors.white)
        write(canvas, "Solution: 8 metres", y=700)
        canvas.setFillColor(colors.navy)
        canvas.rect(70, 640, 200, 30, stroke=0, fill=1)
        write(canvas, "Secret: 9 metres", y=650)
        canvas.setFillColor(colors.white)
        write(canvas, "Seen on blue", x=200, y=650)
        canvas.setFillColor(colors.black)
        write(canvas, "Above the page", y=900)
        canvas.saveState()
        invisible = canvas.beginText(72, 600)
        invisible.setTextRenderMode(3)
        invisible.textLine("Invisible: 10 metres")
        canvas.drawText(invisible)
        canvas.restoreState()

    parsed = drawn(draw)
    text = text_of(parsed)
    assert "How fast" in text
    assert "Seen on blue" in text
    assert not any(word in text for word in ("8", "9", "10", "Above"))
    assert parsed.notes == ("Hidden text was left out.",)


@pytest.mark.parametrize("side", [600, 2800, 14_000])
@pytest.mark.parametrize("grey", [0.0, 0.75])
def test_small_thin_letters_are_seen(side: int, grey: float) -> None:
    line = "l I 1 . , - ! of 6 points"

    def draw(canvas: Canvas) -> None:
        canvas.setPageSize((side, side))
        canvas.setFont("Helvetica", 6)
        canvas.setFillGray(grey)
        for number in range(10):
            canvas.drawString(50 + 0.13 * number, 550 - 20.37 * number, line)
        canvas.setFillColor(colors.white)
        canvas.drawString(50, 100, "white")

    assert text_of(drawn(draw)).split()[: 10 * len(line.split())] == 10 * line.split()


def test_the_invisible_text_of_a_scan_is_read() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.drawImage(ImageReader(Image.new("L", (60, 80), 250)), 0, 0, *A4)
        recognised = canvas.beginText(72, 600)
        recognised.setTextRenderMode(3)
        recognised.textLine("The scanned rules")
        canvas.drawText(recognised)

    parsed = drawn(draw)
    assert (text_of(parsed), parsed.notes, parsed.picture_pages) == ("The scanned rules", (), ())


@pytest.mark.parametrize("angle", [90, -90])
@pytest.mark.parametrize("style", [[GRID], []])
def test_a_table_that_stands_sideways_is_read_with_its_header(angle: int, style: list[Any]) -> None:
    rows = [
        ["Task", "Person", "Phone"],
        ["Stage", "Mr Reed", "4711"],
        ["Lights", "Ms Cole", "4712"],
        ["Kitchen", "Mr Voss", "4713"],
    ]

    def draw(canvas: Canvas) -> None:
        write(canvas, "List of helpers")
        canvas.translate(300, 400)
        canvas.rotate(angle)
        table = Table(rows, colWidths=[110, 110, 100], style=style)
        table.wrapOn(canvas, 400, 300)
        table.drawOn(canvas, -160, 0)

    text = text_of(drawn(draw))
    assert "| Task | Person | Phone |\n" in text
    assert "| Lights | Ms Cole | 4712 |" in text
    assert text.startswith("List of helpers")


def test_a_cell_over_several_rows_is_repeated_in_each() -> None:
    rows = [["Day", "Period", "Subject"], ["Tuesday", "1", "Maths"], ["", "2", "English"], ["Friday", "1", "Art"]]
    text = text_of(flowed(Table(rows, style=[GRID, ("SPAN", (0, 1), (0, 2)), ("VALIGN", (0, 1), (0, 2), "MIDDLE")])))
    assert "| Tuesday | 2 | English |" in text


@pytest.mark.parametrize("lines", [GRID, ("LINEBELOW", (0, 1), (-1, 1), 0.5, colors.black)])
def test_two_header_rows_name_each_column(lines: Any) -> None:
    rows = [
        ["Class", "Term 1", "", "Term 2", ""],
        ["", "Test", "Project", "Test", "Project"],
        *([name, "2.1", "1.8", "2.4", "1.9"] for name in ("9a", "9b", "9c")),
    ]
    spans = [("SPAN", (0, 0), (0, 1)), ("SPAN", (1, 0), (2, 0)), ("SPAN", (3, 0), (4, 0))]
    text = text_of(flowed(Table(rows, style=[lines, *spans])))
    assert "| Class | Term 1 Test | Term 1 Project | Term 2 Test | Term 2 Project |\n| --- |" in text


@pytest.mark.parametrize("style", [[GRID], []])
def test_years_name_columns(style: list[Any]) -> None:
    rows = [
        ["", "2023", "2024", "2025"],
        ["Pupils", "612", "630", "655"],
        ["Teachers", "48", "50", "52"],
        ["Rooms", "31", "31", "33"],
    ]
    assert "|  | 2023 | 2024 | 2025 |\n| --- |" in text_of(flowed(Table(rows, style=style)))


def test_tables_beside_each_other_are_two() -> None:
    def draw(canvas: Canvas) -> None:
        for x, rows in (
            (72, ("Room Seats", "A1 24", "A2 30", "A3 18")),
            (330, ("Team Points", "Owls 12", "Foxes 9", "Bears 7")),
        ):
            for number, row in enumerate(rows):
                for column, word in enumerate(row.split()):
                    write(canvas, word, x=x + 90 * column, y=700 - 18 * number)

    text = text_of(drawn(draw))
    assert "| Room | Seats |\n" in text
    assert "| Foxes | 9 |" in text


def test_ticks_and_crosses_of_symbol_fonts_are_told_apart() -> None:
    def draw(canvas: Canvas) -> None:
        for number, (code, word) in enumerate((("4", "tents"), ("8", "maps"), ("q", "rope"))):
            canvas.setFont("ZapfDingbats", 12)
            sign = canvas.beginText(60, 700 - 18 * number)
            sign._code.append(f"({code}) Tj")
            canvas.drawText(sign)
            write(canvas, word, x=80, y=700 - 18 * number)

    assert text_of(drawn(draw)) == "✔ tents\n\n✘ maps\n\n☐ rope"


def test_the_fields_of_a_form_are_read_with_their_labels() -> None:
    def draw(canvas: Canvas) -> None:
        form = canvas.acroForm
        write(canvas, "Name:", y=700)
        write(canvas, "Class:", x=260, y=700)
        form.textfield(name="n", value="Lina Berg", x=120, y=694, width=120, height=18)
        form.textfield(name="c", value="7c", x=310, y=694, width=60, height=18)
        for y, word, checked in ((662, "vegetarian", True), (642, "vegan", False)):
            form.checkbox(name=word, checked=checked, x=72, y=y - 2, size=14)
            write(canvas, word, x=92, y=y)
        for row in range(3):
            canvas.line(72, 600 - 24 * row, 400, 600 - 24 * row)
        for x in (72, 200, 400):
            canvas.line(x, 552, x, 600)
        write(canvas, "Doctor", "Phone", x=76, y=584, leading=24)
        form.textfield(name="d", value="Dr Frey", x=204, y=580, width=150, height=16)
        form.textfield(name="p", value="030 4455", x=204, y=556, width=150, height=16)

    text = text_of(drawn(draw))
    assert "Name: Lina Berg Class: 7c\n\n☑ vegetarian\n\n☐ vegan" in text
    assert "| Phone | 030 4455 |" in text


def test_hidden_fields_and_passwords_are_not_read() -> None:
    def draw(canvas: Canvas) -> None:
        form = canvas.acroForm
        write(canvas, "Name:", "Key:", "Points:", leading=40)
        form.textfield(name="n", value="Lina", x=120, y=754, width=120, height=18)
        form.textfield(name="k", value="sesame", x=120, y=714, width=120, height=18, fieldFlags="password")
        form.textfield(name="p", value="12", x=120, y=674, width=120, height=18, annotationFlags="hidden")

    text = text_of(drawn(draw))
    assert "Name: Lina" in text
    assert not any(word in text for word in ("sesame", "12"))


def in_order(text: str, parts: Sequence[str]) -> bool:
    return all(part in text for part in parts) and sorted(parts, key=text.find) == list(parts)


@pytest.mark.parametrize("order", ["by rows", "by columns", "backwards"])
def test_columns_are_read_one_after_the_other_however_they_were_drawn(order: str) -> None:
    columns = [wrapped(part, 30) for part in (RIVER, CASTLE, FOREST)]

    def draw(canvas: Canvas) -> None:
        pieces = [
            (60 + 170 * n, 730 - 12 * row, line) for n, lines in enumerate(columns) for row, line in enumerate(lines)
        ]
        pieces = {"by rows": sorted(pieces, key=lambda piece: -piece[1]), "backwards": pieces[::-1]}.get(order, pieces)
        if order == "backwards":
            pieces = sorted(pieces, key=lambda piece: (-piece[0], -piece[1]))
        canvas.setFont("Helvetica", 9)
        for x, y, line in pieces:
            canvas.drawString(x, y, line)

    assert in_order(text_of(drawn(draw)), (RIVER[:84], CASTLE[:56], FOREST[:46]))


def test_a_heading_over_two_columns_stands_between_what_is_above_and_below() -> None:
    def draw(canvas: Canvas) -> None:
        for top, pair in ((760, (RIVER, CASTLE)), (600, (FOREST, RIVER.replace("river", "brook")))):
            for row, lines in enumerate(zip(*(wrapped(part, 40) for part in pair), strict=False)):
                for n, line in enumerate(lines):
                    write(canvas, line, x=60 + 260 * n, y=top - 13 * row)
            canvas.setFont("Helvetica-Bold", 18)
            canvas.drawString(60, 640, "Wood and water" if top == 760 else "")

    parsed = drawn(draw)
    assert parsed.sections[-1].heading_path == ("Wood and water",)
    assert in_order(text_of(parsed), (RIVER[:84], CASTLE[:56], FOREST[:46], "The brook rises"))


def test_real_hyphens_stay_at_the_end_of_a_line() -> None:
    lines = (
        *(
            "Every group gets a bottle of n-",
            "hexane and p-",
            "xylene. The COVID-",
            "19 rules and the DNA-",
            "test are well-",
        ),
        *(
            "known. The experi-",
            "ment on photo-",
            "synthesis is a long-",
            "term plan for under-",
            "standing. UV-",
            "Licht is used.",
        ),
    )
    text = text_of(drawn(lambda canvas: write(canvas, *lines)))
    for right in (
        "n-hexane",
        "p-xylene",
        "COVID-19",
        "DNA-test",
        "well-known",
        "experiment",
        "photosynthesis",
        "long-term",
    ):
        assert right in text
    assert "understanding. UV-Licht" in text


def test_decomposed_letters_are_composed() -> None:
    assert tidy(unicodedata.normalize("NFD", "Die Schüler üben.")) == "Die Schüler üben."


def test_verses_stay_apart_and_their_numbers_out() -> None:
    verses = [
        f"The {word} went down to the sea,"
        for word in ("fox", "owl", "hare", "crow", "wolf", "toad", "bear", "deer", "lynx", "mole")
    ]

    def draw(canvas: Canvas) -> None:
        write(canvas, *verses, x=100)
        write(canvas, "5", x=60, y=700)
        write(canvas, "10", x=60, y=625)

    assert text_of(drawn(draw)) == "\n".join(verses)


def test_every_number_of_a_list_is_read() -> None:
    names = ["Ann", "Bob", "Cem", "Dora", "Eve", "Finn", "Gus", "Hal", "Ida", "Joe", "Kim", "Lea"]

    def draw(canvas: Canvas) -> None:
        for number, name in enumerate(names, start=1):
            canvas.drawString(60, 760 - 15 * number, str(number))
            canvas.drawString(100, 760 - 15 * number, f"{name} ran the whole way")

    text = " ".join(text_of(drawn(draw)).split())
    assert text == " ".join(f"{number} {name} ran the whole way" for number, name in enumerate(names, start=1))


@pytest.mark.parametrize("angle", [0, 40])
def test_a_watermark_is_neither_text_nor_title(angle: int) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.saveState()
        canvas.setFillGray(0.8)
        canvas.setFont("Helvetica-Bold", 60)
        canvas.translate(100, 500)
        canvas.rotate(angle)
        canvas.drawString(0, 0, "DRAFT")
        canvas.restoreState()
        canvas.setFont("Helvetica-Bold", 18)
        canvas.drawString(72, 790, "Soil lab")
        write(canvas, *wrapped(RIVER + CASTLE, 60))

    parsed = drawn(draw)
    assert parsed.title == "Soil lab"
    assert "DRAFT" not in text_of(parsed)
    assert parsed.notes == ("A watermark was left out.",)


@pytest.mark.parametrize(
    "around", [r"/F1 40 Tf (\001\002) Tj 300 0 Td (%s) Tj", r"/F1 11 Tf (1\002) Tj 300 0 Td (\002%s) Tj"]
)
def test_a_space_after_a_sign_that_pdfium_takes_for_a_hyphen_is_no_fault(around: str) -> None:
    def draw(canvas: Canvas) -> None:
        canvas._code.append(f"BT 1 0 0 1 72 760 Tm {around % 'River'} ET")
        write(canvas, *wrapped(CASTLE + FOREST, 60), y=700)

    assert "River" in str(drawn(draw).sections)


@pytest.mark.parametrize(("angle", "color"), [(8, colors.red), (8, colors.black), (0, colors.Color(0.7, 0.7, 0.7))])
def test_a_large_title_that_people_see_is_read(angle: int, color: colors.Color) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.saveState()
        canvas.setFillColor(color)
        canvas.setFont("Helvetica-Bold", 40)
        canvas.translate(72, 600)
        canvas.rotate(angle)
        canvas.drawString(0, 0, "Summer Fair")
        canvas.restoreState()
        write(canvas, *wrapped(RIVER + CASTLE, 60), y=500)

    parsed = drawn(draw)
    assert (parsed.title, parsed.notes) == ("Summer Fair", ())


def test_a_header_that_says_something_stands_once() -> None:
    def draw(canvas: Canvas) -> None:
        for page in range(4):
            write(canvas, "House rules, valid from 1 August 2026", y=815)
            write(canvas, f"Page {page + 1} of 4", y=30)
            write(canvas, *(f"Rule {page}{line} is about shoes and bags." for line in range(6)))
            canvas.showPage()

    parsed = drawn(draw)
    assert text_of(parsed).count("valid from 1 August 2026") == 1
    assert "Page" not in text_of(parsed)


def test_a_header_of_a_few_pages_is_dropped_there() -> None:
    def draw(canvas: Canvas) -> None:
        for page in range(10):
            write(canvas, "The rules of the lab" if page < 3 else f"Story {'abcdefghij'[page]}", y=815)
            write(canvas, f"Text {page}.")
            canvas.showPage()

    assert "The rules of the lab" not in text_of(drawn(draw))


def test_tasks_with_other_numbers_at_the_top_of_each_page_are_no_headers() -> None:
    def draw(canvas: Canvas) -> None:
        for page in range(5):
            write(canvas, f"Add the numbers {3 * page} and {page + 7}.", y=800)
            write(canvas, "Space for notes.", y=400)
            write(canvas, f"Unit 2, page {page + 1} of 5", y=30)
            canvas.showPage()

    text = text_of(drawn(draw))
    assert all(f"Add the numbers {3 * page} and {page + 7}." in text for page in range(5))
    assert text.count("Unit 2") <= 1


def test_pages_carry_their_printed_numbers() -> None:
    def draw(canvas: Canvas) -> None:
        for page in range(4):
            write(canvas, f"Text {page}.")
            canvas.showPage()
        canvas._doc.Catalog.PageLabels = labels

    roman, decimal = PDFDictionary({"S": PDFName("r")}), PDFDictionary({"S": PDFName("D")})
    labels = PDFDictionary({"Nums": PDFArray([0, roman, 2, decimal])})
    assert drawn(draw).page_labels == ("i", "ii", "1", "2")
    assert flowed("One page.").page_labels == ()


def test_a_printed_number_is_cut_and_left_out_where_it_is_the_usual_one() -> None:
    def draw(canvas: Canvas) -> None:
        for page in range(3):
            write(canvas, f"Text {page}.")
            canvas.showPage()
        canvas._doc.Catalog.PageLabels = labels

    decimal, long = PDFDictionary({"S": PDFName("D")}), PDFDictionary({"S": PDFName("a"), "St": 2000})
    labels = PDFDictionary({"Nums": PDFArray([0, decimal, 2, long])})
    assert drawn(draw).page_labels == ("", "", "x" * 20)


def test_pages_with_pictures_that_may_show_text_are_named() -> None:
    def draw(canvas: Canvas) -> None:
        write(canvas, "The prices since August:")
        canvas.drawImage(ImageReader(Image.new("L", (60, 40), 250)), 72, 500, 300, 200)
        canvas.showPage()
        write(canvas, "A page with a logo.")
        canvas.drawImage(ImageReader(Image.new("L", (60, 40), 250)), 500, 780, 40, 30)
        canvas.showPage()
        for page in range(2):
            write(canvas, f"Page {page} with the sign of the school.")
            canvas.drawImage(ImageReader(Image.new("L", (60, 40), 250)), 300, 100, 200, 100)
            canvas.showPage()

    assert drawn(draw).picture_pages == (1, 3)


def written(content: str, *objects: str, catalog: str = "", page: str = "", properties: str = "") -> Parsed:
    """A PDF of one page, written by hand: `objects` have the numbers 6, 7 and so on."""
    parts = [
        f"<< /Type /Catalog /Pages 2 0 R {catalog} >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R {page}"
        f" /Resources << /Font << /F1 5 0 R /F2 6 0 R >> {properties} >> >>",
        f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        *objects,
    ]
    body = "".join(f"{number} 0 obj\n{part}\nendobj\n" for number, part in enumerate(parts, start=1))
    return parse(f"%PDF-1.7\n{body}trailer << /Root 1 0 R >>\n%%EOF".encode(), filename="file.pdf")


def test_content_that_is_switched_off_is_left_out_and_noted() -> None:
    parsed = written(
        "BT /F1 12 Tf 72 700 Td (The question) Tj ET /OC /L BDC BT /F1 12 Tf 72 660 Td (The solution) Tj ET EMC",
        "<< /Type /OCG /Name (Solutions) >>",
        catalog="/OCProperties << /OCGs [6 0 R] /D << /Order [6 0 R] /OFF [6 0 R] >> >>",
        properties="/Properties << /L 6 0 R >>",
    )
    assert (text_of(parsed), parsed.notes) == ("The question", ("Hidden text was left out.",))


def test_annotations_are_read_or_named() -> None:
    start = 72 + pdfmetrics.stringWidth("The trip costs ", "Helvetica", 12)
    stop = start + pdfmetrics.stringWidth("18 euros", "Helvetica", 12)
    parsed = written(
        "BT /F1 12 Tf 72 700 Td (The trip costs 18 euros 23 euros.) Tj 0 -200 Td (The end.) Tj ET",
        "<< /Type /Annot /Subtype /FreeText /Rect [72 590 400 610] /Contents (Bring a raincoat.) /DA (/F1 12 Tf) >>",
        f"<< /Type /Annot /Subtype /StrikeOut /Rect [{start} 697 {stop} 711]"
        f" /QuadPoints [{start} 711 {stop} 711 {start} 697 {stop} 697] >>",
        "<< /Type /Annot /Subtype /Text /Rect [500 690 520 710] /Contents (Ask Ms Archer) >>",
        page="/Annots [6 0 R 7 0 R 8 0 R]",
    )
    assert text_of(parsed) == "The trip costs 23 euros.\n\nBring a raincoat.\n\nThe end."
    assert parsed.notes == ("Comments were left out.", "Crossed-out text was left out.")


def test_text_outside_the_crop_box_is_left_out() -> None:
    page = "/CropBox [0 400 600 800]"
    parsed = written("BT /F1 12 Tf 72 700 Td (Inside) Tj 0 -600 Td (Outside) Tj ET", page=page)
    assert (text_of(parsed), parsed.notes) == ("Inside", ("Hidden text was left out.",))


def test_an_apostrophe_without_a_meaning_is_read() -> None:
    encoding = "/Encoding << /Type /Encoding /Differences [1 /nothing] >>"
    parsed = written(
        "BT /F2 12 Tf 72 700 Td (the secretary\\001s office) Tj ET",
        f"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica {encoding} >>",
    )
    assert text_of(parsed) == "the secretary’s office"
