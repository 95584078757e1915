"""How a question is answered, from top to bottom.

Find passages with the conversation in mind, put them into a prompt, stream the model's text, check its citations,
store the answer. `answer` is a generator: the web's writer threads, the REST API and commands all drain this one.
Whatever happens on the way, the message ends as done, failed or interrupted, and the question is kept. No database
connection is held while the model is waited for.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Prefetch
from django.db.models.functions import Coalesce
from django.utils import timezone

from chatbots.citations import Checked, check, uncited
from chatbots.explaining import record_of, standing_of
from chatbots.followups import Exchange, find, to_quote_for
from chatbots.models import Chatbot, Message, MessageSource, MessageStatus, Mode
from chatbots.prompting import EXCHANGES, general_prompt, grounded_prompt
from chatbots.retrieval import Retrieval, retrieve, sources_for
from chatbots.support import judge, unfounded
from chatbots.wordings import refusal
from corpus.fusion import Placed
from engines.embedding import get_embedder
from engines.embedding_models import ANY_LANGUAGE
from engines.errors import EngineError
from engines.llm import LLM, NumberedPassage, Prompt, get_llm

logger = logging.getLogger(__name__)

SAVE_EVERY = 0.5
"""Seconds between two writings of the text so far: what a reader elsewhere, or after a crash, finds."""


@dataclass(frozen=True)
class SourcesFound:
    """The passages are stored; shown before a word is written."""


@dataclass(frozen=True)
class TextAdded:
    text: str


@dataclass(frozen=True)
class TextDropped:
    """The text so far is void: the model is asked once more."""


@dataclass(frozen=True)
class Finished:
    """The message is stored as it will stay."""


Event = SourcesFound | TextAdded | TextDropped | Finished


def answer(message_id: UUID) -> Iterator[Event]:
    """Answer a pending message. A message that is not pending (any more) yields nothing: safe to call twice."""
    claimed = Message.objects.filter(pk=message_id, status=MessageStatus.PENDING).update(
        status=MessageStatus.WRITING, heartbeat_at=timezone.now()
    )
    if not claimed:
        return
    message = (
        Message.objects.select_related("chat__chatbot__school", "version_of").filter(pk=message_id).first()
    )
    if message is None:  # its conversation was deleted this very moment
        return
    try:
        yield from _answer(message, message.chat.chatbot, get_llm())
    except EngineError as problem:
        _fail(message, str(problem))
    except GeneratorExit:
        _end(message, MessageStatus.INTERRUPTED)
        raise
    except Exception:
        logger.exception("Answering message %s failed", message.pk)
        _fail(message, "Something went wrong on our side. Your question is kept: please try again.")
    yield Finished()


def _answer(message: Message, chatbot: Chatbot, llm: LLM) -> Iterator[Event]:
    started = time.perf_counter()
    earlier = _earlier(message)
    followed = find(
        message.question,
        earlier,
        language=chatbot.language,
        llm=llm,
        search=lambda text: retrieve(text, sources_for(chatbot), places=chatbot.places),
    )
    found, message.searched_for = followed.retrieval, followed.searched_for
    message.timings = found.timings
    _store_sources(message, found)
    yield SourcesFound()

    if found.unavailable and not found.placed:
        raise EngineError(
            "Your sources could not be searched just now. Your question is kept: please try again."
        )
    history = [(exchange.question, exchange.answer) for exchange in earlier]
    cited: tuple[int, ...] = ()
    if found.placed:
        cited = yield from _write_grounded(message, _grounded(message, chatbot, found.placed, history), llm)
    elif chatbot.when_unsure == "general" and llm.generative:
        yield from _write_general(message, _general(message, chatbot, history), llm)
    else:
        message.mode, message.answer = Mode.REFUSED, refusal(chatbot.language)
        yield TextAdded(message.answer)
    message.timings["total_ms"] = round((time.perf_counter() - started) * 1000, 2)
    _end(message, MessageStatus.DONE, cited)


def _write_grounded(message: Message, prompt: Prompt, llm: LLM) -> Generator[Event, None, tuple[int, ...]]:
    """Write from passages and return the numbers cited; wrong or no citations are asked for once more (C3)."""
    message.mode, message.model = Mode.GROUNDED, llm.name
    checked = Checked("", (), ())
    for attempt in (1, 2):
        try:
            yield from _write(message, prompt, llm)
        except EngineError:
            if attempt == 1:
                raise
            break  # the first draft stands, with its faults said
        checked = check(message.answer, len(prompt.passages), verbatim=not llm.generative)
        if _is_refusal(checked.text, prompt.language):
            message.mode, message.answer = Mode.REFUSED, refusal(prompt.language)
            return ()
        if not llm.generative or (checked.cited and not checked.unknown):
            break
        if attempt == 1:
            message.answer = ""
            yield TextDropped()
    if checked.unknown:
        message.notice = "The model cited sources that do not exist; those marks were removed."
    elif not checked.cited:
        message.notice = "The model named no source for this answer. Check it against the passages beside it."
    message.answer = checked.text
    _check_support(message, prompt)
    return checked.cited


def _check_support(message: Message, prompt: Prompt) -> None:
    """Hold every cited statement against the passages it cites, and every number and name against all of them.

    An answer that cannot be checked stands without it: it is no less grounded for that.
    """
    text, passages, language = message.answer, prompt.passages, prompt.language
    try:
        embedder = get_embedder()
        known = embedder.languages == ANY_LANGUAGE or language in embedder.languages
        verdicts = judge(text, passages, language=language, embedder=embedder if known else None)
        found = unfounded(text, passages, question=message.question, language=language)
    except Exception:
        logger.exception("The citations of message %s could not be checked", message.pk)
        return
    message.support = {str(place): [one.state, one.better] for place, one in verdicts.items()}
    message.unfounded = [[one.start, one.end] for one in found]


def _write_general(message: Message, prompt: Prompt, llm: LLM) -> Iterator[Event]:
    message.mode, message.model = Mode.GENERAL, llm.name
    yield from _write(message, prompt, llm)
    message.answer = check(message.answer, 0).text


def _write(message: Message, prompt: Prompt, llm: LLM) -> Iterator[Event]:
    """Stream the model's text into `message.answer`, saved now and then; no connection is held in between."""
    connection.close()
    saved = time.monotonic()
    for text in llm.stream(prompt):
        message.answer += text.replace("\x00", "")
        if time.monotonic() - saved > SAVE_EVERY:
            Message.objects.filter(pk=message.pk).update(answer=message.answer, heartbeat_at=timezone.now())
            connection.close()
            saved = time.monotonic()
        if text:
            yield TextAdded(text)


