"""What has become of a source's passage: it is found by its words, wherever they stand now."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from chatbots.citations.source_view import open_source
from chatbots.models import MessageSource
from corpus.ingestion import uploads
from knowledge.models import PersonalChunk, PersonalDocument
from school_library.models import SchoolDocument
from schools.models import Membership
from tests import documents
from tests.factories import (
    Cast,
    index_all,
    make_chatbot,
    make_file,
    make_message,
    personal_document,
    school_document,
)

RULE = "Wear goggles."
TWICE = f"# Rules\n\n## Acids\n\n{RULE}\n\n## Flames\n\n{RULE}\n"


def make_source(people: Cast, content: str, position: int, **fields: Any) -> MessageSource:
    """A source of Alice's that cites the chunk at this position of a document with this content."""
    document = personal_document(people.alice, content, "rules.md")
    message = make_message(people.alice, make_chatbot(people.alice), answered=False)
    chunk = document.chunks.get(position=position)
    described = {
        "school": people.alice.school,
        "message": message,
        "number": 1,
        "kind": "personal",
        "document_id": document.pk,
        "document_title": document.title,
        "version": document.version,
        "heading_path": chunk.heading_path,
        "position": position,
        "excerpt": chunk.text,
        "text": chunk.text,
        "relevance": 0.5,
        "weight": 50,
    }
    return MessageSource.objects.create(**(described | fields))


def replace(people: Cast, text: str) -> None:
    uploads.replace(PersonalDocument.objects.get(), make_file(text), by=people.alice.user)
    index_all()


def marked(opened: dict[str, Any]) -> list[str]:
    return [block.heading for block in opened["blocks"] if block.found]


@pytest.mark.parametrize(("position", "heading"), [(0, "Acids"), (1, "Flames")])
def test_of_equal_texts_the_one_under_the_cited_headings_is_marked(people: Cast, position: int, heading: str) -> None:
    source = make_source(people, TWICE, position)
    replace(people, TWICE.replace("# Rules\n", "# Rules\n\nRead them.\n"))
    opened = open_source(source, people.alice, answer=source.message.answer)
    assert (opened["state"], marked(opened)) == ("changed", [heading])


def test_of_equal_texts_under_other_headings_the_nearest_is_marked(people: Cast) -> None:
    source = make_source(people, TWICE, 1, heading_path=["Gone"])
    assert marked(open_source(source, people.alice, answer=source.message.answer)) == ["Flames"]


def test_a_document_cut_anew_without_a_new_version_is_marked_where_the_words_are(people: Cast) -> None:
    source = make_source(people, TWICE.replace(RULE, "Read this.", 1), 1)
    acids, flames = PersonalChunk.objects.order_by("position")
    PersonalChunk.objects.filter(pk=flames.pk).update(position=2, block=2)
    PersonalChunk.objects.filter(pk=acids.pk).update(position=1, block=1)
    opened = open_source(source, people.alice, answer=source.message.answer)
    assert (opened["state"], marked(opened)) == ("same", ["Flames"])


def test_a_passage_lost_when_a_document_was_cut_anew_is_not_called_the_same(people: Cast) -> None:
    source = make_source(people, TWICE, 1)
    PersonalChunk.objects.update(text="Other words.")
    opened = open_source(source, people.alice, answer=source.message.answer)
    assert (opened["state"], marked(opened)) == ("rewritten", [])


def test_a_passage_inside_a_longer_chunk_is_marked_alone(people: Cast) -> None:
    source = make_source(people, TWICE, 0, excerpt="Wear\ngoggles.")
    replace(people, f"# Rules\n\n## Acids\n\nFirst of all: {RULE} Then wash.\n")
    opened = open_source(source, people.alice, answer=source.message.answer)
    assert opened["state"] == "changed"
    assert '<mark id="passage">Wear goggles.</mark>' in opened["blocks"][0].html


