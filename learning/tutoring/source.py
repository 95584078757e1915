"""What the tutor of a plan reads: sources of the concepts that a question is about, and the plan's documents (G3)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any
from uuid import UUID

from django.conf import settings

from chatbots.answering.source_selection import Tutoring
from chatbots.models import Chat, Chatbot, MessageStatus, Participant
from chatbots.quoting.hints import HintsFirst
from corpus.embedding.active_model import active_embedder
from corpus.embedding.chunk_text import embedding_text
from corpus.passages import Passage
from corpus.search.scoring import score_texts
from corpus.search.spelling import vocabulary_of_texts
from corpus.source_kinds import SourceKind, get_kind
from corpus.sources import Query, Source, Vocabulary
from engines.embedding.vector_cache import cache
from engines.errors import EngineError
from engines.llm import LLM
from learning.material import WORDS
from learning.models import Concept, ConceptSource, Question, StudyPlan, TutorStyle
from learning.planning.plan_sources import search_sources
from learning.practice.progress import choose_next_concepts
from learning.tutoring.answerer import (
    TutorAnswerer,
    asks_for_question,
    find_asked,
    find_next_questions,
    matches,
    replies,
)
from text.function_words import content_stems
from text.words import read_words

PLAN = SourceKind(
    "plan", "Study plan", "the study plan", counted="concepts", icon="info", colour="selection", is_private=True
)
"""The kind under which a tutor's search is explained. Its passages keep the kinds that they were fetched from."""

MAX_CONCEPTS = 4
"""Concepts whose sources answer one question."""


class PlanSource(Source):
    """The sources of one plan's concepts, as they were stored with them, and then the documents of the plan."""

    is_indexed = False

    def __init__(self, plan: StudyPlan, participant: Participant | None, answers: Sequence[str] = ()) -> None:
        self._plan, self._participant = plan.pk, participant
        self._answers = answers
        self._language = plan.language
        # The first question in a process has concepts and passages embedded, and nothing else is read.
        self.deadline_ms = max(8000, settings.LECTERN_SEARCH_DEADLINE_MS)

    @property
    def kind(self) -> SourceKind:
        return PLAN

    def is_empty(self) -> bool:
        return False

    def search(self, query: Query, limit: int) -> Sequence[Passage]:
        """What a search of the documents finds, and passages of the concepts that the question names, by name, synonym
        or meaning. A question about learning itself, such as “What should I do next?”, has those to practise next; a
        request for a question, those that have one left; the answer to a practice question, those of its concept."""
        concepts = list(Concept.objects.active().filter(plan=self._plan).order_by("position", "pk"))
        is_general, last = is_about_learning(query.text, self._language), self._answers[-1] if self._answers else ""
        least = settings.LECTERN_RELEVANCE_THRESHOLD
        asked = find_asked(self._plan, self._participant, last)
        if asks_for_question(query.text, self._language):
            left = {one.concept_id for one in find_next_questions(self._plan, self._participant, self._answers)}
            named = [] if is_general else match_concepts(query, concepts, self._language)
            ranked = dict.fromkeys([*named, *self._choose_next(concepts), *concepts])
            chosen = ([one for one in ranked if one.pk in left] or [*ranked])[:MAX_CONCEPTS]
            is_general = True
            least = 1.0 if left & {one.pk for one in named} else least
        elif asked and replies(query.text, self._language):
            chosen, is_general = [asked.concept], True
        else:
            chosen = self._choose_next(concepts) if is_general else match_concepts(query, concepts, self._language)
        least = least if is_general else 0.0
        sources = ConceptSource.objects.current().filter(concept__in=[one.pk for one in chosen]).order_by("pk")
        passages = [_passage(source, self._language) for source in sources]
        texts = [] if is_general else [embedding_text(one.heading_path, one.excerpt).strip() for one in passages]
        scores = _score(texts, _use_names(query.text, chosen), query, self._language) or [least] * len(passages)
        documents = [] if least else self._list_documents()
        searched = [one for source in documents for one in source.search(query, limit)]
        found = {" ".join(one.excerpt.split()): one for one in searched}
        for passage, score in zip(passages, scores, strict=True):
            own = replace(passage, relevance=max(score, least), score=score, is_chosen=least > 0)
            if own.relevance > found.setdefault(key := " ".join(own.excerpt.split()), own).relevance:
                found[key] = own
        return sorted(found.values(), key=lambda passage: (-passage.relevance, passage.key))[:limit]

    def _list_documents(self) -> list[Source]:
        """The indexed documents that the plan was made from, if they may still be read."""
        plan = StudyPlan.objects.select_related("tutor", "chatbot", "school").filter(pk=self._plan).first()
        if plan is None or (plan.chatbot and not plan.kept_chatbot):
            return []
        return [one.source for one in search_sources(plan) if one.source.is_indexed and not one.fills_in]

    def vocabulary(self, words: Sequence[str]) -> Vocabulary:
        concepts = Concept.objects.active().filter(plan=self._plan)
        names = [" ".join((name, *synonyms)) for name, synonyms in concepts.values_list("name", "synonyms")]
        sources = ConceptSource.objects.current().filter(concept__in=concepts).order_by("pk")
        passages = [embedding_text(one.heading_path, one.excerpt) for one in sources.only("heading_path", "excerpt")]
        return vocabulary_of_texts([*names, *passages], words, self._language)

    def _choose_next(self, concepts: list[Concept]) -> list[Concept]:
        plan = StudyPlan.objects.filter(pk=self._plan).first() if self._participant else None
        found = choose_next_concepts(plan, self._participant) if plan and self._participant else []
        return (found or concepts)[:MAX_CONCEPTS]


