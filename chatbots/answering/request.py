"""Build the request for a stored question from its rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from uuid import UUID

from django.conf import settings
from django.db.models import Prefetch, QuerySet
from django.db.models.functions import Coalesce

from chatbots.answering.draft import UNSEARCHED, AnswerRequest
from chatbots.answering.prompts import MAX_EXCHANGES
from chatbots.answering.query_rewriting import Exchange
from chatbots.answering.refusals import SELECTION, get_refusal_sentence
from chatbots.answering.retrieval import WeightedSource
from chatbots.answering.selected_text import get_selection
from chatbots.answering.source_selection import choose_answerer, find_page_source, select_sources
from chatbots.citations.markers import strip_markers
from chatbots.guests import GuestTerms, filter_permitted_guests, get_guest_terms, list_withheld_before
from chatbots.models import (
    Chatbot,
    Language,
    Message,
    MessageSource,
    MessageStatus,
    Mode,
    Participant,
    WhenUnsure,
)
from chatbots.quoting.answerer import ExtractiveAnswerer
from chatbots.quoting.hints import HintsFirst
from corpus.source_kinds import get_kind
from corpus.sources import PageUnavailable
from engines.errors import EngineError
from engines.llm import LLM, get_llm
from schools.built_once import build_once
from schools.models import Membership

NOT_SERVED = "This chatbot was deleted or is no longer shared with you."
NOT_HERE = "You had no access when it was the turn of your question. Please ask again."
UNREAD = "could not be read just now. Your question is kept: please try again."


def build_request(message: Message, history: Sequence[tuple[str, str]] = (), *, is_new: bool = False) -> AnswerRequest:
    """The request of a message. `history` replaces the stored conversation. `is_new`: it was stored a moment ago, when
    its chatbot could be asked. Raises EngineError."""
    if not is_new:
        _check_access(message)
    chatbot = message.chat.chatbot
    llm = get_llm()
    if message.is_about_selection:
        selection = get_selection(message)
        return AnswerRequest(
            question=message.question,
            llm=llm,
            refuses_with=get_refusal_sentence(chatbot.language if chatbot else Language.ENGLISH, SELECTION),
            language=selection.language,
            selection=selection.text,
            max_tokens=get_prompt_budget(llm),
        )
    assert chatbot is not None, "a conversation without a chatbot is about a selected text"
    asked = message.asked_page
    participant = message.chat.participant
    terms = get_guest_terms(participant)
    llm = _in_their_manner(llm, chatbot, participant, terms)
    earlier = () if asked else _given(history) or load_history(message)
    return AnswerRequest(
        question=message.question,
        llm=llm,
        quoter=_in_their_manner(ExtractiveAnswerer(closes=False), chatbot, participant, terms)
        if llm.generative
        else llm,
        refuses_with=get_refusal_sentence(chatbot.language, chatbot.kind),
        language=chatbot.language,
        instructions="\n\n".join(filter(None, [chatbot.instructions, terms.instructions])),
        history=earlier,
        sources=(
            _single_page(chatbot, asked)
            if asked
            else select_sources(chatbot, participant=participant, answers=[one.answer for one in earlier])
        ),
        places=chatbot.places,
        reads=settings.LECTERN_READ_FOR_LLM or not llm.generative,
        names_sources=participant.user_id is not None,
        may_answer_generally=chatbot.when_unsure == WhenUnsure.GENERAL and not asked,
        max_tokens=get_prompt_budget(llm),
        unsearched=f"“{asked['title']}” {UNREAD}" if asked else UNSEARCHED,
    )


def _check_access(message: Message) -> None:
    """Raise EngineError where the asker has left, or may not use the chatbot any more."""
    asker = message.chat.participant
    if asker.user_id is None:
        is_here = asker.pk in filter_permitted_guests({asker.pk})
    else:
        members = Membership.objects.joined().filter(school=message.school_id, user__is_active=True)
        is_here = members.filter(user=asker.user_id).exists()
    if not is_here:
        raise EngineError(NOT_HERE)
    if not Message.objects.still_served().filter(pk=message.pk).exists():
        raise EngineError(NOT_SERVED)


def _in_their_manner(llm: LLM, chatbot: Chatbot, participant: Participant, terms: GuestTerms) -> LLM:
    """An answerer as the tutor of a plan, or a class, wants it."""
    hints = HintsFirst(llm) if terms.hints_first and not llm.generative else llm
    return choose_answerer(chatbot, participant, hints)


def _given(history: Sequence[tuple[str, str]]) -> list[Exchange]:
    return [Exchange(question, strip_markers(answer)) for question, answer in history]


def _single_page(chatbot: Chatbot, asked: Mapping[str, str]) -> list[WeightedSource]:
    """The page that was asked about, as the only source. Raises EngineError."""
    try:
        return [WeightedSource(find_page_source(chatbot, get_kind(asked["kind"]), asked["page"]), 100)]
    except PageUnavailable as reason:
        raise EngineError(str(reason)) from None


def load_history(message: Message) -> list[Exchange]:
    """The last answered or refused questions before this one, oldest first, each with one answer.

    Citations are removed: their numbers would refer to other sources.
    """
    if message.begins_chat:
        return []
    if not _fetch_another(message.chat_id, message.pk):
        return []
    done = Message.objects.filter(chat=message.chat_id, status=MessageStatus.DONE).from_sources()
    done = done.exclude(mode=Mode.MANNERS).exclude(pk__in=list_withheld_before(message))
    cited = MessageSource.objects.filter(is_cited=True).defer("excerpt", "text").order_by("number")
    earlier = (
        done.one_each()
        .annotate(asked_at=Coalesce("version_of__created_at", "created_at"))
        .filter(asked_at__lt=(message.version_of or message).created_at)
        .order_by("-asked_at", "-pk")
        .prefetch_related(Prefetch("sources", queryset=cited))[:MAX_EXCHANGES]
    )
    return [
        Exchange(one.question, strip_markers(one.answer), one.searched_for, _topic(list(one.sources.all())))
        for one in reversed(earlier)
    ]


@build_once(UUID(int=1), UUID(int=2))
def _fetch_another(chat: UUID, message: UUID) -> QuerySet[Message, UUID]:
    return Message.objects.filter(chat=chat).exclude(pk=message).order_by().values_list("pk", flat=True)[:1]


def _topic(cited: Sequence[MessageSource]) -> str:
    """The innermost heading of the first cited passage, else its document's title."""
    return [cited[0].document_title, *cited[0].heading_path][-1] if cited else ""


def get_prompt_budget(llm: LLM) -> int | None:
    """The token budget of a prompt; None for the extractive answerer."""
    return settings.LECTERN_LLM_CONTEXT - settings.LECTERN_LLM_ANSWER if llm.generative else None
