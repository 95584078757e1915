"""Choosing the sentences that are quoted as the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, zip_longest

from chatbots.passages import AnswerPrompt
from chatbots.quoting.candidates import (
    QuoteCandidate,
    begins_with_pronoun,
    find_candidates,
    find_statements,
    follows,
    is_twin,
    list_row_candidates,
)
from chatbots.quoting.lists import enumerates
from chatbots.quoting.ranking import SentenceRanker
from engines.embedding import Embedder
from engines.embedding.models import ANY_LANGUAGE
from text.function_words import content_stems
from text.question_match import empty_stems
from text.question_types import (
    asks_for_meaning,
    asks_for_rule,
    expected_answer,
    find_classified,
    find_list_request,
    is_settled_by_a_span,
    split_questions,
    weighs,
)
from text.stemming import stems

_EMBEDDED, _EMBEDDED_OF_FOREIGN = 16, 32
"""Sentences with the best scores by words that are embedded. Embedding all of them finds no more answers, but for a
question in another language, whose words choose none."""

_MIN_SENTENCES, _MAX_SENTENCES = 2, 4
_SURE = 0.6
"""The share of the answer from which on a sentence is quoted alone."""
_READ = 1.0
"""The reader's logit from which on a sentence answers what a few words do not settle."""
_BEHIND = 2.5
"""How far below the best score another sentence may be."""

MAX_ENTRIES = 8  # of a list or table
_ENUMERATED = 3
_CERTAIN = 1e-4  # difference of coverages that counts
_HEADED = 0.5  # coverage by what stands over a list, from which a question for several things is answered by it


def select_sentences(prompt: AnswerPrompt, embedder: Embedder) -> list[QuoteCandidate]:
    """Return two to four sentences (fewer if there are no more), best first, ties in the order of the sources.

    One is enough if a few words settle the question and the reader has found them in it.

    `ranking` gives the scores; the third and fourth sentence must be close to the best. A list or table is returned as
    a whole if the question asks for it; otherwise rows and lines of code are only used as the best one. If the best
    sentence begins with a pronoun, the sentence before it is added. If several questions are asked at once, each gets
    its best sentence before any gets a second.
    """
    parts = split_questions(prompt.question)
    if len(parts) < 2:
        return _best_for_one(prompt, embedder)
    # What was read for all of them at once tells nothing of each.
    unread = replace(prompt, passages=tuple(replace(one, reading=None) for one in prompt.passages))
    answers = [_best_for_one(replace(unread, question=part), embedder) for part in parts[:_MAX_SENTENCES]]
    once: dict[tuple[int, int], QuoteCandidate] = {}
    for one in filter(None, chain.from_iterable(zip_longest(*answers))):
        once.setdefault(one.place, one)
    return list(once.values())[:_MAX_SENTENCES]


def _best_for_one(prompt: AnswerPrompt, embedder: Embedder) -> list[QuoteCandidate]:
    found = find_candidates(prompt.passages, prompt.language_of_quotes)
    if not found:
        return []
    ranker = SentenceRanker(prompt, found)
    found = ranker.narrow(found)
    most = _EMBEDDED_OF_FOREIGN if ranker.is_foreign else _EMBEDDED
    ranked = _by_score([replace(c, score=ranker.by_words(c)) for c in found])[:most]
    if not (ranker.is_settled and _is_sure(ranked[0])) and understands(embedder, prompt):
        cosines = ranker.by_vectors(ranked, embedder)
        ranked = _by_score([replace(c, score=c.score + more) for c, more in zip(ranked, cosines, strict=True)])
    best = ranked[0]
    if find_list_request(prompt.question):
        if members := _enumerated(best, found):
            return members
        best = _with_headed_list(best, found, ranker)
    return _chosen(best if best.entries else _listed(best, ranker), ranked[1:], found, ranker)


def _enumerated(best: QuoteCandidate, found: Sequence[QuoteCandidate]) -> list[QuoteCandidate]:
    """Return the sentences of a paragraph that begin with the same word as its best one, if there are at least three:
    “Stop 1 is …. Stop 2 is ….”"""
    word = best.text.split()[:1]
    own = [
        one
        for one in found
        if (one.passage.number, one.sentence.block) == (best.passage.number, best.sentence.block)
        and one.sentence.kind == "prose"
        and one.text.split()[:1] == word
    ]
    return own[:MAX_ENTRIES] if len(own) >= _ENUMERATED else []


