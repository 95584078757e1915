"""What a teacher sees of conversations, without a browser."""

from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from chatbots import services
from chatbots.models import Chat, Chatbot, Message, MessageSource, MessageStatus, Mode
from corpus.ingestion import uploads
from knowledge.models import PersonalDocument
from school_library.models import SchoolDocument
from school_library.services import set_published
from tests.factories import (
    ACIDS,
    Cast,
    finish_answers,
    index_all,
    make_chatbot,
    make_file,
    make_message,
    make_program,
    personal_document,
)
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.django_db
Model = type[ScriptedLLM]
QUESTION = "How strong may hydrochloric acid be?"


@pytest.fixture
def alice(people: Cast) -> Client:
    client = Client()
    client.force_login(people.alice.user)
    return client


def page(client: Client, name: str, *args: object) -> str:
    response = client.get(reverse(name, args=args))
    assert response.status_code == 200
    return response.content.decode()


def test_the_first_question_makes_a_conversation_named_after_it(
    alice: Client, people: Cast, chatbot: Chatbot, model: Model
) -> None:
    response = alice.post(reverse("chatbots:ask-first", args=[chatbot.pk]), {"question": QUESTION})
    chat = Chat.objects.get()
    assert (response.status_code, response.headers["Location"]) == (
        302,
        reverse("chatbots:chat", args=[chat.pk]),
    )
    assert chat.title == QUESTION
    finish_answers()
    text = page(alice, "chatbots:chat", chat.pk)
    assert "kind-personal" in text
    assert "nswer" in text


def test_an_unavailable_source_is_said(people: Cast, alice: Client, chatbot: Chatbot, model: Model) -> None:
    message = make_message(people.alice, chatbot, QUESTION)
    Message.objects.filter(pk=message.pk).update(unavailable=["school"])
    assert "The school’s library could not be searched this time" in page(alice, "chatbots:turn", message.pk)


def test_an_answer_from_general_knowledge_is_marked(
    people: Cast, alice: Client, chatbot: Chatbot, model: Model
) -> None:
    message = make_message(people.alice, chatbot, QUESTION)
    Message.objects.filter(pk=message.pk).update(mode=Mode.GENERAL)
    assert "General (no local cite)" in page(alice, "chatbots:turn", message.pk)


def test_a_refusal_shows_no_sources(people: Cast, alice: Client, chatbot: Chatbot, model: Model) -> None:
    model.enqueue("I cannot answer this from the sources of this chatbot.")
    message = make_message(people.alice, chatbot, QUESTION)
    text = page(alice, "chatbots:turn", message.pk)
    assert message.sources.exists()
    assert "note-" not in text


def test_cited_sources_stand_open_and_the_rest_is_folded(
    people: Cast, alice: Client, chatbot: Chatbot, model: Model
) -> None:
    model.enqueue("Half a mole [1].")
    message = make_message(people.alice, chatbot, QUESTION)
    text = page(alice, "chatbots:turn", message.pk)
    rest = message.sources.count() - 1
    assert f"Also searched: {rest} passage" in text
    assert text.index(f"note-{message.sources.get(number=1).pk}") < text.index("Also searched")


def test_an_interrupted_answer_offers_to_try_again(people: Cast, alice: Client, chatbot: Chatbot, model: Model) -> None:
    message = make_message(people.alice, chatbot, QUESTION)
    Message.objects.filter(pk=message.pk).update(status=MessageStatus.INTERRUPTED, notice="Interrupted.")
    assert "Try again" in page(alice, "chatbots:turn", message.pk)
    alice.post(reverse("chatbots:ask-again", args=[message.pk]))
    finish_answers()
    assert Message.objects.get(version_of=message).status == MessageStatus.DONE


def test_what_a_model_writes_cannot_become_html(people: Cast, alice: Client, chatbot: Chatbot, model: Model) -> None:
    model.enqueue("<script>alert(1)</script><img src=x onerror=alert(1)> [x](javascript:alert(1)) fine [1]")
    text = page(alice, "chatbots:turn", make_message(people.alice, chatbot, QUESTION).pk)
    assert "<script>alert" not in text
    assert "<img" not in text
    assert 'href="javascript' not in text


