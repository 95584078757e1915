"""Find the parts of a selected text that are relevant to a question, and decide whether they suffice (T3).

Nothing is searched: the text is chunked like a document, and `corpus.search.scoring` scores its parts.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from chatbots.models import Language, Message, Selection
from chatbots.passages import AnswerPrompt, NumberedPassage
from corpus.embedding.active_model import active_embedder
from corpus.ingestion.chunking import Piece, chunk
from corpus.ingestion.parsing import Section
from corpus.search.scoring import score_texts
from text.function_words import function_words
from text.languages import detect_configuration, get_language_code
from text.question_types import expected_answer
from text.stemming import stems

ENOUGH = 0.7
"""The least relevance of the best part for an answer without a language model. Of questions on 220 paragraphs of SQuAD
it answers 97 %. It refuses 99.8 % of questions on other articles and 80 % on other paragraphs of the same article; with
the search's threshold of 0.5 it would answer 99 % and refuse 61 % of the latter."""

WORTH = 0.5
"""The least relevance of a part that is quoted."""

UNTITLED_SELECTION = "Selected text"
"""The title if the document is not known."""


@dataclass(frozen=True)
class SelectionPart:
    """A citable part of a selected text. `excerpt` is the most relevant piece of `text`."""

    number: int
    position: int
    excerpt: str
    text: str
    relevance: float


@dataclass(frozen=True)
class RankedParts:
    """All parts in the order of the text, the parts that may be quoted, and milliseconds by step."""

    parts: tuple[SelectionPart, ...]
    quotable: tuple[SelectionPart, ...] = ()
    timings: Mapping[str, float] = field(default_factory=dict)


def get_selection(message: Message) -> Selection:
    return Selection.objects.get(message=message.first_id)


def choose_language(text: str) -> str:
    """The language of the answer without a chatbot: that of the text, if it is supported."""
    code = get_language_code(detect_configuration(text))
    return code if code in Language.values else Language.ENGLISH


def weigh(question: str, text: str, *, language: str) -> RankedParts:
    """Score the parts of a text for a question. Raises engines.errors.EmbeddingUnavailable."""
    embedder = active_embedder()
    started = time.perf_counter()
    pieces = chunk([Section((), text)], count_tokens=embedder.count_tokens, max_tokens=embedder.max_tokens)
    cut = time.perf_counter()
    texts = [piece.text for piece in pieces]
    found = score_texts(texts, question, language=language, embedder=embedder)
    parts = _parts(pieces, found)
    quotable = select_quotable_parts(parts, question, language)
    timings = {"cut_ms": round((cut - started) * 1000, 2), "embed_ms": round((time.perf_counter() - cut) * 1000, 2)}
    return RankedParts(parts, quotable, timings)


def select_quotable_parts(parts: Sequence[SelectionPart], question: str, language: str) -> tuple[SelectionPart, ...]:
    """The parts that may be quoted: none if none is relevant enough."""
    if is_about_all(question, language):
        return tuple(part for part in parts if any(map(str.isalnum, part.text)))
    best = max((part.relevance for part in parts), default=0.0)
    return tuple(part for part in parts if part.relevance >= WORTH) if best >= ENOUGH else ()


def is_about_all(question: str, language: str) -> bool:
    """Whether a question is about the whole text, such as “How does this work?”."""
    general = [_GENERAL.get(language, _GENERAL["en"]), expected_answer(question).cue, *function_words(language)]
    return set(stems(question, language)) <= set(stems(" ".join(general), language))


def is_shortened(prompt: AnswerPrompt, parts: Sequence[SelectionPart]) -> bool:
    """Whether anything of these parts is not in the prompt."""
    return [passage.text for passage in prompt.passages] != [part.text for part in parts]


def convert_parts(parts: Sequence[SelectionPart]) -> list[NumberedPassage]:
    """The parts for the model, without the title of the document, which is not part of the text."""
    return [
        NumberedPassage(part.number, UNTITLED_SELECTION, (), part.text, part.excerpt, part.relevance) for part in parts
    ]


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
