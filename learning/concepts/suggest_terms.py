"""Terms to offer to a teacher where an author marked few: words that a text explains, whatever nobody says of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import log

from corpus.passages import Passage
from engines.embedding import Embedder
from learning.concepts.find_concepts import MAX_EMBEDDED, read_sections
from learning.concepts.prerequisites import is_inside
from text.names import WORD, Key, is_name, make_name_key, strip_article

MAX_SUGGESTED, MAX_READ, MAX_TERM_WORDS = 12, 400, 4
"""Terms that are offered, passages that are read for them, and words of one."""


@dataclass
class _Term:
    key: Key
    sentences: list[str] = field(default_factory=list)
    forms: Counter[str] = field(default_factory=Counter)

    @property
    def name(self) -> str:
        return self.forms.most_common(1)[0][0]

    @property
    def weight(self) -> float:
        """What is said often and in long words: these are rarer than short ones in any language."""
        return log(1 + len(self.sentences)) * len(self.name) / len(self.key)


def suggest_terms(
    passages: Sequence[Passage], *, known: Iterable[str], language: str, embedder: Embedder | None
) -> list[str]:
    """Return terms that may be concepts besides those `known`, the likeliest first.

    Of those with the most weight, those come first that are closest to the sentence that introduces them, as the
    embedder has it. None is a part of another one.
    """
    taken = [make_name_key(name, language) for name in known]
    read = passages[:: -(-len(passages) // MAX_READ) or 1]
    sentences = [one.text for one in read_sections(read, language)]
    terms = [one for one in _list_terms(sentences, language) if one.key not in taken]
    terms.sort(key=lambda one: (-one.weight, one.key))
    del terms[MAX_EMBEDDED:]
    if embedder and terms:
        names = embedder.embed_passages([one.name for one in terms])
        introduced = embedder.embed_passages([one.sentences[0] for one in terms])
        closeness = [float(name @ sentence) for name, sentence in zip(names, introduced, strict=True)]
        weights = {one.key: one.weight * (near - min(closeness)) for one, near in zip(terms, closeness, strict=True)}
        terms.sort(key=lambda one: (-weights[one.key], one.key))
    found: list[_Term] = []
    for one in terms:
        if not any(is_inside(one.key, other.key) or is_inside(other.key, one.key) for other in found):
            found.append(one)
    return [one.name for one in found[:MAX_SUGGESTED]]


def _list_terms(sentences: Sequence[str], language: str) -> list[_Term]:
    """Return all names in sentences; a capital at the beginning of one says nothing, and in German nouns have one.

    What stands in no more sentences than a longer one that it is a part of is left out.
    """
    terms: defaultdict[Key, list[tuple[str, str]]] = defaultdict(list)
    for sentence in sentences:
        for name, is_first in _find_names(sentence, language):
            terms[make_name_key(name, language)].append((sentence, "" if is_first else name))
    found = []
    for key, places in terms.items():
        forms = Counter(name for _, name in places if name)
        if forms and (not language.startswith("de") or forms.most_common(1)[0][0][0].isupper()):
            found.append(_Term(key, list(dict.fromkeys(sentence for sentence, _ in places)), forms))
    wholes = Counter[Key]()
    for one in found:
        for start, end in combinations(range(len(one.key) + 1), 2):
            if end - start < len(one.key) and len(one.sentences) > 1:
                part = one.key[start:end]
                wholes[part] = max(wholes[part], len(one.sentences))
    return [one for one in found if wholes[one.key] < len(one.sentences)]


def _find_names(sentence: str, language: str) -> Iterator[tuple[str, bool]]:
    """Yield each run of words that can be a name, and whether it begins the sentence with a capital."""
    words = list(WORD.finditer(sentence))
    for start in range(len(words)):
        for end in range(start, min(start + MAX_TERM_WORDS, len(words))):
            if end > start and sentence[words[end - 1].end() : words[end].start()] != " ":
                break
            name = sentence[words[start].start() : words[end].end()]
            if is_name(name, language) and strip_article(name) == name:
                yield name, start == 0 and not language.startswith("de")
