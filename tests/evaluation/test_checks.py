"""Test questions: what a chatbot should find, and whether a change has made it better or worse."""

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from chatbots.models import Chatbot, Message
from chatbots.services import set_personal_documents, set_weights
from corpus.ingestion import uploads
from evaluation import test_questions
from evaluation.forms import PinForm, list_passage_choices
from evaluation.models import EvaluationRun, TestQuestion
from evaluation.test_questions import (
    QuestionResult,
    compare_results,
    find_obstacles,
    get_results,
    list_changes,
    run_evaluation,
)
from knowledge.models import PersonalDocument
from school_library.models import SchoolDocument
from school_library.services import set_published
from tests.factories import (
    ACIDS,
    Cast,
    index_all,
    make_file,
    make_message,
    personal_document,
)

pytestmark = pytest.mark.django_db

QUESTION = "How strong may hydrochloric acid be for year 9?"
UNRELATED = "Who won the football world cup in 1954?"


@pytest.fixture
def client(people: Cast) -> Client:
    client = Client()
    client.force_login(people.alice.user)
    return client


def pin(chatbot: Chatbot, question: str = QUESTION, *, excerpt: str = "", refused: bool = False) -> TestQuestion:
    document = PersonalDocument.objects.get()
    expected = {"kind": "personal", "document_id": document.pk, "document_title": document.title}
    return TestQuestion.objects.create(
        school_id=chatbot.school_id,
        chatbot=chatbot,
        question=question,
        is_refused=refused,
        excerpt=excerpt,
        **({} if refused else expected),
    )


def outcome(run: EvaluationRun, pinned: TestQuestion) -> QuestionResult:
    return get_results(run, [pinned])[pinned.pk]


def page(client: Client, chatbot: Chatbot) -> str:
    return client.get(reverse("evaluation:list", args=[chatbot.pk])).content.decode()


def test_a_run_tells_the_place_and_the_relevance_of_what_is_expected(chatbot: Chatbot, settings: Settings) -> None:
    settings.LECTERN_RELEVANCE_THRESHOLD = 0.85
    passage = pin(chatbot, excerpt="Use hydrochloric acid of 0.5 mol/l for year 9.")
    other = pin(chatbot, excerpt="The practical takes twenty-five minutes; groups of three share one burette.")
    refused = pin(chatbot, UNRELATED, refused=True)
    wrongly = pin(chatbot, QUESTION, refused=True)
    done = run_evaluation(chatbot)
    found = outcome(done, passage)
    assert (found.passed, found.place) == (True, 1)
    assert found.level in ("answers", "may answer")
    missing = outcome(done, other)
    assert (missing.passed, missing.place) == (False, 0)
    assert missing.level, "it is told what is said of it"
    assert outcome(done, refused).passed
    assert not outcome(done, wrongly).passed


def test_a_passage_is_known_by_its_words_when_the_document_is_cut_anew(chatbot: Chatbot, people: Cast) -> None:
    pinned = pin(chatbot, excerpt="Use hydrochloric acid of 0.5 mol/l for year 9.")
    assert outcome(run_evaluation(chatbot), pinned).passed
    more = ACIDS.replace("## Practical", "## Preparation\n\nFetch the trays.\n\n## Practical").replace("Use", "Take")
    uploads.replace(PersonalDocument.objects.get(), make_file(more), by=people.alice.user)
    index_all()
    assert outcome(run_evaluation(chatbot), pinned).passed
    uploads.replace(
        PersonalDocument.objects.get(),
        make_file("# Acids\n\nHydrochloric acid for year 9.\n"),
        by=people.alice.user,
    )
    index_all()
    assert not outcome(run_evaluation(chatbot), pinned).passed


def test_under_the_same_setup_a_run_is_written_over_and_a_change_shows_what_it_did(
    chatbot: Chatbot, people: Cast, client: Client
) -> None:
    pinned = pin(chatbot)
    run_evaluation(chatbot)
    first = run_evaluation(chatbot)
    assert EvaluationRun.objects.get() == first
    set_weights(chatbot, {"personal": 0})
    assert "Share of personal documents: 60% → 0%" in page(client, chatbot)
    client.post(reverse("evaluation:run", args=[chatbot.pk]))
    second, before = EvaluationRun.objects.all()
    assert before == first
    assert compare_results(outcome(second, pinned), outcome(before, pinned)) == test_questions.WORSE
    text = page(client, chatbot)
    assert "<b>0 of 1</b> find what they should" in text
    assert "<b>1</b> got worse and <b>0</b> better" in text
    assert "With its current settings the chatbot does not search personal documents." in text
    assert "What had changed before the last run" in text