@pytest.mark.parametrize(
    "text",
    [
        "Acid burns [1].\n\n[1]: https://evil.example/x",
        "Acid burns [[1]](https://evil.example/x) [1].",
        "Acid burns [1](https://evil.example/x).",
        "<https://evil.example/x> [1] and https://evil.example/y",
    ],
)
def test_an_answer_links_to_its_sources_only(
    people: Cast, alice: Client, chatbot: Chatbot, model: Model, text: str
) -> None:
    model.enqueue(text)
    shown = page(alice, "chatbots:turn", make_message(people.alice, chatbot, QUESTION).pk)
    assert 'href="https://evil' not in shown
    assert 'class="cite kind-' in shown


def test_a_footnote_of_the_source_is_no_citation(people: Cast, alice: Client, chatbot: Chatbot, model: Model) -> None:
    model.enqueue("“as Smith showed \\[2]” [1]")
    message = make_message(people.alice, chatbot, QUESTION)
    shown = page(alice, "chatbots:turn", message.pk)
    assert shown.count('class="cite kind-') == 1
    assert not message.sources.get(number=2).is_cited


def test_a_markers_number_in_code_stays_code(people: Cast, alice: Client, chatbot: Chatbot, model: Model) -> None:
    model.enqueue("Use `a[1]` here [1].")
    text = page(alice, "chatbots:turn", make_message(people.alice, chatbot, QUESTION).pk)
    assert "<code>a[1]</code>" in text
    assert text.count('class="cite ') == 1


@pytest.fixture
def source(people: Cast, chatbot: Chatbot, model: Model) -> MessageSource:
    make_message(people.alice, chatbot, QUESTION)
    return MessageSource.objects.get(excerpt__contains="0.5 mol/l")


def test_a_source_opens_at_its_passage(alice: Client, source: MessageSource) -> None:
    text = page(alice, "chatbots:source", source.pk)
    assert '<mark id="passage">Use hydrochloric acid of 0.5 mol/l' in text
    assert "updated since" not in text


def test_a_source_whose_passage_is_unchanged_in_a_new_version_says_so(
    people: Cast, alice: Client, source: MessageSource
) -> None:
    replace(people, ACIDS.replace("twenty-five", "thirty"))
    text = page(alice, "chatbots:source", source.pk)
    assert "This passage is unchanged in the newer version." in text
    assert '<mark id="passage">Use hydrochloric acid of 0.5 mol/l' in text


def test_a_source_that_was_rewritten_shows_the_stored_excerpt(
    people: Cast, alice: Client, source: MessageSource
) -> None:
    replace(people, ACIDS.replace("0.5", "0.25"))
    text = page(alice, "chatbots:source", source.pk)
    assert "This passage has changed, or is no longer in the document." in text
    assert '<mark id="passage">Use hydrochloric acid of 0.5 mol/l' in text
    assert "0.25 mol/l" in text


def test_a_deleted_document_still_shows_the_stored_excerpt(alice: Client, source: MessageSource) -> None:
    uploads.delete(PersonalDocument.objects.get())
    text = page(alice, "chatbots:source", source.pk)
    assert "has been deleted since" in text
    assert '<mark id="passage">Use hydrochloric acid of 0.5 mol/l' in text


def test_a_withdrawn_document_shows_the_stored_excerpt_only(people: Cast, alice: Client, source: MessageSource) -> None:
    library = MessageSource.objects.filter(kind="school").first()
    assert library
    set_published(document=SchoolDocument.objects.get(), published=False)
    text = page(alice, "chatbots:source", library.pk)
    assert "withdrawn or deleted since" in text
    assert "Open in the library" not in text


def test_an_old_answer_says_that_its_source_has_changed_since(
    people: Cast, alice: Client, source: MessageSource
) -> None:
    chat = source.message.chat_id
    assert " since" not in page(alice, "chatbots:chat", chat)
    replace(people, ACIDS.replace("0.5", "0.25"))
    text = page(alice, "chatbots:chat", chat)
    assert "has been updated since. This is the passage as it was" in text
    assert ">What has changed</a>" in text
    uploads.delete(PersonalDocument.objects.get())
    assert "has been deleted since. This is the passage as it was" in page(alice, "chatbots:turn", source.message_id)


