"""The Markdown files of a ZIP archive are one textbook, read in order, each passage with its file and lines (T1)."""

from __future__ import annotations

import io
import stat
import zipfile
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.ingestion.parsing import Parsed, UnreadableDocument, parse
from corpus.ingestion.readers import zip_package as limits
from corpus.ingestion.readers.textbook.reader import natural_key, reading_order
from tests import hostile

BOOK = "application/vnd.lectern.textbook+zip"
MODULE = "# {0}\n\n## Chapter 1: Start\n\n### Speed\n\nText of {0}.\n"


def zipped(files: Mapping[str, str | bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return buffer.getvalue()


def book(files: Mapping[str, str | bytes]) -> Parsed:
    return parse(zipped(files), filename="book.zip")


def paths(parsed: Parsed) -> list[str]:
    return list(dict.fromkeys(section.file_path for section in parsed.sections))


def test_files_are_read_in_natural_order_with_their_paths_and_lines() -> None:
    parsed = book({f"b/{n}-module.md": MODULE.format(f"Module {n}: M") for n in (10, 2, 1)} | {"README.md": "Read me."})
    assert parsed.media_type == BOOK
    assert paths(parsed) == ["README.md", "b/1-module.md", "b/2-module.md", "b/10-module.md"]
    last = parsed.sections[-1]
    assert (last.text, last.lines) == ("Text of Module 10: M.", (7, 7))
    assert last.heading_path == ("Module 10: M", "Chapter 1: Start", "Speed")
    assert last.numbers == ("Module 10", "Chapter 1", "Section 1")


def test_modules_without_numbers_are_counted_over_the_files() -> None:
    parsed = book({"b.md": "# B\n## x\n### y\ntext", "a.md": "# A\n## x\n### y\ntext"})
    assert [section.numbers[0] for section in parsed.sections] == ["Module 1", "Module 2"]


@pytest.mark.parametrize(
    "guide",
    [
        {"SUMMARY.md": "# Summary\n\n- [Second](b/two.md)\n  - [First](<b/one.md>)\n- [Gone](gone.md)"},
        {"mkdocs.yml": "site_name: x\nnav:\n  - Start: b/two.md\n  - Part:\n      - 'b/one.md'\ntheme: y"},
        {
            "b/_category_.json": '{"position": 1}',
            "b/two.md": "---\nsidebar_position: 1\n---\nTwo.",
            "b/one.md": "---\nsidebar_position: 2\n---\nOne.",
        },
    ],
    ids=["mdBook", "MkDocs", "Docusaurus"],
)
def test_a_table_of_contents_says_the_order(guide: dict[str, str]) -> None:
    parsed = book({"b/one.md": "One.", "a.md": "Unlisted.", "b/two.md": "Two.", **guide})
    assert paths(parsed) == ["b/two.md", "b/one.md", "a.md"]
    assert not any("Left out" in note for note in parsed.notes)


def test_a_table_of_contents_that_leads_nowhere_is_a_chapter() -> None:
    assert paths(book({"SUMMARY.md": "What it was [about](https://x.org/a.md).", "a.md": "A."})) == [
        "a.md",
        "SUMMARY.md",
    ]


@pytest.mark.parametrize(
    "others",
    [
        ("module-3/02-motion.md", "module-3/03-heat.md"),  # it lists one of three
        ("SUMMARY.md", "a.md"),  # not the outermost
        ("module-2/summary.md", "a.md"),  # one of each module
    ],
)
def test_a_summary_of_a_module_is_text(others: tuple[str, ...]) -> None:
    recap = {"module-3/summary.md": "What we saw: see [Forces](01-forces.md).", "module-3/01-forces.md": "F."}
    parsed = book({**recap, **dict.fromkeys(others, "Text.")})
    assert "What we saw: see [Forces](01-forces.md)." in [section.text for section in parsed.sections]


def test_a_table_of_contents_in_a_folder_lists_what_is_there() -> None:
    files = {"README.md": "Build it.", "CHANGES.md": "New.", "src/a.md": "A.", "src/b.md": "B."}
    assert paths(book({**files, "src/SUMMARY.md": "- [B](b.md)\n- [A](a.md)"}))[:2] == [
        "src/b.md",
        "src/a.md",
    ]


def test_the_title_in_the_settings_stands_above_a_file_without_one() -> None:
    parsed = book({"a.md": "---\ntitle: Motion\n---\n## Speed\nFast.", "b.md": "---\ntitle: X\n---\n# Heat\nHot."})
    assert [section.heading_path for section in parsed.sections] == [("Motion", "Speed"), ("Heat",)]


def test_other_files_are_left_out_and_named() -> None:
    parsed = book(
        {
            "a.md": "A.",
            "empty.md": " \n",
            "picture.md": b"\x89PNG\r\n\x1a\n\x00\x00\x01\x02" * 9,
            "inner.zip": zipped({"b.md": "B."}),
            **{f"p{n}.png": "x" for n in range(4)},
            "__MACOSX/._a.md": "x",
            ".git/c.md": "x",
        }
    )
    assert paths(parsed) == ["a.md"]
    assert parsed.notes[:3] == (
        "Left out, as they are not Markdown: 5 files, such as inner.zip, p0.png, p1.png.",
        "Left out, as they are empty: empty.md.",
        "Left out, as they are not text: picture.md.",
    )


def test_oddities_are_told_with_their_file() -> None:
    parsed = book({"a.md": "# A\n### B\nb", "b.md": "Text\n```\ncode"})
    assert parsed.notes == (
        "There are no headings (b.md): passages are cited by their lines alone.",
        "Levels of headings are skipped (a.md, line 2): a section may stand under another heading than meant.",
        "A code block is not closed (b.md, line 2): all below it was read as code.",
    )


def test_files_of_different_encodings() -> None:
    parsed = book(
        {"a.md": "# Über".encode("utf-16") + "\nä".encode("utf-16-le"), "b.md": "# Größe\nß".encode("cp1252")}
    )
    assert [(section.heading_path, section.text) for section in parsed.sections] == [
        (("Über",), "ä"),
        (("Größe",), "ß"),
    ]


# Archives made to do harm ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["../up.md", "a/../../up.md", "/etc/passwd.md", "C:\\a.md", "..\\up.md"])
def test_paths_that_lead_out_are_left_out(path: str) -> None:
    parsed = book({path: "Evil.", "a.md": "A."})
    assert paths(parsed) == ["a.md"]
    assert parsed.notes[0].startswith("Left out, as their paths lead out of the archive: ")


def test_links_are_left_out() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        link = zipfile.ZipInfo("link.md")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr("a.md", "A.")
    parsed = parse(buffer.getvalue())
    assert paths(parsed) == ["a.md"]
    assert parsed.notes[0] == "Left out, as they are links to other files: link.md."


def test_of_two_files_with_one_path_the_latter_counts() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("a.md", "Old.")
        archive.writestr("a.md", "New.")
    assert [section.text for section in parse(buffer.getvalue()).sections] == ["New."]


@pytest.mark.parametrize("name", ["Größe.md", "日本.md"])
def test_names_beyond_ascii(name: str) -> None:
    data = zipped({name: "A."})
    assert paths(parse(data)) == [name]
    unmarked = data.replace(b"\x00\x08\x08\x00", b"\x00\x00\x08\x00")  # as without the flag that says UTF-8
    assert unmarked != data
    assert paths(parse(unmarked)) == [name]


def test_control_characters_in_names_are_taken_out() -> None:
    assert paths(book({"a\x1b[2J\nb.md": "A."})) == ["a[2J b.md"]


def encrypted() -> bytes:
    data = bytearray(zipped({"a.md": "A."}))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.find(mark) + offset] |= 1
    return bytes(data)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (encrypted(), "protected by a password"),
        (zipped({"a.md": b" " * (51 << 20) + b"x"}), "unpacks to more than Lectern accepts"),
        (zipped({f"{n}.md": b"x" * (11 << 20) for n in range(5)}), "unpacks to more than Lectern accepts"),
        (zipped({f"{n}.md": "" for n in range(10_001)}), "10,001 files; at most 10,000"),
        (zipped({"a.md": "", "b.md": ""}), "There is no text in this file"),
        (zipped({"a.png": "x", "b.zip": "x"}), "a ZIP archive without Markdown files"),
        (hostile.truncated(zipped({"a.md": "A." * 9999})), "ZIP archive"),
    ],
    ids=["password", "bomb", "many bombs", "too many", "empty", "no Markdown", "truncated"],
)
def test_archives_that_are_refused(data: bytes, words: str) -> None:
    with pytest.raises(UnreadableDocument, match=words):
        parse(data, filename="book.zip")


