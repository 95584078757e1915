"""Glosses: a question word for word in another language, by the dictionaries, so that it can be searched for.

German compounds are taken apart, verbs are found by their usual endings, and words that two languages share but for
their ending (Photosynthese, photosynthesis) are respelled. Names, numbers, codes and unknown words stay as they are.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from text.cognates import cognate
from text.dictionary import MAX_WORDS, Dictionary, dictionary
from text.function_words import function_words
from text.question_language import question_words
from text.words import read_words

_TOKEN = re.compile(
    r"(?<![^\W_])[^\W\d_]{1,4}-\d{1,3}(?![^\W_])|(?<![^\W_])[^\W\d_]{1,3}/[^\W\d_]{1,3}(?![^\W_])|\d+(?:[.,:]\d+)*|[^\W_]+"
)
"""Codes (LS-05), units (mol/l), numbers and words."""

_SENTENCE = re.compile(r"(?<=[?!.;])\s+")
_PREFIXES = ("ab", "an", "auf", "aus", "ein", "mit", "vor", "zu", "zurück", "um", "statt", "teil")
"""Separable beginnings of German verbs."""

_VERB_ENDINGS = ("test", "tet", "ten", "est", "te", "st", "et", "t", "e")
_MIN_PART = 3
"""Letters of a part of a compound."""


@dataclass(frozen=True)
class Gloss:
    """A question in another language, and how many of its content words there are and are known.

    Numbers, codes and names are not counted: they are the same in any language. `names` has them, in order.
    """

    text: str
    content: int
    known: int
    names: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        """The share of the content words that are known: from 0 to 1."""
        return self.known / self.content if self.content else 1.0


@dataclass(frozen=True)
class _Token:
    text: str
    word: str
    """In lower case."""
    begins: bool
    """Whether it begins a sentence."""


def can_gloss(source: str, target: str) -> bool:
    """Whether there is a dictionary between two languages, given as codes."""
    return dictionary(source, target) is not None


def gloss(text: str, source: str, target: str, *, present: Collection[str] = ()) -> Gloss:
    """Gloss a question. `present` are words in lower case that need no translation, since the documents have them."""
    found = dictionary(source, target)
    if found is None:
        raise ValueError(f"There is no dictionary from {source} to {target}.")
    parts = [_gloss_sentence(_tokens(sentence), found, present) for sentence in _SENTENCE.split(text.strip())]
    return join_glosses(parts, "? ")


def join_glosses(parts: Sequence[Gloss], separator: str) -> Gloss:
    """The gloss of a text from the glosses of its parts."""
    return Gloss(
        separator.join(part.text for part in parts if part.text),
        sum(part.content for part in parts),
        sum(part.known for part in parts),
        tuple(name for part in parts for name in part.names),
    )


def _gloss_sentence(tokens: list[_Token], found: Dictionary, present: Collection[str]) -> Gloss:
    tokens, verbs = _joined_verbs(tokens, found)
    empty, silent = question_words(found.source), read_words(found.source)["silent"]
    words: list[str] = []
    names: list[str] = []
    content = known = place = 0
    while place < len(tokens):
        token = tokens[place]
        phrase = _phrase(tokens[place:], found)
        if phrase:
            translation, length = phrase
        else:
            translation, length = verbs.get(token.word) or _word(token, found, present), 1
        if _is_fixed(token.word):
            words.append(_number(token.text, found.source, found.target))
            names.append(words[-1])
        else:
            words += [] if length == 1 and token.word in silent else [translation or token.text]
            counts = any(one.word not in empty for one in tokens[place : place + length])
            if counts and not translation and _is_name(tokens, place, found):
                names.append(token.text)
            elif counts:
                content += 1
                known += bool(translation)
        place += length
    return Gloss(" ".join(words), content, known, tuple(names))


def _tokens(sentence: str) -> list[_Token]:
    found = _TOKEN.findall(unicodedata.normalize("NFC", sentence))
    return [_Token(text, text.lower(), i == 0) for i, text in enumerate(found)]


def _phrase(tokens: Sequence[_Token], found: Dictionary) -> tuple[str, int] | None:
    """The translation of the longest phrase of two or more words that begins here, and its length."""
    for length in range(min(MAX_WORDS, len(tokens)), 1, -1):
        if entry := found.find([token.word for token in tokens[:length]]):
            return entry.translation, length
    return None


def _word(token: _Token, found: Dictionary, present: Collection[str]) -> str:
    """The translation of a word; the word itself if it needs none; empty if it is unknown."""
    if translation := _looked_up(token.word, found.source, found.target):
        return translation
    return token.text if token.word in present else cognate(token.word, found.source, found.target)


@lru_cache(maxsize=10_000)
def _looked_up(word: str, source: str, target: str) -> str:
    found = dictionary(source, target)
    assert found is not None
    if entry := found.find([word]):
        return entry.translation
    if source != "de":
        return ""
    umlauts = word.replace("ae", "ä").replace("oe", "ö").replace("ue", "ü")
    for form in (umlauts, *_infinitives(word)):
        if form != word and (entry := found.find([form])):
            return entry.translation
    return " ".join(_compound(word, found))


def _infinitives(word: str) -> Iterator[str]:
    """Infinitives of which a German word may be a regular form: mischt, mischte, gemischt, abgemischt."""
    if past := re.fullmatch(rf"({'|'.join(_PREFIXES)})?(?:ge|zu)(\w{{3,}}?)(?:t|et|en)", word):
        yield (past[1] or "") + past[2] + "en"
    for ending in _VERB_ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _MIN_PART:
            yield word.removesuffix(ending) + "en"


def _compound(word: str, found: Dictionary) -> list[str]:
    """The translations of the parts of a German compound, the longest last part first tried; none if one is unknown."""
    for cut in range(_MIN_PART, len(word) - _MIN_PART + 1):
        last = _part(word[cut:], found)
        if not last:
            continue
        first = word[:cut]
        for linked in (first, *(first.removesuffix(link) for link in ("s", "es", "n", "en") if first.endswith(link))):
            if len(linked) >= _MIN_PART and (before := _part(linked, found)):
                return [before, last]
        if before_last := _compound(first.removesuffix("s"), found):
            return [*before_last, last]
    return []


def _part(word: str, found: Dictionary) -> str:
    if word in function_words(found.source):
        return ""
    entry = found.find([word])
    return entry.translation if entry and len(entry.words) == 1 else ""


def _joined_verbs(tokens: list[_Token], found: Dictionary) -> tuple[list[_Token], dict[str, str]]:
    """Join a German verb with its beginning at the end of the sentence: "Wann fand … statt?".

    Return the other words, and translations of such verbs.
    """
    if found.source != "de" or len(tokens) < 3 or tokens[-1].word not in _PREFIXES:
        return tokens, {}
    prefix = tokens[-1].word
    for token in tokens[:-1]:
        for verb in (token.word, *_infinitives(token.word)):
            if entry := found.exact.get((prefix + verb,)):
                return tokens[:-1], {token.word: entry.translation}
    return tokens[:-1], {}


def _is_fixed(word: str) -> bool:
    """Whether a word is a number, a code or a unit."""
    return word[0].isdigit() or "-" in word or "/" in word


def _number(text: str, source: str, target: str) -> str:
    """A number with the decimal mark of the other language: 0,5 mol/l is 0.5 mol/l."""
    marks = {"en": "."}
    own, other = marks.get(source, ","), marks.get(target, ",")
    return re.sub(rf"(?<=\d){re.escape(own)}(?=\d{{1,2}}$)", other, text)


def _is_name(tokens: Sequence[_Token], place: int, found: Dictionary) -> bool:
    """Whether an unknown word is a name: capitalised within a sentence; in German, where nouns are, beside another
    capitalised word."""
    if not tokens[place].text[0].isupper():
        return False
    if found.source != "de":
        return not tokens[place].begins
    beside = [tokens[i] for i in (place - 1, place + 1) if 0 <= i < len(tokens)]
    return any(token.text[0].isupper() and not token.begins for token in beside)
