"""Making a plan: its stages, stopping it, going on after a crash, and what the result is (G1, G4)."""

import json
from collections.abc import Generator
from typing import Any

import docx
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from benchmarks.learning.handouts import HANDOUTS
from chatbots.answering.retrieval import Retrieval
from chatbots.conversations.deletion import restore_chatbot
from chatbots.models import Participant
from chatbots.sharing.revocation import delete_chatbot
from corpus.ingestion import uploads
from corpus.retry_backoff import MAX_ATTEMPTS
from engines.llm import Prompt
from learning import tasks
from learning.api.views import present_plan
from learning.generating import write_concepts
from learning.generating.requests import MAX_FAILURES
from learning.material import ConceptText
from learning.models import Concept, ConceptProgress, ConceptSource, PlanStatus, Question, StudyPlan
from learning.planning import making, services
from learning.planning.editing import EditRefused, add_concept, rename_concept
from learning.planning.plan_sources import find_outdated_concepts
from learning.planning.services import create_plan, resume_plan
from learning.questions.checking.checks import DropReason
from learning.questions.make import MadeQuestions, make_questions
from references.models import ReferenceSettings
from tests import documents
from tests.factories import Cast, index_all, make_chatbot, make_file, personal_document, signed_in
from tests.learning.plans import RIVERS, make_plan, names
from tests.references.conftest import Wikis, own_cache, wikis
from tests.scripted import ScriptedLLM

__all__ = ["own_cache", "wikis"]


@pytest.fixture
def plan(people: Cast) -> StudyPlan:
    own = personal_document(people.alice, RIVERS, "rivers.md")
    return create_plan(member=people.alice, title="Rivers", documents=[own.pk])


def made(plan: StudyPlan) -> StudyPlan:
    assert making.make_next_plan()
    plan.refresh_from_db()
    return plan


def test_a_plan_is_made_of_a_document(plan: StudyPlan) -> None:
    made(plan)
    assert (plan.status, plan.stage, plan.failure, plan.made_by) == (PlanStatus.READY, "", "", "")
    found = {name.lower() for name in names(plan)}
    assert {"erosion", "abrasion", "attrition", "load", "deposition"} <= found
    assert not making.make_next_plan()


def write_json(*concepts: dict[str, Any]) -> str:
    return json.dumps({"concepts": concepts})


EROSION = {
    "name": "erosion",
    "source": 1,
    "definition": "Erosion is the wearing away of the bed and banks of a river by moving water.",
    "questions": [
        {
            "kind": "cloze",
            "prompt": "____ is the wearing away of the bed and banks of a river by moving water.",
            "accepted": ["Erosion"],
            "explanation": "Erosion is the wearing away of the bed and banks of a river by moving water. [1]",
        }
    ],
}


def test_a_model_writes_concepts_and_questions_and_rules_fill_the_gaps(
    plan: StudyPlan, model: type[ScriptedLLM]
) -> None:
    model.enqueue(write_json(EROSION), *[write_json()] * 20)
    made(plan)
    assert (plan.status, plan.made_by) == (PlanStatus.READY, model.name)
    concept = plan.concepts.get(name__iexact="erosion")
    written = concept.questions.get(made_by=model.name)
    assert concept.sources.filter(number__in=written.source_numbers).exists()
    assert concept.questions.filter(made_by="").exists()


def test_a_model_that_cannot_be_read_is_asked_twice_for_a_whole_plan(plan: StudyPlan, model: type[ScriptedLLM]) -> None:
    model.enqueue(*["Sorry."] * 50)
    made(plan)
    assert plan.status == PlanStatus.READY and plan.concepts.count() > 3
    assert len(model.history) == MAX_FAILURES == plan.dropped[DropReason.NO_MODEL]


def test_a_teacher_has_a_model_asked_again_that_was_given_up(
    plan: StudyPlan, model: type[ScriptedLLM], people: Cast
) -> None:
    model.enqueue(*["Sorry."] * MAX_FAILURES)
    made(plan)
    page = signed_in(people.alice).get(reverse("learning:plan", args=[plan.pk])).content.decode()
    assert "The language model did not answer." in page
    plan.concepts.get(name__iexact="erosion").questions.all().delete()
    model.enqueue(*[write_json(EROSION)] * 50)
    resume_plan(plan=plan)
    made(plan)
    assert plan.status == PlanStatus.READY and DropReason.NO_MODEL not in plan.dropped
    assert plan.concepts.get(name__iexact="erosion").questions.filter(made_by=model.name).count() == 1
    assert len(model.history) > MAX_FAILURES


