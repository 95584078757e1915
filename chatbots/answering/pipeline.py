"""How a question is answered, from top to bottom.

Find passages with the conversation in mind, put them into a prompt, stream the model's text, check its citations,
store the answer. `answer` is a generator: the web's writer threads, the REST API and commands all drain this one.
Whatever happens on the way, the message ends as done, failed, interrupted or stopped, and the question is kept. What
has ended is not written any more. No database connection is held while the model is waited for.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.conf import settings
from django.db.models import Prefetch
from django.db.models.functions import Coalesce
from django.utils import timezone

from chatbots.answering.finalize import INTERRUPTED, Ended, break_off, end
from chatbots.answering.generation import TextAdded, TextDropped, add_notice, write, write_grounded
from chatbots.answering.prompt_record import as_it_is, keep, store
from chatbots.answering.prompts import MAX_EXCHANGES, general_prompt, grounded_prompt, selection_prompt
from chatbots.answering.query_rewriting import Exchange, choose_quote_query, rewrite_and_search
from chatbots.answering.refusals import SELECTION, refusal_sentence
from chatbots.answering.retrieval import Retrieval, retrieve
from chatbots.answering.selected_text import as_passages, is_shortened, selection_of, sources_of, weigh
from chatbots.answering.source_selection import sources_for
from chatbots.citations.markers import strip_markers
from chatbots.models import Chatbot, Language, Message, MessageSource, MessageStatus, Mode
from chatbots.streaming.concurrency import Turn
from chatbots.streaming.heartbeat import Life, beating
from corpus.search.fusion import SelectedPassage
from engines.errors import EngineError
from engines.llm import LLM, NumberedPassage, Prompt, get_llm

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class SourcesFound:
    """The passages are stored; shown before a word is written. `message` has them, as they are now."""

    message: Message


@dataclass(frozen=True)
class Finished:
    """The message is stored as it will stay."""


Event = SourcesFound | TextAdded | TextDropped | Finished


def answer(message_id: UUID, asked: Message | None = None) -> Iterator[Event]:
    """Answer a pending message. A message that is not pending (any more) yields nothing: safe to call twice.

    `asked` is the message as it was stored a moment ago, with its chat and chatbot, where whoever calls has it.
    """
    turn = Turn()
    try:
        yield from _answer_in(turn, message_id, asked)
    finally:
        turn.end()


def _answer_in(turn: Turn, message_id: UUID, asked: Message | None) -> Iterator[Event]:
    claimed = Message.objects.filter(pk=message_id, status=MessageStatus.PENDING).update(
        status=MessageStatus.WRITING, heartbeat_at=timezone.now()
    )
    if not claimed:
        return
    stored = Message.objects.select_related("chat__chatbot__school", "version_of")
    message = asked or stored.filter(pk=message_id).first()
    if message is None:  # its conversation was deleted this very moment
        return
    with beating(message_id) as life:
        try:
            turn.begin()
            if life.is_over:
                raise Ended
            chatbot = message.chat.chatbot
            if message.is_about_selection:
                yield from _answer_from_selection(message, chatbot, get_llm(), life, turn)
            else:
                assert chatbot is not None, "a conversation with none is about a selected text"
                yield from _answer(message, chatbot, get_llm(), life, turn)
        except Ended:
            pass
        except EngineError as problem:
            message.failure = problem.code
            break_off(message, MessageStatus.FAILED, str(problem))
        except GeneratorExit:
            break_off(message, MessageStatus.INTERRUPTED, INTERRUPTED)
            raise
        except Exception:
            logger.exception("Answering message %s failed", message.pk)
            message.failure = "fault"
            reason = "Something went wrong on our side. Your question is kept: please try again."
            break_off(message, MessageStatus.FAILED, reason)
    yield Finished()


def _answer(message: Message, chatbot: Chatbot, llm: LLM, life: Life, turn: Turn) -> Iterator[Event]:
    started = time.perf_counter()
    prompt, problem, found = _prepare(message, chatbot, llm, turn)
    turn.end()
    yield SourcesFound(found)

    if problem:
        raise problem
    if not message.mode:
        raise EngineError(
            "Your sources could not be searched just now. Your question is kept: please try again."
        )
    cited: tuple[int, ...] = ()
    if prompt and message.mode == Mode.GROUNDED:
        refuses_with = refusal_sentence(chatbot.language, chatbot.kind)
        cited = yield from write_grounded(message, prompt, llm, life, refuses_with=refuses_with)
    elif prompt:
        yield from write(message, prompt, llm, life)
    else:
        message.answer = refusal_sentence(chatbot.language, chatbot.kind)
        yield TextAdded(message.answer)
    message.timings["total_ms"] = round((time.perf_counter() - started) * 1000, 2)
    end(message, MessageStatus.DONE, cited)


def _prepare(
    message: Message, chatbot: Chatbot, llm: LLM, turn: Turn
) -> tuple[Prompt | None, EngineError | None, Message]:
    """Find and store the passages. What the answerer is given, or why it cannot be, and the message for its readers."""
    earlier = _earlier(message)
    followed = rewrite_and_search(
        message.question,
        earlier,
        language=chatbot.language,
        llm=llm,
        search=lambda text: retrieve(text, sources_for(chatbot), places=chatbot.places),
        waiting=turn.left,
    )
    found, message.searched_for = followed.retrieval, followed.searched_for
    message.timings = found.timings
    message.mode = _mode(found, chatbot, llm)
    message.model = llm.name if message.mode in (Mode.GROUNDED, Mode.GENERAL) else ""
    history = [(exchange.question, exchange.answer) for exchange in earlier]
    prompt = problem = None
    try:
        if message.mode == Mode.GROUNDED:
            prompt = _grounded(message, chatbot, found.placed, history, room=_room(llm))
        elif message.mode == Mode.GENERAL:
            prompt = _general(message, chatbot, history, room=_room(llm))
    except EngineError as too_long:
        problem = too_long  # the passages that were found are shown all the same
    sources = store(message, found, prompt, llm)
    return prompt, problem, as_it_is(message, sources)


def _answer_from_selection(
    message: Message, chatbot: Chatbot | None, llm: LLM, life: Life, turn: Turn
) -> Iterator[Event]:
    """Answer from a selected text and from nothing else: no search, no conversation, no wishes of a teacher (T3).

    A language model is given all of it that fits and decides whether that is enough; else its relevance does.
    """
    started = time.perf_counter()
    selection = selection_of(message)
    refuses_with = refusal_sentence(chatbot.language if chatbot else Language.ENGLISH, SELECTION)
    weighed = weigh(message.question, selection)
    parts = weighed.parts if llm.generative else weighed.quotable
    message.timings = dict(weighed.timings)
    message.mode = Mode.SELECTION if parts else Mode.REFUSED
    message.model = llm.name if parts else ""
    prompt = None
    if parts:
        prompt = selection_prompt(
            question=message.question,
            passages=as_passages(parts),
            language=selection.language,
            refuses_with=refuses_with,
            room=_room(llm),
        )
    sources = sources_of(message, selection, parts, prompt)
    keep(message, sources, prompt, llm, ["timings", "mode", "model"])
    turn.end()
    yield SourcesFound(as_it_is(message, sources))

    cited: tuple[int, ...] = ()
    if prompt:
        cited = yield from write_grounded(message, prompt, llm, life, refuses_with=refuses_with)
        if message.mode == Mode.SELECTION and is_shortened(prompt, parts):
            add_notice(
                message,
                "The selected text is too long for the model: only its most relevant parts were given.",
            )
    else:
        message.answer = refuses_with
        yield TextAdded(message.answer)
    message.timings["total_ms"] = round((time.perf_counter() - started) * 1000, 2)
    end(message, MessageStatus.DONE, cited)


def _mode(found: Retrieval, chatbot: Chatbot, llm: LLM) -> str:
    """How the question will be answered; empty where nothing was found because a source could not be searched."""
    if found.placed:
        return Mode.GROUNDED
    if found.unavailable:
        return ""
    return Mode.GENERAL if chatbot.when_unsure == "general" and llm.generative else Mode.REFUSED


def _room(llm: LLM) -> int | None:
    """The tokens that a prompt may have; whoever only quotes has no window."""
    return settings.LECTERN_LLM_CONTEXT - settings.LECTERN_LLM_ANSWER if llm.generative else None


def _grounded(
    message: Message,
    chatbot: Chatbot,
    placed: Sequence[SelectedPassage],
    history: Sequence[tuple[str, str]],
    *,
    room: int | None,
) -> Prompt:
    passages = [
        NumberedPassage(
            number=number,
            title=found.passage.document_title,
            heading_path=found.passage.heading_path,
            text=found.passage.text,
            excerpt=found.passage.excerpt,
            relevance=found.passage.relevance,
        )
        for number, found in enumerate(placed, start=1)
    ]
    return grounded_prompt(
        question=message.question,
        passages=passages,
        instructions=chatbot.instructions,
        history=history,
        language=chatbot.language,
        refuses_with=refusal_sentence(chatbot.language, chatbot.kind),
        quote_for=choose_quote_query(message.question, message.searched_for, chatbot.language),
        room=room,
    )


def _general(
    message: Message, chatbot: Chatbot, history: Sequence[tuple[str, str]], *, room: int | None
) -> Prompt:
    return general_prompt(
        question=message.question,
        instructions=chatbot.instructions,
        history=history,
        language=chatbot.language,
        room=room,
    )


def _earlier(message: Message) -> list[Exchange]:
    """The last questions before this one that were answered or refused, oldest first, each with one answer.

    Without its citations: their numbers would point to sources that are not given now.
    """
    if message.told:
        return [Exchange(question, strip_markers(answer)) for question, answer in message.told]
    done = Message.objects.filter(chat=message.chat_id, status=MessageStatus.DONE).from_sources()
    if not done.exists():
        return []
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


def _topic(cited: Sequence[MessageSource]) -> str:
    """The heading over the first passage that was cited, else its document's title."""
    return [cited[0].document_title, *cited[0].heading_path][-1] if cited else ""