def _grounded(
    message: Message, chatbot: Chatbot, placed: Sequence[Placed], history: Sequence[tuple[str, str]]
) -> Prompt:
    passages = [
        NumberedPassage(
            number=number,
            title=found.passage.document_title,
            heading_path=found.passage.heading_path,
            text=found.passage.text,
            excerpt=found.passage.excerpt,
        )
        for number, found in enumerate(placed, start=1)
    ]
    return grounded_prompt(
        question=message.question,
        passages=passages,
        instructions=chatbot.instructions,
        history=history,
        language=chatbot.language,
        quote_for=to_quote_for(message.question, message.searched_for, chatbot.language),
    )


def _general(message: Message, chatbot: Chatbot, history: Sequence[tuple[str, str]]) -> Prompt:
    return general_prompt(
        question=message.question,
        instructions=chatbot.instructions,
        history=history,
        language=chatbot.language,
    )


def _earlier(message: Message) -> list[Exchange]:
    """The last questions before this one that were answered or refused, oldest first, each with one answer.

    Without its citations: their numbers would point to sources that are not given now.
    """
    cited = MessageSource.objects.filter(is_cited=True).defer("excerpt", "text").order_by("number")
    done = Message.objects.filter(chat=message.chat_id, status=MessageStatus.DONE).one_each()
    earlier = (
        done.annotate(asked_at=Coalesce("version_of__created_at", "created_at"))
        .filter(asked_at__lt=(message.version_of or message).created_at)
        .order_by("-asked_at", "-pk")
        .prefetch_related(Prefetch("sources", queryset=cited))[:EXCHANGES]
    )
    return [
        Exchange(one.question, uncited(one.answer), one.searched_for, _topic(list(one.sources.all())))
        for one in reversed(earlier)
    ]


def _topic(cited: Sequence[MessageSource]) -> str:
    """The heading over the first passage that was cited, else its document's title."""
    return [cited[0].document_title, *cited[0].heading_path][-1] if cited else ""


def _is_refusal(text: str, language: str) -> bool:
    """Whether the model wrote the sentence it was told to, or the answerer found nothing to quote."""
    return not text.strip() or text.strip().rstrip(".").casefold() == refusal(language).rstrip(".").casefold()


@transaction.atomic
def _store_sources(message: Message, found: Retrieval) -> None:
    """The passages as they stand now, with all that is needed to explain the answer later (C5)."""
    MessageSource.objects.bulk_create(
        MessageSource(
            school_id=message.school_id,
            message=message,
            number=number,
            kind=placed.passage.kind,
            also_in=[f"{twin.kind.label}: {twin.document_title}" for twin in placed.also],
            document_id=placed.passage.document_id,
            document_title=placed.passage.document_title,
            version=placed.passage.version,
            media_type=placed.passage.media_type,
            heading_path=list(placed.passage.heading_path),
            page=placed.passage.page,
            line_start=placed.passage.lines[0] if placed.passage.lines else None,
            line_end=placed.passage.lines[1] if placed.passage.lines else None,
            position=placed.passage.position,
            excerpt=placed.passage.excerpt,
            text=placed.passage.text,
            relevance=placed.passage.relevance,
            weight=placed.weight,
            standing=standing_of(placed.passage),
            is_recognised=placed.passage.is_recognised,
        )
        for number, placed in enumerate(found.placed, start=1)
    )
    message.unavailable = [kind.value for kind in found.unavailable]
    message.chosen = record_of(found)
    message.save(update_fields=["unavailable", "timings", "searched_for", "chosen"])


def _fail(message: Message, reason: str) -> None:
    message.notice = reason
    _end(message, MessageStatus.FAILED)


@transaction.atomic
def _end(message: Message, status: MessageStatus, cited: Sequence[int] = ()) -> None:
    """Store the message as it stays, with its citations, unless it was swept or asked again meanwhile."""
    message.status, message.finished_at = status, timezone.now()
    fields = ["answer", "status", "mode", "model", "notice", "support", "unfounded", "timings", "finished_at"]
    kept = Message.objects.filter(pk=message.pk, status=MessageStatus.WRITING).update(
        **{name: getattr(message, name) for name in fields}
    )
    if kept:
        message.sources.filter(number__in=cited).update(is_cited=True)
