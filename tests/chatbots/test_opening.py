"""What has become of a source's passage: it is found by its words, wherever they stand now."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from chatbots.models import MessageSource
from chatbots.opening import open_source
from corpus import uploads
from knowledge.models import PersonalChunk, PersonalDocument
from tests.factories import Cast, index_all, make_chatbot, make_file, make_message, personal_document

RULE = "Wear goggles."
TWICE = f"# Rules\n\n## Acids\n\n{RULE}\n\n## Flames\n\n{RULE}\n"


def source_of(people: Cast, content: str, position: int, **fields: Any) -> MessageSource:
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
def test_of_equal_texts_the_one_under_the_cited_headings_is_marked(
    people: Cast, position: int, heading: str
) -> None:
    source = source_of(people, TWICE, position)
    replace(people, TWICE.replace("# Rules\n", "# Rules\n\nRead them.\n"))
    opened = open_source(source, people.alice)
    assert (opened["state"], marked(opened)) == ("changed", [heading])


def test_of_equal_texts_under_other_headings_the_nearest_is_marked(people: Cast) -> None:
    source = source_of(people, TWICE, 1, heading_path=["Gone"])
    assert marked(open_source(source, people.alice)) == ["Flames"]


def test_a_document_cut_anew_without_a_new_version_is_marked_where_the_words_are(people: Cast) -> None:
    source = source_of(people, TWICE.replace(RULE, "Read this.", 1), 1)
    acids, flames = PersonalChunk.objects.order_by("position")
    PersonalChunk.objects.filter(pk=flames.pk).update(position=2, block=2)
    PersonalChunk.objects.filter(pk=acids.pk).update(position=1, block=1)
    opened = open_source(source, people.alice)
    assert (opened["state"], marked(opened)) == ("same", ["Flames"])


def test_a_passage_lost_when_a_document_was_cut_anew_is_not_called_the_same(people: Cast) -> None:
    source = source_of(people, TWICE, 1)
    PersonalChunk.objects.update(text="Other words.")
    opened = open_source(source, people.alice)
    assert (opened["state"], marked(opened)) == ("rewritten", [])


def test_a_passage_inside_a_longer_chunk_is_marked_alone(people: Cast) -> None:
    source = source_of(people, TWICE, 0, excerpt="Wear\ngoggles.")
    replace(people, f"# Rules\n\n## Acids\n\nFirst of all: {RULE} Then wash.\n")
    opened = open_source(source, people.alice)
    assert opened["state"] == "changed"
    assert '<mark id="passage">Wear goggles.</mark>' in opened["blocks"][0].html


def test_a_part_of_a_word_is_not_the_passage(people: Cast) -> None:
    source = source_of(people, "Take 5 mol of it.", 0, excerpt="5 mol")
    replace(people, "Take 15 mol of it.")
    assert open_source(source, people.alice)["state"] == "rewritten"


def test_a_version_that_comes_into_place_while_the_text_is_read_is_the_one_shown(people: Cast) -> None:
    source = source_of(people, TWICE, 1)
    done: list[bool] = []

    def meddle(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        if not done and sql.startswith("SELECT") and 'FROM "knowledge_personalchunk"' in sql:
            done.append(True)
            replace(people, f"# Rules\n\n## Flames\n\nNew first.\n\n## Acids\n\n{RULE}\n")
        return execute(sql, *rest)

    with connection.execute_wrapper(meddle):
        opened = open_source(source, people.alice)
    assert done
    assert (opened["state"], opened["document"].answering_version) == ("changed", 2)
    assert marked(opened) == ["Acids"]


@pytest.mark.parametrize("change", ["rewritten", "gone"])
def test_what_is_not_there_any_more_is_shown_in_its_section(people: Cast, change: str) -> None:
    source = source_of(people, TWICE, 0, text=f"Before <b>.\n{RULE}\nAfter.")
    if change == "gone":
        uploads.delete(PersonalDocument.objects.get())
    else:
        replace(people, "# Rules\n\nNone.\n")
    client = Client()
    client.force_login(people.alice.user)
    html = client.get(reverse("chatbots:source", args=[source.pk])).content.decode()
    assert f"Before &lt;b&gt;.<br><mark>{RULE}</mark><br>After." in html


def test_an_excerpt_that_is_not_in_its_section_is_shown_alone(people: Cast) -> None:
    source = source_of(people, TWICE, 0, text="Something else.")
    uploads.delete(PersonalDocument.objects.get())
    opened = open_source(source, people.alice)
    assert opened["state"] == "gone"
    assert [part.strip() for part in opened["was"]] == ["", RULE, ""]
