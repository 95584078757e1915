"""How a tutor answers without a language model: it asks a question when it is to, and checks what a learner says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from itertools import pairwise
from uuid import UUID

from django.db.models import QuerySet

from chatbots.answering.query_rewriting import SEPARATOR
from chatbots.citations.markers import MARKER, strip_markers
from chatbots.models import Participant
from chatbots.passages import AnswerPrompt
from chatbots.quoting.candidates import QuoteCandidate, begins_with_pronoun, find_statements
from chatbots.quoting.hints import is_hint
from engines.llm import LLM, Prompt
from engines.reader.loading import get_reader
from learning.grading import grade
from learning.material import WORDS, QuestionKind
from learning.models import Concept, ConceptSource, Question, StudyPlan
from learning.questions.checking.giveaways import WINDOW, WINDOW_MORE
from learning.reading.statements import Statement, are_opposed, find_term, get_term_stems, plain
from text.function_words import function_words
from text.negation import compile_negation
from text.sentences import split_sentences
from text.stemming import stems
from text.words import read_words

TYPED = (QuestionKind.CLOZE, QuestionKind.NUMBER, QuestionKind.SHORT)
"""Kinds of questions that are answered in words."""

_WORD = re.compile(r"\w+")
_NOT, _CLAUSE = _SIGNS = "¬", ","
_BETWEEN_CLAUSES = re.compile(r"[,;:–—]+(?=\s)")
SOME = 0.4
"""Share of the words of a statement that a sentence has which is about it."""


class TutorAnswerer:
    """Answers as `answerer` does, but for a request for a question, the answer to one, and a statement to check."""

    generative = False

    def __init__(self, answerer: LLM, plan: StudyPlan, participant: Participant | None) -> None:
        self._answerer, self._plan, self._participant = answerer, plan, participant
        self.name = answerer.name

    def stream(self, prompt: Prompt) -> Iterator[str]:
        reply = self._reply(prompt) if isinstance(prompt, AnswerPrompt) and len(prompt.messages) > 1 else ""
        if reply:
            yield reply
        else:
            yield from self._answerer.stream(prompt)

    def _reply(self, prompt: AnswerPrompt) -> str:
        said = prompt.messages[-1].content.rpartition("<question>\n")[2].removesuffix("\n</question>").strip()
        asked, answered = [turn.content for turn in prompt.messages[-3:-1]] if len(prompt.messages) > 3 else ("", "")
        words = read_words(prompt.language, WORDS)["tutor"]
        if matches(words["quizzes"], said):
            return self._ask(prompt)
        if question := find_asked(self._plan.pk, self._participant, answered):
            given = "" if matches(words["gives_up"], said) else said
            return self._grade(question, given, prompt) if replies(said, prompt.language) else ""
        claim = _find_claim(said, words)
        if claim is not None:
            is_of_learner = not (asked.endswith("?") or _begins(words["asks"], asked))
            claim = claim or (asked if is_of_learner else "")
            return self._check(claim, "", prompt) if claim else ""
        is_attempt = is_hint(answered) and not _begins(words["asks"], said) and said != asked
        return self._check(said, asked, prompt) if is_attempt and "/" not in prompt.question else ""

    def _ask(self, prompt: AnswerPrompt) -> str:
        """Ask a practice question of the concept that the best passage belongs to."""
        left = find_next_questions(self._plan.pk, self._participant, [turn.content for turn in prompt.messages[:-1]])
        sources = ConceptSource.objects.current().filter(concept__plan=self._plan, concept__removed_at=None)
        for passage in prompt.passages:
            concepts = set(sources.filter(excerpt=passage.excerpt).values_list("concept", flat=True))
            for one in left:
                if one.concept_id in concepts:
                    return f"{_show(one)} [{passage.number}]"
        return ""

    def _grade(self, question: Question, said: str, prompt: AnswerPrompt) -> str:
        """Grade an answer, citing the passages of the prompt that are sources of the question."""
        sources = {one.number: one.excerpt for one in question.concept.sources.all()}
        names = Concept.objects.active().filter(plan=self._plan).values_list("name", flat=True)
        graded = copy(question)
        graded.explanation = strip_markers(question.explanation)  # it follows: no feedback says where to read on
        found = grade(graded, said, (), language=self._plan.language, other_names=list(names))
        numbers = {one.excerpt: one.number for one in prompt.passages}

        def cite(marker: re.Match[str]) -> str:
            number = numbers.get(sources.get(int(marker[1]), ""))
            return f"[{number}]" if number else ""

        return f"{found.feedback} {MARKER.sub(cite, question.explanation)}"

    def _check(self, claim: str, asked: str, prompt: AnswerPrompt) -> str:
        """Say whether the sources say what a learner says: as the answer to a question, or by itself.

        It is right or wrong only if a sentence has its words in their order; else it stands beside the nearest one.
        """
        language = prompt.language_of_quotes
        statements = [_read(one) for one in find_statements(prompt.passages, language) if not one.row]
        topic = get_term_stems(asked, language) if asked else frozenset[str]()
        own = get_term_stems(claim, language) - topic
        if asked:
            answers = self._read_answers(asked, prompt)
            statements = [one for one in statements if one.text in answers] or statements
        if not own or not statements:
            return ""
        said = {one.text: get_term_stems(f"{one.before} {one.text}", language) for one in statements}
        if asked:  # of what is quoted, what speaks of what is asked for
            most = max(len(topic & words) for words in said.values())
            statements = [one for one in statements if len(topic & said[one.text]) == most]
        shares = {one.text: len(own & said[one.text]) / len(own) for one in statements}
        begins = set(_WORD.findall(claim.casefold())[:3])  # what is spoken of
        best = max(
            statements,
            key=lambda one: (shares[one.text], len(begins & set(_WORD.findall(one.text.casefold()))), -len(one.text)),
        )
        quotes, verdict = [best], "near" if shares[best.text] >= SOME else "unsure"
        is_answer = bool(asked)
        found = {one: compare(claim, one, language, is_answer=is_answer) for one in statements} if len(own) > 1 else {}
        if len(verdicts := {one for one in found.values() if one}) == 1:
            (verdict,) = verdicts
            quotes = [one for one in statements if found[one] == verdict][:1]
        elif not verdicts and not asked and (other := self._find_other_subject(claim, best, statements, language)):
            verdict, quotes = "wrong", [*other, best]
        quoted = " ".join(f"“{one.text}” [{one.number}]" for one in dict.fromkeys(quotes))
        return str(read_words(prompt.language, WORDS)["tutor"][verdict]).format(quoted)

    def _read_answers(self, asked: str, prompt: AnswerPrompt) -> str:
        """Return what is quoted as the answer, and the sentence in which a reader finds it, in plain text."""
        quoted = plain("".join(self._answerer.stream(replace(prompt, question=asked))))  # no hint: it had one
        reader = get_reader()
        if reader and prompt.language_of_quotes in reader.languages:
            readings = reader.read(asked, [one.text for one in prompt.passages])
            reading, passage = max(zip(readings, prompt.passages, strict=True), key=lambda one: one[0].span)
            for one in split_sentences(passage.text, prompt.language) if reading.marks and reading.span > 0 else ():
                if one.start <= reading.answer[0] < one.end:
                    return f"{quoted} {plain(passage.text[one.start : one.end])}"
        return quoted

    def _find_other_subject(
        self, claim: str, best: Statement, statements: Sequence[Statement], language: str
    ) -> list[Statement]:
        """Return what is said of the concept of a claim, if the nearest sentence says all else of another instead."""
        named = [one for one in self._plan.active_concepts() if find_term(claim, one.name, language)]
        own = [one for one in named if not find_term(f"{best.before} {best.text}", one.name, language)]
        others = [one for one in self._plan.active_concepts() if one not in named]
        if not own or not any(find_term(best.text, one.name, language) for one in others):
            return []
        rest = get_term_stems(claim, language).difference(*(get_term_stems(one.name, language) for one in own))
        denied = [_list_words(text, language).count(_NOT) for text in (claim, best.text)]
        if len(rest) < 2 or not rest <= get_term_stems(best.text, language) or denied[0] != denied[1]:
            return []
        return [one for one in statements if find_term(one.text, own[0].name, language)][:1]


def find_asked(plan: UUID, participant: Participant | None, answered: str) -> Question | None:
    """Return the practice question that an answer of the tutor asked, if it was one."""
    rows: Iterable[Question] = _list_questions(plan, participant) if answered else ()
    return next((one for one in rows if _show(one) == strip_markers(answered).strip()), None)


def find_next_questions(plan: UUID, participant: Participant | None, turns: Sequence[str]) -> list[Question]:
    """Return the practice questions that none of these turns of a conversation asked; all of them if it asked each."""
    questions = list(_list_questions(plan, participant))
    return [one for one in questions if not any(_show(one) in turn for turn in turns)] or questions


def _list_questions(plan: UUID, participant: Participant | None) -> QuerySet[Question]:
    rows = Question.objects.open_to(participant).filter(concept__plan=plan, concept__removed_at=None)
    return rows.filter(kind__in=TYPED).select_related("concept").order_by("created_at", "pk")


def compare(claim: str, statement: Statement, language: str, *, is_answer: bool) -> str:
    """Say whether a claim is "right" or "wrong" by a sentence that has its words in their order; "" if none can tell.

    Its words stand close together from the beginning of the sentence on; those of an answer stand anywhere. It is wrong
    if one number is another, or one word the opposite, or one of both has a "not" more.
    """
    ours, theirs = _list_words(claim, language), _list_words(statement.text, language)
    if statement.before:  # “It makes them smaller”: what the pronouns stand for
        before = _list_words(statement.before, language)
        if ours[:1] == before[:1]:
            ours = [one for one in ours if one in theirs or one not in before]
    starts = range(len(theirs) if is_answer else 1)
    verdicts = {verdict for start in starts if (verdict := _compare_from(start, ours, theirs, language))}
    return verdicts.pop() if len(verdicts) == 1 else ""


def _compare_from(start: int, ours: Sequence[str], theirs: Sequence[str], language: str) -> str:
    """Compare the words of a claim with those of a sentence from one of them on."""
    wanted = [one for one in ours if one not in _SIGNS]
    places, place = list[int](), start - 1
    for word in wanted:
        later = range(place + 1, len(theirs))
        place = next((at for at in later if _is_like(word, theirs[at], language)), len(theirs))
        places.append(place)
    if not places or place == len(theirs) or _NOT in (*theirs[:start], *theirs[place + 1 :]):
        return ""
    part = theirs[start : place + 1]
    is_near = len([one for one in part if one not in _SIGNS]) <= WINDOW * len(wanted) + WINDOW_MORE
    is_alike = part.count(_CLAUSE) == ours.count(_CLAUSE) and _count_numbers(part) == _count_numbers(ours)
    starts_late = places[0] > start + (theirs[start] == _NOT)
    others = [word for word, at in zip(wanted, places, strict=True) if word != theirs[at]]
    little = {*stems(" ".join(function_words(language)), language)}  # “and”, after which another may be spoken of
    skips = any(later > at + 1 and theirs[at] in little for at, later in pairwise(places) if theirs[at + 1] != _NOT)
    if starts_late or skips or not is_near or not is_alike or set(others) & set(theirs):
        return ""
    faults = len(others) + abs(part.count(_NOT) - ours.count(_NOT))
    return {0: "right", 1: "wrong"}.get(faults, "")


def _list_words(text: str, language: str) -> list[str]:
    """Return the stems of the words that count in a text, in order, with signs for what negates and between clauses."""
    little = {*stems(" ".join(read_words(language, WORDS)["tutor"]["little"]), language)}
    words: list[str] = []
    for clause in _BETWEEN_CLAUSES.split(text):
        for part in compile_negation(language).split(clause):
            words += [*(one for one in stems(part, language) if one not in little), _NOT]
        words[-1] = _CLAUSE
    return words[:-1]


def _is_like(one: str, other: str, language: str) -> bool:
    """Say whether two words are the same, or both numbers, or opposites."""
    return one == other or (one[:1].isdigit() and other[:1].isdigit()) or are_opposed(one, other, language)


def _count_numbers(words: Sequence[str]) -> int:
    return sum(one[:1].isdigit() for one in words)


def _read(candidate: QuoteCandidate) -> Statement:
    """A sentence, with the one before it if it begins with a pronoun."""
    before = plain(candidate.before) if begins_with_pronoun(candidate) else ""
    return Statement(plain(candidate.text), candidate.passage.number, candidate.text, before)


def _show(question: Question) -> str:
    return strip_markers(question.prompt).strip()


def asks_for_question(said: str, language: str) -> bool:
    """Say whether somebody asks for a practice question. A follow-up may stand beside what it follows."""
    quizzes = read_words(language, WORDS)["tutor"]["quizzes"]
    return any(matches(quizzes, part) for part in said.split(SEPARATOR))


def matches(patterns: Sequence[str], text: str) -> bool:
    return re.fullmatch(rf"\W*(?:{'|'.join(patterns)})\W*", text, re.IGNORECASE) is not None


def replies(said: str, language: str) -> bool:
    """Say whether somebody answers a question, if only by giving it up, and asks none."""
    words = read_words(language, WORDS)["tutor"]
    return matches(words["gives_up"], said) or not _begins(words["asks"], said)


def _begins(patterns: Sequence[str], text: str) -> bool:
    return re.match(rf"\W*(?:{'|'.join(patterns)})(?!\w)", text, re.IGNORECASE) is not None


def _find_claim(said: str, words: dict[str, list[str]]) -> str | None:
    """Return what somebody says and wants to be checked, "" if it is what they said before, None if nothing is."""
    ends, begins = "|".join(words["asks_if_right"]), "|".join(words["believes"])
    whole = re.fullmatch(rf"(?P<claim>.*?)(?:^|[,.;!?–-])\s*¿?\s*(?:{ends})\s*\?+\s*", said, re.IGNORECASE | re.DOTALL)
    claim = whole["claim"] if whole else said
    opened = re.match(rf"\W*(?:{begins})(?!\w)\W*", claim, re.IGNORECASE)
    return claim[opened.end() if opened else 0 :].strip() if whole or opened else None
