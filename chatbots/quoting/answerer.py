"""The answerer without a language model: it quotes the best sentences of the sources word for word."""

import re
from collections.abc import Iterator, Sequence

from chatbots.passages import AnswerPrompt, NumberedPassage
from chatbots.quoting.candidates import QuoteCandidate, begins_with_pronoun, find_candidates, follows, is_twin
from chatbots.quoting.selection import MAX_ENTRIES, may_be_no_answer, select_sentences
from engines.embedding import get_embedder
from engines.errors import ModelSilent
from engines.llm import Prompt
from text.tables import TableRow

_CLOSING = {
    "en": "No language model is set up here: these are quotations.",
    "de": "Hier ist kein Sprachmodell eingerichtet: Dies sind Zitate.",
    "fr": "Aucun modèle de langage n’est configuré ici : ce sont des citations.",
    "es": "Aquí no hay ningún modelo de lenguaje: estas son citas.",
}
UNSURE = {
    "en": "No passage surely answers this. The closest:",
    "de": "Keine Textstelle beantwortet das sicher. Am nächsten kommt:",
    "fr": "Aucun passage n’y répond avec certitude. Le plus proche :",
    "es": "Ningún pasaje responde a esto con seguridad. Lo más cercano:",
}
"""How an answer begins that may be none, by language."""

# Within a source "[3]" is its own footnote, not one of our citations: outside code a backslash makes it plain text.
_CODE_OR_FOOTNOTE = re.compile(r"`[^`]*`|\[(?=\d[\d\s,;&–-]*\](?!\())")
_PARAGRAPH = "\n\n"
_LINE_BREAK = re.compile(r"\s*\n\s*(?:>\s*)*|\s+")


class ExtractiveAnswerer:
    """Quotes up to four sentences, or a list, each with its [n]; an outline for a summary. Needs only the embedder."""

    name = "Quoted from the sources (no language model)"
    generative = False

    def __init__(self, *, closes: bool = True) -> None:
        """`closes` ends each answer with the line that no language model is set up."""
        self._closes = closes

    def stream(self, prompt: Prompt) -> Iterator[str]:
        """Yield Markdown sentence by sentence, a paragraph for each passage; nothing without passages.

        The best passage comes first. An outline has the first sentence of each passage, in their order.

        Each quotation is exact but for line breaks, stands between “ and ”, and is followed by its passage's number.
        """
        if not isinstance(prompt, AnswerPrompt) or not prompt.passages:
            return
        is_outline = prompt.asks_for_summary and not prompt.question
        pieces = _outline(prompt.passages, prompt.language_of_quotes) if is_outline else _answer(prompt)
        is_empty = True
        for piece in pieces:
            yield piece
            is_empty = False
        if is_empty:
            raise ModelSilent("The sources found hold no sentence that could be quoted. Ask in other words.")
        if self._closes:
            yield f"*{_CLOSING.get(prompt.language[:2].lower(), _CLOSING['en'])}*"


def _outline(passages: Sequence[NumberedPassage], language: str) -> Iterator[str]:
    """Yield the heading of each passage, unless it is that of the one before, with its first sentence."""
    heading = ""
    for passage in passages:
        found = find_candidates([passage], language)
        if first := next((one for one in found if one.sentence.kind == "prose"), next(iter(found), None)):
            before, heading = heading, first.heading.replace("*", "")
            yield f"**{_as_markdown(heading)}** " if heading not in ("", before) else ""
            yield from _quoted([first])
            yield _PARAGRAPH


def _answer(prompt: AnswerPrompt) -> Iterator[str]:
    """Yield the sentences that answer best; nothing if there is none."""
    best = select_sentences(prompt, get_embedder())
    if best and may_be_no_answer(best, prompt):
        yield f"*{UNSURE.get(prompt.language[:2].lower(), UNSURE['en'])}*{_PARAGRAPH}"
    paragraphs = _paragraphs(best)
    names = _names([passage[0][0] for passage in paragraphs])
    for passage in paragraphs:
        introduced = {""}
        yield names.get(passage[0][0].passage.number, "")
        for position, quotation in enumerate(passage):
            first = quotation[0]
            if first.intro not in introduced:
                introduced.add(first.intro)
                yield f"“{_as_markdown(first.intro)}” [{first.passage.number}]"
                yield _PARAGRAPH if first.entries else " "
            yield from _listed(first) if first.entries else _quoted(quotation)
            yield _PARAGRAPH if first.entries or position == len(passage) - 1 else " "


def _names(firsts: Sequence[QuoteCandidate]) -> dict[int, str]:
    """Return what names the documents of passages, in front of their quotations, where two begin with twins."""
    named = [one.passage for one in firsts if any(is_twin(one, other) for other in firsts)]
    return {passage.number: f"**{_as_markdown(passage.title.replace('*', ''))}:** " for passage in named}


def _paragraphs(best: list[QuoteCandidate]) -> list[list[list[QuoteCandidate]]]:
    """Group by passage, and within it by quotation: neighbours in one paragraph of the source are quoted together."""
    passages: dict[int, list[QuoteCandidate]] = {}
    for evidence in best:
        passages.setdefault(evidence.passage.number, []).append(evidence)
    return [_quotations(found) for found in passages.values()]


def _quotations(found: list[QuoteCandidate]) -> list[list[QuoteCandidate]]:
    """Return the quotations of one passage, that with the best sentence first and beginning with it.

    The sentence before it comes first only if it begins with a pronoun.
    """
    lead, rest = [found[0]], found[1:]
    referred_to = next((one for one in rest if follows(one, lead[0])), None)
    if referred_to and begins_with_pronoun(lead[0]) and not lead[0].entries:
        lead.insert(0, referred_to)
    while following := next((one for one in rest if follows(lead[-1], one)), None):
        lead.append(following)
    quotations = [lead]
    for evidence in sorted(rest, key=lambda one: one.sentence.start):
        if evidence in lead:
            continue
        if len(quotations) > 1 and follows(quotations[-1][-1], evidence):
            quotations[-1].append(evidence)
        else:
            quotations.append([evidence])
    return quotations


def _quoted(quotation: list[QuoteCandidate]) -> Iterator[str]:
    """Yield sentences that follow each other, or one row of a table."""
    row, mark = quotation[0].row, f"[{quotation[0].passage.number}]"
    if row:
        yield f"{_cells(row)} {mark}"
    else:
        first, *others = (_as_markdown(evidence.text) for evidence in quotation)
        yield from (f"“{first}", *(f" {words}" for words in others), f"” {mark}")


def _listed(best: QuoteCandidate) -> Iterator[str]:
    """Yield the entries of a list, each on a line of its own."""
    yield from (f"- {''.join(_quoted([entry]))}\n" for entry in best.entries[:MAX_ENTRIES])
    if len(best.entries) > MAX_ENTRIES:
        yield "- …\n"


def _cells(row: TableRow) -> str:
    """Return each cell word for word, named by its column; the first names the row."""
    named = [
        f"{_as_markdown(header)} “{_as_markdown(cell)}”".lstrip()
        for header, cell in zip(("", *row.headers[1:]), row.cells, strict=True)
        if any(map(str.isalnum, cell))
    ]
    return f"{named[0]}: {', '.join(named[1:])}" if len(named) > 1 else "".join(named)


def _as_markdown(sentence: str) -> str:
    words = _LINE_BREAK.sub(" ", sentence)
    words = _CODE_OR_FOOTNOTE.sub(lambda found: "\\[" if found[0] == "[" else found[0], words)
    return words.replace("**", "") if words.count("**") % 2 else words  # half of a bold passage