def test_a_question_that_was_changed_has_no_result(chatbot: Chatbot, client: Client) -> None:
    pinned = pin(chatbot)
    done = run_evaluation(chatbot)
    data = {"question": "How long does it take?", "expected": "kept"}
    assert client.post(reverse("evaluation:edit", args=[pinned.pk]), data).status_code == 302
    pinned.refresh_from_db()
    assert pinned.question == "How long does it take?"
    assert not get_results(done, [pinned])
    assert "not run" in page(client, chatbot)


def test_only_the_last_run_and_the_one_before_the_last_change_are_kept(chatbot: Chatbot) -> None:
    pin(chatbot)
    for places in (1, 2):
        EvaluationRun.objects.create(school_id=chatbot.school_id, chatbot=chatbot, setup={"places": places})
    run_evaluation(chatbot)
    assert EvaluationRun.objects.count() == 2
    assert not EvaluationRun.objects.filter(setup={"places": 1}).exists()


@pytest.mark.parametrize(
    ("now", "before", "told"),
    [
        (QuestionResult(True, 1), QuestionResult(False), "better"),
        (QuestionResult(False), QuestionResult(True, 1), "worse"),
        (QuestionResult(True, 2), QuestionResult(True, 1), "worse"),
        (QuestionResult(True, 1), QuestionResult(True, 3), "better"),
        (QuestionResult(True, 1, "may answer"), QuestionResult(True, 1, "answers"), "same"),
        (QuestionResult(False), QuestionResult(False), "same"),
        (QuestionResult(True, 1), None, "new"),
        (QuestionResult(False, problem="Not searched."), QuestionResult(True, 1), "same"),
    ],
)
def test_better_and_worse(now: QuestionResult, before: QuestionResult | None, told: str) -> None:
    assert compare_results(now, before) == told


def test_what_changed_between_two_runs_is_named() -> None:
    before = {"sources": {"personal": ["shares", 60]}, "places": 5, "threshold": 0.5, "model": "m"}
    after = before | {"places": 8, "documents": {"b": ["Plan", 2], "c": ["Atlas", 1]}}
    assert list_changes(before | {"documents": {"a": ["Old", 1], "b": ["Plan", 1]}}, after) == [
        "Added: Atlas",
        "No longer there: Old",
        "Passages per answer: 5 → 8",
        "Updated: Plan (version 1 → 2)",
    ]


def test_a_document_that_is_withdrawn_or_unlinked_is_named(chatbot: Chatbot, people: Cast) -> None:
    own, library = pin(chatbot), pin(chatbot)
    document = SchoolDocument.objects.get()
    library.kind, library.document_id = "school", document.pk
    library.save()
    assert not find_obstacles(chatbot, [own, library])
    gone = "The chatbot does not read the expected document any more."
    set_published(document=document, published=False)
    assert find_obstacles(chatbot, [own, library]) == {library.pk: gone}
    PersonalDocument.objects.update(status="queued", answering_version=None)
    unread = "The expected document has not been read yet, or could not be read."
    assert find_obstacles(chatbot, [own, library]) == {own.pk: unread, library.pk: gone}
    set_personal_documents(chatbot=chatbot, member=people.alice, documents=[])
    assert find_obstacles(chatbot, [own, library]) == {own.pk: gone, library.pk: gone}


def test_an_answer_is_pinned_with_the_first_source_that_it_cites(
    chatbot: Chatbot, people: Cast, client: Client
) -> None:
    message = make_message(people.alice, chatbot, QUESTION)
    cited = message.sources.filter(is_cited=True).first()
    assert cited
    assert next(iter(list_passage_choices(message))) == str(cited.pk)
    url = reverse("evaluation:pin", args=[message.pk])
    assert url in client.get(reverse("chatbots:chat", args=[message.chat_id])).content.decode()
    assert QUESTION in client.get(url).content.decode()
    client.post(url, {"question": QUESTION, "expected": str(cited.pk)})
    pinned = TestQuestion.objects.get()
    assert (pinned.document_id, pinned.excerpt, pinned.kind) == (cited.document_id, cited.excerpt, cited.kind)
    assert outcome(run_evaluation(chatbot), pinned).passed


def test_a_refusal_is_pinned_as_one(chatbot: Chatbot, people: Cast, client: Client) -> None:
    message = make_message(people.alice, chatbot, UNRELATED)
    client.post(reverse("evaluation:pin", args=[message.pk]), {"question": UNRELATED, "expected": "refused"})
    pinned = TestQuestion.objects.get()
    assert pinned.is_refused
    assert outcome(run_evaluation(chatbot), pinned).passed


def test_a_test_question_is_typed_with_its_document(chatbot: Chatbot, client: Client) -> None:
    url = reverse("evaluation:add", args=[chatbot.pk])
    for wrong in ({"question": "", "expected": "refused"}, {"question": "x" * 2001, "expected": "refused"}):
        assert client.post(url, wrong).status_code == 422
    document = SchoolDocument.objects.get()
    client.post(url, {"question": "When are goggles worn?", "expected": f"school:{document.pk}"})
    assert outcome(run_evaluation(chatbot), TestQuestion.objects.get()).passed