@pytest.mark.parametrize(
    ("old", "new"),
    [("twenty-five", "thirty"), ("# Year 9", "# Year 8"), ("acid of 0.5", "acid\nof 0.5")],
    ids=["elsewhere", "the heading above", "a line that breaks elsewhere"],
)
def test_an_old_answer_says_that_its_passage_is_unchanged_in_the_newer_version(
    people: Cast, alice: Client, source: MessageSource, old: str, new: str
) -> None:
    source.message.sources.exclude(pk=source.pk).delete()
    replace(people, ACIDS.replace(old, new))
    text = page(alice, "chatbots:chat", source.message.chat_id)
    assert "This passage is unchanged in the newer version." in text
    assert "What has changed" not in text


@pytest.mark.django_db(transaction=True)
def test_a_question_asked_by_htmx_reads_no_text_of_what_old_answers_cite(
    people: Cast, alice: Client, source: MessageSource
) -> None:
    replace(people, ACIDS.replace("twenty-five", "thirty"))
    with CaptureQueriesContext(connection) as queries:
        url = reverse("chatbots:ask", args=[source.message.chat_id])
        alice.post(url, {"question": "Why?", "message_id": str(uuid4())}, headers={"HX-Request": "true"})
    finish_answers()
    assert queries.captured_queries
    assert not [one for one in queries.captured_queries if "chunk" in one["sql"]]


def test_a_passage_of_a_document_that_answers_in_its_version_says_nothing_of_it(
    alice: Client, source: MessageSource
) -> None:
    text = page(alice, "chatbots:chat", source.message.chat_id)
    assert "updated since" not in text
    assert "newer version" not in text


def test_an_old_message_explains_itself_after_everything_is_gone(
    people: Cast, alice: Client, source: MessageSource
) -> None:
    uploads.delete(PersonalDocument.objects.get())
    uploads.delete(SchoolDocument.objects.get())
    text = page(alice, "chatbots:chat", source.message.chat_id)
    assert "0.5 mol/l" in text
    assert source.document_title in text


def test_conversations_are_listed_and_renamed(people: Cast, alice: Client, chatbot: Chatbot, model: Model) -> None:
    chat = make_message(people.alice, chatbot, QUESTION).chat
    assert QUESTION in page(alice, "chatbots:new-chat", chatbot.pk)
    alice.post(reverse("chatbots:rename-chat", args=[chat.pk]), {"title": "Acids, group B"})
    assert "Acids, group B" in page(alice, "chatbots:new-chat", chatbot.pk)
    assert alice.post(reverse("chatbots:rename-chat", args=[chat.pk]), {"title": " "}).status_code == 422


def test_deleting_a_chatbot_keeps_the_documents(people: Cast, alice: Client, chatbot: Chatbot, model: Model) -> None:
    make_message(people.alice, chatbot, QUESTION)
    alice.post(reverse("chatbots:delete", args=[chatbot.pk]))
    assert "With its 1 conversation." in page(alice, "chatbots:erase", chatbot.pk)
    alice.post(reverse("chatbots:erase", args=[chatbot.pk]))
    assert not Chat.objects.exists()
    assert PersonalDocument.objects.count() == SchoolDocument.objects.count() == 1


def test_a_chatbot_without_documents_says_what_to_do(people: Cast, alice: Client) -> None:
    chatbot = make_chatbot(people.alice)
    assert "has no documents yet" in page(alice, "chatbots:new-chat", chatbot.pk)


def test_a_library_document_is_linked_from_the_library(people: Cast, alice: Client, chatbot: Chatbot) -> None:
    document = SchoolDocument.objects.get()
    services.link_school_document(chatbot=chatbot, document=document, linked=False)
    url = reverse("chatbots:library-links", args=[document.pk])
    alice.post(url, {"chatbot": chatbot.pk, "linked": "on"})
    assert chatbot.school_links.count() == 1
    alice.post(url, {"chatbot": chatbot.pk})
    assert chatbot.school_links.count() == 0


def test_an_admin_sees_how_often_a_document_is_used(people: Cast, chatbot: Chatbot, model: Model) -> None:
    model.enqueue("One [1] and two [2].")
    make_message(people.alice, chatbot, QUESTION)
    client = Client()
    client.force_login(people.carol.user)
    text = page(client, "chatbots:document-usage", SchoolDocument.objects.get().pk)
    assert "Read by 1 chatbot; found for 1 and cited in 1 answer" in text
    assert QUESTION not in text