def _with_headed_list(best: QuoteCandidate, found: Sequence[QuoteCandidate], ranker: SentenceRanker) -> QuoteCandidate:
    """Return the list or table right after the best sentence, with one sentence between at most, else the one whose
    heading and intro have most of the question's words; the best sentence itself if there is none, or if its own list
    is as good."""
    after = [one for one in found if one.passage.number == best.passage.number and one.place > best.place]
    first = None if best.listing else next((one for one in after[:2] if one.listing), None)
    if first is None:
        listed = [one for one in found if one.listing]
        covered = {one.place: ranker.coverage(ranker.around(one)) for one in listed}
        first = max(listed, key=lambda one: (covered[one.place], -one.passage.number), default=None)
        if first is None or covered[first.place] < max(_HEADED, covered.get(best.place, 0.0) + _CERTAIN):
            return best
    return replace(first, score=best.score, entries=tuple(list_row_candidates(first)))


def may_be_no_answer(chosen: Sequence[QuoteCandidate], prompt: AnswerPrompt) -> bool:
    """Say whether what is quoted may be no answer, the best first.

    It may if reading found none; if nothing quoted has what is asked for: a name, a date, a number, a formula, a unit
    of this, a reason, a meaning, several things; or if a table is quoted or a list asked for although the question
    names something that is nowhere in the passage, so that it has no row for it. A row is sure of which the question
    names the column, too.
    """
    best, question, language = chosen[0], prompt.question, prompt.language_of_quotes
    ranker = SentenceRanker(prompt, chosen)
    rows = [entry for entry in best.entries or (best,) if entry.row]
    named = list(filter(ranker.names, rows))
    if _lacks_type(chosen, prompt, ranker):
        return True
    if any(map(ranker.names_column, named)):
        return False
    asks_what = asks_for_meaning(question) and not asks_for_rule(question)  # “What is forbidden?”
    if asks_what and any(map(ranker.means if ranker.is_foreign else ranker.defines, chosen)):
        return False
    if prompt.is_unsure:
        return True
    if named:
        return False
    if asks_what:
        return not any(map(ranker.is_about, chosen))
    request, expected, passage = find_list_request(question), expected_answer(question), best.passage
    if not rows and not request:
        return not (ranker.is_foreign or _is_read(best, prompt) or _says_what_is_asked(chosen, prompt, ranker))
    asked = content_stems(question, language, ignored=f"{expected.cue} {request}")
    there = stems(" ".join([passage.title, *passage.heading_path, passage.text]), language)
    is_missing = bool(asked.difference(there, empty_stems(language))) and not (request and ranker.is_foreign)
    return is_missing or (bool(request) and not expected.type and not _has_several(chosen, prompt))


def _says_what_is_asked(chosen: Sequence[QuoteCandidate], prompt: AnswerPrompt, ranker: SentenceRanker) -> bool:
    """Say whether what is quoted concerns the question, as far as words tell: whether it tells of what kind something
    is, or has in one clause what may be true; else whether the passage lacks no word of the question."""
    best, question = chosen[0], prompt.question
    if find_classified(question):
        is_read = best.passage.reading is not None and best.passage.reading.answered > _READ
        return ranker.defines(best) or ranker.covers_in_clause(best) or (is_read and ranker.covers(best))
    is_other = is_settled_by_a_span(question) or asks_for_rule(question) or weighs(question)
    if not (is_other or expected_answer(question).type) and ranker.is_missing(chosen):
        return False
    return ranker.concerns(best) or bool(ranker.around(best))


def _lacks_type(chosen: Sequence[QuoteCandidate], prompt: AnswerPrompt, ranker: SentenceRanker) -> bool:
    """Say whether a type of answer is asked for and nothing quoted has it; a unit, beside what is measured in it."""
    expected, best = expected_answer(prompt.question), chosen[0]
    if not expected.type or len(split_questions(prompt.question)) > 1 or asks_for_rule(prompt.question):
        return False  # “When must …?” may ask for a condition
    if expected.type == "unit" and ranker.names(best):
        return False
    if expected.type == "reason" and not ranker.is_foreign and _is_read(best):
        return not ranker.may_explain(best)
    quoted = [*chosen, *best.entries]
    if expected.type == "unit" and not ranker.is_foreign:
        quoted = [one for one in quoted if _has_subject(one, ranker, prompt.language_of_quotes)]
    if expected.type == "reason" and not ranker.is_foreign:
        return not any(map(ranker.explains, quoted))
    text = " • ".join(" – ".join(one.row.cells) if one.row else one.text for one in quoted)
    return not expected.is_in(text, prompt.language_of_quotes)


