"""How a chatbot opens a new conversation: what its documents are about, and questions that they answer.

The questions are made from the sentences and headings of the passages that stand for the documents, and searched for:
only those are shown that find the passage they were made from.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import TypeVar

from django.core.cache import cache
from django.db.models import Count, Max

from chatbots.answering.retrieval import WeightedSource
from chatbots.answering.source_selection import sources_for
from chatbots.answering.standalone_search import standalone_search
from chatbots.models import Chatbot, Participant
from corpus.certainty import SURE
from corpus.embedding.active_model import active_embedder
from corpus.models import Status
from corpus.passages import Passage
from corpus.source_kinds import searchable_kinds
from text.definitions import Definition, definitions_in
from text.names import WORD, heading_names, is_name, without_numbering, word_key
from text.sentences import split_sentences
from text.tables import table_rows

T = TypeVar("T")

PASSAGES = 12
"""Passages of each kind of source that are looked at."""

TOPICS, QUESTIONS, SUMMARIES = 6, 4, 1
"""What is shown at most; of the questions so many ask for a summary, more if there are too few others."""

_CHECKED = 10
"""Questions that are searched for at most: each costs what a question costs."""

_KEPT_SECONDS = 24 * 60 * 60
_SURE_DEFINITION = 1.8
_SAYS_THAT_IT_DEFINES = 3.0
_LONGEST = 60
_CODE = re.compile(r"^[A-Z]{1,4}-?\d{1,3}\s+")
_NO_TOPIC = re.compile(
    r"\b(?:reviews?|exercises?|questions?|tasks?|homework|answers|contents|notes|still|our|summary|glossary|index|sources?"
    r"|aufgaben?|übungen|fragen|inhalt|unser\w*|zusammenfassung|quellen|exercices?|sommaire|nos|résumé|ejercicios"
    r"|preguntas|índice|nuestr\w+|resumen|fuentes)\b",
    re.IGNORECASE,
)
_COMPARED = re.compile(r"(?:\w+er|more|less)\s", re.IGNORECASE)  # “a longer stopping time” is no term
_PERSON = re.compile(r"(?P<name>[A-Z][a-z]+(?: [A-Z][a-z]+)+) [a-z]+(?:ed|[^s\W]) .*\b(?:he|his|him|she|her)\b")
"""In English: two capitalised words, a verb and a pronoun."""

_WHAT = {"en": "What is {}?", "de": "Was ist {}?", "fr": "Qu’est-ce que {} ?", "es": "¿Qué es {}?"}
_WHAT_ARE = {"en": "What are {}?", "de": "Was sind {}?", "fr": "Que sont les {} ?", "es": "¿Qué son {}?"}
_ARE = re.compile(r"\s*(?:are|were|sind|sont|son)\b")
_INDEFINITE = re.compile(r"An?\s")
_SUM_UP = {
    "en": "Summarise “{}”",
    "de": "Fasse „{}“ zusammen",
    "fr": "Résume « {} »",
    "es": "Resume «{}»",
}


@dataclass(frozen=True)
class Opening:
    """What the documents of a chatbot are about, and questions that they answer."""

    topics: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Made:
    """A question, the passage that it was made from, and whether it asks for a summary."""

    question: str
    passage: Passage
    is_summary: bool = False


def opening_of(chatbot: Chatbot, participant: Participant | None = None) -> Opening:
    """The opening of a chatbot for this person, by default its owner.

    It is empty if the documents have no headings and define nothing.

    It is kept until a document changes, at most for a day. Raises engines.errors.EngineError.
    """
    private = participant is None or chatbot.uses_private_sources_for(participant.user_id)
    key = f"opening:{chatbot.pk}:{chatbot.language}:{int(private)}:{_state_of(chatbot)}"
    found: Opening | None = cache.get(key)
    if found is None:
        found = _made(chatbot, participant)
        cache.set(key, found, _KEPT_SECONDS)
    return found


def is_being_read(chatbot: Chatbot) -> bool:
    """Whether a document of the chatbot waits to be read for the first time or is being read."""
    kinds = [kind.documents_of(chatbot) for kind in searchable_kinds() if kind.documents_of]
    pending = {"status__in": [Status.QUEUED, Status.INDEXING], "answering_version": None}
    return any(documents.filter(**pending).exists() for documents in kinds)


def _state_of(chatbot: Chatbot) -> str:
    """Changes whenever a document that the chatbot may read is added, changed or taken away."""
    kinds = [kind.documents_of(chatbot) for kind in searchable_kinds() if kind.documents_of]
    told = [documents.order_by().aggregate(count=Count("pk"), last=Max("updated_at")) for documents in kinds]
    return "-".join(f"{one['count']}.{one['last'].timestamp() if one['last'] else 0}" for one in told)


def _made(chatbot: Chatbot, participant: Participant | None) -> Opening:
    sources = sources_for(chatbot, participant=participant)
    passages = _passages(sources)
    topics = list(dict.fromkeys(filter(None, map(_topic, passages))))[:TOPICS]
    headings = _heading_words(passages)
    defined = list(_in_turn([_questions(passage, headings) for passage in passages]))
    summaries = [
        _Made(_phrase(_SUM_UP, passage.language, topic), passage, is_summary=True)
        for passage in passages
        if (topic := _topic(passage))
    ]
    answered: list[_Made] = []
    for one in [*defined[: _CHECKED - SUMMARIES], *summaries][: _CHECKED + SUMMARIES]:
        room = QUESTIONS if one.is_summary else QUESTIONS - min(SUMMARIES, len(summaries))
        if len(answered) < room and _is_answered(one, chatbot, sources):
            answered.append(one)
    return Opening(tuple(topics), tuple(one.question for one in answered))


def _passages(sources: Sequence[WeightedSource]) -> list[Passage]:
    """The passages that stand for all documents, those of the kinds of sources in turn."""
    model = active_embedder().name
    told = [one.source.named("", PASSAGES, model=model) for one in sources]
    return list(_in_turn([found.passages for found in told if found]))


def _in_turn(lists: Sequence[Sequence[T]]) -> Iterator[T]:
    return (one for one in chain.from_iterable(zip_longest(*lists)) if one is not None)


def _topic(passage: Passage) -> str:
    """The heading of a passage, without number and code; empty if it names no subject."""
    heading = _CODE.sub("", without_numbering(passage.heading_path[-1])) if passage.heading_path else ""
    names = heading_names(heading) if 3 <= len(heading) <= _LONGEST and not _NO_TOPIC.search(heading) else []
    is_subject = any(is_name(name, passage.language or "en") for name in names)
    return heading[:1].upper() + heading[1:] if is_subject else ""


def _heading_words(passages: Sequence[Passage]) -> set[str]:
    """The words of all headings without case and plural."""
    return {
        word_key(word, passage.language or "en")
        for passage in passages
        for heading in passage.heading_path
        for word in WORD.findall(heading)
    }


def _is_worth_asking(found: Definition, sentence: str, text: str, language: str, headings: set[str]) -> bool:
    """Whether a term is more than a common word that a sentence begins with, as in “A memory is a …”.

    A single word has to stand in a heading, be set off, or be defined in so many words: “is called”, “is defined as”.
    """
    words = WORD.findall(found.term)
    if len(words) != 1 or found.term.isupper() or word_key(words[0], language) in headings:
        return True
    is_named = found.weight >= _SAYS_THAT_IT_DEFINES or found.term not in sentence[: len(found.term) + len("The ")]
    return is_named or bool(re.search(rf"[*_]{re.escape(found.term)}[*_]", text))


def _questions(passage: Passage, headings: set[str]) -> list[_Made]:
    """Questions for what the sentences of a passage define, each term once."""
    text, language = passage.text, passage.language or "en"
    rows = {row.start for row in table_rows(text)}
    made: dict[str, _Made] = {}
    for sentence in split_sentences(text, language):
        words = " ".join(text[sentence.start : sentence.end].replace("*", "").split())
        if sentence.kind != "prose" or sentence.start in rows:
            continue
        if language == "en" and (person := _PERSON.match(words)):
            made.setdefault(person["name"], _Made(f"Who was {person['name']}?", passage))
        for found in definitions_in(words, language):
            if found.weight < _SURE_DEFINITION or found.is_definite or _COMPARED.match(found.term):
                continue
            if not _is_worth_asking(found, words, text, language, headings):
                continue
            asks = _WHAT_ARE if _ARE.match(words, found.ends) else _WHAT
            term = found.term if language == "de" or found.term.isupper() else _in_a_sentence(found.term, words)
            made.setdefault(found.term.casefold(), _Made(_phrase(asks, language, term), passage))
    return list(made.values())


def _in_a_sentence(term: str, sentence: str) -> str:
    """A term that begins a sentence as it stands within one: “a delta”, “speed”; a name keeps its capital."""
    first, *others = term.split()
    if first.endswith(("'s", "’s")) or any(word[:1].isupper() for word in others):
        return term
    article = _INDEFINITE.match(sentence)
    lower = term[:1].lower() + term[1:] if sentence.startswith(term) else term
    return f"{article[0].lower()}{lower}" if article and sentence.startswith(term, article.end()) else lower


def _phrase(phrases: dict[str, str], language: str, words: str) -> str:
    return phrases.get(language, phrases["en"]).format(words)


def _is_answered(made: _Made, chatbot: Chatbot, sources: Sequence[WeightedSource]) -> bool:
    if made.is_summary:
        name = _topic(made.passage)
        model = active_embedder().name
        return any(one.source.named(name, 1, model=model) for one in sources)
    _, found = standalone_search(made.question, sources, language=chatbot.language, places=chatbot.places)
    passages = [placed.passage for placed in found.placed]
    right = [one for one in passages if (one.origin, one.block) == (made.passage.origin, made.passage.block)]
    return any(one.certainty is None or one.certainty >= SURE for one in right)
