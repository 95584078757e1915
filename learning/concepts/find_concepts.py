"""Find concepts without a language model: what the author marked, or the text defines."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import chain, zip_longest
from math import log

from chatbots.passages import NumberedPassage
from corpus.passages import Passage
from engines.embedding import Embedder
from learning.concepts.marks import MAX_SYNONYMS, Candidate, Mark, Mentions, choose_form, find_marked_terms
from learning.concepts.prerequisites import TaughtConcept, find_prerequisites, sort_for_teaching
from learning.material import MAX_CONCEPTS, FoundConcept
from learning.reading.statements import (
    Certainty,
    Statement,
    are_alike,
    find_definition,
    find_fault,
    get_term_stems,
    plain,
    read_statements,
)
from text.names import WORD, Key, make_name_key
from text.sections import is_exercise, is_glossary

ENOUGH = 8
"""Marked concepts from which on no others are looked for."""

MAX_PASSAGES, MIN_PASSAGE_WORDS = 8, 30
"""Passages of one concept, and words of each but that of its definition."""

MAX_EMBEDDED = 64
"""Sentences of a text, and names, that are embedded to rank what nobody marked."""

MIN_EXPLAINED = 2 * Certainty.BOLD
"""Value of a sentence that explains a name, and does not only mention it."""

_PENALTIES = {"": 0, "points elsewhere": 1, "goes on from another sentence": 3, "length": 3, "broken": 4}
_MIN_VALUE = {Mark.STRONG: 0, Mark.WEAK: 2 * Certainty.MENTIONED, Mark.NONE: 2 * Certainty.DEFINED}


@dataclass(frozen=True)
class Survey:
    """Passages with their statements, in order, and the candidates that can be concepts, the best first.

    `number` of a statement is the index of its passage.
    """

    passages: Sequence[Passage]
    statements: Sequence[Statement]
    candidates: Sequence[Candidate]
    language: str


def find_concepts(
    passages: Sequence[Passage], *, topic: str = "", language: str, most: int = 30, embedder: Embedder | None = None
) -> list[FoundConcept]:
    """Return the concepts of passages in teaching order, at most `most` and never more than MAX_CONCEPTS.

    `passages` are in reading order, one for each chunk of the chosen documents, or those that a search for `topic`
    found. Each concept has a definition that stands in the passage `defined_in`, without its Markdown.
    """
    if not passages or most < 1:
        return []
    seen = survey(passages, topic=topic, language=language, embedder=embedder)
    return build_concepts(spread(seen, min(most, MAX_CONCEPTS)), seen)


def define_name(name: str, passages: Sequence[Passage], language: str) -> FoundConcept | None:
    """Return a concept that somebody named, with what the passages say of it; None if they do not mention it."""
    statements = read_sections(passages, language)
    key = make_name_key(name, language)
    if not key:
        return None
    candidate = Candidate(key, Counter([name]), Mark.STRONG)
    _define([candidate], statements, language)
    seen = Survey(passages, statements, [], language)
    return next(iter(build_concepts([candidate], seen)), None) if candidate.statement else None


def survey(passages: Sequence[Passage], *, topic: str, language: str, embedder: Embedder | None) -> Survey:
    """Read passages and rank the names that are marked, and, where these are few, those that are only defined."""
    statements = read_sections(passages, language)
    found = find_marked_terms(passages, statements, language).by_key
    _merge_synonyms(found, language)
    mentioned = _define(list(found.values()), statements, language)
    good = [one for one in found.values() if one.statement]
    weights = {one.key: log(2 + mentioned[one.key]) * (2 + min(one.forms.total(), 3)) for one in good}
    if topic:
        asked = get_term_stems(topic, language)
        for one in good:
            told = get_term_stems(f"{' '.join(one.forms)} {one.definition}", language)
            weights[one.key] *= 0.5 + len(asked & told) / (len(asked) or 1)
    marked = [one for one in good if one.mark == Mark.STRONG]
    if len(marked) > 2 * ENOUGH:  # in a long text, some of the bold print is emphasis
        marked = [one for one in marked if one.value >= MIN_EXPLAINED]
    others = [one for one in good if one.mark != Mark.STRONG]
    if len(marked) < ENOUGH and embedder and others:
        _weigh_by_closeness(others, weights, statements, embedder)
    marked.sort(key=lambda one: (-weights[one.key], one.key))
    others.sort(key=lambda one: (-weights[one.key], one.key))
    ranked = [*marked, *(one for one in others if one.mark == Mark.WEAK and one.value >= 2 * Certainty.BEGINS)]
    if len(marked) < ENOUGH:
        ranked += [one for one in others if one.mark == Mark.NONE]
    if len(ranked) < ENOUGH:
        ranked += [one for one in others if one not in ranked][: ENOUGH - len(ranked)]
    return Survey(passages, statements, ranked, language)


def build_concepts(
    chosen: Sequence[Candidate], seen: Survey, claimed: Mapping[Key, Set[Key]] | None = None
) -> list[FoundConcept]:
    """Return the concepts of these candidates; `claimed` are prerequisites that a language model gave."""
    by_key = {one.key: one for one in chosen}
    language, passages = seen.language, seen.passages
    words = Counter(word for one in seen.statements if not one.row for word in WORD.findall(one.text)[1:])
    aliases = {make_name_key(name, language): key for key, one in by_key.items() for name in one.synonyms}
    mentions = Mentions(by_key, language, {key: one for key, one in aliases.items() if key and key not in by_key})
    counts = [mentions.count(plain(passage.excerpt)) for passage in passages]
    names = {key: choose_form(one.forms, words, key, language) for key, one in by_key.items()}
    taught = [
        TaughtConcept(
            key=key,
            order=one.order,
            defined_with=frozenset(mentions.count(one.definition)) - {key},
            under={make_name_key(heading, language) for heading in passages[_get_home(one)].heading_path[-1:]}
            & (by_key.keys() - {key}),
            claimed=frozenset((claimed or {}).get(key, ())),
        )
        for key, one in by_key.items()
    ]
    needed = find_prerequisites(taught)
    return [
        FoundConcept(
            name=names[key],
            definition=by_key[key].definition,
            defined_in=passages[_get_home(by_key[key])],
            passages=_choose_passages(by_key[key], passages, counts),
            synonyms=tuple(one for one, _ in by_key[key].synonyms.most_common() if one != names[key])[:MAX_SYNONYMS],
            prerequisites=tuple(names[before] for before in needed[key]),
            is_marked=by_key[key].mark == Mark.STRONG,
        )
        for key in sort_for_teaching({one.key: one.order for one in taught}, needed)
    ]


def read_sections(passages: Sequence[Passage], language: str) -> list[Statement]:
    """Read the statements of all sections; each belongs to the passage whose excerpt has it, else to the first."""
    groups: dict[tuple[str, str], list[int]] = {}
    for index, passage in enumerate(passages):
        groups.setdefault((passage.origin, passage.text), []).append(index)
    found: dict[str, Statement] = {}
    for members in groups.values():
        first = passages[members[0]]
        text = first.text if first.excerpt.strip() in first.text else f"{first.text}\n\n{first.excerpt}"
        section = NumberedPassage(members[0], first.document_title, first.heading_path, text, first.excerpt)
        for one in read_statements([section], language):
            owner = next((index for index in members if one.written in passages[index].excerpt), members[0])
            marks = [mark for mark in passages[owner].marks if mark.strip("*") in one.text]
            written = " ".join([*marks, one.written])
            found.setdefault(one.text, replace(one, number=owner, written=written))
    return list(found.values())


def _merge_synonyms(found: dict[Key, Candidate], language: str) -> None:
    """Let a name that another one gives as its short form or other name be taken over by that; likewise another form of
    a term that only a table has."""
    for key in [key for key, one in found.items() if one.row]:
        name = found[key].get_name()
        bold = [one for one in found.values() if one.mark == Mark.STRONG and one.key != key and len(one.key) == 1]
        if same := next((one for one in bold if len(key) == 1 and are_alike(name, one.get_name(), language)), None):
            same.row = found.pop(key).row
    for key in list(found):
        for synonym in found[key].synonyms if key in found else ():
            other = make_name_key(synonym, language)
            if other in found and other != key:
                found[key].mark = max(found[key].mark, found.pop(other).mark)


def _define(candidates: Sequence[Candidate], statements: Sequence[Statement], language: str) -> Counter[Key]:
    """Choose for each candidate the sentence that says most surely what it is; returns how often each is mentioned."""
    mentions = Mentions([one.key for one in candidates], language)
    places: defaultdict[Key, list[int]] = defaultdict(list)
    total: Counter[Key] = Counter()
    for order, statement in enumerate(statements):
        for key, count in mentions.count(statement.text).items():
            places[key].append(order)
            total[key] += count
    for one in candidates:
        name = one.get_name()
        bold = [place for place in places[one.key] if name in statements[place].bold]
        one.value = _MIN_VALUE[one.mark] - 1
        for order in [*bold, *places[one.key]][:40]:  # a long text mentions it often
            value, text = _judge(statements[order], name, language)
            if value > one.value or (value == one.value and one.statement is not None and order < one.order):
                one.value, one.definition, one.statement, one.order = value, text, statements[order], order
        if one.row and one.value < MIN_EXPLAINED:
            one.value, one.definition, one.statement = MIN_EXPLAINED, one.row.text, one.row
            one.order = statements.index(one.row)
    return total


def _judge(statement: Statement, name: str, language: str) -> tuple[int, str]:
    """Return how well a sentence defines a name, and the definition: with the sentence before, if it leans on it."""
    found = find_definition(statement, name, language)
    if found is None:
        return -1, ""
    text, fault = statement.text, find_fault(statement.text, language)
    if fault.startswith("goes on") and statement.before:
        before = find_fault(statement.before, language)
        if before != "broken":
            text, fault = f"{statement.before} {text}", "points elsewhere" if before else ""
    if fault == "broken" and found.certainty == Certainty.DEFINED and found.meaning:
        fault = "points elsewhere"  # an entry without a verb or a full stop
    if len(get_term_stems(text, language) - get_term_stems(name, language)) < 2:  # besides the name
        return -1, ""
    return 2 * found.certainty + (name in statement.bold) - _PENALTIES[fault], text


def _weigh_by_closeness(
    others: Sequence[Candidate], weights: dict[Key, float], statements: Sequence[Statement], embedder: Embedder
) -> None:
    """Weigh what nobody marked by how close it is to the text as a whole; of many, the first by weight."""
    near = sorted(others, key=lambda one: (-weights[one.key], one.key))[:MAX_EMBEDDED]
    sample = statements[:: -(-len(statements) // MAX_EMBEDDED)]
    whole = embedder.embed_passages([one.text for one in sample]).mean(axis=0)
    vectors = embedder.embed_passages([f"{one.get_name()}: {one.definition}" for one in near])
    closeness = {one.key: float(vector @ whole) for one, vector in zip(near, vectors, strict=True)}
    for one in others:
        weights[one.key] *= max(closeness.get(one.key, 0.0), 0.01)


def spread(seen: Survey, most: int) -> list[Candidate]:
    """Return the best candidates; where there are too many, those of each chapter in turn."""
    if len(seen.candidates) <= most:
        return list(seen.candidates)
    chapters: defaultdict[tuple[str, ...], list[Candidate]] = defaultdict(list)
    for one in seen.candidates:
        passage = seen.passages[_get_home(one)]
        chapters[(passage.origin, passage.file_path, *passage.heading_path[:1])].append(one)
    turns: Iterator[Candidate | None] = chain.from_iterable(zip_longest(*chapters.values()))
    return [one for one in turns if one][:most]


def _get_home(one: Candidate) -> int:
    assert one.statement is not None, one
    return one.statement.number


def _choose_passages(
    one: Candidate, passages: Sequence[Passage], counts: Sequence[Counter[Key]]
) -> tuple[Passage, ...]:
    """Return the passages about a concept: that of its definition, then those that mention it most."""
    home = _get_home(one)
    others = [
        index
        for index, count in enumerate(counts)
        if count[one.key] and index != home and len(passages[index].excerpt.split()) >= MIN_PASSAGE_WORDS
        if not is_exercise(passages[index].heading_path) and not is_glossary(passages[index].heading_path)
    ]
    others.sort(key=lambda index: (-counts[index][one.key], index))
    chosen: dict[str, Passage] = {}
    for index in (home, *others):
        chosen.setdefault(" ".join(passages[index].excerpt.split()), passages[index])
    return tuple(chosen.values())[:MAX_PASSAGES]
