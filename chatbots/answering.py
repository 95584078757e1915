"""How a question is answered, from top to bottom.

Find passages with the conversation in mind, put them into a prompt, stream the model's text, check its citations,
store the answer. `answer` is a generator: the web's writer threads, the REST API and commands all drain this one.
Whatever happens on the way, the message ends as done, failed, interrupted or stopped, and the question is kept. What
has ended is not written any more. No database connection is held while the model is waited for.
"""

from __future__ import annotations

import copy
import logging
import re
import threading
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import cast
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Prefetch
from django.db.models.functions import Coalesce
from django.utils import timezone

from chatbots.citations import Checked, Filter, check, uncited, without_half
from chatbots.ending import INTERRUPTED, Ended, break_off, check_support, end
from chatbots.explaining import record_of, standing_of
from chatbots.followups import Exchange, find, to_quote_for
from chatbots.given import keep_prompt, keep_times
from chatbots.inert import without_copied_numbers
from chatbots.models import Chatbot, Language, Message, MessageSource, MessageStatus, Mode
from chatbots.prompting import EXCHANGES, general_prompt, grounded_prompt, selection_prompt
from chatbots.pulse import Life, beating
from chatbots.retrieval import Retrieval, retrieve, sources_for
from chatbots.selection import as_passages, is_shortened, selection_of, sources_of, weigh
from chatbots.wordings import SELECTION, is_refusal, refusal, refuses_in_part
from corpus.fusion import Placed
from engines.errors import EngineError
from engines.llm import LLM, NumberedPassage, Prompt, get_llm

logger = logging.getLogger(__name__)

LONGEST = 32_000
"""Characters of an answer at most, some ten pages. A model that repeats itself without end would otherwise write until
its server gives up, and each piece of it would be sent, saved, checked and put into the next prompts."""

PREPARED_AT_ONCE = 2
"""Questions for which a process finds passages at a time. More get in each other's way, and in that of the answers that
are being written: of 100 asked within two seconds, words are late by a quarter of the time that they are late without a
limit, ends of answers by two fifths (95th percentiles), and the first sources come as soon (`python -m
benchmarks.streams`). Four at a time have half of that gain."""

_turns = threading.BoundedSemaphore(PREPARED_AT_ONCE)

LONGEST_WORD = 100
"""Characters for which the end of a word is waited for when an answer is cut."""


@dataclass(frozen=True)
class SourcesFound:
    """The passages are stored; shown before a word is written. `message` has them, as they are now."""

    message: Message


@dataclass(frozen=True)
class TextAdded:
    """Text for readers, its citations as they stay."""

    text: str


@dataclass(frozen=True)
class TextDropped:
    """The text so far is void: the model is asked once more."""


@dataclass(frozen=True)
class Finished:
    """The message is stored as it will stay."""


Event = SourcesFound | TextAdded | TextDropped | Finished


class _Turn:
    """One of the questions that are prepared at a time; whoever waits for it holds nothing that those need."""

    def __init__(self) -> None:
        self._has_it = False

    def begin(self) -> None:
        if not connection.in_atomic_block:
            connection.close()
        _turns.acquire()
        self._has_it = True

    def end(self) -> None:
        if self._has_it:
            self._has_it = False
            _turns.release()

    @contextmanager
    def left(self) -> Iterator[None]:
        """Leave it to another question while a model is waited for."""
        self.end()
        try:
            yield
        finally:
            self.begin()


def answer(message_id: UUID, asked: Message | None = None) -> Iterator[Event]:
    """Answer a pending message. A message that is not pending (any more) yields nothing: safe to call twice.

    `asked` is the message as it was stored a moment ago, with its chat and chatbot, where whoever calls has it.
    """
    turn = _Turn()
    try:
        yield from _answer_in(turn, message_id, asked)
    finally:
        turn.end()


def _answer_in(turn: _Turn, message_id: UUID, asked: Message | None) -> Iterator[Event]:
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


def _answer(message: Message, chatbot: Chatbot, llm: LLM, life: Life, turn: _Turn) -> Iterator[Event]:
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
        refuses_with = refusal(chatbot.language, chatbot.kind)
        cited = yield from _write_grounded(message, prompt, llm, life, refuses_with=refuses_with)
    elif prompt:
        yield from _write(message, prompt, llm, life)
    else:
        message.answer = refusal(chatbot.language, chatbot.kind)
        yield TextAdded(message.answer)
    message.timings["total_ms"] = round((time.perf_counter() - started) * 1000, 2)
    end(message, MessageStatus.DONE, cited)


