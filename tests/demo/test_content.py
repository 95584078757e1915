"""The demo's documents are complete and contain no wrong dates."""

import calendar
import re
from datetime import date
from pathlib import Path

import docx
import pypdfium2
import pytest

from benchmarks.demo_questions import QUESTIONS, UNANSWERABLE
from corpus.ingestion.parsing import parse
from demo.catalogue import CONTENT, SCHOOLS, Table, articles, get_path, web_page

DOCUMENTS = [(school, document) for school in SCHOOLS for document in school["documents"]]
CHATBOTS = [(school, chatbot) for school in SCHOOLS for chatbot in school["chatbots"]]
MONTHS, DAYS = list(calendar.month_name)[1:], list(calendar.day_name)


def words(text: str) -> str:
    return " ".join(text.split())


def read_text(school: Table, document: Table) -> str:
    """What a reader of the product makes of it, headings included."""
    return text_in(get_path(school, document))


def text_in(path: Path) -> str:
    sections = parse(path.read_bytes(), filename=path.name).sections
    return words(" ".join(" ".join((*section.heading_path, section.text)) for section in sections))


def references(school: Table) -> dict[str, Path]:
    """The files of approved pages and articles by title."""
    pages = [web_page(name) for topic in school.get("topics", []) for name in topic["pages"]]
    titles = {path: re.search("<h1>(.*)</h1>", path.read_text()) for path in [*pages, *articles(school)]}
    return {title[1]: path for path, title in titles.items() if title}


def test_every_file_is_a_document_of_the_demo() -> None:
    files = {path for path in CONTENT.rglob("*") if path.is_file()}
    pages = {web_page(name) for school in SCHOOLS for topic in school.get("topics", []) for name in topic["pages"]}
    every_article = {file for school in SCHOOLS for file in articles(school)}
    assert files == {get_path(school, document) for school, document in DOCUMENTS} | pages | every_article


@pytest.mark.parametrize("school", SCHOOLS, ids=lambda school: school["slug"])
def test_people_documents_and_chatbots_fit_together(school: Table) -> None:
    emails = {person["email"] for person in school["people"]}
    titles = [document["title"] for document in school["documents"]]
    personal = {(document["owner"], document["title"]) for document in school["documents"] if "owner" in document}
    library = {document["title"] for document in school["documents"] if "owner" not in document}
    assert len(titles) == len(set(titles))
    assert {owner for owner, _ in personal} <= emails
    for chatbot in school["chatbots"]:
        assert chatbot["owner"] in emails
        assert {(chatbot["owner"], title) for title in chatbot["personal_documents"]} <= personal
        assert set(chatbot["school_documents"]) <= library


@pytest.mark.parametrize(("school", "document"), DOCUMENTS, ids=[d["file"] for _, d in DOCUMENTS])
def test_every_document_has_headings_or_is_plain_text(school: Table, document: Table) -> None:
    path = get_path(school, document)
    sections = parse(path.read_bytes(), filename=path.name).sections
    headed = [section for section in sections if section.heading_path]
    assert path.suffix == ".txt" or len(headed) >= 5


@pytest.mark.parametrize(("school", "document"), DOCUMENTS, ids=[d["file"] for _, d in DOCUMENTS])
def test_days_of_the_week_are_right(school: Table, document: Table) -> None:
    """“Monday 23 November to Friday 27 November 2026”: a date without a year has that of the next one with it."""
    text = read_text(school, document)
    for found in re.finditer(rf"({'|'.join(DAYS)}) (\d+) ({'|'.join(MONTHS)})", text):
        day, number, month = found.groups()
        year = re.search(r"\b20\d\d\b", text[found.end() :])
        assert year, found.group()
        when = date(int(year.group()), MONTHS.index(month) + 1, int(number))
        assert DAYS[when.weekday()] == day, f"{found.group()} {when.year}"


def test_the_textbook_has_modules_chapters_and_sections_in_order() -> None:
    textbook = (CONTENT / "riverside/library/physics-textbook.md").read_text()
    assert len(textbook.split()) > 6000
    numbers = {"Module": 0, "Chapter": 0, "Section": 0}
    below = {"Module": ("Chapter", "Section"), "Chapter": ("Section",), "Section": ()}
    level = {"Module": "#", "Chapter": "##", "Section": "###"}
    for hashes, kind, number in re.findall(r"^(#+) (\w+) (\d+): ", textbook, re.MULTILINE):
        numbers[kind] += 1
        assert (hashes, int(number)) == (level[kind], numbers[kind])
        for lower in below[kind]:
            numbers[lower] = 0
    assert numbers["Module"] == 3
    assert len(re.findall(r"^#", textbook, re.MULTILINE)) == len(
        re.findall(r"^#+ (?:Module|Chapter|Section) \d+: ", textbook, re.MULTILINE)
    )
    chapters = textbook.split("\n## ")[1:]
    assert all("### Section" in chapter and "Review questions" in chapter for chapter in chapters)
    assert textbook.count("$") % 2 == 0


@pytest.mark.parametrize("path", sorted(CONTENT.rglob("*.docx")), ids=lambda path: path.stem)
def test_word_files_use_real_headings(path: Path) -> None:
    styles = [paragraph.style.name for paragraph in docx.Document(str(path)).paragraphs if paragraph.style]
    assert styles[0] == "Title"
    assert styles.count("Heading 1") >= 3


def test_the_pdf_has_pages_an_outline_and_page_numbers() -> None:
    with pypdfium2.PdfDocument(CONTENT / "riverside/personal/forces-revision-notes.pdf") as pdf:
        assert len(pdf) >= 4
        outline = [(entry.level, entry.get_title()) for entry in pdf.get_toc()]
        pages = [page.get_textpage().get_text_bounded().split() for page in pdf]
    assert (1, "Stopping distance") in outline
    assert (2, "Hooke's law") in outline
    assert all(str(number) in (page[0], page[-1]) for number, page in enumerate(pages, start=1))


def test_the_schools_share_no_document_and_hillcrests_word_is_not_known_at_riverside() -> None:
    texts_by_school = {s["slug"]: [read_text(s, d) for d in s["documents"]] for s in SCHOOLS}
    assert not set(texts_by_school["riverside"]) & set(texts_by_school["hillcrest"])
    assert any("Cloudberry" in text for text in texts_by_school["hillcrest"])
    assert not any("cloudberry" in text.lower() for text in texts_by_school["riverside"])
    assert not any("hillcrest" in text.lower() for text in texts_by_school["riverside"])


@pytest.mark.parametrize(("school", "chatbot"), CHATBOTS, ids=[bot["name"] for _, bot in CHATBOTS])
def test_questions_are_answered_by_a_source_of_the_chatbot(school: Table, chatbot: Table) -> None:
    documents = {document["title"]: get_path(school, document) for document in school["documents"]}
    linked = {*chatbot["personal_documents"], *chatbot["school_documents"]}
    if "approved_participation" in chatbot:
        documents |= references(school)
        linked |= set(references(school))
    asked = QUESTIONS[chatbot["name"]]
    assert len(asked) == 10
    for question in asked:
        assert question.document in linked, question.text
        assert question.phrase in text_in(documents[question.document]), question.text


def test_every_chatbot_has_questions() -> None:
    names = {chatbot["name"] for _, chatbot in CHATBOTS}
    assert set(QUESTIONS) == set(UNANSWERABLE) == names
