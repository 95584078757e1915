"""A chatbot is shared with colleagues, who ask it or change it; the end of that is the end of all access."""

import re
from typing import Any
from uuid import uuid4

import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from chatbots.conversations import asking
from chatbots.conversations.audience import MemberPolicy
from chatbots.forms import ChatbotForm
from chatbots.models import Chat, Chatbot, ChatbotRole, Collaborator, Message, MessageSource, MessageStatus
from chatbots.sharing import colleagues, revocation
from knowledge.models import PersonalDocument
from schools.models import Membership
from schools.services import remove_member
from tests.factories import Cast, answer, make_chatbot, make_member, make_message, make_program, signed_in
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.django_db
QUESTION = "How strong may hydrochloric acid be?"
FORM = {"name": "Acids 9", "language": "en", "personal_weight": 60, "places": 5, "when_unsure": "refuse"}


@pytest.fixture
def alice(people: Cast) -> Client:
    return signed_in(people.alice)


@pytest.fixture
def bob(people: Cast) -> Client:
    return signed_in(people.bob)


def share(
    people: Cast, chatbot: Chatbot, role: ChatbotRole = ChatbotRole.READER, *, colleague: Membership | None = None
) -> Any:
    revocation.set_document_consent(chatbot, is_given=True)
    return colleagues.share_with(chatbot=chatbot, owner=people.alice, colleague=colleague or people.bob, role=role)


def page(client: Client, name: str, *args: object) -> str:
    response = client.get(reverse(f"chatbots:{name}", args=args))
    assert response.status_code == 200
    return response.content.decode()


def list_kinds(message: Message) -> set[str]:
    return set(message.sources.values_list("kind", flat=True))


@pytest.mark.needs("evaluation")
def test_the_owner_shares_it_and_the_colleague_finds_it(
    alice: Client, bob: Client, people: Cast, chatbot: Chatbot
) -> None:
    form = page(alice, "share", chatbot.pk)
    assert "Only you use this chatbot so far." in form
    assert alice.get(reverse("chatbots:share", args=[chatbot.pk])).context["form"]["documents"].value() is None
    assert people.charlie.user.email not in form, "colleagues of the school only"
    assert people.alice.user.email not in form.partition("<main")[2]
    sent = {"colleague": people.bob.pk, "role": "reader", "documents": "on"}
    told = alice.post(reverse("chatbots:share", args=[chatbot.pk]), sent, follow=True).content.decode()
    assert "Shared with Bob" in told
    assert "Shared with 1 colleague" in page(alice, "list")
    listed = page(bob, "list")
    assert chatbot.name in listed
    assert "Shared by Alice" in listed
    assert 'aria-label="Settings of' not in listed
    assert 'aria-label="Delete' not in listed
    talk = page(bob, "new-chat", chatbot.pk)
    assert "Shared by Alice" in talk
    assert reverse("chatbots:edit", args=[chatbot.pk]) not in talk
    assert reverse("evaluation:list", args=[chatbot.pk]) not in talk


@pytest.mark.parametrize("sent", [{}, {"colleague": "0", "role": "reader"}, {"colleague": "me", "role": "owner"}])
def test_what_cannot_be_shared_is_said(alice: Client, people: Cast, chatbot: Chatbot, sent: dict[str, Any]) -> None:
    known = {"0": 0, "me": people.alice.pk}
    data = {name: known.get(value, value) for name, value in sent.items()}
    response = alice.post(reverse("chatbots:share", args=[chatbot.pk]), data)
    assert response.status_code == 422
    assert "Choose" in response.content.decode()
    assert not Collaborator.objects.exists()


def test_it_is_shared_within_the_school_and_by_its_owner_only(people: Cast, chatbot: Chatbot) -> None:
    wrong = [
        (people.alice, people.charlie),
        (people.alice, people.alice),
        (people.bob, people.carol),
        (Membership.objects.create(school=people.charlie.school, user=people.alice.user), people.bob),
    ]
    for owner, colleague in wrong:
        with pytest.raises(colleagues.SharingRefused):
            colleagues.share_with(chatbot=chatbot, owner=owner, colleague=colleague, role=ChatbotRole.READER)
    tutor = make_chatbot(people.alice, is_tutor=True)
    with pytest.raises(colleagues.SharingRefused):
        share(people, tutor)
    row = {"school": people.alice.school, "chatbot": chatbot, "membership": people.charlie, "shared_by": people.alice}
    with pytest.raises(IntegrityError), transaction.atomic():  # checked at the end of the transaction
        Collaborator.objects.create(role=ChatbotRole.READER, **row)
        connection.check_constraints()


