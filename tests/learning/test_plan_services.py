"""Creating, changing and deleting plans, and what they may read."""

from typing import Any

import pytest

from chatbots.answering.source_selection import select_sources
from chatbots.models import Chatbot
from corpus.source_kinds import get_kind
from learning.material import ValuesRefused
from learning.models import PlanStatus, StudyPlan
from learning.planning import services
from learning.planning.plan_sources import read_passages, search_sources
from learning.planning.services import create_plan
from references.models import ReferenceSettings
from schools.models import Membership
from tests.factories import Cast, make_chatbot, personal_document, school_document
from tests.learning.plans import RIVERS, make_plan


def refused(member: Membership, **fields: Any) -> dict[str, str]:
    with pytest.raises(ValuesRefused) as caught:
        create_plan(member=member, **({"title": "Rivers"} | fields))
    assert not StudyPlan.objects.exists() and not Chatbot.objects.filter(is_tutor=True).exists()
    return caught.value.reasons


def test_a_plan_of_documents_waits_to_be_made(people: Cast) -> None:
    own, library = personal_document(people.alice, RIVERS, "rivers.md"), school_document(people.carol)
    plan = create_plan(member=people.alice, title=" Rivers ", documents=[own.pk, library.pk])
    assert plan.status == PlanStatus.QUEUED and plan.title == "Rivers" and plan.tutor.is_tutor and plan.chatbot is None
    assert {passage.document_title for passage in read_passages(plan)} == {own.title, library.title}
    assert {one.source.kind.value for one in search_sources(plan)} == {"personal", "school"}


def test_passages_are_read_in_order_with_their_place(people: Cast) -> None:
    own = personal_document(people.alice, RIVERS, "rivers.md")
    passages = read_passages(create_plan(member=people.alice, title="Rivers", documents=[own.pk]))
    assert [passage.position for passage in passages] == list(range(len(passages)))
    assert passages[0].document_id == own.pk and passages[0].version == 1
    assert ("Rivers", "Erosion") in [passage.heading_path for passage in passages]
    assert all(passage.excerpt in passage.text for passage in passages)


def test_a_subject_brings_its_library_documents(people: Cast) -> None:
    school_document(people.carol, subject="Geography")
    school_document(people.carol, RIVERS, "rivers.md", subject="Physics")
    plan = create_plan(member=people.alice, title="Safety", subject="Geography")
    assert {passage.document_title for passage in read_passages(plan)} == {"safety"}
    assert services.library_subjects(people.alice) == ["Geography", "Physics"]
    assert services.library_subjects(people.charlie) == []


def test_a_chatbots_sources_are_the_plans(people: Cast, chatbot: Chatbot) -> None:
    plan = create_plan(member=people.alice, title="Acids", chatbot=chatbot)
    assert {passage.kind.value for passage in read_passages(plan)} == {"personal", "school"}
    assert len(search_sources(plan)) == len(select_sources(chatbot))
    chatbot.delete()
    plan.refresh_from_db()
    assert plan.chatbot is None and read_passages(plan) == []


def test_documents_of_others_are_refused(people: Cast) -> None:
    bobs = personal_document(people.bob)
    elsewhere = school_document(people.chloe)
    for document in (bobs, elsewhere):
        assert "1 of the chosen documents" in refused(people.alice, documents=[document.pk])["documents"]


def test_a_chatbot_of_a_colleague_is_refused(people: Cast) -> None:
    assert "chatbot" in refused(people.alice, chatbot=make_chatbot(people.bob))


def test_a_chatbot_of_the_same_person_at_another_school_is_refused(people: Cast) -> None:
    alice_there = Membership.objects.create(school=people.charlie.school, user=people.alice.user)
    assert "chatbot" in refused(people.alice, chatbot=make_chatbot(alice_there))


def test_what_is_missing_is_said_by_field(people: Cast) -> None:
    assert set(refused(people.alice)) == {"documents"}
    assert set(refused(people.alice, title=" ", language="xx", most_concepts=61)) >= {
        "title",
        "language",
        "most_concepts",
    }
    assert "subject" in refused(people.alice, subject="Nothing")
    assert "does not allow" in refused(people.alice, topic="Rivers", kinds=["wikipedia_live"])["kinds"]


def test_a_topic_alone_is_looked_up_where_the_school_allows_it(people: Cast) -> None:
    ReferenceSettings.objects.create(school=people.alice.school, allows_wikipedia_live=True, allows_outside_calls=True)
    assert "topic" in refused(people.alice, kinds=["wikipedia_live"])
    plan = create_plan(member=people.alice, title="Rivers", topic="River erosion", kinds=["wikipedia_live"])
    assert [one.source.kind for one in search_sources(plan)] == [get_kind("wikipedia_live")]
    ReferenceSettings.objects.update(allows_wikipedia_live=False)
    assert search_sources(plan) == []


def test_changes_reach_the_tutor(people: Cast) -> None:
    plan = make_plan(people.alice)
    services.update_plan(plan=plan, title="Rivers again", tutor_style="answers")
    tutor = Chatbot.objects.get(pk=plan.tutor_id)
    assert tutor.name == "Rivers again" and "directly" in tutor.instructions
    with pytest.raises(ValuesRefused, match="greater than or equal to 1"):
        services.update_plan(plan=plan, most_concepts=0)


def test_stopped_and_resumed(people: Cast) -> None:
    plan = make_plan(people.alice, status=PlanStatus.WORKING)
    services.stop_plan(plan=plan)
    plan.refresh_from_db()
    assert plan.status == PlanStatus.STOPPED
    services.resume_plan(plan=plan)
    plan.refresh_from_db()
    assert plan.status == PlanStatus.QUEUED
    ready = make_plan(people.alice)
    services.stop_plan(plan=ready)
    ready.refresh_from_db()
    assert ready.status == PlanStatus.READY


def test_deleting_takes_the_tutor_along(people: Cast) -> None:
    plan = make_plan(people.alice)
    services.delete_plan(plan=plan)
    assert not StudyPlan.objects.exists() and not Chatbot.objects.filter(is_tutor=True).exists()


def test_a_tutor_is_not_listed_or_edited_as_a_chatbot(people: Cast) -> None:
    plan = make_plan(people.alice)
    assert not Chatbot.objects.for_member(people.alice).exists()
    assert Chatbot.objects.askable_by(people.alice).get() == plan.tutor
    assert not Chatbot.objects.askable_by(people.bob).exists()
