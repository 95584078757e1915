"""The options of a question: which are right, whether they differ, and what the sources say of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations

from learning.material import WORDS, DraftQuestion, QuestionKind
from learning.questions.wording import GAP, use_one_article
from learning.reading.terms import are_alike, get_term_stems, overlap
from text.words import join_patterns

MAX_SHARED = 0.8
"""From this share of common stems on two options mean the same."""

_SHORT, _MAX_OVERLAP = 4, 0.75
"""Content words up to which all of an option must be in a sentence, and the share of a longer one."""

_ASKING = re.compile(rf"\b(?:{join_patterns('questions', 'asking', WORDS)})\b", re.IGNORECASE)
_QUOTED = re.compile(r"[“„«](?P<text>[^“”„«»]+)[”“»]")


def right_options(question: DraftQuestion) -> list[str]:
    correct = question.answer["correct"]
    indexes: Sequence[int] = [correct] if isinstance(correct, int) else correct
    return [question.options[index] for index in indexes]


def wrong_options(question: DraftQuestion) -> list[str]:
    right = right_options(question)
    return [option for option in question.options if option not in right]


def get_asked_words(question: DraftQuestion) -> str:
    """What the prompt says about the answer: the words that it quotes, else all but the gap and words of asking."""
    quoted = _QUOTED.search(question.prompt)
    return quoted["text"].strip() if quoted else _ASKING.sub("", use_one_article(question.prompt).replace(GAP, " "))


def are_options_apart(options: Sequence[str], question: DraftQuestion, language: str) -> bool:
    """Say whether no two options mean the same, by their stems."""
    if len({option.casefold().strip(" .") for option in options}) < len(options):
        return False
    if question.kind == QuestionKind.ORDER:
        return True
    found = [get_term_stems(option, language) for option in options]
    for one, other in combinations(range(len(options)), 2):
        if overlap(found[one], found[other]) >= MAX_SHARED and not _differ_in_numbers(options[one], options[other]):
            return False
        short = max(len(options[one].split()), len(options[other].split())) <= 4
        if (
            short
            and are_alike(options[one], options[other], language)
            and not _differ_in_numbers(options[one], options[other])
        ):
            return False
    return True


def evidence(option: str, about: str, sentences: Sequence[frozenset[str]], language: str) -> float:
    """How well the sources say that an option is the answer: the largest share of the words of the question, without
    function words, in a sentence that has all words of the option; 0 without one.

    A long option may lack a few words of the sentence. Without `about` the option alone is looked for.
    """
    wanted, topic = get_term_stems(option, language), get_term_stems(about, language) if about.strip() else frozenset()
    least = 1.0 if len(wanted) <= _SHORT else _MAX_OVERLAP
    found = [one for one in sentences if len(wanted & one) >= least * len(wanted)]
    return max((len(topic & one) / len(topic) if topic else 1.0 for one in found), default=0.0)


def _differ_in_numbers(one: str, other: str) -> bool:
    digits = ["".join(sign for sign in text if sign.isdigit() or sign in ".,-−") for text in (one, other)]
    return digits[0] != digits[1] and any(sign.isdigit() for text in digits for sign in text)
