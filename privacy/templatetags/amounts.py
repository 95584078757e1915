"""How much is stored or was erased, in words that a teacher knows."""

from __future__ import annotations

from collections.abc import Mapping

from django import template

register = template.Library()

_KNOWN = {
    "accounts": "account",
    "chatbots": "chatbot",
    "conversations": "conversation",
    "messages": "question with its answer",
    "personal documents": "document",
    "study plans": "study plan",
    "class links": "class",
    "classes": "class",
    "pupils": "pupil",
    "questions": "question",
    "practice questions": "practice question",
    "access tokens": "access token",
}
_PLURALS = {"class": "classes", "question with its answer": "questions with their answers"}


@register.filter
def in_words(counts: Mapping[str, int]) -> list[str]:
    """What people know by name, from `counts` by the names of the tables. All other rows are summed up."""
    told = [_counted(counts[name], word) for name, word in _KNOWN.items() if counts.get(name)]
    others = sum(count for name, count in counts.items() if name not in _KNOWN)
    if others:
        told.append(f"{others} other record{'s' if others > 1 else ''}, such as passages and settings")
    return told


def _counted(count: int, word: str) -> str:
    return f"{count} {word if count == 1 else _PLURALS.get(word, f'{word}s')}"
