"""A kind of source that the product has never heard of goes through every page and route (ADR 19)."""

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.urls import reverse

from chatbots.answering.explanations import build_search_record, explain_choice
from chatbots.answering.retrieval import Retrieval, WeightedSource, retrieve
from chatbots.answering.source_selection import select_sources
from chatbots.insights.usage import compute_chatbot_usage
from chatbots.models import Chatbot, ChatbotSource, Message, MessageSource, QuestionLogEntry
from chatbots.question_log.store import WITHHELD
from chatbots.services import set_shares
from corpus.passages import Passage, Standing
from corpus.source_kinds import Participation, SourceKind, get_kind, register, unregister
from corpus.sources import Query, Source
from evaluation.models import TestQuestion
from evaluation.test_questions import find_obstacles, get_results, run_evaluation
from schools.models import Membership, User
from tests.factories import (
    Cast,
    finish_answers,
    make_chatbot,
    make_message,
    make_program,
    personal_document,
    school_document,
)
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.django_db(transaction=True)

QUESTION = "How strong may hydrochloric acid be?"
ADDRESS = "https://pedia.example/wiki/Hydrochloric_acid?a=1&b=2"
TEXT = "Hydrochloric acid of the shop has at most 10 mol/l, says the pedia."
READ_AT = datetime(2026, 3, 4, 12, tzinfo=UTC)
Model = type[ScriptedLLM]


class Pages(Source):
    """A few pages in memory."""

    is_indexed = False

    def __init__(self, kind: SourceKind, pages: Sequence[str], *, deadline_ms: int | None = None) -> None:
        self._kind, self.pages, self.deadline_ms = kind, pages, deadline_ms
        self.searches = 0
        self.may_answer = threading.Event()
        self.may_answer.set()

    @property
    def kind(self) -> SourceKind:
        return self._kind

    def is_empty(self) -> bool:
        return not self.pages

    def search(self, query: Query, limit: int) -> Sequence[Passage]:
        self.searches += 1
        self.may_answer.wait(120)
        return [
            Passage(
                kind=self.kind,
                document_title="Hydrochloric acid <i>",
                heading_path=("Uses",),
                excerpt=text,
                text=f"Before. {text} After.",
                relevance=0.9 - number / 10,
                score=1.0,
                position=number,
                standing=Standing(number + 1, len(self.pages), 0.7, 0.5, 0.5, 0.0, ("acid",), ("strong",)),
                address=ADDRESS,
                external_id="Q2409",
                revision="r77",
                read_at=READ_AT,
            )
            for number, text in enumerate(self.pages)
        ][:limit]


Registered = Callable[..., SourceKind]


@pytest.fixture
def third() -> Iterator[Registered]:
    """Registers the kind, public unless told otherwise, for one test."""

    def registered(pages: Sequence[str] = (TEXT,), **fields: Any) -> SourceKind:
        options: dict[str, Any] = {"icon": "wikipedia", "colour": "wikipedia", "is_private": False} | fields
        kind = SourceKind("encyclopaedia_extra", "Pedia", "the pedia", **options)
        register(replace(kind, source_for=lambda chatbot: Pages(get_kind(kind.value), pages)))
        return get_kind(kind.value)

    yield registered
    finish_answers()
    unregister("encyclopaedia_extra")


def share(chatbot: Chatbot, **weights: int) -> None:
    """Have these kinds share the places, and the others fill in."""
    rows = chatbot.all_sources()
    for row in rows:
        row.weight = weights.get(row.kind, 0)
        row.participation = Participation.SHARES if row.kind in weights else Participation.FILLS_IN
    set_shares(chatbot=chatbot, sources=rows)


def allowed(chatbot: Chatbot) -> list[ChatbotSource]:
    return [row for row in chatbot.all_sources() if row.is_allowed]


@pytest.fixture
def bot(people: Cast, third: Registered) -> Chatbot:
    """Alice's, which shares its places between the library and the third kind."""
    third()
    chatbot = make_chatbot(people.alice, school=[school_document(people.carol)])
    share(chatbot, school=50, encyclopaedia_extra=50)
    return chatbot


