"""Teachers find what their school has published, by words, subject and grade (L2)."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from corpus.web.browse import browse_documents
from school_library.models import SchoolDocument
from schools.models import Membership
from tests.factories import Cast, school_document

LIST = reverse("school_library:list")
ClientOf = Callable[[Membership], Client]


@pytest.fixture
def library(cast: Cast) -> dict[str, SchoolDocument]:
    """Four documents of Carol's school, one of them withdrawn, and one of another school."""

    def add(name: str, text: str, **tags: Any) -> SchoolDocument:
        return school_document(cast.carol, text, f"{name}.md", title=name, **tags)

    documents = {
        "Laboratory safety": add("Laboratory safety", "# Goggles\n\nGoggles are worn.", subject="Science"),
        "Data sheet": add(
            "Data sheet",
            "# Table\n\nTitration of acids.",
            subject="Science",
            grade="Year 9",
            description="Formulas",
        ),
        "Handbook": add("Handbook", "# Phones\n\nPhones stay at home.", description="Rules for safety and homework"),
        "Draft": add("Draft", "# Draft\n\nGoggles again.", subject="Secret"),
    }
    SchoolDocument.objects.filter(title="Draft").update(is_published=False)
    school_document(cast.chloe, "# Theirs\n\nGoggles there.", "theirs.md", title="Theirs", subject="Elsewhere")
    return documents


def titles(client: Client, **query: str) -> list[str]:
    return [row.document.title for row in client.get(LIST, query).context["rows"]]


def test_teachers_see_what_is_published_in_their_school(cast: Cast, library: Any, sign_in: ClientOf) -> None:
    assert titles(sign_in(cast.bob)) == ["Data sheet", "Handbook", "Laboratory safety"]


def test_admins_see_what_is_withdrawn_too(cast: Cast, library: Any, sign_in: ClientOf) -> None:
    page = sign_in(cast.carol).get(LIST).content.decode()
    assert "Draft" in page
    assert "Withdrawn" in page


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (
            {"words": "safety"},
            ["Laboratory safety", "Handbook"],
        ),  # in the title first, then in the description
        ({"words": "SAFE"}, ["Laboratory safety", "Handbook"]),
        ({"words": "safety laboratory"}, ["Laboratory safety"]),
        ({"words": "titration"}, ["Data sheet"]),  # in the text alone
        ({"words": "phone"}, ["Handbook"]),  # another form of a word of the text
        ({"words": "year 9"}, ["Data sheet"]),
        ({"words": "nowhere"}, []),
        ({"words": "%"}, []),
        ({"words": "' OR 1=1 --"}, []),
        ({"subject": "Science"}, ["Data sheet", "Laboratory safety"]),
        ({"subject": "Science", "grade": "Year 9"}, ["Data sheet"]),
        ({"subject": "Science", "words": "goggles"}, ["Laboratory safety"]),
    ],
    ids=str,
)
def test_searching(cast: Cast, library: Any, sign_in: ClientOf, query: dict[str, str], expected: list[str]) -> None:
    assert titles(sign_in(cast.bob), **query) == expected


@pytest.mark.parametrize("subject", ["Secret", "Elsewhere", "Nothing"])
def test_tags_of_what_one_may_not_see_are_not_offered_and_find_nothing_more(
    cast: Cast, library: Any, sign_in: ClientOf, subject: str
) -> None:
    response = sign_in(cast.bob).get(LIST, {"subject": subject})
    assert f'value="{subject}"' not in response.content.decode()
    assert "Draft" not in response.content.decode()
    assert "Theirs" not in response.content.decode()


def test_nothing_found_and_nothing_there_say_what_to_do(cast: Cast, sign_in: ClientOf) -> None:
    assert "The admins of your school have not added anything yet" in sign_in(cast.bob).get(LIST).content.decode()
    assert reverse("school_library:upload") in sign_in(cast.carol).get(LIST).content.decode()
    school_document(cast.carol)
    assert "Nothing found" in sign_in(cast.bob).get(LIST, {"words": "xyzzy"}).content.decode()