def test_a_file_that_lies_about_its_size_is_not_unpacked_beyond_it() -> None:
    data = bytearray(zipped({"a.md": b"x" * (30 << 20), "b.md": "B."}))
    at = data.find(b"PK\x01\x02")
    data[at + 24 : at + 28] = (100).to_bytes(4, "little")
    parsed = parse(bytes(data))
    assert sum(len(section.text) for section in parsed.sections) <= 102


def test_a_damaged_file_costs_no_other() -> None:
    data = bytearray(zipped({"a.md": "A long enough text about motion and heat.", "b.md": "B."}))
    data[40] ^= 0xFF
    parsed = parse(bytes(data))
    assert paths(parsed) == ["b.md"]
    assert parsed.notes[0] == "Left out, as they are damaged: a.md."


def test_settings_of_a_site_that_make_no_sense_change_nothing() -> None:
    guides = {
        "x/_category_.json": "[" * 5000,
        "y/_category_.json": '{"position": "x"}',
        "mkdocs.yml": "nav: [a",
    }
    assert paths(book({"b.md": "B.", "a.md": "A.", **guides})) == ["a.md", "b.md"]


def test_the_limits_are_those_that_the_tests_assume() -> None:
    assert (limits.MAX_PARTS, limits.MAX_XML) == (10_000, 50 << 20)


# Order ----------------------------------------------------------------------------------------------------------

NAMES = st.lists(st.text("ab/10-é.²", min_size=1, max_size=8).map(lambda name: f"{name}.md"), max_size=12, unique=True)


@given(NAMES)
def test_every_file_is_read_once_whatever_the_order_of_the_archive(names: list[str]) -> None:
    files = dict.fromkeys(names, "")
    order = reading_order(files, {}, {})
    assert sorted(order) == sorted(names)
    assert reading_order(dict.fromkeys(reversed(names), ""), {}, {}) == order


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_numbers_in_names_go_by_their_size(one: int, other: int) -> None:
    assert (natural_key(f"Chapter {one}.md") < natural_key(f"chapter {other}.md")) == (one < other)
