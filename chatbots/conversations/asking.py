"""Store questions with pending answers."""

from __future__ import annotations

import hashlib
from datetime import timedelta
from typing import Any
from unicodedata import normalize
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone
from psycopg.errors import ForeignKeyViolation

from chatbots.answering import finalize
from chatbots.answering.selected_text import choose_language
from chatbots.conversations.audience import AudiencePolicy
from chatbots.models import Channel, Chat, Chatbot, Message, MessageStatus, Participant, Selection
from corpus.models import Document
from schools.models import Membership
from text.shortening import shorten
from text.visible import has_words, is_visible

MAX_QUESTION, MAX_SELECTION, MAX_TITLE = 2000, 20_000, 120


class QuestionRefused(Exception):
    """The question is invalid; the message says why."""


class QuotaUsed(QuestionRefused):
    """Whoever asks has no questions left for now."""


class Gone(QuestionRefused):
    """The chatbot or conversation has been deleted meanwhile, or the chatbot is no longer shared."""


class SelectionRefused(Exception):
    """The selected text is invalid; the message says why."""


def ask(
    *,
    policy: AudiencePolicy,
    chatbot: Chatbot,
    question: str,
    chat: Chat | None = None,
    message_id: UUID | None = None,
    channel: Channel | None = None,
    asked_page: dict[str, Any] | None = None,
    is_claimed: bool = False,
) -> Message:
    """Store a question with its pending answer, in a new conversation when none is given.

    `asked_page` is the `Message.asked_page` of a question about a single page. The form chooses `message_id`, so that a
    question that is sent twice is stored once. Nobody else writes the answer of a new one that is stored as claimed by
    this process (`is_claimed`). The caller then starts the answer with `jobs.start`, unless it is finished: a
    question that is held back is. Raises QuestionRefused, QuotaUsed and Gone.
    """
    question = clean_question(question)
    fields: dict[str, Any] = {"question": question, "channel": channel or policy.channel}
    fields["asked_page"] = asked_page or {}
    status = {"status": MessageStatus.WRITING} if is_claimed else {}
    try:
        return _store(policy, chatbot, chat, fields | status | ({"pk": message_id} if message_id else {}))
    except (IntegrityError, QuotaUsed) as error:
        same = policy.get_messages().filter(question=question, chat__chatbot=chatbot)
        sent = same.filter(pk=message_id or UUID(int=0), created_at__gte=timezone.now() - timedelta(minutes=1)).first()
        if sent:
            return sent
        if isinstance(error, QuotaUsed):
            raise
        if message_id is None:
            if not isinstance(error.__cause__, ForeignKeyViolation):
                raise
            what = "conversation" if chat else "chatbot"
            raise Gone(f"This {what} has been deleted meanwhile.") from None
        # Another question has this id: it comes from a page that was reopened with "Back".
        return ask(policy=policy, chatbot=chatbot, chat=chat, is_claimed=is_claimed, **fields)


@transaction.atomic
def _store(policy: AudiencePolicy, chatbot: Chatbot, chat: Chat | None, fields: dict[str, Any]) -> Message:
    """The question in its conversation, a new one if none is given; answered at once if it is held back."""
    policy.take_quota()
    school = chatbot.school_id
    now = timezone.now()
    if chat and not Chat.objects.kept().filter(pk=chat.pk).update(updated_at=now):
        raise Gone("This conversation has been deleted meanwhile.")
    participant = policy.find_asker(chatbot)
    if participant is None:
        is_kept = Chatbot.objects.kept().filter(pk=chatbot.pk).exists()
        raise Gone(f"This chatbot {'is no longer shared with you' if is_kept else 'has been deleted meanwhile'}.")
    if chat is None:
        title = make_title(fields["question"])
        chat = Chat.objects.create(
            school_id=school, chatbot=chatbot, participant=participant, title=title, created_at=now
        )
        fields["created_at"] = now  # by which `Message.begins_chat` knows it
    message = Message.objects.create(school_id=school, chat=chat, **fields)
    message.is_new = message.status == MessageStatus.WRITING
    if words := policy.check_question(message):
        finalize.withhold(message, words)
    return message