@pytest.fixture
def message(people: Cast, bot: Chatbot, model: Model) -> Message:
    """An answer that cites the third kind as its first source."""
    model.enqueue("At most 10 mol/l [1].")
    message = make_message(people.alice, bot, QUESTION)
    assert cited(message).kind == "encyclopaedia_extra"
    return message


def cited(message: Message) -> MessageSource:
    return MessageSource.objects.get(message=message, is_cited=True)


def signed_in(member: Membership) -> Client:
    client = Client()
    client.force_login(member.user)
    return client


def page(member: Membership, name: str, *args: Any, **query: Any) -> str:
    response = signed_in(member).get(reverse(name if ":" in name else f"chatbots:{name}", args=args), query)
    assert response.status_code == 200
    return response.content.decode()


def ask(chatbot: Chatbot) -> Retrieval:
    return retrieve(QUESTION, select_sources(chatbot), places=chatbot.places)


# The form and the weights


def test_it_is_chosen_in_the_form_of_a_chatbot(people: Cast, third: Registered) -> None:
    third()
    alice, url = signed_in(people.alice), reverse("chatbots:create")
    text = alice.get(url).content.decode()
    assert 'name="encyclopaedia_extra_participation"' in text
    assert 'name="encyclopaedia_extra_weight"' in text
    assert "The pedia" in text
    form = {"name": "A", "language": "en", "places": 10, "when_unsure": "refuse", "personal_weight": 30}
    form |= {"encyclopaedia_extra_participation": "shares", "encyclopaedia_extra_weight": 50}
    preview = alice.post(reverse("chatbots:places"), form | {"school_weight": 20}).content.decode()
    assert "10 pedia" in preview
    assert alice.post(url, form | {"school_weight": 40}).status_code == 422
    assert alice.post(url, form | {"school_weight": 20}).status_code == 302
    chatbot = Chatbot.objects.get()
    stored = {row.kind: (row.participation, row.weight) for row in chatbot.sources.all()}
    assert stored == {
        "personal": ("shares", 30),
        "school": ("shares", 20),
        "encyclopaedia_extra": ("shares", 50),
    }
    text = page(people.alice, "new-chat", chatbot.pk)
    assert "pedia" in text
    assert "50%" not in text, "it is the only one that has anything"
    fills = form | {"encyclopaedia_extra_participation": "fills_in", "school_weight": 70}
    assert alice.post(reverse("chatbots:edit", args=[chatbot.pk]), fills).status_code == 302
    assert chatbot.sources.get(kind="encyclopaedia_extra").weight == 0
    text = page(people.alice, "new-chat", chatbot.pk)
    assert "pedia fills in" in text
    assert "Answers come only from the pedia" in text


def test_a_chatbot_is_not_given_it_unasked(people: Cast, third: Registered) -> None:
    before = make_chatbot(people.alice)
    third(participation=Participation.SHARES)
    assert [row.participation for row in allowed(before)] == ["shares", "shares", "off"]
    kind = third(participation=Participation.FILLS_IN)
    after = make_chatbot(people.alice)
    third()
    new = make_chatbot(people.alice)
    taking = [next(row for row in bot.all_sources() if row.kind == kind.value).participation for bot in (after, new)]
    assert taking == [Participation.FILLS_IN, Participation.OFF]
    assert {row.kind: row.weight for row in allowed(before)} == {
        "personal": 60,
        "school": 40,
        "encyclopaedia_extra": 0,
    }
    assert not [one for one in select_sources(before) if one.source.kind == kind]


