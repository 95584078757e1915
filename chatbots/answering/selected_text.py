"""Which parts of a selected text bear on a question, and whether they suffice for an answer (T3).

Nothing is searched: the text is cut as documents are, and its parts are held against the question by the measure of
the search (`corpus.search.search`), with every word of the question counting alike: one text does not
tell rare words from common ones.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from chatbots.models import Language, Message, MessageSource, Selection
from corpus.embedding.active_model import active_embedder
from corpus.ingestion.chunking import Piece, chunk
from corpus.ingestion.parsing import Section
from corpus.passages import SourceKind
from corpus.search.language import CONFIGURATIONS, configuration_of, vector_weight
from corpus.search.proximity import WINDOW
from corpus.search.relevance import ScopeStatistics, relevance
from corpus.search.search import CLOSENESS, COVERAGE
from engines.calibration import line_of
from engines.embedding import Embedder
from engines.function_words import FUNCTION_WORDS
from engines.llm import NumberedPassage, Prompt
from engines.questions import expected
from engines.words import Stems

ENOUGH = 0.7
"""The relevance of its best part from which a text answers a question without a model to decide it. Of questions on 220
paragraphs of SQuAD it keeps 97 %, and refuses 99.8 % of those on other articles and 80 % of those on other paragraphs
of the same article; at the search's threshold of 0.5 it would keep 99 % and refuse 61 % of the latter."""

WORTH = 0.5
"""The relevance from which a part is quoted from."""

UNNAMED = "Selected text"
"""Its title where nobody has said which document it is from."""


@dataclass(frozen=True)
class SelectionPart:
    """A part of a selected text as an answer may cite it: `text` is read, `excerpt` bears on the question most."""

    number: int
    position: int
    excerpt: str
    text: str
    relevance: float


@dataclass(frozen=True)
class Weighed:
    """All parts in the order of the text, those of it that are worth quoting, and milliseconds by step."""

    parts: tuple[SelectionPart, ...]
    quotable: tuple[SelectionPart, ...] = ()
    timings: Mapping[str, float] = field(default_factory=dict)


def selection_of(message: Message) -> Selection:
    return Selection.objects.get(message=message.first_id)


def language_of(text: str) -> str:
    """The language of the answer where no chatbot says it: that of the text, if we have wordings in it."""
    name = configuration_of(text)
    code = next((code for code, known in CONFIGURATIONS.items() if known == name), "")
    return code if code in Language.values else Language.ENGLISH


def weigh(question: str, selection: Selection) -> Weighed:
    """Hold the parts of a selection against a question. Raises engines.errors.EmbeddingUnavailable."""
    embedder = active_embedder()
    if not connection.in_atomic_block:
        connection.close()  # nobody holds a connection of the requests' pool while the model works
    started = time.perf_counter()
    pieces = chunk(
        [Section((), selection.text)], count_tokens=embedder.count_tokens, max_tokens=embedder.max_tokens
    )
    cut = time.perf_counter()
    vectors = embedder.embed_passages([piece.text.strip() for piece in pieces])
    found = relevances(question, pieces, vectors, language=selection.language, embedder=embedder)
    parts = _parts(pieces, found)
    best = max((part.relevance for part in parts), default=0.0)
    if is_about_all(question, selection.language):
        quotable = tuple(part for part in parts if any(map(str.isalnum, part.text)))
    else:
        quotable = tuple(part for part in parts if part.relevance >= WORTH) if best >= ENOUGH else ()
    timings = {
        "cut_ms": round((cut - started) * 1000, 2),
        "embed_ms": round((time.perf_counter() - cut) * 1000, 2),
    }
    return Weighed(parts, quotable, timings)


def relevances(
    question: str,
    pieces: Sequence[Piece],
    vectors: NDArray[np.float32],
    *,
    language: str,
    embedder: Embedder,
) -> list[float]:
    """How surely each piece is evidence, from 0 to 1."""
    if not pieces:
        return []
    stems, line = Stems(language), line_of(embedder)
    asked = _content(question, language, stems)
    trust = vector_weight(CONFIGURATIONS.get(language, "simple"), embedder)
    cosines = trust * (line.scale * (vectors @ embedder.embed_query(question)) + line.offset)
    spread = float(cosines.std(ddof=1)) if len(pieces) > 1 else 0.0
    scope = ScopeStatistics(len(pieces), float(cosines.mean()), spread)
    return [
        relevance(float(cosine) + _by_words(stems.in_order(piece.text), asked, trust), scope)
        for piece, cosine in zip(pieces, cosines, strict=True)
    ]