def _has_subject(one: QuoteCandidate, ranker: SentenceRanker, language: str) -> bool:
    """Say whether a sentence names what is asked for, or follows its definition: “The unit is the watt.”"""
    before = [other for other in find_statements([one.passage], language) if other.place < one.place]
    last = next((other for other in reversed(before) if ranker.defines(other, anything=True)), None)
    return ranker.covers(one) or (last is not None and ranker.defines(last))


def _is_read(one: QuoteCandidate, prompt: AnswerPrompt | None = None) -> bool:
    """Say whether a sentence has what reading found, more surely where a few words do not settle the question."""
    reading = one.passage.reading
    least = 0.0 if prompt is None or is_settled_by_a_span(prompt.question) else _READ
    return (
        reading is not None and reading.answered > least and one.sentence.start <= reading.answer[0] < one.sentence.end
    )


def _has_several(chosen: Sequence[QuoteCandidate], prompt: AnswerPrompt) -> bool:
    """Say whether several things are quoted: the entries of a list, sentences that count, “…, b and c”, “8 to 16”."""
    best = chosen[0]
    is_list = enumerates(best.text, prompt.question, prompt.language_of_quotes)
    return bool(best.entries or is_list or _enumerated(best, chosen))


def _by_score(found: Sequence[QuoteCandidate]) -> list[QuoteCandidate]:
    return sorted(found, key=lambda c: (-c.score, *c.place))


def _chosen(
    best: QuoteCandidate, others: Sequence[QuoteCandidate], every: Sequence[QuoteCandidate], ranker: SentenceRanker
) -> list[QuoteCandidate]:
    """Return the best sentence and what is quoted with it."""
    chosen = [best]
    before = next((one for one in every if follows(one, best)), None)
    if before and begins_with_pronoun(best) and not best.entries and ranker.concerns(before):
        chosen.append(before)
    chosen += [one for one in others if is_twin(best, one) and ranker.names_as_much(one, best)][
        : _MAX_SENTENCES - len(chosen)
    ]
    taken = [*chosen, *best.entries]
    least, most = (
        (1 if ranker.is_settled and _is_sure(best) else _MIN_SENTENCES),
        (2 if best.entries else _MAX_SENTENCES),
    )
    behind = [c for c in others if c.sentence.kind != "row" and not any(_holds(one, c) for one in taken)]
    for one in behind[: most - len(chosen)]:
        if len(chosen) < least or one.score >= best.score - _BEHIND:
            chosen.append(one)
    return chosen


def _is_sure(best: QuoteCandidate) -> bool:
    """Say whether the reader has found the answer in this sentence: then no other one is needed."""
    reading, sentence = best.passage.reading, best.sentence
    return reading is not None and reading.answered > 0 and reading.measure_share(sentence.start, sentence.end) >= _SURE


def _listed(best: QuoteCandidate, ranker: SentenceRanker) -> QuoteCandidate:
    """Add the entries of its list that are as good as the best sentence; all if none is better than the others."""
    entries = list_row_candidates(best)
    if len(entries) < 2:
        return best
    if best.sentence.kind in ("item", "row"):
        around = ranker.around(best)
        own = {entry.place: ranker.own(entry, around) for entry in entries}
        least = max((own[e.place] for e in entries if _holds(e, best)), default=0.0)
        entries = [entry for entry in entries if own[entry.place] >= least]
    elif named := [entry for entry in entries if ranker.names(entry)]:
        entries = named
    if len(entries) == 1 and entries[0].row:
        return replace(entries[0], score=best.score)
    return replace(best, entries=tuple(entries)) if len(entries) > 1 else best


def _holds(one: QuoteCandidate, other: QuoteCandidate) -> bool:
    same = one.passage.number == other.passage.number
    return same and one.sentence.start <= other.sentence.start < one.sentence.end


def understands(embedder: Embedder, prompt: AnswerPrompt) -> bool:
    """Say whether vectors help. Those of an English model do in German or Spanish, not in Arabic or Chinese."""
    if embedder.languages == ANY_LANGUAGE or prompt.language_of_quotes[:2] in embedder.languages:
        return True
    return all(letter < "\u0250" for letter in prompt.question if letter.isalpha())