def test_asking_a_model_again_adds_no_more_questions_by_rules(plan: StudyPlan, model: type[ScriptedLLM]) -> None:
    model.enqueue(*["Sorry."] * MAX_FAILURES)
    made(plan)
    by_rules = list(Question.objects.values_list("pk", flat=True))
    assert len(by_rules) > 8
    model.enqueue(*["Sorry."] * 50)
    resume_plan(plan=plan)
    made(plan)
    assert plan.status == PlanStatus.READY
    assert set(by_rules) <= set(Question.objects.values_list("pk", flat=True))
    assert all(one.questions.count() <= making.QUESTIONS_PER_CONCEPT for one in plan.concepts.all())
    assert len(model.history) == 2 * MAX_FAILURES


def test_asking_a_model_again_keeps_what_was_counted_meanwhile(plan: StudyPlan) -> None:
    StudyPlan.objects.update(dropped={DropReason.NO_MODEL: 2, DropReason.MALFORMED: 3})
    plan.dropped = {DropReason.NO_MODEL: 2}
    resume_plan(plan=plan)
    plan.refresh_from_db()
    assert plan.dropped == {DropReason.MALFORMED: 3}


def test_more_questions_are_asked_of_the_model_whatever_was_before(plan: StudyPlan, model: type[ScriptedLLM]) -> None:
    model.enqueue(*["Sorry."] * MAX_FAILURES)
    made(plan)
    concept = plan.concepts.get(name__iexact="erosion")
    concept.questions.all().delete()
    model.enqueue(write_json(EROSION))
    tasks.make_more_questions(str(concept.pk))
    assert concept.questions.filter(made_by=model.name).count() == 1


def test_each_definition_stands_in_its_source(plan: StudyPlan) -> None:
    for concept in made(plan).concepts.all():
        assert concept.definition_source is not None
        source = concept.sources.get(number=concept.definition_source)
        assert " ".join(concept.definition.split()) in " ".join(source.excerpt.split())
        assert 1 <= concept.sources.count() <= making.MAX_CHUNKS


def test_questions_cite_sources_that_the_concept_has(plan: StudyPlan) -> None:
    questions = Question.objects.filter(concept__plan=made(plan))
    assert questions.count() >= 10 and len({question.kind for question in questions}) >= 3
    for question in questions:
        numbers = set(question.concept.sources.values_list("number", flat=True))
        assert question.source_numbers and set(question.source_numbers) <= numbers
        assert question.explanation


def test_a_concept_of_the_teachers_gets_sources_a_definition_and_questions(plan: StudyPlan) -> None:
    made(plan)
    concept = add_concept(plan=plan, name="sandpaper")
    assert made(plan).status == PlanStatus.READY
    concept.refresh_from_db()
    assert concept.sources.exists() and concept.questions.exists()
    assert concept.name in concept.definition and concept.definition_source is not None


