"""What gives the answer of a question away: its own words, an article, a plural, or an option that stands out."""

from __future__ import annotations

import re

from learning.material import WORDS, DraftQuestion, QuestionKind
from learning.questions.checking.options import right_options, wrong_options
from learning.questions.wording import GAP
from learning.reading.terms import find_term, get_term_stems, is_plural
from text.words import join_patterns

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
