"""A small reader of GIFT, by the rules of Moodle's importer, to hold what the export wrote."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_SIGNS = {sign: f"\ue000{ord(sign):03d};" for sign in ":#={}~"} | {"n": "\ue000010;"}
_WEIGHT = re.compile(r"^%(-?[0-9]+\.?[0-9]*)%")


@dataclass
class GiftQuestion:
    title: str
    category: str
    prompt: str
    kind: str
    answers: list[tuple[float, str]] = field(default_factory=list)
    pairs: list[tuple[str, str]] = field(default_factory=list)
    feedback: str = ""


def read_gift(content: bytes) -> list[GiftQuestion]:
    found, category = [], ""
    text = "\n".join(line for line in content.decode().split("\n") if not line.startswith("//"))
    for block in re.split(r"\n\s*\n", text.strip()):
        if block.startswith("$CATEGORY:"):
            category = block.removeprefix("$CATEGORY:").strip()
        else:
            found.append(_question(_hidden(block.strip()), category))
    return found


def _question(block: str, category: str) -> GiftQuestion:
    _, title, rest = block.split("::", 2)
    head, _, tail = rest.partition("{")
    inside, _, after = tail.rpartition("}")
    assert "{" not in inside and "}" not in inside and not after.strip()
    body, _, feedback = inside.strip().partition("####")
    question = GiftQuestion(
        _shown(title), category, _text(head), _kind(body.strip()), feedback=_shown(feedback.strip())
    )
    body = body.strip()
    match question.kind:
        case "multichoice":
            question.answers = [_weighed(one) for one in body.replace("=", "~=").split("~") if one.strip()]
        case "shortanswer":
            question.answers = [_weighed(one, otherwise=100) for one in body.split("=") if one.strip()]
        case "match":
            halves = [one.split("->") for one in body.split("=") if one.strip()]
            question.pairs = [(_text(left), _text(right)) for left, right in halves]
        case "numerical" | "truefalse":
            question.answers = [(100, body.strip("#\n ="))]
    return question


def _kind(body: str) -> str:
    if not body:
        return "essay"
    if body.startswith("#"):
        return "numerical"
    if "~" in body:
        return "multichoice"
    if "=" in body and "->" in body:
        return "match"
    return "truefalse" if body in ("TRUE", "FALSE") else "shortanswer"


def _weighed(answer: str, otherwise: float = 0) -> tuple[float, str]:
    answer = answer.strip()
    if answer.startswith("="):
        return 100, _text(answer[1:])
    if weight := _WEIGHT.match(answer):
        return float(weight[1]), _text(answer[weight.end() :])
    return otherwise, _text(answer)


def _text(text: str) -> str:
    """Moodle reads a format in brackets at the beginning of a text."""
    named = re.match(r"\[(\w+)\]", text.strip())
    assert named is None or named[1] == "plain"
    return _shown(text.strip().removeprefix("[plain]"))


def _hidden(text: str) -> str:
    text = text.replace("\\\\", "\ue001")
    for sign, placeholder in _SIGNS.items():
        text = text.replace(f"\\{sign}", placeholder)
    return text.replace("\ue001", "\\")


def _shown(text: str) -> str:
    for sign, placeholder in _SIGNS.items():
        text = text.replace(placeholder, "\n" if sign == "n" else sign)
    return text
