"""How a chatbot opens a new conversation: what its documents are called, and questions that they answer.

A question asks about a term that a passage defines and that stands in its heading. It is searched for: only those are
shown that find the passage they were made from. Whole documents can be summed up.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, islice, zip_longest

from django.core.cache import cache
from django.db.models import Count, Max

from chatbots.answering.retrieval import WeightedSource
from chatbots.answering.source_selection import select_sources
from chatbots.answering.standalone_search import search_standalone
from chatbots.models import Chatbot, Participant
from corpus.certainty import SURE
from corpus.embedding.active_model import active_embedder
from corpus.models import Status
from corpus.passages import Passage
from corpus.source_kinds import list_searchable_kinds
from text.definitions import definitions_in
from text.names import WORD, word_key
from text.sentences import split_sentences

MAX_PASSAGES = 12
"""Passages of each kind of source that are looked at."""
MAX_TITLES, MAX_QUESTIONS = 6, 4
_INDEFINITE = re.compile(r"An?\s")
_ARE = re.compile(r"\s*(?:are|were|sind|waren|sont|étaient|son|eran)\b")
_WHAT = {"en": "What is {}?", "de": "Was ist {}?", "fr": "Qu’est-ce que {} ?", "es": "¿Qué es {}?"}
_SUM_UP = {"en": "Summarise “{}”", "de": "Fasse „{}“ zusammen", "fr": "Résume « {} »", "es": "Resume «{}»"}


@dataclass(frozen=True)
class Opening:
    """What the documents of a chatbot are called, and questions that they answer."""

    topics: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()


def get_opening(chatbot: Chatbot, participant: Participant | None = None) -> Opening:
    """Return the opening of a chatbot for this person, by default its owner; empty without documents.

    It is kept until a document changes, at most for a day. Raises engines.errors.EngineError.
    """
    private = participant is None or chatbot.uses_private_sources_for(participant.user_id)
    key = f"opening:{chatbot.pk}:{chatbot.language}:{int(private)}:{_compute_state(chatbot)}"
    opening: Opening | None = cache.get(key)
    if opening is None:
        opening = _make(chatbot, participant)
        cache.set(key, opening, 24 * 60 * 60)
    return opening


def is_being_read(chatbot: Chatbot) -> bool:
    """Whether a document of the chatbot waits to be read for the first time or is being read."""
    kinds = [kind.find_documents(chatbot) for kind in list_searchable_kinds() if kind.find_documents]
    pending = {"status__in": [Status.QUEUED, Status.INDEXING], "answering_version": None}
    return any(documents.filter(**pending).exists() for documents in kinds)


def _compute_state(chatbot: Chatbot) -> str:
    """Changes whenever a document that the chatbot may read is added, changed or taken away."""
    kinds = [kind.find_documents(chatbot) for kind in list_searchable_kinds() if kind.find_documents]
    states = [documents.order_by().aggregate(count=Count("pk"), last=Max("updated_at")) for documents in kinds]
    return "-".join(f"{one['count']}.{one['last'].timestamp() if one['last'] else 0}" for one in states)


def _make(chatbot: Chatbot, participant: Participant | None) -> Opening:
    sources = select_sources(chatbot, participant=participant)
    passages = _list_passages(sources)
    made = {question: passage for passage in passages for question in _ask(passage)}
    answered = (
        question
        for question, passage in islice(made.items(), 9)  # each costs what a question costs
        if _is_answered(question, passage, chatbot, sources)
    )
    titles = {passage.document_title: passage.language for passage in passages}
    sum_up = [_phrase(_SUM_UP, language, title) for title, language in titles.items()]
    room = MAX_QUESTIONS - min(1, len(sum_up))
    questions = [*islice(answered, room), *sum_up][:MAX_QUESTIONS]
    return Opening(tuple(titles)[:MAX_TITLES], tuple(questions))


def _list_passages(sources: Sequence[WeightedSource]) -> list[Passage]:
    """The passages that stand for all documents, those of the kinds of sources in turn."""
    model = active_embedder().name
    named = [one.source.named("", MAX_PASSAGES, model=model) for one in sources]
    by_turns = chain.from_iterable(zip_longest(*(found.passages for found in named if found)))
    return [passage for passage in by_turns if passage is not None]


def _ask(passage: Passage) -> list[str]:
    """Make a question for each term that a sentence defines and that stands in a heading of the passage."""
    text, language = passage.text, passage.language or "en"
    headings = {word_key(word, language) for heading in passage.heading_path for word in WORD.findall(heading)}
    questions = []
    for sentence in split_sentences(text, language):
        words = " ".join(text[sentence.start : sentence.end].replace("*", "").split())
        for definition in definitions_in(words, language) if sentence.kind == "prose" else ():
            term = definition.term
            if definition.is_definite or _ARE.match(words, definition.ends):
                continue  # “What is X?” would be wrong
            if headings.issuperset(word_key(word, language) for word in WORD.findall(term)):
                questions.append(_phrase(_WHAT, language, term if language == "de" else _in_a_sentence(term, words)))
    return questions


def _in_a_sentence(term: str, sentence: str) -> str:
    """A term that begins a sentence as it stands within one: “a delta”, “speed”; a name keeps its capital."""
    is_of_somebody = term.partition(" ")[0].endswith(("'s", "’s"))
    if term.isupper() or is_of_somebody or any(word[:1].isupper() for word in term.split()[1:]):
        return term
    article = _INDEFINITE.match(sentence)
    lower = term[:1].lower() + term[1:] if sentence.startswith(term) else term
    return f"{article[0].lower()}{lower}" if article and sentence.startswith(term, article.end()) else lower


def _phrase(phrases: dict[str, str], language: str, words: str) -> str:
    return phrases.get(language, phrases["en"]).format(words)


def _is_answered(question: str, made_from: Passage, chatbot: Chatbot, sources: Sequence[WeightedSource]) -> bool:
    _, found = search_standalone(question, sources, language=chatbot.language, places=chatbot.places)
    passages = [placed.passage for placed in found.placed]
    right = [one for one in passages if (one.origin, one.block) == (made_from.origin, made_from.block)]
    return any(one.certainty is None or one.certainty >= SURE for one in right)