def test_a_colleague_asks_in_conversations_of_their_own(
    alice: Client, bob: Client, people: Cast, chatbot: Chatbot
) -> None:
    hers = make_message(people.alice, chatbot, "Which acid does Alice take for year 9?")
    share(people, chatbot)
    his = make_message(people.bob, chatbot, QUESTION)
    assert his.status == MessageStatus.DONE
    assert list_kinds(his) == {"personal", "school"}
    for client, own, other in ((alice, hers, his), (bob, his, hers)):
        assert own.question in page(client, "chat", own.chat_id)
        assert other.question not in page(client, "new-chat", chatbot.pk)
        assert other.question not in page(client, "chats")
        assert "1 conversation<" in page(client, "list"), "only one's own are counted"
        for name, key in (("chat", other.chat_id), ("turn", other.pk), ("source", other.sources.all()[0].pk)):
            assert client.get(reverse(f"chatbots:{name}", args=[key])).status_code == 404


def test_the_owners_documents_are_quoted_and_not_opened(bob: Client, people: Cast, chatbot: Chatbot) -> None:
    share(people, chatbot)
    message = make_message(people.bob, chatbot, QUESTION)
    source = message.sources.filter(kind="personal")[0]
    text = page(bob, "source", source.pk)
    assert source.excerpt[:30] in text
    assert "only its owner can open the document" in text
    assert reverse("knowledge:detail", args=[source.document_id]) not in text
    assert bob.get(reverse("knowledge:detail", args=[source.document_id])).status_code == 404
    told = page(bob, "chat", message.chat_id)
    exported = bob.get(reverse("chatbots:export-chat", args=[message.chat_id])).content.decode()
    shown = [told, text, page(bob, "new-chat", chatbot.pk), page(bob, "list"), page(bob, "print-chat", message.chat_id)]
    for one in (*(page.partition("<main")[2] for page in shown), exported):
        assert not re.search("(?<![-#])personal", one, re.IGNORECASE)
    assert "The owner’s" in told and "The owner’s" in text
    for name, key in (("new-chat", chatbot.pk), ("list", None)):
        assert "1 of the owner’s documents, 1 from the library" in page(bob, name, *filter(None, [key]))
    assert "has been deleted since" not in told
    assert "Pin as test question" not in told
    assert "Find in your own" not in told


def test_without_consent_colleagues_get_nothing_from_the_owners_documents(
    alice: Client, bob: Client, people: Cast, chatbot: Chatbot
) -> None:
    sent = {"colleague": people.bob.pk, "role": "reader"}
    assert alice.post(reverse("chatbots:share", args=[chatbot.pk]), sent).status_code == 302
    assert list_kinds(make_message(people.bob, chatbot, QUESTION)) == {"school"}
    assert list_kinds(make_message(people.alice, chatbot, QUESTION)) == {"personal", "school"}, "the owner as before"
    title = PersonalDocument.objects.get().title
    found = make_program(people.bob).post(
        reverse("api:search", args=[chatbot.pk]), {"query": QUESTION}, "application/json"
    )
    assert {one["source"] for one in found.json()["passages"]} == {"school"}
    opening = bob.get(reverse("chatbots:opening", args=[chatbot.pk])).content.decode()
    assert title not in opening
    assert "Year 9 acids" not in opening
    assert "1 personal" not in page(bob, "new-chat", chatbot.pk)
    told = alice.post(reverse("chatbots:share-documents", args=[chatbot.pk]), {"documents": "on"}, follow=True)
    assert "Colleagues get answers from your documents." in told.content.decode()
    assert list_kinds(make_message(people.bob, chatbot, QUESTION)) == {"personal", "school"}


def write_by_a_model(settings: Settings) -> None:
    """Let answers grow: quotations are there at once."""
    settings.LECTERN_ANSWERER = "tests.scripted.ScriptedLLM"
    ScriptedLLM.reset()
    ScriptedLLM.enqueue(*["At most 1 mol/l is allowed [1]."] * 2)