def test_a_part_of_a_word_is_not_the_passage(people: Cast) -> None:
    source = make_source(people, "Take 5 mol of it.", 0, excerpt="5 mol")
    replace(people, "Take 15 mol of it.")
    assert open_source(source, people.alice, answer=source.message.answer)["state"] == "rewritten"


def test_a_version_that_comes_into_place_while_the_text_is_read_is_the_one_shown(people: Cast) -> None:
    source = make_source(people, TWICE, 1)
    done: list[bool] = []

    def meddle(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        if not done and sql.startswith("SELECT") and 'FROM "knowledge_personalchunk"' in sql:
            done.append(True)
            replace(people, f"# Rules\n\n## Flames\n\nNew first.\n\n## Acids\n\n{RULE}\n")
        return execute(sql, *rest)

    with connection.execute_wrapper(meddle):
        opened = open_source(source, people.alice, answer=source.message.answer)
    assert done
    assert (opened["state"], opened["document"].answering_version) == ("changed", 2)
    assert marked(opened) == ["Acids"]


@pytest.mark.parametrize("change", ["rewritten", "gone"])
def test_what_is_not_there_any_more_is_shown_in_its_section(people: Cast, change: str) -> None:
    source = make_source(people, TWICE, 0, text=f"Before <b>.\n{RULE}\nAfter.")
    if change == "gone":
        uploads.delete(PersonalDocument.objects.get())
    else:
        replace(people, "# Rules\n\nNone.\n")
    client = Client()
    client.force_login(people.alice.user)
    html = client.get(reverse("chatbots:source", args=[source.pk])).content.decode()
    assert f'Before &lt;b&gt;.\n<mark id="passage">{RULE}</mark>\nAfter.' in html


def test_an_excerpt_that_is_not_in_its_section_is_shown_alone(people: Cast) -> None:
    source = make_source(people, TWICE, 0, text="Something else.")
    uploads.delete(PersonalDocument.objects.get())
    opened = open_source(source, people.alice, answer=source.message.answer)
    assert opened["state"] == "gone"
    assert opened["was"].strip() == f'<p><mark id="passage">{RULE}</mark></p>'


LIMIT = "# Rules\n\n## Acids\n\nUse hydrochloric acid of 0.5 mol/l for year 9. Acid goes into water.\n"
HIGHER = LIMIT.replace("0.5 mol/l", "1.0 mol/l").replace("# Rules\n", "# Rules\n\nRead <b>them</b> all.\n")


def shown(member: Membership, source: MessageSource) -> str:
    client = Client()
    client.force_login(member.user)
    return client.get(reverse("chatbots:source", args=[source.pk])).content.decode()


def test_a_section_that_has_changed_is_shown_as_it_was_and_as_it_is(people: Cast) -> None:
    source = make_source(people, LIMIT, 0)
    replace(people, HIGHER)
    html = shown(people.alice, source)
    was, now = html.index("As the answer used it: version 1"), html.index("As it stands now: version 2")
    assert "0.5 mol/l" in html[was:now] and "1.0 mol/l" not in html[was:now]
    assert "1.0 mol/l" in html[now:] and "0.5 mol/l" not in html[now:]
    assert html.count('id="passage"') == 1
    assert f'href="#block-{open_source(source, people.alice, answer=source.message.answer)["now"].number}"' in html


def test_of_several_sections_under_the_same_headings_the_nearest_is_shown(people: Cast) -> None:
    source = make_source(people, TWICE, 1)
    replace(people, TWICE.replace(RULE, "Wear gloves."))
    assert open_source(source, people.alice, answer="")["now"].heading == "Flames"


def test_the_texts_then_and_now_hold_no_markup_of_the_document(people: Cast) -> None:
    source = make_source(people, LIMIT, 0)
    replace(people, LIMIT.replace("into water", "into &lt;ins&gt;cold&lt;/ins&gt; water"))
    html = shown(people.alice, source)
    assert "&lt;ins&gt;cold&lt;/ins&gt;" in html
    assert "<ins>cold" not in html


def test_a_passage_that_nothing_has_replaced_is_said_to_be_no_longer_there(people: Cast) -> None:
    source = make_source(people, LIMIT, 0)
    replace(people, "# Trips\n\nThe bus is back at about half past four.\n")
    html = shown(people.alice, source)
    assert "This passage is no longer in the document." in html
    assert "Then and now" not in html
    assert "The bus is back" in html
    assert html.count('id="passage"') == 1


def test_a_passage_of_the_library_shows_what_has_changed_until_it_is_withdrawn(people: Cast) -> None:
    document = school_document(people.carol, LIMIT, "rules.md")
    kind = {"kind": "school", "document_id": document.pk, "document_title": document.title}
    source = make_source(people, LIMIT, 0, **kind)
    uploads.replace(document, make_file(HIGHER), by=people.carol.user)
    index_all()
    assert "1.0" in shown(people.alice, source)
    SchoolDocument.objects.update(is_published=False)
    html = shown(people.alice, source)
    assert "withdrawn or deleted" in html
    assert "1.0" not in html


def test_nobody_else_sees_what_has_changed(people: Cast) -> None:
    source = make_source(people, LIMIT, 0)
    replace(people, HIGHER)
    for member in (people.bob, people.carol, people.charlie, people.chloe):
        client = Client()
        client.force_login(member.user)
        assert client.get(reverse("chatbots:source", args=[source.pk])).status_code == 404


def test_a_document_read_anew_shows_what_has_changed_without_numbers_of_versions(people: Cast) -> None:
    source = make_source(people, LIMIT, 0, excerpt=LIMIT.split("\n")[4].replace("hydrochloric", "hydro-chloric"))
    html = shown(people.alice, source)
    assert "This document has been processed again since." in html
    assert "As it stands now</h3>" in html


SLIDES = documents.presentation(
    ("Bases", ["They are soapy."]),
    ("Goggles", ["Goggles are worn whenever a liquid is open on the bench."]),
)
SHEET = documents.workbook({"Marks": [["Name", "Mark"], ["Ann", "2"], ["Ben", "3"]]})


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("file", "name", "question", "place"),
    [
        (SLIDES, "goggles.pptx", "When are goggles worn?", "Goggles · slide 2"),
        (SHEET, "marks.xlsx", "Which mark has Ben?", "Sheet “Marks”"),
    ],
)
def test_a_slide_and_a_sheet_are_called_so_even_when_the_document_is_gone(
    people: Cast, file: bytes, name: str, question: str, place: str
) -> None:
    document = personal_document(people.alice, file, name)
    message = make_message(people.alice, make_chatbot(people.alice, personal=[document]), question)
    source = message.sources.get(number=1)
    client = Client()
    client.force_login(people.alice.user)
    for gone in (False, True):
        if gone:
            uploads.delete(PersonalDocument.objects.get())
        for address in (
            reverse("chatbots:chat", args=[message.chat_id]),
            reverse("chatbots:source", args=[source.pk]),
        ):
            assert place in client.get(address).content.decode()


