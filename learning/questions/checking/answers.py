"""The statements that a question claims: what must stand in a source, and what must not."""

from __future__ import annotations

import re
from collections.abc import Sequence

from learning.material import WORDS, DraftQuestion, QuestionKind
from learning.questions.wording import GAP, use_one_article
from text.words import join_patterns

_ASKING = re.compile(rf"\b(?:{join_patterns('questions', 'asking', WORDS)})\b", re.IGNORECASE)
_QUOTED = re.compile(r"[“„«](?P<text>[^“”„«»]+)[”“»]")


def right_options(question: DraftQuestion) -> list[str]:
    """The options of a choice question that are marked as right."""
    correct = question.answer["correct"]
    indexes: Sequence[int] = [correct] if isinstance(correct, int) else correct
    return [question.options[index] for index in indexes]


def wrong_options(question: DraftQuestion) -> list[str]:
    """The options of a choice question that are not marked as right."""
    right = right_options(question)
    return [option for option in question.options if option not in right]


def true_statements(question: DraftQuestion) -> list[str]:
    """What the sources must say for the marked answer to be right."""
    answer = question.answer
    match question.kind:
        case QuestionKind.SINGLE | QuestionKind.SEVERAL:
            return [fill_in_option(question, option) for option in right_options(question)]
        case QuestionKind.CLOZE:
            return [question.prompt.replace(GAP, answer["accepted"][0])]
        case QuestionKind.TRUTH:
            return [question.prompt, answer["reason"]] if answer["value"] else [answer["reason"]]
        case QuestionKind.NUMBER:
            unit = answer["unit"]
            if GAP in question.prompt:
                return [question.prompt.replace(GAP, f"{answer['value']:g}")]
            return [f"{question.prompt.rstrip(' ?')} {answer['value']:g} {unit}"]
        case QuestionKind.ORDER:
            return list(question.options)
        case QuestionKind.MATCH:
            return [
                f"{one} {question.targets[index]}" for one, index in zip(question.options, answer["pairs"], strict=True)
            ]
        case QuestionKind.SHORT:
            return [answer["reference"]]


def fill_in_option(question: DraftQuestion, option: str) -> str:
    """The statement that a choice question makes of one option."""
    if question.kind == QuestionKind.SEVERAL and is_sentence(option):
        return option
    if GAP in question.prompt:
        return question.prompt.replace(GAP, option)
    return f"{get_asked_words(question).rstrip(' ?.')} {option}"


def get_asked_words(question: DraftQuestion) -> str:
    """What the prompt says about the answer: the words that it quotes, else all but the gap and words of asking."""
    quoted = _QUOTED.search(question.prompt)
    return quoted["text"].strip() if quoted else _ASKING.sub("", use_one_article(question.prompt).replace(GAP, " "))


def is_sentence(option: str) -> bool:
    """Say whether an option is long enough to be checked without its prompt."""
    return len(option.split()) > _PHRASE


_PHRASE = 5  # words of an option that needs its prompt, at most