def test_when_the_consent_ends_answers_to_colleagues_are_stopped(
    alice: Client, people: Cast, chatbot: Chatbot, settings: Settings, django_capture_on_commit_callbacks: Any
) -> None:
    write_by_a_model(settings)
    share(people, chatbot)
    his, hers = (make_message(member, chatbot, QUESTION, answered=False) for member in (people.bob, people.alice))
    events = [answer(message.pk) for message in (his, hers)]
    for one in events:
        next(one)
    with django_capture_on_commit_callbacks(execute=True):
        alice.post(reverse("chatbots:share-documents", args=[chatbot.pk]))
    for one in events:
        list(one)
    his.refresh_from_db()
    hers.refresh_from_db()
    assert (his.status, his.notice) == (MessageStatus.STOPPED, revocation.WITHOUT_DOCUMENTS)
    assert hers.status == MessageStatus.DONE


def doors(chatbot: Chatbot, message: Message) -> list[str]:
    """What a colleague may open of a shared chatbot."""
    of_chatbot = [reverse(f"chatbots:{name}", args=[chatbot.pk]) for name in ("new-chat", "opening")]
    of_chat = [reverse(f"chatbots:{name}", args=[message.chat_id]) for name in ("chat", "export-chat", "print-chat")]
    of_message = [reverse(f"chatbots:{name}", args=[message.pk]) for name in ("turn", "stream", "given-prompt")]
    return [*of_chatbot, *of_chat, *of_message, reverse("chatbots:source", args=[message.sources.all()[0].pk])]


@pytest.mark.parametrize("how", ["removed", "left", "owner left", "deleted"])
def test_every_door_closes_at_once(how: str, alice: Client, bob: Client, people: Cast, chatbot: Chatbot) -> None:
    row = share(people, chatbot)
    message = make_message(people.bob, chatbot, QUESTION)
    urls = doors(chatbot, message)
    assert [bob.get(url).status_code for url in urls] == [200] * len(urls)
    match how:
        case "removed":
            assert alice.post(reverse("chatbots:stop-sharing", args=[row.pk])).status_code == 302
        case "left":
            remove_member(membership=people.bob)
            people = Cast(
                people.alice, make_member(people.alice.school, "bob"), people.carol, people.charlie, people.chloe
            )
        case "owner left":
            remove_member(membership=people.alice)
        case "deleted":
            alice.post(reverse("chatbots:delete", args=[chatbot.pk]))
    assert [bob.get(url).status_code for url in urls] == [404] * len(urls)
    for name, key in (("ask-first", chatbot.pk), ("ask", message.chat_id), ("ask-again", message.pk)):
        assert bob.post(reverse(f"chatbots:{name}", args=[key]), {"question": "Why?"}).status_code == 404, name
    for rows in (Chat.objects, Message.objects, MessageSource.objects):
        assert not rows.for_member(people.bob).exists()
    for name in ("list", "chats"):
        assert chatbot.name not in page(bob, name)
        assert QUESTION not in page(bob, name)
    with pytest.raises(asking.Gone):
        asking.ask(policy=MemberPolicy(people.bob), chatbot=chatbot, question="Why?", chat=message.chat)


def test_shared_again_the_conversations_are_back(bob: Client, people: Cast, chatbot: Chatbot) -> None:
    row = share(people, chatbot)
    message = make_message(people.bob, chatbot, QUESTION)
    colleagues.stop_sharing(row)
    share(people, chatbot)
    assert QUESTION in page(bob, "chat", message.chat_id)


@pytest.mark.parametrize("how", ["removed", "left"])
def test_an_answer_to_a_colleague_is_stopped(
    how: str, people: Cast, chatbot: Chatbot, settings: Settings, django_capture_on_commit_callbacks: Any
) -> None:
    write_by_a_model(settings)
    row = share(people, chatbot)
    message = make_message(people.bob, chatbot, QUESTION, answered=False)
    events = answer(message.pk)
    next(events)
    with django_capture_on_commit_callbacks(execute=True):
        if how == "removed":
            colleagues.stop_sharing(row)
        else:
            remove_member(membership=people.bob)
    list(events)
    message.refresh_from_db()
    assert (message.status, message.notice) == (MessageStatus.STOPPED, revocation.NOT_SHARED)


def test_a_question_that_was_on_its_way_is_not_answered(people: Cast, chatbot: Chatbot) -> None:
    row = share(people, chatbot)
    message = make_message(people.bob, chatbot, QUESTION, answered=False)
    Collaborator.objects.filter(pk=row.pk)._raw_delete("default")  # not noticed by anybody
    list(answer(message.pk))
    message.refresh_from_db()
    assert message.status == MessageStatus.FAILED
    assert "no longer shared with you" in message.notice
    assert not message.sources.exists()