TABLE = "# Marks\n\n| Name | Mark |\n| --- | --- |\n| Ann Berg | 2 |\n| Ben Adler | 3 |\n| Cy Cole | 2 |\n"


def cites(source: MessageSource, answer: str) -> None:
    source.message.answer = answer
    source.message.status = "done"
    source.message.save()
    MessageSource.objects.filter(pk=source.pk).update(is_cited=True)


def rows_marked(html: str) -> list[list[str]]:
    rows = re.findall(r"<tr>(.*?)</tr>", html, re.DOTALL)
    found = [re.findall(r"<mark[^>]*>(.*?)</mark>", row) for row in rows]
    return [row for row in found if row]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Ben Adler: Mark “3” [1]", [["Ben Adler", "3"]]),
        ("Ann Berg and Cy Cole both have 2 [1].", [["Ann Berg", "2"], ["Cy Cole", "2"]]),
        ("Marks are fine [1].", [["Name", "Mark"], ["Ann Berg", "2"], ["Ben Adler", "3"], ["Cy Cole", "2"]]),
    ],
)
def test_of_a_table_the_rows_that_the_answer_cites_are_marked(
    people: Cast, answer: str, expected: list[list[str]]
) -> None:
    source = make_source(people, TABLE, 0)
    cites(source, answer)
    assert rows_marked(shown(people.alice, source)) == expected
    uploads.delete(PersonalDocument.objects.get())
    html = shown(people.alice, source)
    assert rows_marked(html) == expected
    assert html.count('id="passage"') == 1


