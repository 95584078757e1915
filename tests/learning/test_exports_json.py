"""A plan as JSON, imported again: nothing is lost, nothing is taken on trust, and bad files are refused in words."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from chatbots.models import Chatbot
from corpus.source_kinds import get_kind
from learning.exports.plan_import import ImportRefused, import_json
from learning.exports.plan_json import MAX_BYTES, MAX_SOURCES, export_json, plan_content
from learning.models import MAX_CONCEPTS, ConceptSource, PlanStatus, StudyPlan
from learning.planning import making
from learning.planning.changes import find_outdated_concepts
from learning.planning.services import create_plan
from references.models import ReferenceSettings
from schools.models import Membership
from tests.factories import Cast, personal_document
from tests.learning.exported import KINDS, make_exported_plan
from tests.learning.plans import RIVERS, links, names

pytestmark = pytest.mark.django_db

Content = dict[str, Any]


@pytest.fixture
def plan(people: Cast) -> StudyPlan:
    return make_exported_plan(people.alice)


def imported(member: Membership, content: Content) -> StudyPlan:
    return import_json(member=member, data=json.dumps(content).encode())


def alike(content: Content) -> Content:
    """The content without what an import changes: ids of concepts, and where texts that nobody checked are from."""
    order = {concept["id"]: place for place, concept in enumerate(content["concepts"])}
    text: Content = json.loads(json.dumps(content))
    for concept in text["concepts"]:
        concept["id"] = order[concept["id"]]
        concept["prerequisites"] = [order[key] for key in concept["prerequisites"]]
        for source in concept["sources"]:
            source |= {"kind": "", "document": None, "address": ""}
    return text


def test_a_plan_comes_back_as_it_was(people: Cast, plan: StudyPlan) -> None:
    content = json.loads(export_json(plan))
    again = imported(people.charlie, content)
    assert again.owner == people.charlie.user and again.school == people.charlie.school
    assert again.status == PlanStatus.READY and again.tutor.is_tutor and again.tutor.owner == people.charlie.user
    assert alike(plan_content(again)) == alike(content)
    assert names(again) == names(plan) and links(again) == links(plan)
    assert again.concepts.get(name="Acid").questions.count() == len(KINDS)


def test_a_plan_that_was_made_comes_back(people: Cast) -> None:
    """No limit of the format is lower than what the product makes."""
    own = personal_document(people.alice, RIVERS, "rivers.md")
    plan = create_plan(member=people.alice, title="Rivers", documents=[own.pk])
    assert making.make_next_plan()
    content = json.loads(export_json(plan))
    assert sum(len(one["questions"]) for one in content["concepts"]) > 10
    again = json.loads(export_json(imported(people.alice, content)))
    assert alike(again) == alike(content)
    kinds = {source["kind"] for one in again["concepts"] for source in one["sources"]}
    assert kinds == {"personal"}


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "2026-02-30T00:00:00Z"])
def test_a_moment_that_is_none_is_refused(people: Cast, plan: StudyPlan, moment: str) -> None:
    content = json.loads(export_json(plan))
    content["concepts"][0]["sources"][0]["read_at"] = moment
    with pytest.raises(ImportRefused, match="read_at"):
        imported(people.alice, content)


def test_a_second_import_is_a_second_plan(people: Cast, plan: StudyPlan) -> None:
    content = json.loads(export_json(plan))
    assert imported(people.alice, content).pk != imported(people.alice, content).pk
    assert StudyPlan.objects.count() == 3


def with_document(plan: StudyPlan, member: Membership) -> tuple[Content, Any]:
    """A file whose first source is a passage of a document of this member."""
    document = personal_document(member, RIVERS, "rivers.md")
    chunk = document.chunks.order_by("position")[1]
    content = json.loads(export_json(plan))
    source = content["concepts"][0]["sources"][0]
    source |= {"document": {"id": str(document.pk), "version": 1}, "excerpt": chunk.text, "position": chunk.position}
    return content, document


def first_source(plan: StudyPlan) -> ConceptSource:
    return ConceptSource.objects.get(concept__plan=plan, concept__name="Acid", number=1)


def test_a_document_that_the_member_may_read_is_linked(people: Cast, plan: StudyPlan) -> None:
    content, document = with_document(plan, people.alice)
    again = imported(people.alice, content)
    source = first_source(again)
    assert (source.kind, source.document_id, source.version, source.address) == ("personal", document.pk, 1, "")
    assert list(again.tutor.personal_documents.all()) == [document] and find_outdated_concepts(again) == []


@pytest.mark.parametrize("reader", ["bob", "charlie"])
def test_a_document_of_another_is_a_text_of_its_own(people: Cast, plan: StudyPlan, reader: str) -> None:
    content, _ = with_document(plan, people.alice)
    member = getattr(people, reader)
    source = first_source(imported(member, content))
    assert (source.kind, source.document_id, source.version) == ("imported", None, None)
    assert source.address == source.source_kind.open(member, source) == f"/plans/sources/{source.pk}/"
    assert source.excerpt == content["concepts"][0]["sources"][0]["excerpt"]
    assert not Chatbot.objects.get(plan=source.concept.plan).personal_links.exists()


@pytest.mark.parametrize(
    "change",
    [
        lambda source: source.update(excerpt="Rivers flow uphill."),
        lambda source: source["document"].update(version=7),
        lambda source: source.update(kind="school"),
    ],
)
def test_a_document_is_linked_only_to_what_it_says(
    people: Cast, plan: StudyPlan, change: Callable[[Content], None]
) -> None:
    content, _ = with_document(plan, people.alice)
    change(content["concepts"][0]["sources"][0])
    assert first_source(imported(people.alice, content)).document_id is None


@pytest.mark.parametrize("kind", ["approved", "wikipedia_live", "wikipedia_offline"])
def test_no_text_of_a_file_counts_as_approved_or_from_wikipedia(people: Cast, plan: StudyPlan, kind: str) -> None:
    content = json.loads(export_json(plan))
    content["concepts"][0]["sources"][1]["kind"] = kind
    source = ConceptSource.objects.get(concept__plan=imported(people.alice, content), number=2)
    assert (source.kind, source.address) == ("imported", "https://en.wikipedia.example/wiki/Acid")
    assert source.source_kind == get_kind("imported") and source.source_kind.is_private


@pytest.mark.parametrize(
    "address", ["/accounts/logout/", "javascript:alert(1)", "//evil.example/", "https:///x", "x y"]
)
def test_an_address_that_is_none_of_the_web_is_dropped(people: Cast, plan: StudyPlan, address: str) -> None:
    content = json.loads(export_json(plan))
    content["concepts"][0]["sources"][1]["address"] = address
    source = ConceptSource.objects.get(concept__plan=imported(people.alice, content), number=2)
    assert source.address == f"/plans/sources/{source.pk}/"


def test_kinds_that_the_school_does_not_allow_are_dropped(people: Cast, plan: StudyPlan) -> None:
    ReferenceSettings.objects.create(school=people.alice.school, allows_wikipedia_live=True)
    content = json.loads(export_json(plan)) | {"kinds": ["wikipedia_live", "wikipedia_offline", "nonsense"]}
    assert imported(people.alice, content).kinds == ["wikipedia_live"]
    assert imported(people.charlie, content).kinds == []


def concept(content: Content) -> Content:
    found: Content = content["concepts"][0]
    return found


WRONG: dict[str, tuple[Callable[[Content], Any], str]] = {
    "another format": (lambda c: c.update(format="quiz"), "format"),
    "no format": (lambda c: c.pop("format"), "format"),
    "no version": (lambda c: c.pop("version"), "version"),
    "a long passage": (lambda c: concept(c)["sources"][0].update(excerpt="x" * 60_001), "concepts.0.sources.0.excerpt"),
    "a long section": (lambda c: concept(c)["sources"][0].update(text="x" * 60_001), "concepts.0.sources.0.text"),
    "many headings": (lambda c: concept(c)["sources"][0].update(section=["x"] * 21), "concepts.0.sources.0.section"),
    "many synonyms": (lambda c: concept(c).update(synonyms=[f"s{n}" for n in range(201)]), "concepts.0.synonyms"),
    "many sources of a question": (
        lambda c: concept(c)["questions"][0].update(sources=[1] * 101),
        "concepts.0.questions.0.sources",
    ),
    "an index twice": (lambda c: concept(c)["questions"][1].update(answer={"correct": [0, 0]}), "none twice"),
    "many words for a gap": (
        lambda c: concept(c)["questions"][2].update(answer={"accepted": [f"w{n}" for n in range(51)]}),
        "at most 50 words",
    ),
    "a long model answer": (
        lambda c: concept(c)["questions"][7].update(answer={"reference": "x" * 4001}),
        "a model answer",
    ),
    "a later version": (lambda c: c.update(version=2), "version"),
    "no title": (lambda c: c.update(title=" "), "title"),
    "a language": (lambda c: c.update(language="xx"), "language"),
    "no concepts": (lambda c: c.pop("concepts"), "concepts"),
    "concepts that are none": (lambda c: c.update(concepts=[1]), "concepts.0"),
    "too many concepts": (
        lambda c: c.update(concepts=[{"id": str(n), "name": f"C {n}"} for n in range(MAX_CONCEPTS + 1)]),
        "concepts",
    ),
    "a circle": (lambda c: concept(c).update(prerequisites=[c["concepts"][1]["id"]]), "circle: “"),
    "itself": (lambda c: concept(c).update(prerequisites=[concept(c)["id"]]), "circle"),
    "an unknown prerequisite": (lambda c: concept(c).update(prerequisites=["x"]), "the id of no concept"),
    "an id twice": (lambda c: c["concepts"].append(concept(c) | {"name": "Other"}), "Two concepts have the id"),
    "a name twice": (lambda c: c["concepts"].append(concept(c) | {"id": "x", "name": "ACID"}), "name “acid”"),
    "a long name": (lambda c: concept(c).update(name="x" * 121), "concepts.0.name"),
    "a null character": (lambda c: concept(c).update(definition="a\x00"), "concepts.0.definition"),
    "half a character": (lambda c: concept(c).update(definition="\ud800"), "concepts.0.definition"),
    "too many sources": (
        lambda c: concept(c).update(sources=concept(c)["sources"][:1] * (MAX_SOURCES + 1)),
        "concepts.0.sources",
    ),
    "a source twice": (lambda c: concept(c).update(sources=concept(c)["sources"][:1] * 2), "have the number 1"),
    "an unknown kind of source": (
        lambda c: concept(c)["sources"][0].update(kind="nonsense"),
        "no kind of source “nonsense”",
    ),
    "a source without text": (lambda c: concept(c)["sources"][0].update(excerpt=""), "concepts.0.sources.0.excerpt"),
    "a document that is none": (lambda c: concept(c)["sources"][0].update(document={"id": "x"}), "document.id"),
    "a definition of nowhere": (lambda c: concept(c).update(definition_source=9), "definition_source"),
    "an unknown kind of question": (lambda c: concept(c)["questions"][0].update(kind="riddle"), "questions.0.kind"),
    "an index too high": (lambda c: concept(c)["questions"][0].update(answer={"correct": 4}), "exactly one option"),
    "an index that is true": (
        lambda c: concept(c)["questions"][0].update(answer={"correct": True}),
        "questions.0.answer",
    ),
    "no gap": (lambda c: concept(c)["questions"][2].update(prompt="No gap"), "one gap"),
    "a number that is none": (lambda c: concept(c)["questions"][4]["answer"].update(value="1"), "the right number"),
    "a huge number": (lambda c: concept(c)["questions"][4]["answer"].update(value=10**400), "no answer of any kind"),
    "half an order": (lambda c: concept(c)["questions"][5].update(answer={"order": [0, 1]}), "each step once"),
    "half the pairs": (lambda c: concept(c)["questions"][6].update(answer={"pairs": [0]}), "its partner"),
    "no reference": (lambda c: concept(c)["questions"][7].update(answer={}), "a model answer"),
    "an unknown citation": (lambda c: concept(c)["questions"][0].update(explanation="So [7]."), "no source [7]"),
    "an unknown source": (lambda c: concept(c)["questions"][0].update(sources=[7]), "no source [7]"),
    "no source": (lambda c: concept(c)["questions"][0].update(sources=[]), "questions.0.sources"),
    "a review": (lambda c: concept(c)["questions"][0].update(review="perfect"), "questions.0.review"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_file_is_refused_in_words(people: Cast, plan: StudyPlan, case: str) -> None:
    change, words = WRONG[case]
    content = json.loads(export_json(plan))
    change(content)
    with pytest.raises(ImportRefused) as refused:
        imported(people.alice, content)
    assert words in str(refused.value)
    assert StudyPlan.objects.count() == Chatbot.objects.count() == 1


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no json",
        b"\xff\xfe",
        b"[1]",
        b"null",
        b"[" * 100_000,
        b'{"version": NaN}',
        b'{"version": ' + b"1" * 5000 + b"}",
    ],
)
def test_a_file_that_is_no_plan_is_refused(people: Cast, data: bytes) -> None:
    with pytest.raises(ImportRefused):
        import_json(member=people.alice, data=data)
    assert not StudyPlan.objects.exists()


def test_a_file_that_is_too_large_is_not_read(people: Cast) -> None:
    with pytest.raises(ImportRefused, match="larger than 16 MB"):
        import_json(member=people.alice, data=b" " * (MAX_BYTES + 1))


def test_ids_in_a_file_lead_to_no_row(people: Cast, plan: StudyPlan) -> None:
    """The id of a concept is only a name within the file."""
    before = plan_content(plan)
    content = json.loads(export_json(plan))
    again = imported(people.alice, content)
    assert plan_content(plan) == before
    keys = {str(key) for key in again.concepts.values_list("pk", flat=True)}
    assert not keys & {one["id"] for one in content["concepts"]}
    document = {"id": str(uuid4()), "version": 1}
    content["concepts"][0]["sources"][0]["document"] = document
    assert first_source(imported(people.alice, content)).document_id is None


def test_old_sources_that_nothing_cites_stay_behind(people: Cast, plan: StudyPlan) -> None:
    acid = plan.concepts.get(name="Acid")
    old = acid.sources.order_by("-number").first()
    assert old
    old.pk, old.number, old.is_current, old._state.adding = uuid4(), 50, False, True
    old.save()

    def numbers() -> list[int]:
        return [one["number"] for one in concept(json.loads(export_json(plan)))["sources"]]

    assert 50 not in numbers()
    acid.definition_source = 50
    acid.save()
    assert 50 in numbers()