def test_an_editor_changes_settings_and_library_documents(
    bob: Client, alice: Client, people: Cast, chatbot: Chatbot
) -> None:
    share(people, chatbot, ChatbotRole.EDITOR)
    PersonalDocument.objects.update(title="zephyrquartz")
    form = page(bob, "edit", chatbot.pk)
    assert "zephyrquartz" not in form
    preview = bob.post(f"{reverse('chatbots:places')}?chatbot={chatbot.pk}", FORM).content.decode()
    assert "zephyrquartz" not in preview
    assert "Nothing is chosen from the owner’s documents" not in preview
    assert "Personal" not in form and "Personal" not in preview and "The owner’s" in preview
    assert "Share of the owner’s documents" in form and "Share of personal documents" in page(alice, "edit", chatbot.pk)
    assert "Only the owner of the chatbot chooses these." in form
    assert "is_named_in_log" not in form
    assert 'id="use"' not in form
    sent = {**FORM, "instructions": "Be brief.", "school_documents": []}
    assert bob.post(reverse("chatbots:edit", args=[chatbot.pk]), sent).status_code == 302
    chatbot.refresh_from_db()
    assert (chatbot.name, chatbot.instructions, chatbot.owner) == ("Acids 9", "Be brief.", people.alice.user)
    assert chatbot.personal_links.count() == 1, "the owner’s documents stay"
    assert not chatbot.school_links.exists()
    own = PersonalDocument.objects.get()
    sent = {**FORM, "personal_documents": [own.pk]}
    assert bob.post(reverse("chatbots:edit", args=[chatbot.pk]), sent).status_code == 422


def test_what_the_other_saved_meanwhile_is_not_lost(bob: Client, alice: Client, people: Cast, chatbot: Chatbot) -> None:
    share(people, chatbot, ChatbotRole.EDITOR)
    url = reverse("chatbots:edit", args=[chatbot.pk])
    seen = alice.get(url).context["form"]["seen"].value()
    assert bob.post(url, {**FORM, "name": "Bob’s name", "seen": seen}).status_code == 302
    refused = alice.post(url, {**FORM, "name": "Alice’s name", "seen": seen})
    assert refused.status_code == 422
    assert "has been changed since you opened this page" in refused.content.decode()
    assert "Alice’s name" in refused.content.decode(), "what was typed is kept"
    assert Chatbot.objects.get(pk=chatbot.pk).name == "Bob’s name"
    again = refused.context["form"]["seen"].value()
    assert alice.post(url, {**FORM, "name": "Alice’s name", "seen": again}).status_code == 302
    assert Chatbot.objects.get(pk=chatbot.pk).name == "Alice’s name"


def test_saving_a_form_changes_nothing_about_sharing(bob: Client, people: Cast, chatbot: Chatbot) -> None:
    """A form that was opened before the owner ended the consent writes nothing back."""
    share(people, chatbot, ChatbotRole.EDITOR)
    form = ChatbotForm({**FORM}, instance=Chatbot.objects.get(pk=chatbot.pk), member=people.bob)
    assert form.is_valid()
    revocation.set_document_consent(chatbot, is_given=False)
    colleagues.set_template(chatbot, is_template=True)
    form.save()
    chatbot.refresh_from_db()
    assert (chatbot.colleagues_get_documents, chatbot.is_template, chatbot.name) == (False, True, "Acids 9")


@pytest.mark.needs("evaluation")
@pytest.mark.parametrize("role", [ChatbotRole.READER, ChatbotRole.EDITOR])
def test_only_the_owner_shares_deletes_and_sees_the_rest(
    bob: Client, people: Cast, chatbot: Chatbot, role: ChatbotRole
) -> None:
    row = share(people, chatbot, role)
    for name in ("share", "delete", "restore", "erase", "offer-template", "share-documents"):
        data = {"offer": "on", "colleague": people.carol.pk, "role": "editor"}
        assert bob.post(reverse(f"chatbots:{name}", args=[chatbot.pk]), data).status_code in (403, 404), name
    for name in ("change-collaborator", "stop-sharing"):
        assert bob.post(reverse(f"chatbots:{name}", args=[row.pk]), {"role": "editor"}).status_code == 404, name
    assert bob.get(reverse("evaluation:list", args=[chatbot.pk])).status_code == 404
    edits = bob.get(reverse("chatbots:edit", args=[chatbot.pk])).status_code
    assert edits == (200 if role == ChatbotRole.EDITOR else 403)
    row.refresh_from_db()
    assert (row.role, Collaborator.objects.count(), chatbot.deleted_at) == (role, 1, None)