def test_the_search_works_as_a_link_and_as_a_fragment(cast: Cast, library: Any, sign_in: ClientOf) -> None:
    page = sign_in(cast.bob).get(LIST, {"words": "goggles"}, headers={"HX-Request": "true"}).content.decode()
    assert 'id="results"' in page
    assert f'hx-get="{LIST}"' in page
    assert 'hx-push-url="true"' in page
    assert 'value="goggles"' in page


def test_a_document_that_was_never_read_is_not_offered_to_teachers(cast: Cast, sign_in: ClientOf) -> None:
    school_document(cast.carol, indexed=False)
    assert titles(sign_in(cast.bob)) == []
    assert titles(sign_in(cast.carol)) == ["safety"]


def test_links_to_ones_own_chatbots_are_loaded_by_address(cast: Cast, library: Any, sign_in: ClientOf) -> None:
    page = sign_in(cast.bob).get(LIST).content.decode()
    for title in ("Data sheet", "Handbook"):
        assert reverse("chatbots:library-links", args=[library[title].pk]) in page
        assert reverse("chatbots:document-usage", args=[library[title].pk]) not in page
    page = sign_in(cast.carol).get(LIST).content.decode()
    assert reverse("chatbots:document-usage", args=[library["Handbook"].pk]) in page


def test_titles_come_before_texts(library: Any) -> None:
    SchoolDocument.objects.filter(title="Handbook").update(title="About titration")
    found = browse_documents(SchoolDocument.objects.all(), words="titration")
    assert [document.title for document in found] == ["About titration", "Data sheet"]


def test_a_file_is_found_by_its_name(cast: Cast) -> None:
    school_document(cast.carol, name="LS-07_checklist.md", title="Goggles")
    found = browse_documents(SchoolDocument.objects.all(), words="ls-07_check")
    assert [document.title for document in found] == ["Goggles"]


def test_a_grade_finds_the_range_around_it(cast: Cast, library: Any, sign_in: ClientOf) -> None:
    SchoolDocument.objects.filter(title="Handbook").update(grade="Years 7 to 11")
    SchoolDocument.objects.filter(title="Laboratory safety").update(grade="Year 10")
    assert titles(sign_in(cast.bob), grade="Year 9") == ["Data sheet", "Handbook"]


def test_small_letters_are_listed_among_the_capitals(library: Any) -> None:
    SchoolDocument.objects.filter(title="Handbook").update(title="handbook")
    listed = [document.title for document in browse_documents(SchoolDocument.objects.all().published(), sort="name")]
    assert listed == ["Data sheet", "handbook", "Laboratory safety", "Theirs"]


def test_a_subject_is_one_whatever_its_case(cast: Cast, sign_in: ClientOf) -> None:
    for number, subject in enumerate(("Whole school", "whole school", " WHOLE  school ")):
        school_document(cast.carol, f"# Paper {number}", f"{number}.md", subject=subject)
    listed = sign_in(cast.bob).get(LIST, {"subject": "Whole school"})
    assert len(listed.context["rows"]) == 3
    assert [value for value, _ in listed.context["wanted"].fields["subject"].choices] == ["", "Whole school"]
    found = sign_in(cast.bob).get("/api/v1/library/documents", {"subject": "whole SCHOOL"}).json()["results"]
    assert [one["subject"] for one in found] == ["Whole school"] * 3


def test_who_spells_a_subject_anew_spells_it_for_all_of_the_school(cast: Cast, sign_in: ClientOf) -> None:
    first, second = (school_document(cast.carol, f"# {n}", f"{n}.md", subject="whole school") for n in range(2))
    theirs = school_document(cast.chloe, "# Theirs", "theirs.md", subject="whole school")
    edit = reverse("school_library:edit", args=[first.pk])
    sign_in(cast.carol).post(edit, {"title": "First", "subject": "Whole School"})
    for document, subject in ((first, "Whole School"), (second, "Whole School"), (theirs, "whole school")):
        document.refresh_from_db()
        assert document.subject == subject
