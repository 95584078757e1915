"""Questions as GIFT, the text format of Moodle that other learning platforms import too. Pure.

Format: https://docs.moodle.org/en/GIFT_format. GIFT has no units, so that a number says its unit in the question. It
has no questions with steps to order: they are matched with their places. A short answer is an essay with the model
answer in its feedback.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from learning.exports.questions import ExportedQuestion
from learning.material import CONTROL, QuestionKind

_SPECIAL = re.compile(r"[\\~=#{}:]")
_MAX_NAME_LENGTH = 80


def gift(title: str, questions: Sequence[ExportedQuestion]) -> bytes:
    """The questions as one file, in a category for each concept below one with this title."""
    parts = []
    for concept, group in groupby(questions, key=lambda question: question.concept):
        parts.append(f"$CATEGORY: $course$/top/{_category(title)}/{_category(concept)}")
        parts += [_question(question) for question in group]
    return ("\n\n".join(parts) + "\n").encode()


def _question(question: ExportedQuestion) -> str:
    unit = str(question.answer.get("unit", "")) if question.kind == QuestionKind.NUMBER else ""
    prompt = f"{question.prompt} ({unit})" if unit else question.prompt
    model = question.right_answer if question.kind == QuestionKind.SHORT else []
    feedback = "\n\n".join([*model, question.feedback])
    answers = "\n".join([*_answers(question), f"####{escape(feedback)}"])
    # A gap stays in the text as it is: an answer in the middle of a question would drop its explanation.
    return (
        f"// [id:{question.id}]\n::{escape(_shorten(question))}::[plain]{escape(prompt)} "
        f"{{{'#' if question.kind == QuestionKind.NUMBER else ''}\n{answers}\n}}"
    )


def _answers(question: ExportedQuestion) -> list[str]:
    answer, options = question.answer, question.options
    match question.kind:
        case QuestionKind.SINGLE:
            # Without its weight of 0 a wrong option such as “%5% more” would begin with one.
            return [f"{'=' if index == answer['correct'] else '~%0%'}{_option(o)}" for index, o in enumerate(options)]
        case QuestionKind.SEVERAL:
            right = answer["correct"]
            wrong = len(options) - len(right)
            return [
                f"~%{format_share(len(right)) if index in right else f'-{format_share(wrong)}'}%{_option(o)}"
                for index, o in enumerate(options)
            ]
        case QuestionKind.CLOZE:
            # An asterisk stands for any text in Moodle, unless a backslash is before it.
            literal = [str(accepted).replace("*", "\\*") for accepted in answer["accepted"]]
            return [f"=%100%{_option(accepted)}" for accepted in literal]
        case QuestionKind.TRUTH:
            return ["TRUE" if answer["value"] else "FALSE"]
        case QuestionKind.NUMBER:
            tolerance = abs(answer["value"]) * answer.get("tolerance", 0)  # absolute here, relative with us
            return [f"={answer['value']:.15g}:{tolerance:.6g}"]
        case QuestionKind.ORDER | QuestionKind.MATCH:
            return [f"={_option(text)} -> {escape(target)}" for text, target in question.pairs]
        case QuestionKind.SHORT:
            return []


def format_share(count: int) -> str:
    """An equal share of 100 percent, with the digits by which Moodle knows its grades.

    It knows no share of 11 and more. A sum above 100 counts as 100 there.
    """
    return f"{100 / min(max(count, 1), 10):.5f}".rstrip("0").rstrip(".")


def _shorten(question: ExportedQuestion) -> str:
    """A name for lists of questions: the beginning of the prompt on one line."""
    name = " ".join(question.prompt.split())
    return name if len(name) <= _MAX_NAME_LENGTH else f"{name[: _MAX_NAME_LENGTH - 1].rstrip()}…"


def _option(text: str) -> str:
    """An option; brackets at its beginning name no format."""
    return f"[plain]{escape(text)}" if text.startswith("[") else escape(text)


def escape(text: str) -> str:
    """Text with GIFT's special characters escaped, on one line: an empty line would end the question.

    An arrow of two characters would make pairs of answers, and cannot be escaped.
    """
    lines = CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n")).replace("->", "→").strip()
    return _SPECIAL.sub(r"\\\g<0>", lines).replace("\n", "\\n")


def _category(name: str) -> str:
    """A name in the path of a category. Moodle reads escapes in it and does not write them back."""
    name = name.replace("\\", " ")
    return CONTROL.sub("", " ".join(name.split())).replace("/", "//")