@transaction.atomic
def ask_about_selection(
    *,
    member: Membership,
    question: str,
    text: str,
    chatbot: Chatbot | None = None,
    document: Document | None = None,
    channel: Channel = Channel.WEB,
) -> Message:
    """Store a question that is to be answered from a selected text alone, in a conversation of its own.

    The text is stored unchanged. `document` is where it is from; the member may read it. Raises QuestionRefused and
    SelectionRefused.
    """
    question = clean_question(question)
    check_selection(text)
    chat = Chat.objects.create(
        school=member.school, chatbot=chatbot, participant=Participant.objects.of(member), title=make_title(question)
    )
    digest = hashlib.sha256(text.encode()).hexdigest()
    message = Message.objects.create(
        school=member.school, chat=chat, question=question, selection_hash=digest, channel=channel
    )
    Selection.objects.create(
        school=member.school,
        message=message,
        text=text,
        language=chatbot.language if chatbot else choose_language(text),
        document_id=document.pk if document else None,
        document_title=document.title if document else "",
        version=(document.answering_version or document.version) if document else None,
    )
    return message


def make_title(question: str) -> str:
    """The default title of a conversation that begins with this question."""
    return shorten(question.splitlines()[0], 80)


def check_selection(text: str) -> None:
    """Raises SelectionRefused for a text that is empty, too long or not storable."""
    if not is_visible(text):
        raise SelectionRefused("Please select some text.")
    if len(text) > MAX_SELECTION:
        raise SelectionRefused(
            f"The selected text has {len(text):,} characters; at most {MAX_SELECTION:,} are possible. Select less."
        )
    if "\x00" in text:
        raise SelectionRefused("The selected text has a character that is not text (NUL).")


def normalize_question(question: str) -> str:
    """The question trimmed, with plain line ends, and each letter with its accent as one character."""
    return normalize("NFC", question.replace("\x00", "").replace("\r\n", "\n")).strip()


def clean_question(question: str) -> str:
    """The question in its plain form. Raises QuestionRefused when it has no words or is too long."""
    question = normalize_question(question)
    if not is_visible(question):
        raise QuestionRefused("Please write a question.")
    if not has_words(question):
        raise QuestionRefused("Please ask in words: symbols alone cannot be looked up.")
    if len(question) > MAX_QUESTION:
        raise QuestionRefused(
            f"Your question has {len(question):,} characters; at most {MAX_QUESTION:,} are possible. Please shorten it."
        )
    return question


@transaction.atomic
def ask_again(*, message: Message, channel: Channel = Channel.WEB, policy: AudiencePolicy | None = None) -> Message:
    """Create another pending answer to the question of a message; the caller starts it.

    If an answer is being written, return that one (a double click, two tabs). If the question has an answer and is not
    the last of its conversation, return the newest answer, since later questions may refer to it. Return the message
    where `policy` has no questions left. Raises Message.DoesNotExist if the conversation has been deleted meanwhile.
    """
    try:
        if policy:
            policy.take_quota()
    except QuotaUsed:
        return message
    if not Chat.objects.kept().select_for_update(no_key=True).filter(pk=message.chat_id).values("pk").first():
        raise Message.DoesNotExist
    first = message.version_of or message
    versions = Message.objects.list_versions(first)
    unfinished = versions.unfinished().first()
    newest = versions.last()
    assert newest is not None
    if unfinished or not (newest.has_failed or is_last(first)):
        return unfinished or newest
    Chat.objects.filter(pk=first.chat_id).update(updated_at=timezone.now())
    return Message.objects.create(
        school_id=first.school_id,
        chat_id=first.chat_id,
        version_of=first,
        question=first.question,
        channel=channel,
        selection_hash=first.selection_hash,
        asked_page=first.asked_page,
    )


def ask_anew(*, policy: AudiencePolicy, message: Message) -> Message:
    """Ask a question once more: again where it stands if it is the last of its conversation, else at the end.

    The caller starts the answer. Raises Message.DoesNotExist and Gone if the conversation has been deleted meanwhile.
    """
    chatbot = message.chat.chatbot
    if chatbot is None or is_last(message.version_of or message):
        return ask_again(message=message)
    return ask(policy=policy, chatbot=chatbot, question=message.question, chat=message.chat)


def is_last(first: Message) -> bool:
    """Whether this is the last question of its conversation."""
    questions = Message.objects.filter(chat=first.chat_id, version_of=None)
    return questions.order_by("created_at", "pk").last() == first
