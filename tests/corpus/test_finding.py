"""Words are found within one document, whatever their case, and said with where they stand."""

import pytest
from django.test import Client
from django.urls import reverse

from corpus.ingestion import uploads
from corpus.reading.find import MAX_MATCHES, FindResult, find_words
from knowledge.models import PersonalDocument
from tests import documents
from tests.factories import Cast, index_all, make_file, personal_document, school_document

TEXT = """# Plan

## Acids

Use hydrochloric
acid of 0.5 mol/l. The Acid goes into **water**.

| Name | Task |
| --- | --- |
| Ann | acid bottles |

## Timing (twice)

Half an hour.
"""


def found(document: PersonalDocument, words: str) -> FindResult:
    finding = find_words(document, words)
    assert finding
    return finding


def test_places_are_said_with_the_words_around_them(people: Cast) -> None:
    document = personal_document(people.alice, TEXT, "plan.md")
    (place,) = found(document, " hydrochloric   ACID ").places
    assert (place.location, place.part, place.times) == ("Plan › Acids · lines 5–10", 1, 1)
    assert (place.before, place.match) == ("Use ", "hydrochloric acid")
    assert place.after == " of 0.5 mol/l. The Acid goes into water. · Name · Task · …"
    assert found(document, "acid").places[0].times == 4


@pytest.mark.parametrize(
    ("words", "headings"),
    [("timing (", ["Timing (twice)"]), ("plan", ["Acids"]), (".*", []), ("x" * 999, [])],
)
def test_headings_are_looked_at_and_signs_mean_themselves(people: Cast, words: str, headings: list[str]) -> None:
    document = personal_document(people.alice, TEXT, "plan.md")
    assert [place.location.split(" · ")[0].split(" › ")[-1] for place in found(document, words).places] == headings


@pytest.mark.parametrize("words", ["", "  \n"])
def test_without_words_nothing_is_looked_for(people: Cast, words: str) -> None:
    assert find_words(personal_document(people.alice), words) is None


def test_only_so_many_places_are_listed(people: Cast) -> None:
    book = "\n\n".join(f"## Chapter {n}\n\nIron and steel." for n in range(1, 90))
    document = personal_document(people.alice, book, "book.md")
    finding = found(document, "steel")
    assert (len(finding.places), finding.more) == (MAX_MATCHES, True)
    last = found(document, "chapter 89")
    assert ([place.part for place in last.places], last.more) == ([2], False)


def test_words_that_a_line_or_a_passage_ends_between_are_found(people: Cast) -> None:
    text = " ".join(f"Sentence {n} is about iron." for n in range(200))
    document = personal_document(people.alice, text, "long.txt")
    assert document.chunk_count > 3
    assert len(found(document, "iron. Sentence").places) == len(set(document.chunks.values_list("block")))
    assert all(len(found(document, f"{n} is about iron. Sentence {n + 1} is").places) == 1 for n in (40, 60, 80))


@pytest.mark.parametrize("words", ["H2O at -5", "h₂o at −5"])
def test_raised_and_lowered_digits_are_found(people: Cast, words: str) -> None:
    text = "# Ice\n\nPure H₂O at −5 °C.\n\n# Typed\n\nH2O at -5 °C.\n\n# Steam\n\nH2O at 5 °C.\n"
    document = personal_document(people.alice, text, "ice.md")
    assert [place.match for place in found(document, words).places] == ["H₂O at −5", "H2O at -5"]


def test_slides_are_called_so(people: Cast) -> None:
    deck = documents.presentation(("Acids", ["They are sour."]), ("Bases", ["They are soapy."]))
    document = personal_document(people.alice, deck, "slides.pptx")
    assert [place.location for place in found(document, "soap").places] == ["Bases · slide 2"]


def page(people: Cast, address: str) -> str:
    client = Client()
    client.force_login(people.alice.user)
    return client.get(address).content.decode()


def test_the_page_lists_the_places_and_marks_them_in_the_text(people: Cast) -> None:
    book = "\n\n".join(f"## Chapter {n}\n\nIron & &lt;steel&gt;, number {n}." for n in range(1, 90))
    document = personal_document(people.alice, book, "book.md")
    address = reverse("knowledge:detail", args=[document.pk])
    html = " ".join(page(people, f"{address}?find=<steel>,+number+88&part=2").split())
    assert "is in 1 place:" in html
    assert '<a href="?find=%3Csteel%3E%2C+number+88&amp;part=2#block-87"> Chapter 88 · line' in html
    assert "Iron &amp; <mark>&lt;steel&gt;, number 88</mark>." in html
    assert html.count("<mark>&lt;steel&gt;, number 88</mark>") == 2
    assert "?find=%3Csteel%3E%2C+number+88&amp;part=1" in html
    assert "is not in this document" in page(people, f"{address}?find=copper%00")


def test_words_are_looked_for_in_the_version_that_answers(people: Cast) -> None:
    document = personal_document(people.alice, TEXT, "plan.md")
    uploads.replace(document, make_file("# Plan\n\nCopper.\n"), by=people.alice.user)
    document.refresh_from_db()
    assert (len(found(document, "hydrochloric").places), len(found(document, "copper").places)) == (1, 0)
    index_all()
    document.refresh_from_db()
    assert (len(found(document, "hydrochloric").places), len(found(document, "copper").places)) == (0, 1)


def test_nobody_finds_words_in_the_document_of_another(people: Cast) -> None:
    mine, library = personal_document(people.alice), school_document(people.carol)
    for member, seen in ((people.bob, [404, 200]), (people.charlie, [404, 404]), (people.chloe, [404, 404])):
        client = Client()
        client.force_login(member.user)
        addresses = (
            reverse("knowledge:detail", args=[mine.pk]),
            reverse("school_library:detail", args=[library.pk]),
        )
        answers = [client.get(f"{address}?find=acid") for address in addresses]
        assert [answer.status_code for answer in answers] == seen
