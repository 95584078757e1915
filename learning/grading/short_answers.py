"""Grade words: that of a gap, and a short answer, with a language model or compared for the learner to rate."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rapidfuzz.distance import OSA

from chatbots.answering.sanitize import delimit_source, sanitize
from chatbots.citations.entities import EntityIndex
from chatbots.citations.markers import list_cited_numbers, strip_markers
from chatbots.passages import NumberedPassage
from engines.errors import EngineError
from engines.llm import LLM, ChatMessage, Prompt, read_reply
from learning.material import Grade, GradedQuestion, Verdict, grade_by_share, join_texts, make_grade, quote_text
from text.function_words import content_stems
from text.stemming import stems
from text.words import read_words

# One other letter makes another substance: nitrate and nitrite, alkane and alkene; likewise in German and French.
_SUBSTANCE = re.compile(r"(ate?|ite?|ide?|ane?|ene?|yne?|ine?|one?|ole?|ose?|ase?)s?$")


def grade_cloze(question: GradedQuestion, given: str, *, language: str, other_names: Collection[str] = ()) -> Grade:
    """Compare with each accepted word. `other_names` of concepts are never taken for a slip or another ending."""
    accepted = [str(word) for word in question.answer["accepted"]]
    own = {_plain(word) for word in accepted}
    if _plain(given) in own:
        return grade_by_share(1.0, [], question.explanation)
    is_another = _plain(given) in {_plain(name) for name in other_names} - own
    if not is_another:
        for word in accepted:
            if _is_same_word(given, word, language):
                return grade_by_share(1.0, [], question.explanation)
        known = _words_around(question, accepted)
        for word in accepted:
            if _plain(given) not in known and differs_by_one_letter(_plain(given), _plain(word)):
                return grade_by_share(1.0, [f"It is spelt {quote_text(word)}."], question.explanation)
        for word in accepted:
            if content_stems(given, language) < content_stems(word, language):
                said = [f"The whole answer is {quote_text(word)}."]
                return make_grade(Verdict.PARTLY, 0.5, said, question.explanation)
    return grade_by_share(0.0, [f"The answer is {quote_text(accepted[0])}."], question.explanation)


def differs_by_one_letter(given: str, word: str) -> bool:
    """Whether two words in small letters differ by one letter: another one, one too many or too few, or two swapped.

    Not if they begin otherwise (afferent, efferent), are short (ion, iron), or if the letter names another substance.
    """
    if len(word) < 5 or given[:1] != word[:1] or any(map(str.isdigit, given + word)) or OSA.distance(given, word) > 1:
        return False
    endings = (_SUBSTANCE.search(given), _SUBSTANCE.search(word))
    return not (len(given) == len(word) and endings[0] and endings[1] and endings[0][1] != endings[1][1])


def _is_same_word(given: str, word: str, language: str) -> bool:
    """Whether it is the same word with another ending or in a few more words, or the same number otherwise written."""
    found, wanted = stems(given, language), stems(word, language)
    if not wanted:
        return False
    numbers = EntityIndex.of(word).numbers
    if numbers and numbers == EntityIndex.of(given).numbers and len(wanted) == len(found) == 1:
        return True
    extra = len(found) - len(wanted)
    places = range(max(extra, -1) + 1)
    inside = any(
        [strip_accents(one) for one in found[n : n + len(wanted)]] == [strip_accents(one) for one in wanted]
        for n in places
    )
    return inside and (extra == 0 or (extra <= 3 and not _NEGATION.search(given.lower())))


_NEGATION = re.compile(r"\b(?:not|no|non|never|or|nicht|kein\w*|oder|pas|ou|o)\b")


def _words_around(question: GradedQuestion, accepted: Collection[str]) -> set[str]:
    """Words of the question and its explanation: who writes one of them means it."""
    own = {_plain(part) for word in accepted for part in word.split()}
    return {_plain(word) for word in re.findall(r"[^\W\d_]+", f"{question.prompt} {question.explanation}")} - own


def _plain(text: str) -> str:
    return " ".join(strip_accents(re.sub(r"[^\w%°+-]+", " ", text.replace("ß", "ss"))).lower().split())


def strip_accents(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


_RULES = Path(__file__).with_name("rules.txt").read_text(encoding="utf-8").strip()
_OBJECT = re.compile(r"\{.*\}", re.DOTALL)
_VERDICTS = {verdict.value: verdict for verdict in (Verdict.RIGHT, Verdict.PARTLY, Verdict.WRONG)}


@dataclass(frozen=True)
class ShortQuestion:
    prompt: str
    reference: str
    language: str


@dataclass(frozen=True)
class ModelVerdict:
    """What a language model says of an answer: `cited` are numbers of passages that it was given."""

    verdict: Verdict
    missing: tuple[str, ...]
    cited: tuple[int, ...]


def ask_model(llm: LLM, asked: ShortQuestion, given: str, passages: Sequence[NumberedPassage]) -> ModelVerdict | None:
    """Return the verdict of a language model, None if it fails, is no verdict, or cites what does not exist."""
    try:
        reply = read_reply(llm, grading_prompt(asked, given, passages), 2000)
    except EngineError:
        return None
    return parse_verdict(reply, {passage.number for passage in passages})


def grading_prompt(asked: ShortQuestion, given: str, passages: Sequence[NumberedPassage]) -> Prompt:
    """Return the prompt: the rules, then sources, question and answers as delimited data."""
    sources = "\n\n".join(map(delimit_source, passages))
    data = {"question": asked.prompt, "model_answer": asked.reference, "pupils_answer": given}
    parts = "\n\n".join(f"<{name}>\n{sanitize(text)}\n</{name}>" for name, text in data.items())
    rules = _RULES.format(language=read_words(asked.language)["name"])
    return Prompt((ChatMessage("system", rules), ChatMessage("user", f"<sources>\n{sources}\n</sources>\n\n{parts}")))


def parse_verdict(reply: str, numbers: set[int]) -> ModelVerdict | None:
    """Return the verdict in a model's reply. None unless it is one of three and cites at least one of `numbers`, and
    no others."""
    match = _OBJECT.search(reply)
    try:
        found: Any = json.loads(match[0]) if match else None
    except ValueError:
        return None
    if not isinstance(found, dict) or not isinstance(found.get("verdict"), str):
        return None
    verdict, cited = _VERDICTS.get(found["verdict"].strip().lower()), found.get("citations")
    if verdict is None or not isinstance(cited, list) or not cited:
        return None
    if not all(isinstance(number, int) and number in numbers for number in cited):
        return None
    missing = found.get("missing")
    texts = [strip_markers(one).strip() for one in missing if isinstance(one, str)] if isinstance(missing, list) else []
    kept = tuple(text[:200] for text in texts if text)[:5]
    return ModelVerdict(verdict, () if verdict == Verdict.RIGHT else kept, tuple(sorted(set(cited))))


_SEPARATORS = re.compile(r"[\s.,;:!?\"'’“”„«»()]+")  # no signs such as < and −, which mean something
_SHARES = {Verdict.RIGHT: 1.0, Verdict.PARTLY: 0.5}


def grade_short(
    question: GradedQuestion, given: str, passages: Sequence[NumberedPassage], *, language: str, llm: LLM | None
) -> Grade:
    """Return the verdict of the language model, if there is one and it cites sources that exist.

    Else only empty, exact and nearly exact answers get a verdict. Any other is unsure, and the feedback names the words
    of the reference that it lacks. `passages` are the sources of the question.
    """
    reference = strip_markers(str(question.answer["reference"]))
    asked = ShortQuestion(strip_markers(question.prompt), reference, language)
    if llm is not None and (found := ask_model(llm, asked, given, passages)) is not None:
        return _grade(found.verdict, question, asked, found.missing, found.cited)
    verdict = compare(given, reference)
    missing = find_missing(asked, given) if verdict == Verdict.UNSURE else []
    numbers = sorted(list_cited_numbers(question.explanation)) or [passage.number for passage in passages]
    return _grade(verdict, question, asked, missing, numbers)


def compare(given: str, reference: str) -> Verdict:
    """Return right for the reference itself, perhaps misspelt, wrong for an empty answer, and else unsure."""
    words, wanted = _split_words(given), _split_words(reference)
    if not words or not re.search(r"\w", given):
        return Verdict.WRONG
    if len(words) == len(wanted) and all(map(_is_same, words, wanted)):
        return Verdict.RIGHT
    return Verdict.UNSURE


def find_missing(asked: ShortQuestion, given: str) -> list[str]:
    """Return the words of the reference that neither the answer nor the question has, as they are written there."""
    wanted = content_stems(asked.reference, asked.language, ignored=asked.prompt)
    wanted -= set(stems(given, asked.language))
    words = [word for word in re.findall(r"\w+", asked.reference) if wanted.issuperset(stems(word, asked.language))]
    known = _split_words(given)
    lacking = [word for word in words if not any(differs_by_one_letter(one, *_split_words(word)) for one in known)]
    return list(dict.fromkeys(lacking))[:6]


def _split_words(text: str) -> list[str]:
    return [word for word in _SEPARATORS.split(strip_accents(text.casefold())) if word]


def _is_same(given: str, word: str) -> bool:
    """Whether it is the same word, or misspelt so that it is no other one: “photon” is no misspelt “proton”."""
    is_other_letter = len(given) == len(word) and sorted(given) != sorted(word)
    return given == word or (differs_by_one_letter(given, word) and not is_other_letter)


def _grade(
    verdict: Verdict, question: GradedQuestion, asked: ShortQuestion, missing: Sequence[str], cited: Sequence[int]
) -> Grade:
    said = []
    if verdict != Verdict.RIGHT:
        said.append(f"A model answer: {quote_text(asked.reference)}")
        if missing and verdict != Verdict.WRONG:
            said.insert(
                0, f"{'Not in your answer' if verdict == Verdict.UNSURE else 'Still missing'}: {join_texts(missing)}."
            )
    return make_grade(verdict, _SHARES.get(verdict, 0.0), said, question.explanation, cited)