def test_a_role_is_changed(alice: Client, bob: Client, people: Cast, chatbot: Chatbot) -> None:
    row = share(people, chatbot)
    edit = reverse("chatbots:edit", args=[chatbot.pk])
    for role, status in (("editor", 200), ("reader", 403), ("owner", 403)):
        alice.post(reverse("chatbots:change-collaborator", args=[row.pk]), {"role": role})
        assert bob.get(edit).status_code == status
    assert share(people, chatbot, ChatbotRole.EDITOR) == row
    assert Collaborator.objects.get().role == ChatbotRole.EDITOR


def test_strangers_find_nothing(people: Cast, chatbot: Chatbot) -> None:
    row = share(people, chatbot)
    for member in (people.carol, people.charlie, people.chloe):
        client = signed_in(member)
        for name in ("share", "copy", "archive", "bring-back", "offer-template", "share-documents"):
            url = reverse(f"chatbots:{name}", args=[chatbot.pk])
            gone = reverse(f"chatbots:{name}", args=[uuid4()])
            assert (client.post(url).status_code, client.post(gone).status_code) == (404, 404), name
        assert client.post(reverse("chatbots:stop-sharing", args=[row.pk])).status_code == 404
    assert Collaborator.objects.get() == row


@pytest.mark.needs("openai_api")
def test_programs_see_the_role_and_may_no_more(people: Cast, chatbot: Chatbot) -> None:
    share(people, chatbot)
    program, url = make_program(people.bob), reverse("api:chatbot", args=[chatbot.pk])
    (listed,) = program.get(reverse("api:chatbots")).json()["results"]
    assert (listed["role"], listed["shared"]) == ("reader", True)
    assert make_program(people.alice).get(url).json()["role"] == "owner"
    assert make_program(people.alice).get(url).json()["shared"] is True
    sources = reverse("api:chatbot-sources", args=[chatbot.pk])
    assert program.get(sources).json()["personal"] == []
    refused = [
        program.patch(url, {"name": "Mine"}, "application/json"),
        program.delete(url),
        program.put(sources, {"personal": [], "school": []}, "application/json"),
    ]
    assert [response.status_code for response in refused] == [403] * 3
    asked = program.post(reverse("api:ask", args=[chatbot.pk]), {"question": QUESTION}, "application/json")
    assert asked.status_code == 200
    models = program.get(reverse("api:openai-models")).json()["data"]
    assert [one["id"] for one in models] == [str(chatbot.pk)]


def test_programs_of_an_editor_change_what_editors_change(people: Cast, chatbot: Chatbot) -> None:
    share(people, chatbot, ChatbotRole.EDITOR)
    program, url = make_program(people.bob), reverse("api:chatbot", args=[chatbot.pk])
    changed = program.patch(url, {"name": "Ours"}, "application/json")
    assert (changed.status_code, changed.json()["name"], changed.json()["role"]) == (200, "Ours", "editor")
    assert program.delete(url).status_code == 403
    sources = reverse("api:chatbot-sources", args=[chatbot.pk])
    own = PersonalDocument.objects.get()
    refused = program.put(sources, {"personal": [str(own.pk)], "school": []}, "application/json")
    assert refused.status_code == 400
    assert chatbot.school_links.count() == 1, "nothing was changed"
    assert program.put(sources, {"personal": [], "school": []}, "application/json").status_code == 200
    assert (chatbot.personal_links.count(), chatbot.school_links.count()) == (1, 0)
    assert program.post(reverse("api:chatbot-restore", args=[chatbot.pk])).status_code == 403


def test_deleting_says_that_colleagues_lose_it(alice: Client, people: Cast, chatbot: Chatbot) -> None:
    share(people, chatbot)
    make_message(people.bob, chatbot, QUESTION)
    told = alice.post(reverse("chatbots:delete", args=[chatbot.pk]), follow=True).content.decode()
    assert "Colleagues can no longer open it." in told
    assert "With its 1 conversation, 1 of them of colleagues." in page(alice, "erase", chatbot.pk)
    alice.post(reverse("chatbots:restore", args=[chatbot.pk]))
    assert Collaborator.objects.exists(), "restored, it is shared as before"