def test_sharing_one_text_in_both_places_names_both(people: Cast, alice: Client, model: Model) -> None:
    from tests.factories import school_document

    chatbot = make_chatbot(
        people.alice,
        personal=[personal_document(people.alice, ACIDS)],
        school=[school_document(people.carol, ACIDS, "Shared acids.md")],
    )
    message = make_message(people.alice, chatbot, "Which hydrochloric acid for year 9?")
    source = message.sources.get(excerpt__contains="0.5 mol/l")
    assert source.also_in == ["School: Shared acids"]
    assert "The same text: School: Shared acids" in page(alice, "chatbots:turn", message.pk)


def replace(people: Cast, text: str) -> None:
    uploads.replace(PersonalDocument.objects.get(), make_file(text), by=people.alice.user)
    index_all()


@pytest.mark.parametrize(("question", "words"), [("\u200b\u200b", "write a question"), ("😀😀", "ask in words")])
def test_a_question_without_words_is_refused_with_what_was_typed(
    alice: Client, chatbot: Chatbot, question: str, words: str
) -> None:
    refused = alice.post(reverse("chatbots:ask-first", args=[chatbot.pk]), {"question": question})
    page = refused.content.decode()
    assert (refused.status_code, words in page, question in page) == (422, True, True)
    assert not Message.objects.exists()


def test_names_that_nobody_can_see_are_refused(alice: Client, people: Cast, chatbot: Chatbot) -> None:
    refused = alice.post(reverse("chatbots:edit", args=[chatbot.pk]), {"name": "\u200b"})
    assert (refused.status_code, set(refused.context["form"].errors) >= {"name"}) == (422, True)
    answer = make_program(people.alice).patch(
        reverse("api:chatbot", args=[chatbot.pk]), {"name": "\u2800\u200b"}, "application/json"
    )
    assert (answer.status_code, set(answer.json()["errors"])) == (400, {"name"})
    message = make_message(people.alice, chatbot)
    renamed = alice.post(reverse("chatbots:rename-chat", args=[message.chat_id]), {"title": "\u200b"})
    assert (renamed.status_code, "give it a name" in renamed.content.decode()) == (422, True)


def test_early_exchanges_are_fetched_when_they_are_unfolded(
    alice: Client, people: Cast, chatbot: Chatbot, model: Model
) -> None:
    model.enqueue(*[f"Answer {letter} [1]." for letter in "ABCDE"])
    first, *_ = messages = [make_message(people.alice, chatbot, QUESTION)]
    messages += [make_message(people.alice, chatbot, f"{QUESTION} ({n})", chat=first.chat) for n in range(1, 5)]
    text = page(alice, "chatbots:chat", first.chat_id)
    assert [f"Answer {letter} " in text for letter in "ABCDE"] == [False, False, True, True, True]
    address = reverse("chatbots:turn", args=[first.pk])
    assert f'hx-get="{address}"' in text and QUESTION in text
    assert "Answer A " in page(alice, "chatbots:turn", first.pk)
    link = f"{reverse('chatbots:chat', args=[first.chat_id])}?answer={first.pk}"
    assert f'href="{link}#turn-{first.pk}"' in text
    assert "Answer A " in alice.get(link).content.decode(), "without JavaScript"
    for name in ("chatbots:print-chat", "chatbots:export-chat"):
        whole = page(alice, name, first.chat_id)
        assert all(f"Answer {letter} " in whole for letter in "ABCDE")


def test_a_longer_conversation_costs_no_more_statements(
    alice: Client, people: Cast, chatbot: Chatbot, model: Model
) -> None:
    model.enqueue(*["It has 0.5 mol/l [1]."] * 8)
    first = make_message(people.alice, chatbot, QUESTION)
    counts = []
    for extra in (3, 4):
        for number in range(extra):
            make_message(people.alice, chatbot, f"{QUESTION} ({number})", chat=first.chat)
        page(alice, "chatbots:chat", first.chat_id)
        with CaptureQueriesContext(connection) as counted:
            page(alice, "chatbots:chat", first.chat_id)
        counts.append(len(counted))
    assert counts[1] <= counts[0]
