"""The options of a question: which are right, whether they differ and are said, and what gives the answer away."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations

from learning.material import WORDS, DraftQuestion, QuestionKind
from learning.questions.sources import Sentence
from learning.questions.wording import GAP, use_one_article
from learning.reading.statements import are_alike, are_opposed, find_term, get_term_stems, is_plural, overlap
from text.negation import compile_negation
from text.stemming import stems
from text.words import join_patterns

NEARLY_ALL, WINDOW, WINDOW_MORE = 0.9, 1.25, 1
"""Share of the content words of a statement in one sentence, and over how many words they may spread there: so many
times its own, and some more."""


def is_said(statement: str, sentences: Sequence[Sentence], language: str) -> bool:
    """Say whether one sentence has nearly all content words of a statement close together, and no "not" in between.

    "A acts on B, while C acts on D" has all words of "A acts on D", but far apart.
    """
    wanted = get_term_stems(statement, language)
    room = WINDOW * len(stems(statement, language)) + WINDOW_MORE
    is_near = any(
        len(wanted & words) >= NEARLY_ALL * len(wanted) and _narrowest(stems(text, language), wanted & words) <= room
        for text, words in sentences
    )
    return is_near and not contradicts(statement, sentences, language)


def contradicts(statement: str, sentences: Sequence[Sentence], language: str) -> bool:
    """Say whether the sentence nearest to a statement has another number of negations, or an opposite word."""
    negation, words = compile_negation(language), get_term_stems(statement, language)
    if not sentences:
        return False
    nearest, _ = max(sentences, key=lambda one: overlap(one[1], words))
    if len(negation.findall(nearest)) != len(negation.findall(statement)):
        return True
    return are_opposed(statement, nearest, language)


def _narrowest(words: Sequence[str], wanted: frozenset[str]) -> int:
    """The least number of neighbouring words that hold all those wanted."""
    last: dict[str, int] = {}
    least = len(words)
    for place, word in enumerate(words):
        if word in wanted:
            last[word] = place
            if len(last) == len(wanted):
                least = min(least, place - min(last.values()) + 1)
    return least


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


_TEXT = re.compile(rf"\b(?:{join_patterns('questions', 'speaks_of_text', WORDS)})\b", re.IGNORECASE)
_ARTICLE = re.compile(r"\b(an?)\s*(?:_{4}.*|[:?.]?)$", re.IGNORECASE)


def speaks_of_text(prompt: str) -> bool:
    """Say whether a prompt sends the reader to a text or a figure that is not there."""
    return bool(_TEXT.search(prompt))


def gives_away(question: DraftQuestion, language: str) -> bool:
    """Say whether the prompt or the form of the options tells the answer."""
    match question.kind:
        case QuestionKind.SINGLE:
            return (
                _shares_rare_words(question, language)
                or _agrees_alone(question)
                or _stands_out(question)
                or bool(find_term(question.prompt, right_options(question)[0], language))
            )
        case QuestionKind.CLOZE:
            rest = get_term_stems(question.prompt.replace(GAP, " "), language)
            return any(
                _is_told(get_term_stems(one, language), rest) or _is_initials(one, question.prompt)
                for one in question.answer["accepted"]
            )
        case QuestionKind.NUMBER:
            return f"{question.answer['value']:g}" in re.findall(r"\d+(?:\.\d+)?", question.prompt)
        case QuestionKind.SHORT:
            new = get_term_stems(question.answer["reference"], language) - get_term_stems(question.prompt, language)
            return len(new) < 3
        case QuestionKind.MATCH:
            return any(
                _is_told(get_term_stems(one, language), get_term_stems(question.targets[index], language))
                for one, index in zip(question.options, question.answer["pairs"], strict=True)
            )
    return False


def _is_told(answer: frozenset[str], prompt: frozenset[str]) -> bool:
    """Say whether a prompt has the words of the answer; one of several may be there: a net force is a force."""
    told = {stem for stem in answer & prompt if len(stem) > 2}
    return len(told) > 1 or (bool(told) and len(answer) == 1)


def _shares_rare_words(question: DraftQuestion, language: str) -> bool:
    """Say whether a rare word of the prompt is in the right option and in no wrong one."""
    prompt = get_term_stems(question.prompt, language)
    wrong = frozenset().union(*(get_term_stems(one, language) for one in wrong_options(question)))
    shared = (get_term_stems(right_options(question)[0], language) & prompt) - wrong
    return any(len(stem) >= 4 for stem in shared)


def _agrees_alone(question: DraftQuestion) -> bool:
    """Say whether only the right option fits the article before the gap, or is the only one in the plural."""
    right, wrong = right_options(question)[0], wrong_options(question)
    if found := _ARTICLE.search(question.prompt):
        vowel = found[1].lower() == "an"
        if not any((option[:1].lower() in "aeiou") == vowel for option in wrong):
            return True
    if len(right.split()) > 3:
        return False
    return all(is_plural(right) != is_plural(option) for option in wrong)


def _stands_out(question: DraftQuestion) -> bool:
    """Say whether the right option is much longer or much shorter than every wrong one."""
    right = len(right_options(question)[0])
    wrong = [len(option) for option in wrong_options(question)]
    if max(right, *wrong) < 25:  # the lengths of short options say nothing
        return False
    return right > 1.8 * max(wrong) or right * 1.8 < min(wrong)


def _is_initials(answer: str, prompt: str) -> bool:
    initials = "".join(word[0] for word in answer.split()).upper()
    return len(initials) > 1 and bool(re.search(rf"\b{re.escape(initials)}\b", prompt))