def _prepare(
    message: Message, chatbot: Chatbot, llm: LLM, turn: _Turn
) -> tuple[Prompt | None, EngineError | None, Message]:
    """Find and store the passages. What the answerer is given, or why it cannot be, and the message for its readers."""
    earlier = _earlier(message)
    followed = find(
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
    sources = _store(message, found, prompt, llm)
    return prompt, problem, _as_it_is(message, sources)


def _answer_from_selection(
    message: Message, chatbot: Chatbot | None, llm: LLM, life: Life, turn: _Turn
) -> Iterator[Event]:
    """Answer from a selected text and from nothing else: no search, no conversation, no wishes of a teacher (T3).

    A language model is given all of it that fits and decides whether that is enough; else its relevance does.
    """
    started = time.perf_counter()
    selection = selection_of(message)
    refuses_with = refusal(chatbot.language if chatbot else Language.ENGLISH, SELECTION)
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
    _keep(message, sources, prompt, llm, ["timings", "mode", "model"])
    turn.end()
    yield SourcesFound(_as_it_is(message, sources))

    cited: tuple[int, ...] = ()
    if prompt:
        cited = yield from _write_grounded(message, prompt, llm, life, refuses_with=refuses_with)
        if message.mode == Mode.SELECTION and is_shortened(prompt, parts):
            _notice(
                message,
                "The selected text is too long for the model: only its most relevant parts were given.",
            )
    else:
        message.answer = refuses_with
        yield TextAdded(message.answer)
    message.timings["total_ms"] = round((time.perf_counter() - started) * 1000, 2)
    end(message, MessageStatus.DONE, cited)


def _write_grounded(
    message: Message, prompt: Prompt, llm: LLM, life: Life, *, refuses_with: str
) -> Generator[Event, None, tuple[int, ...]]:
    """Write from passages and return the numbers cited; wrong or no citations are asked for once more (C3)."""
    checked = Checked("", (), ())
    for attempt in (1, 2):
        try:
            written = yield from _write(message, prompt, llm, life)
        except EngineError:
            if attempt == 1:
                raise
            break  # the first draft stands, with its faults said
        if llm.generative:
            written = without_copied_numbers(without_half(written), [one.text for one in prompt.passages])
        checked = check(written, len(prompt.passages), verbatim=not llm.generative)
        if is_refusal(checked.text) if llm.generative else not checked.text.strip():
            message.mode, message.answer = Mode.REFUSED, refuses_with
            return ()
        if not llm.generative or message.notice or (checked.cited and not checked.unknown):
            break
        if attempt == 1:
            message.answer = life.text = ""
            yield TextDropped()
            keep_times(message, 2)
    if checked.unknown:
        _notice(message, "The model cited sources that do not exist; those marks were removed.")
    elif not checked.cited:
        _notice(
            message, "The model named no source for this answer. Check it against the passages beside it."
        )
    elif llm.generative and refuses_in_part(checked.text):
        _notice(message, "The model says that the sources answer only a part of the question.")
    message.answer = checked.text
    check_support(message, prompt.passages, prompt.language)
    return checked.cited


def _mode(found: Retrieval, chatbot: Chatbot, llm: LLM) -> str:
    """How the question will be answered; empty where nothing was found because a source could not be searched."""
    if found.placed:
        return Mode.GROUNDED
    if found.unavailable:
        return ""
    return Mode.GENERAL if chatbot.when_unsure == "general" and llm.generative else Mode.REFUSED


def _write(message: Message, prompt: Prompt, llm: LLM, life: Life) -> Generator[Event, None, str]:
    """Stream the model's text, its citations put in order, into `message.answer`; return it as the model wrote it.

    The pulse saves it meanwhile; no connection is held in between. What the model writes without end is cut.
    """
    connection.close()
    if life.is_over:
        raise Ended
    shown = Filter(len(prompt.passages), verbatim=not llm.generative)
    written, cut = "", None
    with closing(cast("Generator[str, None, None]", llm.stream(prompt))) as pieces:
        for piece in pieces:
            text = piece.replace("\x00", "")
            cut = _cut(text, LONGEST - len(written))
            written += text if cut is None else cut
            if life.is_over:
                raise Ended
            if added := shown.feed(text if cut is None else cut):
                message.answer = life.text = message.answer + added
                yield TextAdded(added)
            if cut is not None:
                _notice(message, "The answer became too long and was ended here.")
                break
    if added := shown.finish():
        message.answer = life.text = message.answer + added
        yield TextAdded(added)
    return written


def _cut(text: str, room: int) -> str | None:
    """What is kept, to the end of a word, of a piece that takes an answer beyond its length; None while it fits."""
    if len(text) <= room:
        return None
    end = _SPACE.search(text, max(room, 0))
    if end and end.start() <= room + LONGEST_WORD:
        return text[: end.start()]
    return text[: room + LONGEST_WORD] if len(text) >= room + LONGEST_WORD else None


_SPACE = re.compile(r"\s")


def _notice(message: Message, words: str) -> None:
    message.notice = f"{message.notice} {words}".strip()


def _room(llm: LLM) -> int | None:
    """The tokens that a prompt may have; whoever only quotes has no window."""
    return settings.LECTERN_LLM_CONTEXT - settings.LECTERN_LLM_ANSWER if llm.generative else None


def _grounded(
    message: Message,
    chatbot: Chatbot,
    placed: Sequence[Placed],
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
        refuses_with=refusal(chatbot.language, chatbot.kind),
        quote_for=to_quote_for(message.question, message.searched_for, chatbot.language),
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
        return [Exchange(question, uncited(answer)) for question, answer in message.told]
    done = Message.objects.filter(chat=message.chat_id, status=MessageStatus.DONE).from_sources()
    if not done.exists():
        return []
    cited = MessageSource.objects.filter(is_cited=True).defer("excerpt", "text").order_by("number")
    earlier = (
        done.one_each()
        .annotate(asked_at=Coalesce("version_of__created_at", "created_at"))
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


def _store(message: Message, found: Retrieval, prompt: Prompt | None, llm: LLM) -> list[MessageSource]:
    """What was found and what the answerer is given, with all that is needed to explain the answer later (C5)."""
    message.unavailable = [kind.value for kind in found.unavailable]
    message.chosen = record_of(found)
    given = {passage.number: passage for passage in prompt.passages} if prompt else None
    sources = [_source(message, number, placed, given) for number, placed in enumerate(found.placed, start=1)]
    fields = ["unavailable", "timings", "searched_for", "chosen", "mode", "model"]
    _keep(message, sources, prompt, llm, fields)
    return sources


@transaction.atomic
def _keep(
    message: Message,
    sources: Sequence[MessageSource],
    prompt: Prompt | None,
    llm: LLM,
    fields: Sequence[str],
) -> None:
    """Raises Ended where somebody has ended the answer meanwhile."""
    writing = Message.objects.filter(pk=message.pk, status=MessageStatus.WRITING)
    if not writing.update(**{name: getattr(message, name) for name in fields}):
        raise Ended
    MessageSource.objects.bulk_create(sources)
    if prompt:
        keep_prompt(message, prompt, llm)


def _as_it_is(message: Message, sources: Sequence[MessageSource]) -> Message:
    """A copy for readers, who look at it while the message is written on."""
    shown = copy.copy(message)
    shown._prefetched_objects_cache = {"sources": list(sources)}  # type: ignore[attr-defined]
    return shown


def _source(
    message: Message, number: int, placed: Placed, given: Mapping[int, NumberedPassage] | None
) -> MessageSource:
    """A passage as it stands now. Of what the answerer is given, one that was cut to fit is kept as it is given."""
    passage, read = placed.passage, (given or {}).get(number)
    return MessageSource(
        school_id=message.school_id,
        message=message,
        number=number,
        kind=passage.kind,
        also_in=[f"{twin.kind.label}: {twin.document_title}" for twin in placed.also],
        document_id=passage.document_id,
        document_title=passage.document_title,
        version=passage.version,
        media_type=passage.media_type,
        heading_path=list(passage.heading_path),
        page=passage.page,
        line_start=passage.lines[0] if passage.lines else None,
        line_end=passage.lines[1] if passage.lines else None,
        file_path=passage.file_path,
        label=passage.label,
        position=passage.position,
        excerpt=read.excerpt if read else passage.excerpt,
        text=read.text if read else passage.text,
        relevance=passage.relevance,
        weight=placed.weight,
        standing=standing_of(passage),
        was_given=given is None or number in given,
        is_recognised=passage.is_recognised,
    )
