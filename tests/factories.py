"""The cast and its things. Alice owns, Bob is her colleague, Carol is admin of their school; Charlie teaches at
another school, Chloe is admin there."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from uuid import UUID

from django.contrib.auth.hashers import make_password
from django.core.files.base import ContentFile
from django.test import Client

from chatbots import services as chatbot_services
from chatbots.answering import recorder
from chatbots.answering.draft import Event
from chatbots.conversations import asking
from chatbots.conversations.audience import MemberPolicy
from chatbots.models import Chat, Chatbot, Message
from chatbots.streaming import registry
from corpus.ingestion.indexing import index_next_document
from corpus.ingestion.uploads import derive_title
from corpus.querysets import DocumentQuerySet
from knowledge import services as knowledge_services
from knowledge.models import PersonalDocument
from school_library import services as library_services
from school_library.models import SchoolDocument
from schools import tokens
from schools.models import Membership, Role, School, Scope, User
from tests.answering_here import record_here
from tests.remembered import reading_once

PASSWORD = "correct-horse-battery"

ACIDS = """# Year 9 acids

## Practical

Use hydrochloric acid of 0.5 mol/l for year 9. Acid goes into water, never water into acid.

## Timing

The practical takes twenty-five minutes; groups of three share one burette.
"""

SAFETY = """# Laboratory safety policy

## Goggles

Goggles are worn whenever a liquid other than water is open on the bench. Code LS-07 describes the checks.

## Acids

Without a teacher demonstration acids may have at most 1 mol/l.
"""


@dataclass(frozen=True)
class Cast:
    alice: Membership
    bob: Membership
    carol: Membership
    charlie: Membership
    chloe: Membership


def cast() -> Cast:
    here, there = make_school("Riverside"), make_school("Hillcrest")
    return Cast(
        alice=make_member(here, "alice"),
        bob=make_member(here, "bob"),
        carol=make_member(here, "carol", Role.ADMIN),
        charlie=make_member(there, "charlie"),
        chloe=make_member(there, "chloe", Role.ADMIN),
    )


def make_school(name: str) -> School:
    return School.objects.create(name=name, slug=name.lower())


def make_member(school: School, name: str, role: Role = Role.TEACHER) -> Membership:
    email = f"{name}@{school.slug}.example"
    user = User.objects.filter(email=email).first()
    user = user or User.objects.create(email=email, name=name.capitalize(), password=_hashed())
    return Membership.objects.create(school=school, user=user, role=role)


@cache
def _hashed() -> str:
    """Hashing is slow on purpose: once for everybody."""
    return make_password(PASSWORD)


def make_file(text: str | bytes = ACIDS, name: str = "acids.md") -> ContentFile[bytes]:
    return ContentFile(text.encode() if isinstance(text, str) else text, name=name)


def personal_document(
    member: Membership,
    text: str | bytes = ACIDS,
    name: str = "acids.md",
    *,
    indexed: bool = True,
    **fields: Any,
) -> PersonalDocument:
    fields.setdefault("title", derive_title(name))  # so that the text of a test does not change it
    document, _ = knowledge_services.upload(member=member, file=make_file(text, name), **fields)
    if indexed:
        index_all()
        document.refresh_from_db()
    return document


def school_document(
    member: Membership,
    text: str | bytes = SAFETY,
    name: str = "safety.md",
    *,
    indexed: bool = True,
    **fields: Any,
) -> SchoolDocument:
    fields.setdefault("title", derive_title(name))
    document, _ = library_services.upload(member=member, file=make_file(text, name), **fields)
    if indexed:
        index_all()
        document.refresh_from_db()
    return document


def index_all() -> None:
    """What the worker does, in this process, but that equal files are read once in a run."""
    with reading_once():
        index_anew()


def break_file(document: PersonalDocument) -> None:
    """Let reading the file of a document fail as a fault of ours: a folder stands in its place."""
    path = Path(document.newest.file.path)
    path.unlink()
    path.mkdir()


def index_anew() -> None:
    """What the worker does, in this process."""
    kinds: list[DocumentQuerySet[Any]] = [PersonalDocument.objects.all(), SchoolDocument.objects.all()]
    while (due := [documents for documents in kinds if documents.due().exists()]) and index_next_document(*due):
        pass


def make_chatbot(
    member: Membership,
    *,
    personal: list[PersonalDocument] | None = None,
    school: list[SchoolDocument] | None = None,
    **fields: Any,
) -> Chatbot:
    weight = fields.pop("personal_weight", None)
    chatbot = Chatbot.objects.create(
        school=member.school, owner=member.user, **({"name": "Chemistry 9 helper"} | fields)
    )
    if weight is not None:
        chatbot_services.set_weights(chatbot, {"personal": weight})
    if personal:
        chatbot_services.set_personal_documents(
            chatbot=chatbot, member=member, documents=[document.pk for document in personal]
        )
    if school:
        chatbot_services.set_school_documents(
            chatbot=chatbot, member=member, documents=[document.pk for document in school]
        )
    return chatbot


def get_weights(chatbot: Chatbot) -> dict[str, int]:
    return {row.kind: row.weight for row in chatbot.all_sources() if row.is_allowed}


def make_helper(people: Cast) -> Chatbot:
    """Alice's chatbot with a document of her own and one of the library, which are indexed together."""
    own, library = personal_document(people.alice, indexed=False), school_document(people.carol)
    return make_chatbot(people.alice, personal=[own], school=[library])


def make_message(
    member: Membership,
    chatbot: Chatbot,
    question: str = "How strong may the acid be?",
    *,
    chat: Chat | None = None,
    answered: bool = True,
) -> Message:
    """A question, answered to its end in this thread unless told otherwise."""
    message = asking.ask(policy=MemberPolicy(member), chatbot=chatbot, question=question, chat=chat)
    if answered:
        for _ in answer(message.pk):
            pass
        message.refresh_from_db()
    return message


def answer(message_id: UUID, history: Sequence[tuple[str, str]] = ()) -> Iterator[Event]:
    """Answer a pending message in this thread, also within a transaction that nobody else sees."""
    message = recorder.claim(message_id)
    if message:
        yield from record_here(recorder.Recorder(message, history=history))


def finish_answers() -> None:
    """Wait for the answers that are being written, so that none meets the next test's database."""
    until = time.monotonic() + 40
    while registry.jobs and time.monotonic() < until:
        time.sleep(0.005)


def make_token(member: Membership, *, write: bool = False, days: int | None = None) -> str:
    """The secret of a new access token."""
    scope = Scope.WRITE if write else Scope.READ
    return tokens.make(member=member, name="Script", scope=scope, days=days)[1]


def signed_in(member: Membership) -> Client:
    """A browser in which a person is signed in."""
    client = Client()
    client.force_login(member.user)
    return client


def proved_again(member: Membership) -> Client:
    """A client whose person was asked for the password once more a moment ago, and gave it."""
    client = signed_in(member)
    session = client.session
    session["account_authentication_methods_user"] = str(member.user_id)
    session["account_authentication_methods"] = [{"method": "password", "at": time.time(), "reauthenticated": True}]
    session.save()
    return client


def make_program(member: Membership, *, write: bool = True, **options: Any) -> Client:
    """A program of somebody, with an access token."""
    secret = make_token(member, write=write)
    return Client(headers={"Authorization": f"Bearer {secret}"}, **options)