def test_a_concept_that_is_added_while_the_plan_is_made_is_not_left_out(
    plan: StudyPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = making.make_concept_questions

    def add_meanwhile(concept: Concept, *more: Any, **fields: Any) -> int:
        if not plan.concepts.filter(name="sandpaper").exists():
            add_concept(plan=plan, name="sandpaper")
        return make(concept, *more, **fields)

    monkeypatch.setattr(making, "make_concept_questions", add_meanwhile)
    assert made(plan).status == PlanStatus.READY
    concept = plan.concepts.get(name="sandpaper")
    assert concept.sources.exists() and concept.questions_at is not None


def test_a_concept_is_not_added_before_those_of_the_sources_are_found(plan: StudyPlan) -> None:
    with pytest.raises(EditRefused, match="not found yet"):
        add_concept(plan=plan, name="sandpaper")
    made(plan)
    assert len(names(plan)) > 3
    assert add_concept(plan=plan, name="sandpaper")


def test_a_plan_that_was_stopped_before_its_concepts_were_found_finds_them_later(plan: StudyPlan) -> None:
    services.stop_plan(plan=plan)
    with pytest.raises(EditRefused, match="not found yet"):
        add_concept(plan=plan, name="sandpaper")
    resume_plan(plan=plan)
    assert made(plan).status == PlanStatus.READY and len(names(plan)) > 3


def test_an_edit_does_not_restart_a_plan_that_was_stopped(plan: StudyPlan) -> None:
    made(plan)
    StudyPlan.objects.filter(pk=plan.pk).update(status=PlanStatus.STOPPED)
    concept = add_concept(plan=plan, name="sandpaper")
    assert not making.is_due()
    resume_plan(plan=plan)
    assert made(plan).status == PlanStatus.READY and concept.sources.exists()


def test_a_concept_that_is_renamed_while_the_plan_is_made_is_made_anew(
    plan: StudyPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = making._searched
    asked: list[str] = []
    searched: list[str] = []

    def rename_meanwhile(own: ConceptText, *more: Any, **fields: Any) -> MadeQuestions:
        asked.append(own.name)
        if len(asked) == 1:
            rename_concept(concept=plan.concepts.get(name=own.name), name="sandpaper")
        return make_questions(own, *more, **fields)

    def note_query(query: str, *more: Any) -> Retrieval:
        searched.append(query)
        return search(query, *more)

    monkeypatch.setattr(making, "make_questions", rename_meanwhile)
    monkeypatch.setattr(making, "_searched", note_query)
    assert made(plan).status == PlanStatus.READY
    assert "sandpaper" in asked and searched[-1].startswith("sandpaper")


def test_a_definition_that_is_written_while_the_plan_is_made_stays(
    plan: StudyPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(plan)
    concept = add_concept(plan=plan, name="sandpaper")
    search = making._searched

    def write_meanwhile(*args: Any) -> Retrieval:
        rename_concept(concept=plan.concepts.get(pk=concept.pk), name="sandpaper", definition="My own words.")
        return search(*args)

    monkeypatch.setattr(making, "_searched", write_meanwhile)
    assert made(plan).status == PlanStatus.READY
    concept.refresh_from_db()
    assert (concept.definition, concept.definition_source) == ("My own words.", None)


def test_a_concept_that_is_renamed_during_its_search_is_searched_again(
    plan: StudyPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(plan)
    concept = add_concept(plan=plan, name="sandpaper")
    search = making._searched
    searched: list[str] = []

    def rename_meanwhile(query: str, *more: Any) -> Retrieval:
        searched.append(query)
        if len(searched) == 1:
            rename_concept(concept=plan.concepts.get(pk=concept.pk), name="potholes")
        return search(query, *more)

    monkeypatch.setattr(making, "_searched", rename_meanwhile)
    assert made(plan).status == PlanStatus.READY
    assert [query.split(".")[0] for query in searched] == ["sandpaper", "potholes"]


def test_a_plan_says_how_it_can_be_made_better(people: Cast) -> None:
    own = personal_document(people.alice, "# Rivers\n\nErosion is the wearing away of a river bed.\n", "note.md")
    plan = made(create_plan(member=people.alice, title="Rivers", documents=[own.pk]))
    assert plan.notices == [making.NOTHING_MARKED]
    assert plan.shown_notices[1].startswith("1 concept was found: mark terms in bold")
    assert "a class is offered 8 or more" in plan.shown_notices[2]
    assert present_plan(plan)["notices"] == plan.shown_notices
    page = signed_in(people.alice).get(reverse("learning:plan", args=[plan.pk])).content.decode()
    assert "mark terms in bold" in page


def test_a_second_attempt_says_nothing_twice(people: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("the power is gone")

    own = personal_document(people.alice, "# Rivers\n\nErosion is the wearing away of a river bed.\n", "note.md")
    plan = create_plan(member=people.alice, title="Rivers", documents=[own.pk])
    with monkeypatch.context() as patch:
        patch.setattr(making, "store_concepts", fail)
        made(plan)
    assert made(plan).notices == [making.NOTHING_MARKED]


def test_a_plan_of_marked_terms_has_nothing_to_say(people: Cast) -> None:
    own = personal_document(people.alice, (HANDOUTS / "cell.en.md").read_text(), "cell.md")
    plan = made(create_plan(member=people.alice, title="Cell", documents=[own.pk]))
    assert plan.shown_notices == []


def test_bold_terms_of_a_word_file_are_concepts(people: Cast) -> None:
    document = docx.Document()
    for before, term, after in (
        ("Water crosses the ", "tonoplast", " of a plant."),
        ("Plants close their ", "stomata", " at night."),
    ):
        paragraph = document.add_paragraph(before)
        paragraph.add_run(term).bold = True
        paragraph.add_run(after)
    own = personal_document(people.alice, documents.saved(document), "plants.docx")
    assert own.chunks.get().text == "Water crosses the tonoplast of a plant.\n\nPlants close their stomata at night."
    plan = made(create_plan(member=people.alice, title="Plants", documents=[own.pk]))
    assert set(names(plan)) == {"tonoplast", "stomata"}
    assert making.NOTHING_MARKED not in plan.notices
    chatbot = make_chatbot(people.alice, personal=[own])
    by_topic = made(create_plan(member=people.alice, title="Water", topic="water of a plant", chatbot=chatbot))
    assert "tonoplast" in names(by_topic) and making.NOTHING_MARKED not in by_topic.notices
    assert not any("*" in source.text for source in ConceptSource.objects.filter(concept__plan=plan))


def test_prerequisites_come_first(plan: StudyPlan) -> None:
    made(plan)
    for concept in plan.concepts.all():
        assert all(other.position < concept.position for other in concept.prerequisites.all())


def test_without_concepts_it_says_what_to_do(people: Cast) -> None:
    own = personal_document(people.alice, "# Hello\n\nBring your boots tomorrow, please!\n", "note.md")
    plan = made(create_plan(member=people.alice, title="Boots", documents=[own.pk]))
    assert plan.status == PlanStatus.FAILED and plan.failure == making.NOTHING_FOUND


def test_without_its_documents_it_says_so(plan: StudyPlan) -> None:
    plan.tutor.personal_links.all().delete()
    assert made(plan).status == PlanStatus.FAILED and plan.failure.startswith("Nothing could be read")


def test_from_a_deleted_chatbot_nothing_is_made_until_it_is_restored(people: Cast) -> None:
    own = personal_document(people.alice, RIVERS, "rivers.md")
    chatbot = make_chatbot(people.alice, personal=[own])
    plan = create_plan(member=people.alice, title="Rivers", chatbot=chatbot)
    delete_chatbot(chatbot)
    made(plan)
    assert (plan.status, plan.failure) == (PlanStatus.FAILED, making.CHATBOT_DELETED)
    assert present_plan(plan)["chatbot_id"] is None
    assert chatbot.name not in signed_in(people.alice).get(reverse("learning:list")).content.decode()
    restore_chatbot(chatbot)
    resume_plan(plan=plan)
    assert made(plan).status == PlanStatus.READY


def test_stopped_in_the_middle_it_keeps_what_it_has(plan: StudyPlan, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(concept: Concept, *more: Any, **fields: Any) -> int:
        services.stop_plan(plan=plan)
        return 0

    with monkeypatch.context() as patch:
        patch.setattr(making, "make_concept_questions", stop)
        made(plan)
    assert plan.status == PlanStatus.STOPPED and plan.concepts.exists()
    kept = set(plan.concepts.values_list("pk", flat=True))
    services.resume_plan(plan=plan)
    assert made(plan).status == PlanStatus.READY
    assert set(plan.concepts.values_list("pk", flat=True)) == kept


def test_a_plan_that_was_stopped_sends_no_more_sections_to_the_model(
    plan: StudyPlan, model: type[ScriptedLLM], monkeypatch: pytest.MonkeyPatch
) -> None:
    write = ScriptedLLM.stream

    def stop(llm: ScriptedLLM, prompt: Prompt) -> Generator[str, None, str]:
        services.stop_plan(plan=plan)
        return (yield from write(llm, prompt))

    monkeypatch.setattr(write_concepts, "SECTION_TOKENS", 1)
    monkeypatch.setattr(ScriptedLLM, "stream", stop)
    model.enqueue(*[write_json()] * 20)
    made(plan)
    assert plan.status == PlanStatus.STOPPED and len(model.history) == 1


def test_after_a_fault_it_goes_on_where_it_ended(plan: StudyPlan, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Concept] = []
    make = making.make_concept_questions

    def fails_once(concept: Concept, *more: Any, **fields: Any) -> int:
        calls.append(concept)
        if len(calls) == 3:
            raise RuntimeError("the power is gone")
        return make(concept, *more, **fields)

    monkeypatch.setattr(making, "make_concept_questions", fails_once)
    made(plan)
    assert plan.status == PlanStatus.WORKING and plan.attempts == 1
    made(plan)
    assert plan.status == PlanStatus.READY
    assert len(calls) == plan.concepts.count() + 1


def test_after_the_last_attempt_it_fails_in_words(plan: StudyPlan, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> None:
        raise RuntimeError("always")

    monkeypatch.setattr(making, "_find_concepts", fails)
    for _ in range(MAX_ATTEMPTS):
        made(plan)
    assert plan.status == PlanStatus.FAILED and "operator" in plan.failure
    assert not making.make_next_plan()


def test_deleted_while_it_is_made(plan: StudyPlan, monkeypatch: pytest.MonkeyPatch) -> None:
    def delete(one: StudyPlan, *_: Any) -> None:
        services.delete_plan(plan=one)

    monkeypatch.setattr(making, "_fetch_sources", delete)
    assert making.make_next_plan()
    assert not StudyPlan.objects.exists() and not Concept.objects.exists()


def test_the_task_makes_what_waits_and_the_schedule_wakes_it(plan: StudyPlan) -> None:
    tasks.queue_unfinished_plans()
    while making.is_due():
        tasks.make_plans()
    plan.refresh_from_db()
    assert plan.status == PlanStatus.READY


def test_it_makes_room_for_others_after_each_concept(plan: StudyPlan) -> None:
    turns = 0
    while making.make_next_plan(0):
        turns += 1
    plan.refresh_from_db()
    assert plan.status == PlanStatus.READY and plan.attempts == 0
    assert turns >= 2 * plan.concepts.count()


def test_plans_take_turns(plan: StudyPlan, people: Cast) -> None:
    other = create_plan(
        member=people.bob, title="Bob's", documents=[personal_document(people.bob, RIVERS, "bobs.md").pk]
    )
    making.make_next_plan(0)
    making.make_next_plan(0)
    assert set(StudyPlan.objects.values_list("status", flat=True)) == {PlanStatus.WORKING}
    assert plan.concepts.exists() and other.concepts.exists()


def test_more_questions_are_other_questions(plan: StudyPlan) -> None:
    concept = made(plan).concepts.order_by("-definition").first()
    assert concept
    before = set(concept.questions.values_list("kind", "prompt"))
    tasks.make_more_questions(str(concept.pk))
    after = list(concept.questions.values_list("kind", "prompt"))
    assert len(after) == len(set(after)) >= len(before)


def test_the_plan_is_locked_before_its_concept(plan: StudyPlan) -> None:
    """As edits lock them; the other way round, each would wait for the other."""
    concept = made(plan).concepts.first()
    assert concept
    with CaptureQueriesContext(connection) as queries:
        making.make_concept_questions(concept, None)
    locks = [query["sql"] for query in queries if "FOR NO KEY UPDATE" in query["sql"]]
    tables = [sql.split('FROM "')[1].split('"')[0] for sql in locks]
    assert tables == [StudyPlan._meta.db_table, Concept._meta.db_table]


def test_a_topic_is_looked_up_in_live_wikipedia(people: Cast, wikis: Wikis) -> None:
    ReferenceSettings.objects.create(school=people.alice.school, allows_wikipedia_live=True, allows_outside_calls=True)
    plan = create_plan(member=people.alice, title="Plants", topic="Photosynthesis", kinds=["wikipedia_live"])
    made(plan)
    assert plan.status == PlanStatus.READY, plan.failure
    source = ConceptSource.objects.filter(concept__plan=plan).first()
    assert source and source.kind == "wikipedia_live" and source.address and source.revision and source.read_at


def test_changed_documents_are_told_and_brought_up_to_date(plan: StudyPlan) -> None:
    made(plan)
    document = plan.tutor.personal_documents.get()
    assert find_outdated_concepts(plan) == []
    changed = RIVERS.replace("like sandpaper", "and hollow out potholes, which are round holes in the bed")
    uploads.replace(document, make_file(changed, "rivers.md"), by=plan.owner)
    index_all()
    outdated = find_outdated_concepts(plan)
    assert outdated and len(outdated) < plan.concepts.count()
    assert services.refresh_plan(plan=plan) == len(outdated)
    made(plan)
    assert plan.status == PlanStatus.READY and find_outdated_concepts(plan) == []
    current = ConceptSource.objects.current().filter(concept__plan=plan)
    assert not any("sandpaper" in source.excerpt for source in current)
    asked = Question.objects.filter(concept__plan=plan).shown()
    for question in asked:
        assert not question.concept.sources.filter(number__in=question.source_numbers, is_current=False).exists()


def test_progress_survives_an_update(plan: StudyPlan, people: Cast) -> None:
    concept = made(plan).concepts.first()
    assert concept
    learner = Participant.objects.of(people.alice)
    ConceptProgress.objects.create(
        school_id=plan.school_id, concept=concept, participant=learner, card={}, due_at=timezone.now(), attempts=3
    )
    plan.tutor.personal_documents.get().delete()
    services.refresh_plan(plan=plan)
    made(plan)
    assert plan.status == PlanStatus.READY
    assert ConceptProgress.objects.get(concept=concept).attempts == 3


def test_plans_of_others_do_not_see_its_sources(plan: StudyPlan, people: Cast) -> None:
    made(plan)
    make_plan(people.charlie)
    for member in (people.bob, people.charlie, people.carol):
        seen = ConceptSource.objects.for_member(member).filter(concept__plan=plan)
        assert not seen.exists() and not StudyPlan.objects.for_member(member).filter(pk=plan.pk).exists()