def _use_names(text: str, concepts: Sequence[Concept]) -> str:
    """A question with the names of concepts in place of other words for them, unless it has the name: a synonym may be
    a part of it."""
    for concept in concepts:
        if concept.name.casefold() in text.casefold():
            continue
        for synonym in concept.synonyms:
            text = re.sub(rf"\b{re.escape(synonym)}\b", concept.name.replace("\\", ""), text, flags=re.IGNORECASE)
    return text


def _score(texts: Sequence[str], question: str, query: Query, language: str) -> list[float]:
    """Score texts; they are embedded once in a process, since each question of a plan is about the same ones."""
    vectors = cache.embed(texts, query.embedder)
    return score_texts(texts, question, language=language, embedder=query.embedder, embeddings=vectors)


def match_concepts(query: Query, concepts: Sequence[Concept], language: str) -> list[Concept]:
    """The concepts that a question is about, best first, at most `MAX_CONCEPTS`: all words of a name or synonym stand
    in it, or name and definition are relevant to it. Longer names count more than shorter ones."""
    asked = set(content_stems(query.text, language))
    named: dict[UUID, int] = {}
    for concept in concepts:
        for name in (concept.name, *concept.synonyms):
            words = set(content_stems(name, language))
            if words and words <= asked:
                named[concept.pk] = max(named.get(concept.pk, 0), len(words))
    if named:
        by_name = [concept for concept in concepts if concept.pk in named]
        return sorted(by_name, key=lambda concept: -named[concept.pk])[:MAX_CONCEPTS]
    texts = [f"{concept.name}: {concept.definition}"[:400] for concept in concepts]
    scores = _score(texts, query.text, query, language)
    ranked = sorted(zip(scores, concepts, strict=True), key=lambda one: -one[0])
    return [concept for score, concept in ranked[:MAX_CONCEPTS] if score >= 0.5]


def offered_question(plan: StudyPlan, chat: Chat) -> Question | None:
    """A question of the concept that the conversation's last answered question is about, if it can be practised."""
    message = chat.messages.filter(status=MessageStatus.DONE).order_by("-created_at", "-pk").first()
    if message is None:
        return None
    try:
        query = Query.of(message.searched_for or message.question, active_embedder())
    except EngineError:
        return None
    for concept in match_concepts(query, list(plan.active_concepts()), plan.language):
        question = Question.objects.filter(concept=concept).open_to(chat.participant).select_related("concept").first()
        if question:
            return question
    return None


def is_about_learning(question: str, language: str) -> bool:
    """Whether all its words are about learning itself, and none about a subject; or it asks for a question."""
    if matches(read_words(language, WORDS)["tutor"]["quizzes"], question):
        return True
    words = " ".join(sorted(read_words(language, WORDS)["learning_words"]))
    return content_stems(question, language) <= content_stems(words, language)


def tutor_source(tutor: Chatbot, participant: Participant | None, answers: Sequence[str]) -> Source:
    """What the tutor of a plan reads when this person says something after these answers."""
    return PlanSource(StudyPlan.objects.get(tutor=tutor), participant, answers)


def tutor_answerer(tutor: Chatbot, participant: Participant, llm: LLM) -> LLM:
    """A language model is told by its instructions; without one, hints come first where the plan says so."""
    if llm.generative:
        return llm
    plan = StudyPlan.objects.get(tutor=tutor)
    is_hinting = plan.tutor_style == TutorStyle.HINTS and not isinstance(llm, HintsFirst)
    return TutorAnswerer(HintsFirst(llm) if is_hinting else llm, plan, participant)


TUTOR = Tutoring(tutor_source, tutor_answerer)


def _passage(source: ConceptSource, language: str) -> Passage:
    """Return the passage that a source is a snapshot of."""
    stored: dict[str, Any] = {
        one.name: getattr(source, one.name) for one in fields(Passage) if hasattr(source, one.name)
    }
    stored |= {"kind": get_kind(source.kind), "heading_path": tuple(source.heading_path), "relevance": 0.0}
    stored["language"] = language
    return Passage(**stored)
