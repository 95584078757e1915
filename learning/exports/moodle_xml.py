"""Questions as Moodle XML, which Moodle and many other learning platforms import. Pure.

Format: https://docs.moodle.org/en/Moodle_XML_format. Steps to order are a matching question, which every version of
Moodle has; its ordering type is in newer ones only. A short answer is an essay with the model answer for the grader.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from learning.exports.questions import ExportedQuestion, list_pairs, right_answer
from learning.material import QuestionKind

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 does not allow."""

_TYPES = {
    QuestionKind.SINGLE: "multichoice",
    QuestionKind.SEVERAL: "multichoice",
    QuestionKind.CLOZE: "shortanswer",
    QuestionKind.TRUTH: "truefalse",
    QuestionKind.NUMBER: "numerical",
    QuestionKind.ORDER: "matching",
    QuestionKind.MATCH: "matching",
    QuestionKind.SHORT: "essay",
}
_MAX_NAME_LENGTH = 80


def moodle_xml(title: str, questions: Sequence[ExportedQuestion]) -> bytes:
    """The questions as one file, in a category for each concept below one with this title."""
    quiz = Element("quiz")
    for concept, group in groupby(questions, key=lambda question: question.concept):
        category = SubElement(quiz, "question", type="category")
        _text(SubElement(category, "category"), f"$course$/top/{_category(title)}/{_category(concept)}")
        for question in group:
            _add(quiz, question)
    indent(quiz)
    content: bytes = tostring(quiz, encoding="utf-8", xml_declaration=True)
    return content


def _add(quiz: Element, question: ExportedQuestion) -> None:
    found = SubElement(quiz, "question", type=_TYPES[question.kind])
    _text(SubElement(found, "name"), short_name(question))
    _html(SubElement(found, "questiontext"), question.prompt)
    _html(SubElement(found, "generalfeedback"), question.feedback)
    _value(found, "defaultgrade", "1")
    _value(found, "penalty", "0.3333333")
    _value(found, "hidden", "0")
    _value(found, "idnumber", str(question.id))
    match question.kind:
        case QuestionKind.SINGLE | QuestionKind.SEVERAL:
            _choices(found, question)
        case QuestionKind.CLOZE:
            _value(found, "usecase", "0")
            for accepted in question.answer["accepted"]:
                _answer(found, str(accepted).replace("*", "\\*"), "100", is_html=False)
        case QuestionKind.TRUTH:
            for name in ("true", "false"):
                is_right = question.answer["value"] == (name == "true")
                _answer(found, name, "100" if is_right else "0", is_html=False)
        case QuestionKind.NUMBER:
            _number(found, question)
        case QuestionKind.ORDER | QuestionKind.MATCH:
            _value(found, "shuffleanswers", "true")
            for option, target in list_pairs(question):
                sub = SubElement(found, "subquestion", format="html")
                _value(sub, "text", _as_html(option))
                _text(SubElement(sub, "answer"), target)
        case QuestionKind.SHORT:
            _value(found, "responseformat", "editor")
            _value(found, "responserequired", "1")
            _html(SubElement(found, "graderinfo"), "\n\n".join([*right_answer(question), question.source_lines]))
    _text(SubElement(SubElement(found, "tags"), "tag"), question.concept)


def _choices(found: Element, question: ExportedQuestion) -> None:
    is_single = question.kind == QuestionKind.SINGLE
    correct = [question.answer["correct"]] if is_single else question.answer["correct"]
    _value(found, "single", "true" if is_single else "false")
    _value(found, "shuffleanswers", "true")
    _value(found, "answernumbering", "abc")
    wrong = len(question.options) - len(correct)
    for index, option in enumerate(question.options):
        minus = "0" if is_single else f"-{format_share(wrong)}"  # whoever ticks everything gets nothing
        _answer(found, option, format_share(len(correct)) if index in correct else minus, is_html=True)


def _number(found: Element, question: ExportedQuestion) -> None:
    """A tolerance in Moodle is absolute. A unit may be typed, and is not asked for."""
    value, unit = question.answer["value"], str(question.answer.get("unit", ""))
    answer = _answer(found, f"{value:.15g}", "100", is_html=False)
    _value(answer, "tolerance", tolerance(question))
    if unit:
        one = SubElement(SubElement(found, "units"), "unit")
        _value(one, "multiplier", "1")
        _value(one, "unit_name", unit)
    _value(found, "unitgradingtype", "0")
    _value(found, "unitpenalty", "0")
    _value(found, "showunits", "0" if unit else "3")
    _value(found, "unitsleft", "0")


def format_share(count: int) -> str:
    """An equal share of 100 percent, with the digits by which Moodle knows its grades.

    It knows no share of 11 and more. A sum above 100 counts as 100 there.
    """
    return f"{100 / min(max(count, 1), 10):.5f}".rstrip("0").rstrip(".")


def tolerance(question: ExportedQuestion) -> str:
    """The absolute tolerance of a number; the stored one is relative."""
    return f"{abs(question.answer['value']) * question.answer.get('tolerance', 0):.6g}"


def short_name(question: ExportedQuestion) -> str:
    """A name for lists of questions: the beginning of the prompt on one line."""
    name = " ".join(question.prompt.split())
    return name if len(name) <= _MAX_NAME_LENGTH else f"{name[: _MAX_NAME_LENGTH - 1].rstrip()}…"


def _answer(parent: Element, text: str, fraction: str, *, is_html: bool) -> Element:
    answer = SubElement(parent, "answer", fraction=fraction, format="html" if is_html else "moodle_auto_format")
    _value(answer, "text", _as_html(text) if is_html else text)
    return answer


def _html(element: Element, text: str) -> None:
    element.set("format", "html")
    _value(element, "text", _as_html(text))


def _as_html(text: str) -> str:
    paragraphs = [html.escape(part, quote=False).replace("\n", "<br/>") for part in _paragraphs(text)]
    return "".join(f"<p>{part}</p>" for part in paragraphs)


def _paragraphs(text: str) -> Iterator[str]:
    parts: Iterable[str] = re.split(r"\n\s*\n", text)
    return (part.strip() for part in parts if part.strip())


def _category(name: str) -> str:
    """A name in the path of a category, where a slash is written twice."""
    return " ".join(name.split()).replace("/", "//")


def _text(parent: Element, text: str) -> None:
    _value(parent, "text", text)


def _value(parent: Element, name: str, text: str) -> None:
    SubElement(parent, name).text = _FORBIDDEN.sub("", text)
