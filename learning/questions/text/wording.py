"""The words of questions that are made by rules, in the languages of the site."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Wording:
    """Templates of one language. `quote` puts its quotation marks around what comes from a source."""

    which_term: str
    what_is: str
    statements: str
    order: str
    order_of: str
    match: str
    short: str
    why: str
    marks: tuple[str, str]

    def quote(self, text: str) -> str:
        """The text between the quotation marks of the language."""
        return f"{self.marks[0]}{text}{self.marks[1]}"


_WORDINGS = {
    "en": Wording(
        which_term="Which term fits this description: {}?",
        what_is="What is meant by {}?",
        statements="Which of these statements about {} are true?",
        order="Put these steps into the right order.",
        order_of="Put these steps into the right order: {}",
        match="Match each term with its meaning.",
        short="Explain in your own words what is meant by {}.",
        why="Why is this so? {}",
        marks=("“", "”"),
    ),
    "de": Wording(
        which_term="Welcher Begriff passt zu dieser Beschreibung: {}?",
        what_is="Was ist mit {} gemeint?",
        statements="Welche dieser Aussagen über {} sind richtig?",
        order="Bringe diese Schritte in die richtige Reihenfolge.",
        order_of="Bringe diese Schritte in die richtige Reihenfolge: {}",
        match="Ordne jedem Begriff seine Bedeutung zu.",
        short="Erkläre mit eigenen Worten, was mit {} gemeint ist.",
        why="Warum ist das so? {}",
        marks=("„", "“"),
    ),
    "fr": Wording(
        which_term="Quel terme correspond à cette description : {} ?",
        what_is="Que signifie {} ?",
        statements="Lesquelles de ces affirmations sur {} sont vraies ?",
        order="Remets ces étapes dans le bon ordre.",
        order_of="Remets ces étapes dans le bon ordre : {}",
        match="Associe chaque terme à sa signification.",
        short="Explique avec tes propres mots ce que signifie {}.",
        why="Pourquoi est-ce ainsi ? {}",
        marks=("« ", " »"),
    ),
    "es": Wording(
        which_term="¿Qué término corresponde a esta descripción: {}?",
        what_is="¿Qué significa {}?",
        statements="¿Cuáles de estas afirmaciones sobre {} son verdaderas?",
        order="Pon estos pasos en el orden correcto.",
        order_of="Pon estos pasos en el orden correcto: {}",
        match="Relaciona cada término con su significado.",
        short="Explica con tus propias palabras qué significa {}.",
        why="¿Por qué es así? {}",
        marks=("«", "»"),
    ),
}

GAP = "____"
"""Stands for the missing words of a cloze or a number question."""


def wording_of(language: str) -> Wording:
    """The wording of a language code; English for a language that has none."""
    return _WORDINGS.get(language[:2].lower(), _WORDINGS["en"])


_OPEN_ARTICLE = re.compile(r"\b([Aa])(?:/an\b|\(n\))")


def with_one_article(text: str) -> str:
    """The text with "a" for the open articles "a/an" and "a(n)" before a gap."""
    return _OPEN_ARTICLE.sub(r"\1", text)