def test_a_question_is_pinned_once(chatbot: Chatbot, client: Client) -> None:
    """Also by two forms that were looked at before either was saved; one that is edited keeps its own."""
    url = reverse("evaluation:add", args=[chatbot.pk])
    asked = {"question": UNRELATED, "expected": "refused"}
    two = [PinForm(asked, chatbot=chatbot) for _ in range(2)]
    assert all(form.is_valid() for form in two)
    assert two[0].save() == two[1].save()
    response = client.post(url, asked)
    assert response.status_code == 422
    assert "This is already a test question" in response.content.decode()
    (pinned,) = TestQuestion.objects.all()
    edit = reverse("evaluation:edit", args=[pinned.pk])
    assert client.post(edit, asked).status_code == 302
    assert client.post(url, {"question": QUESTION, "expected": "refused"}).status_code == 302
    assert client.post(edit, {"question": QUESTION, "expected": "refused"}).status_code == 422
    assert TestQuestion.objects.count() == 2


def test_nobody_expects_a_document_that_the_chatbot_does_not_read(chatbot: Chatbot, people: Cast) -> None:
    theirs = personal_document(people.bob, "# Bob\n\nBob’s notes on acid.\n", "bob.md")
    form = PinForm({"question": QUESTION, "expected": f"personal:{theirs.pk}"}, chatbot=chatbot)
    assert not form.is_valid()
    assert theirs.title not in str(form)


def test_the_search_is_tried_without_a_conversation(chatbot: Chatbot, client: Client) -> None:
    url = reverse("evaluation:try-search", args=[chatbot.pk])
    text = client.post(url, {"question": QUESTION}).content.decode()
    assert "Use hydrochloric acid of 0.5 mol/l" in text
    assert "passages searched in personal documents" in text
    assert "Closest passages that were not selected" in text
    assert "Nothing answers this" in client.post(url, {"question": UNRELATED}).content.decode()
    assert client.post(url, {"question": " "}).status_code == 422
    assert not Message.objects.exists()


def test_what_was_tried_is_pinned_with_its_passage(chatbot: Chatbot, client: Client) -> None:
    tried = client.post(reverse("evaluation:try-search", args=[chatbot.pk]), {"question": QUESTION})
    key = tried.context["tried"][0].key
    url = reverse("evaluation:add", args=[chatbot.pk])
    client.post(url, {"question": QUESTION, "expected": key})
    pinned = TestQuestion.objects.get()
    assert pinned.excerpt == tried.context["tried"][0].placed.passage.excerpt
    for odd in ("passage:personal:x:1", "::", key.rpartition(":")[0] + ":²", key + "9", key[1:]):
        assert client.post(url, {"question": QUESTION, "expected": odd}).status_code == 422


def test_saving_a_chatbot_leads_to_its_test_questions(chatbot: Chatbot, client: Client) -> None:
    form = {
        "name": "Chemistry",
        "language": "en",
        "personal_weight": "50",
        "places": "5",
        "when_unsure": "refuse",
    }
    url, link = (
        reverse("chatbots:edit", args=[chatbot.pk]),
        f'href="{reverse("evaluation:list", args=[chatbot.pk])}">See',
    )
    assert link not in client.post(url, form, follow=True).content.decode()
    pin(chatbot)
    assert link in client.post(url, form, follow=True).content.decode()


def test_there_are_at_most_so_many(chatbot: Chatbot, client: Client) -> None:
    rows = [
        TestQuestion(school_id=chatbot.school_id, chatbot=chatbot, question=f"Who {n}?", is_refused=True)
        for n in range(test_questions.MAX_QUESTIONS)
    ]
    TestQuestion.objects.bulk_create(rows)
    url = reverse("evaluation:add", args=[chatbot.pk])
    response = client.post(url, {"question": "One more?", "expected": "refused"})
    assert response.status_code == 422
    assert "at most 50 test questions" in response.content.decode()
    assert chatbot.test_questions.count() == test_questions.MAX_QUESTIONS


def test_a_merged_document_is_expected_under_its_new_name(chatbot: Chatbot, people: Cast) -> None:
    pinned = pin(chatbot)
    document = PersonalDocument.objects.get()
    into = personal_document(people.alice, ACIDS + "\n\nMore.\n", "newer acids.md")
    uploads.merge(document, into=into)
    pinned.refresh_from_db()
    assert (pinned.document_id, pinned.document_title) == (into.pk, into.title)


def test_an_empty_list_says_what_it_is_for(chatbot: Chatbot, client: Client) -> None:
    assert "No test question yet" in page(client, chatbot)