def is_about_all(question: str, language: str) -> bool:
    """Whether a question names nothing that a text could lack, such as “How does this work?”: it is about all of it."""
    stems = Stems(language)
    general = stems.of(_GENERAL.get(language, _GENERAL["en"]))
    return _content(question, language, stems, but_all=False) <= general


def sources_of(
    message: Message, selection: Selection, parts: Sequence[SelectionPart], prompt: Prompt | None
) -> list[MessageSource]:
    """The parts as sources of the answer, so that each can be opened and checked (C5), as far as they are given."""
    given = {passage.number: passage for passage in prompt.passages} if prompt else {}
    return [
        MessageSource(
            school_id=message.school_id,
            message=message,
            number=part.number,
            kind=SourceKind.SELECTION,
            document_id=selection.document_id,
            document_title=selection.document_title or UNNAMED,
            version=selection.version,
            position=part.position,
            excerpt=given[part.number].excerpt if part.number in given else part.excerpt,
            text=given[part.number].text if part.number in given else part.text,
            relevance=part.relevance,
            weight=100,
            was_given=part.number in given,
        )
        for part in parts
    ]


def is_shortened(prompt: Prompt, parts: Sequence[SelectionPart]) -> bool:
    """Whether anything of these parts is not in the prompt."""
    return [passage.text for passage in prompt.passages] != [part.text for part in parts]


def as_passages(parts: Sequence[SelectionPart]) -> list[NumberedPassage]:
    """As an answerer reads them: without the title of a document, which is not part of the text."""
    return [
        NumberedPassage(part.number, UNNAMED, (), part.text, part.excerpt, part.relevance) for part in parts
    ]


def _content(question: str, language: str, stems: Stems, *, but_all: bool = True) -> set[str]:
    """The stems of a question but for function words and its question word; all of them where there is nothing else."""
    every = {stem for stem in stems.of(question) if len(stem) > 1 or not stem.isascii()}
    functional = stems.of(" ".join([*FUNCTION_WORDS.get(language, ()), expected(question).cue]))
    return every - functional or (every if but_all else set())


def _by_words(words: Sequence[str], asked: set[str], trust: float) -> float:
    """What coverage and closeness add to the cosine of a piece."""
    if not asked:
        return 0.0
    places = [place for place, word in enumerate(words) if word in asked]
    near = max(
        (len({words[p] for p in places if first <= p < first + WINDOW}) for first in places), default=0
    )
    coverage, closeness = len(asked & set(words)) / len(asked), near / len(asked)
    return (1 + COVERAGE - trust) * coverage + CLOSENESS * closeness


def _parts(pieces: Sequence[Piece], found: Sequence[float]) -> tuple[SelectionPart, ...]:
    """One part for each block, with the relevance of its best piece."""
    blocks: dict[int, list[tuple[Piece, float]]] = {}
    for piece, value in zip(pieces, found, strict=True):
        blocks.setdefault(piece.block, []).append((piece, value))
    parts = []
    for number, block in enumerate(blocks.values(), start=1):
        best, value = max(block, key=lambda one: (one[1], -one[0].position))
        text = "".join(piece.text for piece, _ in block).strip()
        parts.append(SelectionPart(number, best.position, best.text.strip(), text, value))
    return tuple(parts)


_GENERAL = {
    "en": "work works mean means say says tell explain explanation describe define summarise summarize summary sum "
    "outline point points main key idea ideas important text passage paragraph section excerpt selection selected "
    "sentence part example simple simply words short briefly happen please understand",
    "de": "funktioniert funktionieren bedeutet bedeuten heißt sagt sagen erkläre erklären beschreibe beschreiben fasse "
    "zusammen zusammenfassen zusammenfassung kernaussage aussage hauptpunkte wichtig wichtigste punkte text texte "
    "absatz abschnitt auszug auswahl markierte ausgewählte stelle satz teil beispiel einfach einfachen worten kurz "
    "passiert bitte verstehen gemeint",
    "fr": "fonctionne fonctionner marche signifie veut dire dit explique expliquer expliquez décris décrire résume "
    "résumer résumez résumé points point principal principale principaux idée idées important texte passage paragraphe "
    "section extrait sélection phrase partie exemple simple simplement mots bref passe comprendre",
    "es": "funciona funcionar significa significar quiere decir dice explica explicar explique describe describir "
    "resume resumir resumen punto puntos principal principales idea importante texto pasaje párrafo sección fragmento "
    "selección frase parte ejemplo simple sencillo sencillamente palabras breve pasa entender favor",
}
"""Words of questions about a text as such."""
