"""Grade the word in a gap: case, accents, endings and a slip of one letter are forgiven, another word is not."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

from rapidfuzz.distance import OSA

from chatbots.citations.entities import EntityIndex
from learning.grading.feedback import grade_by_share, make_grade, quote_text
from learning.material import Grade, GradedQuestion, Verdict
from text.function_words import content_stems
from text.stemming import stems

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
            if _is_same(given, word, language):
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


def _is_same(given: str, word: str, language: str) -> bool:
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