def test_the_rules_of_the_shares_stand_in_the_database(bot: Chatbot) -> None:
    rows = ChatbotSource.objects.filter(chatbot=bot)
    for wrong in (
        lambda: rows.filter(kind="school").update(weight=40),
        lambda: rows.filter(kind="school").delete(),
        lambda: rows.filter(kind="personal").update(weight=10),
        lambda: rows.filter(kind="school").update(participation="off"),
        lambda: rows.filter(kind="school").update(participation="sometimes"),
        lambda: ChatbotSource.objects.create(school_id=bot.school_id, chatbot=bot, kind="school"),
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            wrong()
            with connection.cursor() as cursor:
                cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    bot.delete()
    assert not ChatbotSource.objects.exists()


def test_the_two_weights_of_the_api_leave_the_rest_of_the_places_to_it(people: Cast, bot: Chatbot) -> None:
    api, url = make_program(people.alice), reverse("api:chatbot", args=[bot.pk])
    shown = api.get(url).json()
    assert (shown["personal_weight"], shown["school_weight"]) == (0, 50)
    same = {name: shown[name] for name in ("personal_weight", "school_weight")}
    assert api.patch(url, same, content_type="application/json").status_code == 200
    assert bot.sources.get(kind="encyclopaedia_extra").weight == 50
    assert bot.sources.get(kind="personal").participation == "fills_in"
    api.patch(url, {"school_weight": 30}, content_type="application/json")
    assert bot.sources.get(kind="encyclopaedia_extra").weight == 70


# Search


def test_it_shares_the_places(bot: Chatbot) -> None:
    found = ask(bot)
    assert {one.passage.kind.value for one in found.placed} == {"school", "encyclopaedia_extra"}
    best = found.placed[0]
    assert (best.passage.origin, best.weight) == ("Q2409", 50)
    assert {one.kind.value for one in found.searched} == {"school", "encyclopaedia_extra"}


def test_what_fills_in_takes_only_places_that_are_empty(people: Cast, third: Registered) -> None:
    third([f"Hydrochloric acid, remark {n}." for n in range(3)])
    chatbot = make_chatbot(people.alice, school=[school_document(people.carol)], places=3)
    share(chatbot, school=100)
    found = ask(chatbot)
    library = [one for one in found.placed if one.passage.kind.value == "school"]
    assert library
    assert len(found.placed) == 3
    assert found.placed[: len(library)] == tuple(library), "they come first, though less relevant"
    chosen = explain_choice(build_search_record(found))
    assert chosen
    assert any("went to the pedia" in sentence for sentence in chosen.sentences)
    chatbot.places = len(library)
    found = ask(chatbot)
    assert [one.passage.kind.value for one in found.placed] == ["school"] * len(library)
    assert [kind.value for kind in found.not_needed] == ["encyclopaedia_extra"]
    chosen = explain_choice(build_search_record(found))
    assert chosen
    assert chosen.sentences[-1] == "No place was empty, so nothing was taken from the pedia."


@contextmanager
def silent(chatbot: Chatbot, *, deadline_ms: int) -> Iterator[list[WeightedSource]]:
    """The sources of a chatbot, of which the third kind does not answer within this block."""
    kind = get_kind("encyclopaedia_extra")
    source = Pages(kind, [TEXT], deadline_ms=deadline_ms)
    source.may_answer.clear()
    try:
        yield [replace(one, source=source) if one.source.kind == kind else one for one in select_sources(chatbot)]
    finally:
        source.may_answer.set()


def test_a_late_source_does_not_hold_back_the_others(bot: Chatbot) -> None:
    with silent(bot, deadline_ms=100) as sources:
        found = retrieve(QUESTION, sources, places=5, deadline_ms=60_000)
    assert [one.value for one in found.unavailable] == ["encyclopaedia_extra"]
    assert {one.passage.kind.value for one in found.placed} == {"school"}


def test_a_source_that_fills_in_is_waited_for_only_while_a_place_is_empty(bot: Chatbot) -> None:
    share(bot, school=100)
    with silent(bot, deadline_ms=600_000) as sources:
        found = retrieve(QUESTION, sources, places=1, deadline_ms=60_000)
    assert (found.unavailable, [one.value for one in found.not_needed]) == ((), ["encyclopaedia_extra"])
    with silent(bot, deadline_ms=100) as sources:
        found = retrieve(QUESTION, sources, places=20, deadline_ms=60_000)
    assert [one.value for one in found.unavailable] == ["encyclopaedia_extra"]
    assert {one.passage.kind.value for one in found.placed} == {"school"}


def test_a_source_without_an_index_is_asked_once(
    people: Cast, third: Registered, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither for another embedding model when it finds nothing, nor for more when it gives as much as it may."""
    kind = third()
    chatbot = make_chatbot(people.alice)
    share(chatbot, encyclopaedia_extra=100)
    refreshed: list[int] = []
    monkeypatch.setattr("chatbots.answering.retrieval.refresh_active_model", lambda: refreshed.append(1))
    for pages in (["The same."] * 10, []):
        source = Pages(kind, pages)
        sources = [replace(one, source=source) for one in select_sources(chatbot)]
        found = retrieve(QUESTION, sources, places=2)
        assert (source.searches, len(found.placed)) == (1, min(len(pages), 1))
    assert not refreshed


def test_one_text_in_two_sources_names_both(people: Cast, third: Registered, model: Model) -> None:
    text = "Hydrochloric acid for year 9 has 0.5 mol/l."
    third([text])
    own = personal_document(people.alice, f"# Acid\n\n{text}\n", "own.md")
    chatbot = make_chatbot(people.alice, personal=[own])
    share(chatbot, personal=40, encyclopaedia_extra=60)
    message = make_message(people.alice, chatbot, QUESTION)
    (source,) = message.sources.all()
    assert (source.kind, source.also_in) == ("encyclopaedia_extra", ["Personal: own"])


def test_the_share_of_a_kind_that_nobody_registers_any_more_goes_with_the_next_change(
    people: Cast, bot: Chatbot
) -> None:
    unregister("encyclopaedia_extra")
    try:
        assert {one.passage.kind.value for one in ask(bot).placed} == {"school"}
        api, url = make_program(people.alice), reverse("api:chatbot", args=[bot.pk])
        change = api.patch(url, {"personal_weight": 20}, content_type="application/json").json()
        assert (change["personal_weight"], change["school_weight"]) == (20, 80)
        assert {row.kind for row in bot.sources.all() if row.is_allowed} == {"personal", "school"}
        assert not bot.sources.filter(kind="encyclopaedia_extra").exists()
    finally:
        register(SourceKind("encyclopaedia_extra", "Pedia", "the pedia"))


def test_the_operator_cannot_break_the_sum_of_the_shares(people: Cast, bot: Chatbot) -> None:
    operator = signed_in(people.alice)
    User.objects.filter(pk=people.alice.user_id).update(is_staff=True, is_superuser=True)
    url = reverse("admin:chatbots_chatbot_change", args=[bot.pk])
    page = operator.get(url).content.decode()
    assert "encyclopaedia_extra" in page
    rows = list(bot.sources.all())
    fields = {"name": bot.name, "language": "en", "kind": "general", "places": 5, "when_unsure": "refuse"}
    for prefix, count in (("sources", len(rows)), ("personal_links", 0), ("school_links", 1)):
        fields |= {f"{prefix}-TOTAL_FORMS": count, f"{prefix}-INITIAL_FORMS": count}
    fields |= {"school_links-0-id": bot.school_links.get().pk, "school_links-0-chatbot": str(bot.pk)}
    for number, row in enumerate(rows):
        fields |= {f"sources-{number}-id": row.pk, f"sources-{number}-chatbot": str(bot.pk)}
        fields |= {
            f"sources-{number}-participation": row.participation,
            f"sources-{number}-weight": row.weight,
        }
    assert operator.post(url, fields).status_code == 302
    first = next(number for number, row in enumerate(rows) if row.weight)
    response = operator.post(url, fields | {f"sources-{first}-weight": 49})
    assert "The weights must add up to 100." in response.content.decode()


# The answer and its pages


def test_its_snapshot_has_an_address_and_no_document(message: Message) -> None:
    source = cited(message)
    assert (source.document_id, source.version, source.position) == (None, None, 0)
    assert (source.address, source.external_id, source.revision) == (ADDRESS, "Q2409", "r77")
    assert (source.read_at, source.weight) == (READ_AT, 50)


@pytest.mark.parametrize(
    "address",
    [
        "",
        "ftp://pedia.example/",
        "http:///pedia.example",
        "javascript:alert(1)",
        "//evil.example",
        "/\\evil.example",
        "https://",
    ],
)
def test_no_other_address_can_be_stored(message: Message, address: str) -> None:
    with pytest.raises(IntegrityError):
        MessageSource.objects.filter(pk=cited(message).pk).update(address=address)
    with pytest.raises(ValidationError):
        replace_address(cited(message), address).validate_constraints()


def replace_address(source: MessageSource, address: str) -> MessageSource:
    source.address = address
    return source


def test_the_conversation_shows_its_badge_its_address_and_why(people: Cast, message: Message) -> None:
    text = page(people.alice, "chat", message.chat_id)
    assert 'class="badge kind-wikipedia"' in text
    assert "Pedia<span" in text
    assert 'href="https://pedia.example/wiki/Hydrochloric_acid?a=1&amp;b=2" target="_blank"' in text
    assert 'rel="noopener noreferrer"' in text
    assert "The best match of the 1 passage searched in the pedia." in text
    assert "for the pedia (50%)" in text
    assert "Hydrochloric acid &lt;i&gt;" in text
    assert "Source 1, pedia:" in text


def test_it_opens_as_it_was_read_and_leads_to_its_address(people: Cast, message: Message) -> None:
    text = page(people.alice, "source", cited(message).pk)
    assert "This is the text as it was read on 4 Mar 2026" in text
    assert "(revision r77)" in text
    assert "Open pedia.example" in text
    assert 'rel="noopener noreferrer"' in text
    assert "found in the pedia at a weight of 50%" in text
    assert "Before." in text
    assert 'id="passage"' in text


def test_a_stranger_cannot_open_it(people: Cast, message: Message) -> None:
    url = reverse("chatbots:source", args=[cited(message).pk])
    for member in (people.bob, people.carol, people.charlie):
        assert signed_in(member).get(url).status_code == 404


def test_a_kind_that_nobody_registers_any_more_still_opens(people: Cast, message: Message) -> None:
    unregister("encyclopaedia_extra")
    try:
        text = page(people.alice, "source", cited(message).pk)
        assert "Encyclopaedia_extra" in text
        assert page(people.alice, "chat", message.chat_id)
        assert {one.source.kind.value for one in select_sources(message.chat.chatbot)} == {"school"}  # type: ignore[arg-type]
    finally:
        register(SourceKind("encyclopaedia_extra", "Pedia", "the pedia"))


def test_it_is_printed_and_exported_with_its_address(people: Cast, message: Message) -> None:
    text = page(people.alice, "print-chat", message.chat_id)
    assert ADDRESS.replace("&", "&amp;") in text
    assert "(Pedia, may answer)" in text
    text = page(people.alice, "export-chat", message.chat_id)
    assert "pedia.example/wiki/Hydrochloric" in text
    assert "(Pedia, may answer)" in text


def test_where_it_could_not_be_searched_it_is_named(people: Cast, message: Message) -> None:
    Message.objects.filter(pk=message.pk).update(unavailable=["encyclopaedia_extra"])
    assert "The pedia could not be searched this time" in page(people.alice, "chat", message.chat_id)
    assert "The pedia could not be searched this time" in page(people.alice, "print-chat", message.chat_id)
    assert "The pedia could not be searched this time" in page(people.alice, "export-chat", message.chat_id)


# The question log and the figures


def test_the_log_keeps_what_is_not_private_with_its_address(people: Cast, message: Message) -> None:
    row = QuestionLogEntry.objects.get()
    assert (row.answer, row.draws_on_own) == ("At most 10 mol/l [1].", False)
    assert [one["address"] for one in row.citations] == [ADDRESS]
    text = page(people.carol, "question-log")
    link = 'href="https://pedia.example/wiki/Hydrochloric_acid?a=1&amp;b=2" target="_blank" rel="noopener'
    assert link in text
    assert ADDRESS in page(people.carol, "export-question-log")
    (logged,) = make_program(people.carol).get(reverse("api:question-log")).json()["results"]
    assert (logged["citations"][0]["address"], logged["citations"][0]["document_id"]) == (ADDRESS, None)


def test_a_private_third_kind_is_withheld_from_the_log(people: Cast, third: Registered, model: Model) -> None:
    third(is_private=True)
    chatbot = make_chatbot(people.alice)
    share(chatbot, encyclopaedia_extra=100)
    model.enqueue("At most 10 mol/l [1].")
    make_message(people.alice, chatbot, QUESTION)
    row = QuestionLogEntry.objects.get()
    assert (row.answer, row.draws_on_own, row.citations) == ("", True, [])
    text = page(people.carol, "question-log")
    assert WITHHELD in text
    assert "pedia.example" not in text


def test_it_counts_in_the_figures(people: Cast, message: Message, bot: Chatbot) -> None:
    assert compute_chatbot_usage(bot).answered == 1
    figures = signed_in(people.carol).get(reverse("chatbots:school-usage"), headers={"HX-Request": "true"})
    assert "<dt>Answered</dt><dd>1</dd>" in figures.content.decode()
    assert bot.name in page(people.alice, "list")


# Test questions


@pytest.mark.needs("evaluation")
def test_it_is_expected_by_a_test_question(people: Cast, message: Message, bot: Chatbot) -> None:
    alice = signed_in(people.alice)
    url = reverse("evaluation:pin", args=[message.pk])
    alice.post(url, {"question": QUESTION, "expected": str(cited(message).pk)})
    pinned = TestQuestion.objects.get()
    assert (pinned.kind, pinned.document_id, pinned.external_id) == ("encyclopaedia_extra", None, "Q2409")
    done = run_evaluation(bot)
    assert get_results(done, [pinned])[pinned.pk].passed
    assert not find_obstacles(bot, [pinned])
    TestQuestion.objects.update(external_id="Q1")
    assert not get_results(run_evaluation(bot), TestQuestion.objects.all())[pinned.pk].passed
    TestQuestion.objects.update(external_id="Q2409")
    run_evaluation(bot)
    assert "Pedia" in page(people.alice, "evaluation:list", bot.pk)
    share(bot, school=100)
    ChatbotSource.objects.filter(kind="encyclopaedia_extra").update(participation="off")
    text = page(people.alice, "evaluation:list", bot.pk)
    assert "Share of the pedia: 50% → off" in text
    assert "With its current settings the chatbot does not search the pedia." in text


@pytest.mark.needs("evaluation")
def test_what_a_trial_finds_of_it_is_pinned(people: Cast, bot: Chatbot) -> None:
    alice = signed_in(people.alice)
    tried = alice.post(reverse("evaluation:try-search", args=[bot.pk]), {"question": QUESTION})
    assert "searched in the pedia" in tried.content.decode()
    key = tried.context["tried"][0].key
    alice.post(reverse("evaluation:add", args=[bot.pk]), {"question": QUESTION, "expected": key})
    pinned = TestQuestion.objects.get()
    assert (pinned.external_id, pinned.excerpt) == ("Q2409", TEXT)
    other = make_chatbot(people.alice)
    url = reverse("evaluation:add", args=[other.pk])
    assert alice.post(url, {"question": QUESTION, "expected": key}).status_code == 422


# Programs


@pytest.mark.needs("openai_api")
def test_programs_get_it(people: Cast, bot: Chatbot, model: Model) -> None:
    api = make_program(people.alice)
    found = post(api, reverse("api:search", args=[bot.pk]), {"query": QUESTION})
    first = found["passages"][0]
    assert (first["source"], first["document"], first["address"]) == ("encyclopaedia_extra", None, ADDRESS)
    model.enqueue("At most 10 mol/l [1].", "At most 10 mol/l [1].")
    answer = post(api, reverse("api:ask", args=[bot.pk]), {"question": QUESTION})
    (citation,) = answer["citations"]
    assert (citation["address"], citation["title"]) == (ADDRESS, "Hydrochloric acid <i>")
    assert (citation["revision"], answer["sources"][0]["source"]) == ("r77", "encyclopaedia_extra")
    asked = {"model": str(bot.pk), "messages": [{"role": "user", "content": QUESTION}]}
    completion = post(api, reverse("api:openai-completions"), asked)
    assert completion["citations"][0]["address"] == ADDRESS


def post(api: Client, url: str, body: dict[str, Any]) -> Any:
    response = api.post(url, body, content_type="application/json")
    assert response.status_code == 200, response.content
    return json.loads(response.content)
