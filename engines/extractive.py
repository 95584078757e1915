"""Answers without a language model: the best sentences of the sources, quoted word for word."""

import re
from collections.abc import Iterator

from engines.embedding import get_embedder
from engines.errors import ModelSilent
from engines.evidence import Evidence, best_sentences
from engines.llm import Prompt
from engines.tables import Row

_CLOSING = {
    "en": "No language model is set up here: these are quotations.",
    "de": "Hier ist kein Sprachmodell eingerichtet: Dies sind Zitate.",
    "fr": "Aucun modèle de langage n’est configuré ici : ce sont des citations.",
    "es": "Aquí no hay ningún modelo de lenguaje: estas son citas.",
}
# Within a source "[3]" is its own footnote, not one of our citations: outside code a backslash makes it plain text.
_CODE_OR_FOOTNOTE = re.compile(r"`[^`]*`|\[(?=\d[\d\s,;]*\](?!\())")
_LINE_BREAK = re.compile(r"\s*\n\s*(?:>\s*)*|\s+")


class ExtractiveAnswerer:
    """Quotes two to four sentences with their [n]; needs nothing but the embedder."""

    name = "Quoted from the sources (no language model)"
    generative = False

    def stream(self, prompt: Prompt) -> Iterator[str]:
        """Yield Markdown sentence by sentence, a paragraph for each passage, the best first; nothing without passages.

        Each quotation stands between “ and ”, exact but for line breaks, followed by the number of its passage.
        """
        if not prompt.passages:
            return
        best = best_sentences(prompt, get_embedder())
        if not best:
            raise ModelSilent("The sources found hold no sentence that could be quoted. Ask in other words.")
        for passage in _paragraphs(best):
            for position, quotation in enumerate(passage):
                yield from _quoted(quotation, " " if position else "")
            yield "\n\n"
        yield f"*{_CLOSING.get(prompt.language[:2].lower(), _CLOSING['en'])}*"


def _paragraphs(best: list[Evidence]) -> list[list[list[Evidence]]]:
    """Group by passage, and within it by quotation: neighbours in one paragraph of the source are quoted together."""
    passages: dict[int, list[list[Evidence]]] = {}
    for evidence in best:
        passages.setdefault(evidence.passage.number, []).append([evidence])
    return [_with_neighbours_joined(quotations) for quotations in passages.values()]


def _with_neighbours_joined(quotations: list[list[Evidence]]) -> list[list[Evidence]]:
    """Join single sentences that follow each other; the quotation with the best sentence comes first."""
    joined: list[list[Evidence]] = []
    for [evidence] in sorted(quotations, key=lambda quotation: quotation[0].sentence.start):
        if joined and _adjoins(joined[-1][-1], evidence):
            joined[-1].append(evidence)
        else:
            joined.append([evidence])
    return sorted(joined, key=lambda quotation: -max(evidence.score for evidence in quotation))


def _adjoins(one: Evidence, other: Evidence) -> bool:
    between = one.passage.text[one.sentence.end : other.sentence.start]
    return one.sentence.block == other.sentence.block and not between.strip("> \n")


def _quoted(quotation: list[Evidence], before: str) -> Iterator[str]:
    if quotation[0].row:
        yield f"{before}{_cells(quotation[0].row)} [{quotation[0].passage.number}]"
        return
    for position, evidence in enumerate(quotation):
        words = _as_markdown(evidence.text)
        yield f"{before}“{words}" if position == 0 else f" {words}"
    yield f"” [{quotation[0].passage.number}]"


def _cells(row: Row) -> str:
    """Return each cell word for word, named by its column; the first names the row."""
    named = [
        f"{_as_markdown(header)} “{_as_markdown(cell)}”".lstrip()
        for header, cell in zip(("", *row.headers[1:]), row.cells, strict=True)
        if cell
    ]
    return f"{named[0]}: {', '.join(named[1:])}" if len(named) > 1 else "".join(named)


def _escaped(found: re.Match[str]) -> str:
    return "\\[" if found[0] == "[" else found[0]


def _as_markdown(sentence: str) -> str:
    words = _CODE_OR_FOOTNOTE.sub(_escaped, _LINE_BREAK.sub(" ", sentence))
    return words.replace("**", "") if words.count("**") % 2 else words  # half of a bold passage
