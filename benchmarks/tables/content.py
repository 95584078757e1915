"""What stands in the files: tables of a school's kind, and running text around them."""

from __future__ import annotations

from dataclasses import dataclass

Rows = list[list[str]]

MARKS: Rows = [
    ["Pupil", "Maths", "Physics", "Art"],
    ["Aylin", "87", "91", "74"],
    ["Bruno", "64", "58", "93"],
    ["Clara", "79", "82", "66"],
    ["Dmitri", "95", "70", "81"],
]
PRICES: Rows = [
    ["Article", "Pieces", "Price each", "Sum"],
    ["Exercise book", "120", "0.85", "102.00"],
    ["Compasses", "31", "4.20", "130.20"],
    ["Watercolours", "9", "12.75", "114.75"],
    ["Globe", "2", "48.00", "96.00"],
]
METALS: Rows = [
    ["Metal", "Melts at", "Density", "Found by"],
    ["Iron", "1538 °C", "7.87", "nobody knows"],
    ["Gallium", "30 °C", "5.91", "Lecoq"],
    ["Tungsten", "3422 °C", "19.25", "the Elhuyar brothers"],
    ["Radium", "700 °C", "5.50", "Marie Curie"],
]
ORGANELLES: Rows = [
    ["Organelle", "Task in the cell", "Also found in"],
    ["Nucleus", "keeps the genes and says which proteins are made at what time", "all cells of animals and plants"],
    ["Ribosome", "builds proteins", "bacteria, too, although theirs are smaller than ours"],
    ["Chloroplast", "catches light and turns its energy into sugar, which feeds the plant", "algae"],
    ["Vacuole", "stores water", "mostly plants and fungi"],
]
TIMETABLE: Rows = [
    ["Lesson", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday"],
    ["1", "Latin", "German", "", "Biology", "Music"],
    ["2", "Ethics", "", "Sport", "English", "French"],
    ["3", "", "History", "Drama", "", "Geography"],
    ["4", "Chemistry", "Civics", "Textiles", "Choir", ""],
]
TOPICS: Rows = [
    ["Week", "Topic", "Pages"],
    ["36", "Rational numbers", "12–19"],
    ["37", "Fractions and decimals", "20–31"],
    ["38", "Percentages", "32–40"],
    ["39", "Interest", "41–47"],
    ["40", "Test", "–"],
]
WORDS: Rows = [
    ["English", "German"],
    ["the lighthouse", "der Leuchtturm"],
    ["the harbour", "der Hafen"],
    ["the ferry", "die Fähre"],
    ["the seagull", "die Möwe"],
]
CENSUS: Rows = [
    ["Canton", "1970", "1980", "1990", "2000", "2010", "2020"],
    ["Uri", "34,091", "33,883", "34,208", "34,777", "35,422", "36,703"],
    ["Zug", "67,996", "75,930", "85,546", "100,052", "113,105", "128,794"],
    ["Jura", "67,261", "64,986", "66,163", "68,224", "70,032", "73,584"],
    ["Glarus", "38,155", "36,718", "38,508", "38,183", "38,608", "40,590"],
]
HALVES: Rows = [["Class", "Girls spring", "Girls autumn", "Boys spring", "Boys autumn"]] + [
    [name, str(n), str(n + 14), str(n + 31), str(n + 57)] for name, n in (("7a", 111), ("7b", 217), ("8a", 323))
]
LONG: Rows = [["Number", "Island", "Inhabitants", "Harbour"]] + [
    [f"N{n}", f"Isle{n}", str(3000 + 37 * n), f"Port{n}"] for n in range(1, 61)
]

BEFORE = (
    "This opening paragraph stands before the table. It is a piece of running text that fills several lines of the "
    "page, so that the reader of the file has to tell it from the cells that follow it on the same page."
)
BETWEEN = (
    "A middling paragraph stands between two parts of the page. It belongs to no table either, and it has to keep its "
    "own place in the order in which a person would read the page from the top to the bottom."
)
AFTER = (
    "This closing paragraph stands after the table. Its words must not be mixed with the words of the last row, and "
    "none of them may be read for a second time at another place of the document."
)
PROSE = (
    "Long before there were schools in the valley, children learned from their parents how to mend a net and when to "
    "sow barley. The first teacher came in the year of the great flood. He had a single book, and he read from it "
    "aloud until the older children knew it by heart. Later the village paid for a room with a stove. Every family "
    "brought wood in winter, and whoever forgot sat furthest from the fire. The inspectors from the city complained "
    "about the ink, which froze, and about the handwriting, which did not improve. "
)


@dataclass(frozen=True)
class Case:
    """A file with what has to be found in it."""

    name: str
    data: bytes
    tables: tuple[Rows, ...] = ()
    order: tuple[str, ...] = ()  # words that stand once each, in this order
