"""What a sentence is worth as an answer: the weighted sum of a few features."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from chatbots.passages import AnswerPrompt, NumberedPassage
from chatbots.quoting.candidates import QuoteCandidate
from engines.embedding import Embedder, get_embedder
from engines.embedding.cosine_scale import cosine_scale
from engines.embedding.vector_cache import cache
from text.definitions import definitions_in
from text.function_words import content_stems
from text.matching import coverage, inverse_frequencies
from text.question_language import is_foreign
from text.question_match import QuestionWords
from text.question_types import (
    PRONOUN,
    asks_for_rule,
    asks_whether,
    find_asked_term,
    find_classified,
    find_comparison,
    find_explained,
    is_pronoun,
    is_settled_by_a_span,
    may_be_verb,
)
from text.sentences import line_to
from text.stemming import is_code, stems
from text.tables import make_readable_line


@dataclass(frozen=True)
class SentenceFeatures:
    """Features of a sentence as an answer to a question: see `SentenceRanker.features`."""

    cosine: float
    coverage: float
    answer_type: float
    standing: float
    reading: float


WEIGHTS = SentenceFeatures(6.0, 3.0, 0.9, 1.0, 3.0)
"""`python -m benchmarks.sentences CORPUS` fits them on every other article of SQuAD, whose questions share more words
with their passages than those of a class. So the cosine is held at 6 and words count less than fitted, which cost
nothing on the other articles. Where the question is in another language, the cosine counts twice, as in the search."""

_HEADING = 0.4  # of coverage: words of a heading count for the sentences below it
# Of the section asked for by its code the first sentences are the answer.
_UNDER_CODE, _LESS_FOR_EACH = 8.0, 1.0
# A formula, a unit and a definition answer more surely than a name or a number, which other sentences have too.
_FORMULA, _DEFINITION, _DEFINES_FROM = 2.0, 3.0, 1.8
_HIGHEST, _OTHERS = 0.9, 0.3
"""The highest cosine that a sentence is expected to have with a question, on the scale of `cosine_scale`, and what
one that is not embedded counts as having, at most."""
_BEHIND = 1.5
"""How far below the best a sentence may still end to be embedded, where a few words do not settle the question: then
a third and a fourth sentence are worth quoting."""
_CERTAIN = 1e-4  # distance from 0 and 1 at which a relevance is cut off
_MAX_MISSING = 1 / 3  # share of the words of a question that what is quoted may lack
_SAME, _MAX_RIVALS = 0.9, 12
"""The cosine of two names of a thing in two languages, on the scale of `cosine_scale`, and other names compared."""
_CLAUSE = re.compile(r"[,;:()] | – ")


class SentenceRanker:
    """Ranks all candidates to answer a question."""

    def __init__(self, prompt: AnswerPrompt, candidates: Sequence[QuoteCandidate]) -> None:
        self._prompt, self._language = prompt, prompt.language_of_quotes
        self._words = QuestionWords(prompt.question, self._language)
        comparison = stems(find_comparison(prompt.question), self._language)
        self._expected, self._compares = self._words.expected, bool(comparison)
        self._asked = self._words.stems.difference(comparison) or self._words.stems
        term = find_classified(prompt.question) or find_asked_term(prompt.question)
        self._defined = content_stems(term, self._language) if term else self._asked
        self._labels = dict(self._find_labels(candidates))
        self.is_settled = is_settled_by_a_span(prompt.question)
        self.is_foreign = is_foreign(prompt.question, self._language)
        self._cosine = WEIGHTS.cosine * (1 + self.is_foreign)
        self._headings = {
            passage.number: self._words.find_in_headings((passage.title, *passage.heading_path)) & self._asked
            for passage in prompt.passages
        }
        self._weights = inverse_frequencies(self._asked, [*map(self._found_in, candidates), *self._headings.values()])
        self._standing = _standings(prompt.passages)
        self._under_code = {
            candidate.place: max(0.0, _UNDER_CODE - _LESS_FOR_EACH * order)
            for number, headings in self._headings.items()
            if any(map(is_code, headings))
            for order, candidate in enumerate(one for one in candidates if one.passage.number == number)
        }

    def narrow(self, candidates: Sequence[QuoteCandidate]) -> list[QuoteCandidate]:
        """Leave out what stands in another document or under another number than the question names.

        A passage must have a number of the question that is in the title or headings of another one, and any word of
        them if the other one has all words of the question. Of what is asked for by its number the rest is left out,
        and what says nothing more than the question.
        """
        inside = {one.number: self._headings[one.number] | self._asked_in(one.text) for one in self._prompt.passages}
        named: set[str] = set()
        for number, over in self._headings.items():
            named |= over if inside[number] == self._asked else over & self._words.numbers
        candidates = list(filter(self.says_more, candidates)) or candidates
        kept = [one for one in candidates if named <= inside[one.passage.number]] or list(candidates)
        numbered = {one.place: len(self._found_in(one) | self._headings[one.passage.number]) for one in kept}
        most = max((numbered[one.place] for one in kept if one.place in self._labels), default=0)
        return [one for one in kept if one.place in self._labels and numbered[one.place] == most] or kept

    def by_words(self, candidate: QuoteCandidate) -> float:
        """Return the score of a candidate without its cosine."""
        values = vars(self.features(candidate))
        score = math.fsum(weight * values[name] for name, weight in vars(WEIGHTS).items())
        return score + self._under_code.get(candidate.place, 0.0)

    def by_vectors(self, ranked: Sequence[QuoteCandidate], embedder: Embedder) -> list[float]:
        """Return what the cosines of candidates add to that, on the scale of `cosine_scale`.

        `ranked` are the candidates with their scores by words, best first. What is said in another language is compared
        with its heading. A sentence is only embedded while it may
        still become the best one, or come close to it.
        """
        asked, scale = embedder.embed_query(self._prompt.question), cosine_scale(embedder)
        behind = 0.0 if self.is_settled else _BEHIND
        added: list[float] = []
        best = -math.inf
        for candidate in ranked:
            if candidate.score + self._cosine * _HIGHEST < best - behind:
                break
            meaning = f"{candidate.heading}\n{candidate.meaning}" if self.is_foreign else candidate.meaning
            (vector,) = cache.embed([meaning], embedder)
            added.append(self._cosine * scale.apply(float(vector @ asked)))
            best = max(best, candidate.score + added[-1])
        return added + [min([self._cosine * _OTHERS, *added])] * (len(ranked) - len(added))

    def features(self, candidate: QuoteCandidate) -> SentenceFeatures:
        """Return the features of a candidate but for its cosine, which is left at 0.

        Coverage is the share of the question's stems, function words left out, weighted by idf over all candidates,
        that the sentence contains, those that only its heading has at 0.4; answer_type, 1 if it has what is asked for
        (a date; 2 for a formula or a unit), -1 if it has none, 3 if it defines all that is asked for; standing, by how
        much the passage is less likely evidence than the best one; reading, how likely the reader finds the answer
        there, if it stands in the passage, or, for a row of a table, whether the question names it.
        """
        number, found = candidate.passage.number, self._found_in(candidate)
        heading = self._headings[number] | self._asked_in(candidate.title)
        if candidate.row and found:
            found |= self._asked_in(candidate.meaning)
        return SentenceFeatures(
            cosine=0.0,
            coverage=self.coverage(found) + _HEADING * self.coverage(heading - found),
            answer_type=self._has_answer_type(candidate),
            standing=self._standing[number],
            reading=self._read(candidate),
        )

    def names(self, candidate: QuoteCandidate) -> bool:
        """Say whether the question names a row by its first cell."""
        return candidate.row is not None and self._words.names(candidate.row.cells[0])

    def says_more(self, candidate: QuoteCandidate) -> bool:
        """Say whether a sentence has any word that the question has not: “Calculate its acceleration” says nothing."""
        if candidate.row or candidate.text.endswith("?") or asks_whether(self._prompt.question):
            return True
        asked = stems(self._prompt.question, self._language)
        return not content_stems(candidate.text, self._language) <= set(asked)

    def coverage(self, found: Collection[str]) -> float:
        """Return the share of the question, by weight, that these stems are."""
        return coverage(found, self._weights)

    def around(self, candidate: QuoteCandidate) -> set[str]:
        """Return those of the question's stems that stand over an entry: headings, the line before, column headers."""
        row = candidate.row
        over = [candidate.before, row.intro, *row.headers] if row else [candidate.intro]
        return self._headings[candidate.passage.number] | self._asked_in(" ".join(over))

    def concerns(self, candidate: QuoteCandidate) -> bool:
        """Say whether a sentence has any of the question's words."""
        return bool(self._asked_in(candidate.text))

    def own(self, entry: QuoteCandidate, around: Collection[str]) -> float:
        """Return the coverage by what an entry says itself."""
        return self.coverage(self._asked_in(entry.text).difference(around))

    def _find_labels(self, candidates: Sequence[QuoteCandidate]) -> Iterator[tuple[tuple[int, int], set[str]]]:
        """Yield where a candidate has a number by which the question asks for it, and the words that say so.

        What follows in its paragraph has the same.
        """
        label, block = "", (0, 0)
        for one in sorted(candidates, key=lambda one: one.place):
            before, block = block, (one.passage.number, one.sentence.block)
            line = one.row.cells[0] + " " if one.row else line_to(one.passage.text, one.sentence)
            label = self._words.find_label(line) or (label if block == before else "")
            if labelled := self._words.find_labelled(label):
                yield one.place, labelled

    def names_column(self, candidate: QuoteCandidate) -> bool:
        """Say whether the question names a column of a row: “Which flame does copper give?”"""
        return candidate.row is not None and bool(self._asked_in(" ".join(candidate.row.headers[1:])))

    def is_about(self, candidate: QuoteCandidate) -> bool:
        """Say whether a sentence begins with all that is asked for, after an article: “Resistance tells how …”."""
        for part in make_readable_line(candidate.text).replace("*", "").split(", ", 1):
            for count, words in ((len(self._defined) + more, part.split()) for more in (0, 1)):
                first, rest = words[:count], words[count:]
                if first and self._defined <= self._asked_in(" ".join(first)):
                    return not rest or first[-1].endswith("s") or may_be_verb(rest[0], self._language)
        return False

    def covers(self, candidate: QuoteCandidate) -> bool:
        """Say whether a sentence has all that is asked for."""
        return self._asked <= self._found_in(candidate)

    def covers_in_clause(self, candidate: QuoteCandidate) -> bool:
        """Say whether a clause of a sentence has all that is asked for."""
        return any(self._asked <= self._asked_in(clause) for clause in _CLAUSE.split(candidate.text))

    def explains(self, candidate: QuoteCandidate) -> bool:
        """Say whether a sentence gives a reason for something about the first thing that the question names, which
        a heading may name, too, or the sentence before one that begins with a pronoun."""
        over = self._over(candidate)
        return any(self._subject <= self._asked_in(part) | over for part in find_explained(candidate.text))

    def may_explain(self, candidate: QuoteCandidate) -> bool:
        """Say whether a sentence names that thing, and gives a reason for nothing else."""
        names_it = self._subject <= self._asked_in(candidate.text) | self._over(candidate)
        return names_it and (not find_explained(candidate.text) or self.explains(candidate))

    @cached_property
    def _subject(self) -> set[str]:
        """The first word of the question after what asks for a reason, but for a verb beside a pronoun: “we need”."""
        words = self._prompt.question.partition(self._expected.cue)[2].split()
        beside = zip(["", *words], words, [*words[1:], ""], strict=False)
        nouns = [word for before, word, after in beside if not (is_pronoun(before) or is_pronoun(after))]
        inside = set[str]().union(*(self._asked_in(one.text) for one in self._prompt.passages))
        return next(filter(None, (self._asked_in(noun) & inside for noun in nouns)), set())

    def _over(self, candidate: QuoteCandidate) -> set[str]:
        """Those words of the question that stand over a sentence, or before it if it begins with a pronoun."""
        before = candidate.before if PRONOUN.match(candidate.text) else ""
        return self._headings[candidate.passage.number] | self._asked_in(f"{candidate.title} {before}")

    def is_missing(self, chosen: Sequence[QuoteCandidate]) -> bool:
        """Say whether what is quoted lacks many words of the question, but for the first, which may tell what to do."""
        found = self._asked_in(" ".join([one.text for one in chosen])) | self._headings[chosen[0].passage.number]
        first = self._asked_in(" ".join(self._prompt.question.split()[:1]))
        return len(self._asked - first - found) > _MAX_MISSING * len(self._asked)

    def names_as_much(self, one: QuoteCandidate, other: QuoteCandidate) -> bool:
        """Say whether a sentence, with title and headings, has all words of the question that another one has."""
        inside, other_inside = (self._found_in(each) | self._headings[each.passage.number] for each in (one, other))
        return other_inside <= inside

    def _found_in(self, candidate: QuoteCandidate) -> set[str]:
        return self._asked_in(candidate.text) | self._labels.get(candidate.place, set())

    def _asked_in(self, text: str) -> set[str]:
        return self._words.find_in(text) & self._asked

    def _has_answer_type(self, candidate: QuoteCandidate) -> float:
        if self._expected.is_in(candidate.text, self._language):
            return _FORMULA if self._expected.type in ("formula", "unit") else 1.0
        if self._expected.type:  # “When must …?” may ask for a condition
            return 0.0 if asks_for_rule(self._prompt.question) else -1.0
        # A definition of one part has only half of what a comparison, or a question for a kind, has.
        return _DEFINITION * (1 + (self._compares or self._defined != self._asked)) * self.defines(candidate)

    def defines(self, candidate: QuoteCandidate, *, anything: bool = False) -> bool:
        """Say whether a sentence says what all that is asked for is: “X is a …”, but not “X is related to …”.

        Of what is compared it may be a part, but not what the parts share: energy, of kinetic and potential energy.
        With `anything`, it is enough that it says of something what it is.
        """
        if candidate.row or not (anything or self._compares or self._defined <= self._asked_in(candidate.text)):
            return False
        terms = [
            content_stems(term, self._language)
            for one in definitions_in(_last_statement(candidate.text), self._language)
            if one.weight >= _DEFINES_FROM
            for term in (one.term, one.synonym)
        ]
        return any(
            anything or term == self._defined or (self._compares and self._is_compared(term)) for term in terms if term
        )

    def means(self, candidate: QuoteCandidate) -> bool:
        """Say whether a sentence defines what a question in another language asks for. Of things of one kind that the
        passage names, it is the nearest in meaning: elastic collisions are no inelastic ones."""
        embedder = get_embedder()
        asked, scale = embedder.embed_query(find_asked_term(self._prompt.question)), cosine_scale(embedder)

        def measure(term: str) -> float:
            return scale.apply(float(embedder.embed_query(term.lower()) @ asked))

        for one in definitions_in(_last_statement(candidate.text), self._language):
            if one.weight < _DEFINES_FROM or (near := measure(one.term)) < _SAME:
                continue
            *kind, thing = one.term.split()
            pattern = rf"[\w-]+ {re.escape(thing)}" if kind else r"(?!)"
            rivals = {name.lower() for name in re.findall(pattern, candidate.passage.text, re.IGNORECASE)}
            if all(measure(name) <= near for name in sorted(rivals - {one.term.lower()})[:_MAX_RIVALS]):
                return True
        return False

    def _is_compared(self, term: set[str]) -> bool:
        return term < self._asked and self.coverage(term) >= 0.5 / len(self._asked)

    def _read(self, candidate: QuoteCandidate) -> float:
        reading, sentence = candidate.passage.reading, candidate.sentence
        if candidate.row:  # the reader knows sentences; of a table the row that the question names answers
            return float(self.names(candidate))
        if reading is None or self._compares:  # no few words in a row are a comparison
            return 0.0
        return reading.measure_share(sentence.start, sentence.end)


def _last_statement(text: str) -> str:
    """Return a sentence in plain text, without the question that stands before it."""
    return re.split(r"\?\s+", make_readable_line(text).replace("*", ""))[-1]


def _standings(passages: Sequence[NumberedPassage]) -> dict[int, float]:
    """Return the logit of each passage's relevance, below that of the best."""
    sure = {p.number: min(max(p.relevance, _CERTAIN), 1 - _CERTAIN) for p in passages}
    logits = {number: math.log(value / (1 - value)) for number, value in sure.items()}
    best = max(logits.values(), default=0.0)
    return {number: logit - best for number, logit in logits.items()}