def test_beside_the_rows_that_are_cited_what_is_quoted_around_them_is_marked(people: Cast) -> None:
    source = make_source(people, TABLE + "\nMarks of the first term, by name.\n", 0)
    cites(source, "Ben Adler: “3” [1] “the first term, by name” [1]")
    assert re.findall(r"<mark[^>]*>(.*?)</mark>", shown(people.alice, source)) == [
        "Ben Adler",
        "3",
        "the first term, by name",
    ]


def test_what_a_cited_row_says_is_not_marked_in_another_row(people: Cast) -> None:
    rows = "| Ann Berg | getting better |\n| Ben Adler | getting better |\n"
    source = make_source(people, f"# Notes\n\n| Name | Note |\n| --- | --- |\n{rows}", 0)
    cites(source, "Ben Adler: Note “getting better” [1]")
    assert rows_marked(shown(people.alice, source)) == [["Ben Adler", "getting better"]]


def test_a_margin_note_shows_rows_with_their_headers_and_no_markup(people: Cast) -> None:
    source = make_source(people, TABLE, 0)
    cites(source, "Ben Adler has a 3 [1].")
    client = Client()
    client.force_login(people.alice.user)
    html = client.get(reverse("chatbots:chat", args=[source.message.chat_id])).content.decode()
    assert "<mark><span>Name:</span> Ben Adler · <span>Mark:</span> 3</mark>" in html
    assert "Name: Ben Adler · Mark: 3</span>" in html  # what hovering the citation shows
    assert "Ann Berg" not in html
    assert "| " not in html


def test_a_changed_table_is_shown_as_it_was_and_as_it_is_without_markup(people: Cast) -> None:
    source = make_source(people, TABLE, 0)
    cites(source, "Ben Adler has a 3 [1].")
    replace(people, TABLE.replace("| 3 |", "| 4 |"))
    html = shown(people.alice, source)
    assert rows_marked(html) == [["Ben Adler", "3"]]
    assert "<td>4</td>" in html
    assert "| Ben" not in html


def test_the_sentence_that_was_quoted_is_marked_not_the_whole_passage(people: Cast) -> None:
    text = "# Rules\n\nWear goggles all day. Tie back long hair. Wash your hands.\n"
    source = make_source(people, text, 0)
    for answer, marks in (
        ("“Tie back long hair.” [1]", ["Tie back long hair."]),
        ("“Wear goggles all day.” [1] “Wash your hands.” [1]", ["Wear goggles all day.", "Wash your hands."]),
        ("Do as it says [1].", ["Wear goggles all day. Tie back long hair. Wash your hands."]),
    ):
        [block] = open_source(source, people.alice, answer=answer)["blocks"]
        assert re.findall(r"<mark[^>]*>(.*?)</mark>", block.html) == marks, answer


def test_without_a_quotation_the_sentence_that_answers_is_marked(people: Cast) -> None:
    text = "# Rules\n\nWear goggles all day. Tie back long hair. Wash your hands.\n"
    source = make_source(people, text, 0, answer_words="long hair", certainty=0.9)
    [block] = open_source(source, people.alice, answer="Hair is tied back [1].")["blocks"]
    assert re.findall(r"<mark[^>]*>(.*?)</mark>", block.html) == ["Tie back long hair."]
    MessageSource.objects.update(certainty=0.4)
    source.refresh_from_db()
    [block] = open_source(source, people.alice, answer="Hair is tied back [1].")["blocks"]
    assert "Wear goggles all day. Tie" in block.html
